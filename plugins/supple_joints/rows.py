"""The source of the rows of all links."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import IntArray
from supple.core.build import Build
from supple.core.program import make_callable
from supple.core.schedule import Bound, Call, Work
from supple.mechanics.deforming import DeformingSurface
from supple.mechanics.dynamics import Arrays, Dynamics
from supple.mechanics.mechanism import (
    Carrier,
    PointRows,
    bind_point_rows,
    bind_surface_rows,
    bind_turn_rows,
)
from supple.mechanics.points import make_points
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.spring_tables import make_spring_table
from supple_joints.codes import LOCK, MOVE, TURN
from supple_joints.constraints import READS, LinkConstraints
from supple_joints.held import HELD_NEXT, SURFACE
from supple_joints.held_kernels import select_held_sides
from supple_joints.row_kernels import (
    fill_groups,
    find_haste,
    is_hasty,
    list_active_rows,
    select_sides,
    set_row_bias,
)
from supple_joints.tables import LINKS, MEASURED, ROWS, ActiveRows, Held, Links, Measured, take_rows


class LinkRows:
    """One group of one row for every direction of a link that is locked, limited, driven or sprung."""

    name = "joints"
    constraint_reads = READS

    def __init__(self, rows: int, springs: int, held: list[tuple[int, DeformingSurface]]) -> None:
        """`springs` of the rows have stiffness; `held` are the surfaces that bend of which links hold points."""
        self.springs = make_spring_table(springs) if springs else None
        self._spring_table = self.springs or make_spring_table(0)
        self.reads = (*ROWS, *LINKS, *MEASURED, "joints.active", *((SURFACE, *HELD_NEXT) if held else ()))
        self.held = [(number, surface, make_points(2 * rows)) for number, surface in held]
        self.points = PointRows(2 * rows)
        self.rows = ActiveRows(number=np.zeros(rows, np.int64), span=np.zeros(2, np.int64))

    def bind(self, arrays: Bound) -> None:
        """Bind rows and links."""
        self.h = arrays.h
        self.table, self.links = take_rows(arrays), arrays.take(Links, "joints")
        self.measured, self.active = arrays.take(Measured, "joints"), arrays["joints.active"]
        self.settings = arrays.build.settings("joints")
        self.carriers: list[Carrier] = arrays.build.members("carriers")
        if self.held:
            element, weights = (arrays[name] for name in HELD_NEXT)
            self.sides = Held(surface=arrays[SURFACE], element=element, weights=weights)

    def bind_constraints(self, dynamics: Dynamics, arrays: Arrays, build: Build) -> LinkConstraints:
        """The locked directions among what `dynamics` knows, as equations."""
        return LinkConstraints(dynamics, arrays, build)

    def bind_append(self, problem: ConstraintProblem) -> Work:
        """Laws and bounds of the rows of all links that hold, and the Jacobian of both sides, for every step."""
        first, count = self.rows.span[:1], self.rows.span[1:]
        made = (self.table, self.rows, self.links, self.measured, self.points.arrays, self.points.counts)
        sides: list[Work] = []
        for number, carrier in enumerate(self.carriers):
            for motion, bind in ((MOVE, bind_point_rows), (TURN, bind_turn_rows)):
                sides += [Call(select_sides, number, motion, *made), bind(carrier, self.points)]
        for number, surface, points in self.held:
            what = (number, self.table, self.rows, self.sides, self.measured, points)
            sides += [Call(select_held_sides, *what), bind_surface_rows(surface, points)]
        return [
            Call(list_active_rows, self.table.link, self.active, self.rows),
            problem.bind_reserve(count, first),
            Call(fill_groups, self.h, self.table, self.rows, problem.rows, problem.origin),
            *sides,
        ]

    def bind_bias(self, problem: ConstraintProblem) -> Call:
        """Errors are taken back, limits look ahead, motors and springs pull, in every step."""
        settings = self.settings
        return Call(
            set_row_bias, self.h, settings.recovery, settings.recovery_speed, settings.recovery_spin,
            self.table, self.rows, self.links.kind, self.measured, problem.bias, self._spring_table,
        )  # fmt: skip

    def append(self, problem: ConstraintProblem) -> None:
        """The rows of one step."""
        make_callable(self.bind_append(problem))()

    def set_bias(self, problem: ConstraintProblem) -> None:
        """The bias of one step."""
        make_callable(self.bind_bias(problem))()

    def find_haste(self, problem: ConstraintProblem) -> float:
        """The greatest speed [m/s] of taking a distance back."""
        return float(find_haste(self.table, self.rows, problem.bias))

    def bind_haste(self, problem: ConstraintProblem, most: float, otherwise: Callable[[], None]) -> Call:
        """Do something otherwise in steps in which that is greater than `most`."""
        return Call(is_hasty, self.table, self.rows, problem.bias, most, otherwise=otherwise)

    def list_recovering(self) -> IntArray:
        """The groups of the locked rows."""
        first, count = self.rows.span
        locked: IntArray = first + np.flatnonzero(self.table.role[self.rows.number[:count]] == LOCK)
        return locked
