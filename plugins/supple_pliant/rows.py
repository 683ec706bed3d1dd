"""The source of the rows of pliant joints: a spring and a damper about the trajectory, README eq. (4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.mechanism import Carrier, PointRows
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.spring_tables import make_spring_table
from supple_bones.limits import key_of
from supple_joints.codes import MOVE, TURN
from supple_joints.tables import LINKS, MEASURED, Links, Measured
from supple_pliant.kernels import append_bone_blocks, fill_groups, select_link_sides
from supple_pliant.tables import SPRINGS, Springs
from supple_skeleton.mechanism import Skeletons


class PliantRows:
    """One compliant group of one row for every driven freedom."""

    name = "pliant"
    skeletons: Skeletons  # where rows are on bones

    def __init__(self, build: Build, on_bones: int, on_links: int) -> None:
        """The rows on bones come first."""
        self.on_bones, self.on_links = on_bones, on_links
        self.count = on_bones + on_links
        self.first = np.zeros(1, np.int64)  # group of the first row
        self.key, self.springs = key_of(self.name), make_spring_table(self.count)
        if on_bones:
            self.skeletons = next(one for one in build.members("mechanisms") if one.name == Skeletons.name)
        self.points = PointRows(2 * on_links)
        self.reads = (
            *SPRINGS, *(("pliant.bone_row", "skeleton.bone") if on_bones else ()),
            *(("pliant.link_row", *LINKS, *MEASURED) if on_links else ()),
        )  # fmt: skip
        self._problem: ConstraintProblem | None = None

    def bind(self, arrays: Bound) -> None:
        """Bind rows, gains and links; the problem follows when it is first filled."""
        self._problem, self.h = None, arrays.h
        self.pulls = arrays.take(Springs, "pliant")
        if self.on_bones:
            bone, row, blocks = arrays["skeleton.bone"], arrays["pliant.bone_row"], self.skeletons.jacobian
            self._append_bones = bind_kernel(append_bone_blocks, bone, row, self.first, blocks.arrays)
        #: What selects the sides that a carrier moves in one way, and who makes their rows.
        self._sides: list[tuple[Callable[[], int], Callable[[PointRows], None]]] = []
        if self.on_links:
            self._bind_sides(arrays)

    def _bind_sides(self, arrays: Bound) -> None:
        links, measured = arrays.take(Links, "joints"), arrays.take(Measured, "joints")
        made = (self.first, self.on_bones, arrays["pliant.link_row"], links, measured, self.points.arrays)
        carriers: list[Carrier] = arrays.build.members("carriers")
        for number, carrier in enumerate(carriers):
            for motion, add in ((MOVE, carrier.add_point_rows), (TURN, carrier.add_turn_rows)):
                self._sides.append((bind_kernel(select_link_sides, number, motion, *made), add))

    def append(self, problem: ConstraintProblem) -> None:
        """Law, compliance, bias and Jacobian of all rows."""
        if problem is not self._problem:
            self._problem = problem
            made = (self.h, self.first, self.key, self.pulls, problem.rows, problem.origin, self.springs)
            self._fill_groups = bind_kernel(fill_groups, *made)
        self.first[0] = problem.reserve(self.count)
        self._fill_groups()
        if self.on_bones:
            self.skeletons.refuse_overflow(self.on_bones)
            self._append_bones()
        points = self.points
        for select, add in self._sides:
            points.count = select()
            if points.count:
                add(points)

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Nothing to do: the bias depends on positions and targets only and is set with the rest."""
