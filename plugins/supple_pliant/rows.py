"""The source of the rows of pliant joints: a spring and a damper about the trajectory, README eq. (4)."""

from __future__ import annotations

from zlib import crc32

from supple.core.build import Build
from supple.core.schedule import Bound
from supple.mechanics.mechanism import Carrier, PointRows
from supple.mechanics.problem import ConstraintProblem
from supple_joints.codes import MOVE, TURN
from supple_pliant.kernels import append_bone_blocks, bound_slack_rows, fill_groups, select_link_sides

LINKS = ("joints.carrier", "joints.frame", "joints.axes", "joints.point")


class PliantRows:
    """One compliant group of one row for every driven freedom."""

    name = "pliant"

    def __init__(self, build: Build, on_bones: int, on_links: int) -> None:
        """The rows on bones come first."""
        self.on_bones, self.on_links = on_bones, on_links
        self.count = on_bones + on_links
        self.first = 0
        self.key = -2 - crc32(self.name.encode())
        self.skeletons = next((one for one in build.members("mechanisms") if one.name == "skeleton"), None)
        self.points = PointRows(2 * on_links)
        self.reads = (
            "pliant.bone_row", "pliant.link_row", "pliant.error", "pliant.desired", "pliant.gains_now",
            *(("skeleton.bone",) if on_bones else ()), *(LINKS if on_links else ()),
        )  # fmt: skip

    def bind(self, arrays: Bound) -> None:
        """Bind rows, gains and links."""
        self.bone_row, self.link_row, *self.springs = (arrays[name] for name in self.reads[:5])
        if self.on_bones:
            self.bone = arrays["skeleton.bone"]
        if self.on_links:
            carrier, frame, axes, point = (arrays[name] for name in LINKS)
            self.sides, self.placed = [carrier, frame], [axes, point]
        self.carriers: list[Carrier] = arrays.build.members("carriers")

    def append(self, problem: ConstraintProblem) -> None:
        """Law, compliance, bias and Jacobian of all rows."""
        self.first = problem.reserve(self.count)
        fill_groups(
            problem.step, self.count, self.first, self.key, *self.springs,
            problem.law, problem.key, problem.compliance, problem.bias,
        )  # fmt: skip
        bound_slack_rows(self.count, self.first, self.springs[2], problem.lower, problem.upper)
        if self.on_bones:
            self.skeletons.refuse_overflow(self.on_bones)
            J = self.skeletons.jacobian
            append_bone_blocks(
                self.bone, self.bone_row, self.first, J.count, J.group, J.unit, J.dof, J.values
            )
        if self.on_links:
            self._append_links()

    def _append_links(self) -> None:
        points = self.points
        for number, carrier in enumerate(self.carriers):
            for motion, add in ((MOVE, carrier.add_point_rows), (TURN, carrier.add_turn_rows)):
                points.count = select_link_sides(
                    self.link_row, self.on_bones, *self.sides, number, motion, self.first, *self.placed,
                    points.group, points.frame, points.sign, points.point, points.directions,
                )  # fmt: skip
                if points.count:
                    add(points)

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Nothing to do: the bias depends on positions and targets only and is set with the rest."""
