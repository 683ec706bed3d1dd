"""The source of rows of joints whose driving force is limited."""

from __future__ import annotations

from supple.core.schedule import Bound
from supple.mechanics.problem import ConstraintProblem
from supple_bones.limits import key_of
from supple_skeleton.mechanism import Skeletons
from supple_tracking.pose.kernels import append_drives


class LimitedDrives:
    """One compliant row of bounded impulse for every limited rate."""

    name = "tracking.drives"
    reads = (
        "skeleton.bone", "skeleton.dof", "tracking.gains", "tracking.limited", "tracking.push",
    )  # fmt: skip

    def __init__(self, skeletons: Skeletons, count: int) -> None:
        self.skeletons, self.count = skeletons, count
        self.first = 0
        self.key = key_of(self.name)

    def bind(self, arrays: Bound) -> None:
        """Bind gains and forces."""
        self.inputs = [arrays[name] for name in self.reads]
        self.h = arrays.h

    def append(self, problem: ConstraintProblem) -> None:
        """Law, bounds, bias and Jacobian of all drives."""
        self.first = problem.reserve(self.count)
        J = self.skeletons.jacobian
        self.skeletons.refuse_overflow(self.count)
        append_drives(
            self.h, *self.inputs, self.first, self.key,
            problem.law, problem.key, problem.lower, problem.upper, problem.compliance, problem.bias,
            J.count, J.group, J.unit, J.dof, J.values,
        )  # fmt: skip

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Nothing to do: the bias does not depend on the rows' velocities and is set with the rest."""
