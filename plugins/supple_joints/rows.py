"""The source of the rows of all links."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.core.schedule import Bound
from supple.mechanics.deforming import DeformingSurface
from supple.mechanics.dynamics import Arrays, Dynamics
from supple.mechanics.mechanism import Carrier, PointRows
from supple.mechanics.points import make_points
from supple.mechanics.problem import ConstraintProblem
from supple_joints.codes import MOVE, TURN
from supple_joints.constraints import READS, LinkConstraints
from supple_joints.held import ELEMENT, SURFACE, WEIGHTS
from supple_joints.held_kernels import select_held_sides
from supple_joints.row_kernels import fill_groups, list_active_rows, select_sides, set_row_bias


class LinkRows:
    """One group of one row for every direction of a link that is locked, limited, driven or sprung."""

    name = "joints"
    of_links = (
        "joints.row_link", "joints.row_role", "joints.row_motion", "joints.row_column", "joints.row_law",
        "joints.row_target", "joints.row_stiffness", "joints.row_damping", "joints.row_offset",
        "joints.row_strongest", "joints.kind", "joints.carrier", "joints.frame", "joints.active",
        "joints.axes", "joints.point", "joints.error", "joints.coordinate",
    )  # fmt: skip
    constraint_reads = READS

    def __init__(self, rows: int, held: list[tuple[int, DeformingSurface]]) -> None:
        """`held` are the surfaces that bend of which links hold points, with their numbers."""
        self.reads = (*self.of_links, *((SURFACE, ELEMENT + NEXT, WEIGHTS + NEXT) if held else ()))
        self.held = [(number, surface, make_points(2 * rows)) for number, surface in held]
        self.points = PointRows(2 * rows)
        self.rows = np.zeros(rows, np.int64)
        self.first = self.count = 0

    def bind(self, arrays: Bound) -> None:
        """Bind rows, links and settings."""
        bound = {name.removeprefix("joints."): arrays[name] for name in self.of_links}
        self.row_link, self.active = bound["row_link"], bound["active"]
        self.directions = [bound[f"row_{name}"] for name in ("link", "role", "motion", "column")]
        self.sides = [bound["carrier"], bound["frame"]]
        self.laws = [bound[f"row_{name}"] for name in ("law", "strongest", "stiffness", "damping")]
        self.placed = [bound["axes"], bound["point"]]
        self.springs = [bound[f"row_{name}"] for name in ("target", "stiffness", "damping", "offset")]
        self.measured = [bound["error"], bound["coordinate"]]
        self.kind = bound["kind"]
        self.held_sides = [arrays[name] for name in self.reads[len(self.of_links) :]]
        self.carriers: list[Carrier] = arrays.build.members("carriers")
        settings = arrays.build.settings("joints")
        self.settings = (settings.recovery, settings.recovery_speed, settings.recovery_spin)

    def bind_constraints(self, dynamics: Dynamics, arrays: Arrays, build: Build) -> LinkConstraints:
        """The locked directions among what `dynamics` knows, as equations."""
        return LinkConstraints(dynamics, arrays, build)

    def append(self, problem: ConstraintProblem) -> None:
        """Laws and bounds of the rows of all links that hold, and the Jacobian of both sides."""
        self.count = list_active_rows(self.row_link, self.active, self.rows)
        self.first = problem.reserve(self.count)
        if self.count == 0:
            return
        fill_groups(
            *self.laws, problem.step, self.first, self.count, self.rows,
            problem.law, problem.lower, problem.upper, problem.compliance, problem.key,
        )  # fmt: skip
        points = self.points
        for number, carrier in enumerate(self.carriers):
            for motion, add in ((MOVE, carrier.add_point_rows), (TURN, carrier.add_turn_rows)):
                points.count = select_sides(
                    *self.directions, *self.sides, number, motion, self.first, self.count, self.rows,
                    *self.placed, points.group, points.frame, points.sign, points.point, points.directions,
                )  # fmt: skip
                if points.count:
                    add(points)
        for number, surface, held in self.held:
            select_held_sides(
                *self.directions,
                *self.held_sides,
                number,
                self.first,
                self.count,
                self.rows,
                *self.placed,
                held,
            )
            if held.span.item(1):
                surface.add_rows(held)

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Errors are taken back, limits look ahead, motors and springs pull."""
        set_row_bias(
            *self.settings, *self.directions, *self.springs, self.kind,
            problem.step, self.first, self.count, self.rows, *self.measured, problem.bias,
        )  # fmt: skip
