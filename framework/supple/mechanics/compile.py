"""Arrays of the contacts, the rows and the energy balance, which every scene has."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.mechanics.last_impulses import declare_last_impulses
from supple.mechanics.mechanism import contact_capacity
from supple.mechanics.neighbours import declare_last_contacts
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.run_metrics import RUN_METRICS

CONTACT_ARRAYS = (
    "contacts.count", "contacts.surface", "contacts.element", "contacts.key", "contacts.point",
    "contacts.normal", "contacts.gap", "contacts.friction", "contacts.restitution",
)  # fmt: skip
"""What collision writes and contact rows read."""

ARRAY_OF_METRIC = {
    "residual_worst": "rows.residual",
    "residual_settled": "rows.residual",
    "penetration_worst": "rows.penetration",
    "contacts": "rows.contacts",
    "sweeps": "rows.iterations",
    "solver_failures": "rows.failures.next",
    "solver_rescues": "rows.rescues.next",
    "kinetic_energy": "energy.kinetic",
    "potential_energy": "energy.potential",
    "energy_initial": "energy.initial.next",
    "contact_work": "energy.row_work.next",
    "applied_work": "energy.applied_work.next",
    "energy_unaccounted": "energy.unaccounted",
}
"""Which array holds a metric of the run, in its only element."""


def compile_rows(build: Build) -> None:
    """Declare what collision, assembly, solver and report hand to each other."""
    capacity = contact_capacity(build)
    _declare_contacts(build, capacity)
    build.add_record("rows.problem", ConstraintProblem(capacity, build.run.step))
    build.add_step("rows.count", (1,), unit="1", doc="Groups of rows in this step.", dtype=np.int64)
    for name, unit, doc in (
        ("residual", "m/s", "Worst natural-map residual of this step."),
        ("penetration", "m", "Deepest penetration at the start of this step."),
        ("contacts", "1", "Frictional contacts in this step."),
        ("iterations", "1", "Iterations of the solver."),
    ):
        build.add_step(f"rows.{name}", (1,), unit=unit, doc=doc)
    build.add_step(
        "rows.impulse",
        (capacity, 3),
        unit="N s",
        doc="Impulses along n, t, s.",
        count="rows.count",
        record=True,
    )
    build.add_state("rows.failures", [0.0], unit="1", doc="Steps whose solve fell short so far.")
    build.add_state("rows.rescues", [0.0], unit="1", doc="Steps in which another solver had to help so far.")
    declare_last_impulses(build, capacity)
    if build.run.warm_start == "neighbours":
        declare_last_contacts(build, capacity)
    _declare_energy(build)
    for metric in RUN_METRICS:
        build.bind_metric("run", metric, ARRAY_OF_METRIC[metric.name], 0)


def compile_row_groups(build: Build) -> None:
    """Declare which groups of the problem are whose; after all sources of rows."""
    names = [source.name for source in build.members("row_sources")]
    doc = "First group and number of groups of every source of rows."
    build.add_step("rows.groups", (len(names), 2), unit="1", doc=doc, dtype=np.int64, labels=names)


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
    ):
        build.add_step(
            f"contacts.{name}", (capacity, *shape), unit=unit, doc=doc, count="contacts.count", record=True,
            dtype=dtype,
        )  # fmt: skip
    build.add_step(
        "contacts.force", (capacity, 3), unit="N", doc="Force on A, in the world.", count="contacts.count",
        record=True,
    )  # fmt: skip


def _declare_energy(build: Build) -> None:
    for name, doc in (
        ("before", "Kinetic and potential energy at the start of the step."),
        ("kinetic", "Kinetic energy after the step."),
        ("potential", "Potential energy after the step."),
        ("applied", "Work of applied forces in this step."),
    ):
        build.add_step(f"energy.{name}", (1,), unit="J", doc=doc, accumulates=True)
    build.add_step("energy.unaccounted", (1,), unit="J", doc="Change of energy that no work explains.")
    for name, doc in (
        ("initial", "Energy at the start of the run."),
        ("row_work", "Work of all rows so far."),
        ("applied_work", "Work of applied forces so far."),
    ):
        build.add_state(f"energy.{name}", [0.0], unit="J", doc=doc)
