"""Arrays of the contacts, the rows and the energy balance, which every scene has."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import ROOM, Build
from supple.core.members import Solve
from supple.mechanics.last_impulses import declare_last_impulses
from supple.mechanics.mechanism import contact_capacity
from supple.mechanics.neighbours import declare_last_contacts
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.run_metrics import RUN_METRICS
from supple.mechanics.solve_sums import FIGURES, OWNER, declare_sums, name_energy, name_figure
from supple.mechanics.springs import declare_books

CONTACT_ARRAYS = (
    "contacts.count", "contacts.surface", "contacts.element", "contacts.key", "contacts.point",
    "contacts.normal", "contacts.gap", "contacts.friction", "contacts.restitution",
)  # fmt: skip
"""What collision writes and contact rows read."""

FIGURE_OF_METRIC = {
    "residual_worst": "residual",
    "residual_settled": "residual",
    "penetration_worst": "penetration",
    "contacts": "contacts",
    "sweeps": "iterations",
    "unsolved_steps": "unsolved",
    "solver_failures": "failures",
    "solver_rescues": "rescues",
    "kinetic_energy": "kinetic",
    "potential_energy": "potential",
    "stored_energy": "stored",
    "numerical_loss": "numerical_loss",
    "energy_initial": "initial",
    "contact_work": "row_work",
    "applied_work": "applied_work",
    "energy_unaccounted": "unaccounted",
}
"""Which figure of the solves a metric of the run is; the others are of the run itself."""
COUNTERS = ("unsolved", "failures", "rescues")
"""Figures that count steps."""


def compile_rows(build: Build) -> None:
    """Declare what collision, assembly, solver and report hand to each other."""
    capacity = contact_capacity(build)
    doc = "Contacts, joints and limits that there is room for; changes when a world makes more."
    build.add_state(ROOM, [capacity], unit="1", doc=doc, dtype=np.int64)
    _declare_contacts(build, capacity)
    doc = "Greatest error of a joint after the step."
    build.add_step("run.joint_error", (1,), unit="m", doc=doc, accumulates=True)
    solves = build.members("solves")
    for solve in solves:
        _declare_solve(build, solve, capacity)
    if build.run.warm_start == "neighbours":
        declare_last_contacts(build, capacity)
    if len(solves) > 1:
        declare_sums(build)
    for metric in RUN_METRICS:
        build.bind_metric("run", metric, _place_metric(solves, metric.name), 0)


def _place_metric(solves: list[Solve], metric: str) -> str:
    """The array that holds a metric of the run, in its only element."""
    if metric == "halved_steps":
        return "run.halved.next"
    if metric == "deep_steps":
        return "run.deep.next"
    if metric == "joint_error_worst":
        return "run.joint_error"
    figure = FIGURE_OF_METRIC[metric]
    return name_figure(solves[0], figure) if len(solves) == 1 else f"{OWNER}.{figure}"


def _declare_solve(build: Build, solve: Solve, capacity: int) -> None:
    """Declare the problem of one solve, its impulses, its warm start and its figures."""
    at = solve.array
    build.add_record(at("problem"), ConstraintProblem(capacity))
    build.add_step(at("count"), (1,), unit="1", doc="Groups of rows in this step.", dtype=np.int64)
    build.add_step(
        at("impulse"), (capacity, 3), unit="N s", doc="Impulses along n, t, s.", count=at("count"), record=True
    )  # fmt: skip
    doc = "Impulses of impacts within the step, times how late in it they were."
    build.add_step(at("lag"), (capacity, 3), unit="N s^2", doc=doc, count=at("count"))
    doc = "Whether there are any, 0 or 1."
    build.add_step(at("lagging"), (1,), unit="1", doc=doc, dtype=np.int64)
    declare_last_impulses(build, solve, capacity)
    for part, doc in (
        ("before", "Kinetic and potential energy at the start of the step."),
        ("kinetic", "Kinetic energy after the step."),
        ("potential", "Potential energy after the step."),
        ("applied", "Work of applied forces in this step."),
        ("stored", "That part of the potential energy which springs and drives have stored."),
        ("numerical", "Energy that springs and drives lost in this step by being taken in steps."),
        (
            "late",
            "What impulses within the step work more than by the mean of the velocities before and after it.",
        ),
        ("given", "That part of the work of rows which springs gave from what they had stored, or lost."),
    ):
        build.add_step(name_energy(solve, part), (1,), unit="J", doc=doc, accumulates=True)
    for figure, (unit, doc) in FIGURES.items():
        name = name_figure(solve, figure)
        if name.endswith(NEXT):
            build.add_state(name.removesuffix(NEXT), [0.0], unit=unit, doc=doc)
            if figure in COUNTERS:
                build.step_counters.append(name.removesuffix(NEXT))
        elif name not in build.arrays.specs:
            build.add_step(name, (1,), unit=unit, doc=doc)


def compile_row_groups(build: Build) -> None:
    """Declare which groups of a problem are whose, and who keeps the books of springs; after all sources of rows."""
    doc = "First group and number of groups of every source of rows."
    for solve in build.members("solves"):
        names = [source.name for source in build.members("row_sources", solve.name)]
        build.add_step(
            solve.array("groups"), (len(names), 2), unit="1", doc=doc, dtype=np.int64, labels=names
        )
        declare_books(build, solve)


def _declare_contacts(build: Build, capacity: int) -> None:
    build.add_step("contacts.count", (1,), unit="1", doc="Contact points in this step.", dtype=np.int64)
    for name, shape, unit, doc, dtype in (
        ("surface", (2,), "1", "Surfaces of A and B.", np.int64),
        ("element", (2,), "1", "Elements of the surfaces: shapes or triangles.", np.int64),
        ("key", (2,), "1", "Identity: pair of elements, and features of the two.", np.int64),
        ("point", (2, 3), "m", "Points on A and on B.", np.float64),
        ("normal", (3,), "1", "Unit normal from B to A.", np.float64),
        ("gap", (), "m", "Distance at the start of the step; negative when overlapping.", np.float64),
        ("friction", (), "1", "Coefficient of friction of the pair.", np.float64),
        ("restitution", (), "1", "Coefficient of restitution of the pair.", np.float64),
        ("weights", (2, 3), "1", "Barycentric weights of the points on triangles; else zero.", np.float64),
    ):
        build.add_step(
            f"contacts.{name}", (capacity, *shape), unit=unit, doc=doc, count="contacts.count", record=True,
            dtype=dtype,
        )  # fmt: skip
    for name, shape, doc, dtype in (
        ("group", (), "Group of rows of every contact.", np.int64),
        ("directions", (3, 3), "Directions n, t, s of the rows of every contact.", np.float64),
    ):
        build.add_step(
            f"contacts.{name}", (capacity, *shape), unit="1", doc=doc, count="contacts.count", dtype=dtype
        )
    doc = "1 where bodies meet within the step, with the normal of that time, and are struck then; else 0."
    build.add_step("contacts.late", (capacity,), unit="1", doc=doc, count="contacts.count", dtype=np.int64)
    build.add_step(
        "contacts.force", (capacity, 3), unit="N", doc="Force on A, in the world.", count="contacts.count",
        record=True,
    )  # fmt: skip
