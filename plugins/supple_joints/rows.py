"""The source of the rows of all links."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import IntArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.deforming import DeformingSurface
from supple.mechanics.dynamics import Arrays, Dynamics
from supple.mechanics.mechanism import Carrier, PointRows
from supple.mechanics.points import make_points
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.spring_tables import make_spring_table
from supple_joints.codes import LOCK, MOVE, TURN
from supple_joints.constraints import READS, LinkConstraints
from supple_joints.held import HELD_NEXT, SURFACE
from supple_joints.held_kernels import select_held_sides
from supple_joints.row_kernels import fill_groups, find_haste, list_active_rows, select_sides, set_row_bias
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
        self._problem: ConstraintProblem | None = None

    def bind(self, arrays: Bound) -> None:
        """Bind rows and links; the problem follows when it is first filled."""
        self._problem, self.h = None, arrays.h
        self.table, links = take_rows(arrays), arrays.take(Links, "joints")
        self.kind, self.measured = links.kind, arrays.take(Measured, "joints")
        self.settings = arrays.build.settings("joints")
        self._list_rows = bind_kernel(list_active_rows, self.table.link, arrays["joints.active"], self.rows)
        made = (self.table, self.rows, links, self.measured, self.points.arrays)
        carriers: list[Carrier] = arrays.build.members("carriers")
        #: What selects the sides that a carrier moves in one way, and who makes their rows.
        self._sides: list[tuple[Callable[[], int], Callable[[PointRows], None]]] = []
        for number, carrier in enumerate(carriers):
            for motion, add in ((MOVE, carrier.add_point_rows), (TURN, carrier.add_turn_rows)):
                self._sides.append((bind_kernel(select_sides, number, motion, *made), add))
        self._held_sides = []
        if self.held:
            element, weights = (arrays[name] for name in HELD_NEXT)
            held = Held(surface=arrays[SURFACE], element=element, weights=weights)
            for number, surface, points in self.held:
                what = (number, self.table, self.rows, held, self.measured, points)
                self._held_sides.append((bind_kernel(select_held_sides, *what), surface, points))

    def bind_constraints(self, dynamics: Dynamics, arrays: Arrays, build: Build) -> LinkConstraints:
        """The locked directions among what `dynamics` knows, as equations."""
        return LinkConstraints(dynamics, arrays, build)

    def append(self, problem: ConstraintProblem) -> None:
        """Laws and bounds of the rows of all links that hold, and the Jacobian of both sides."""
        if problem is not self._problem:
            self._bind_problem(problem)
        count = self._list_rows()
        self.rows.span[0] = problem.reserve(count)
        if count == 0:
            return
        self._fill_groups()
        points = self.points
        for select, add in self._sides:
            points.count = select()
            if points.count:
                add(points)
        for select, surface, held in self._held_sides:
            if select():
                surface.add_rows(held)

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Errors are taken back, limits look ahead, motors and springs pull."""
        self._set_bias()

    def find_haste(self) -> float:
        """The greatest speed [m/s] of taking a distance back."""
        return float(self._find_haste()) if self.rows.span[1] else 0.0

    def list_recovering(self) -> IntArray:
        """The groups of the locked rows."""
        first, count = self.rows.span
        locked: IntArray = first + np.flatnonzero(self.table.role[self.rows.number[:count]] == LOCK)
        return locked

    def _bind_problem(self, problem: ConstraintProblem) -> None:
        """It is the same problem in every step."""
        self._problem, settings = problem, self.settings
        self._fill_groups = bind_kernel(
            fill_groups, self.h, self.table, self.rows, problem.rows, problem.origin
        )
        self._find_haste = bind_kernel(find_haste, self.table, self.rows, problem.bias)
        self._set_bias = bind_kernel(
            set_row_bias, self.h, settings.recovery, settings.recovery_speed, settings.recovery_spin,
            self.table, self.rows, self.kind, self.measured, problem.bias, self._spring_table,
        )  # fmt: skip
