"""The source of rows of joints whose driving force is limited."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.spring_tables import make_spring_table
from supple_bones.limits import key_of
from supple_skeleton.mechanism import Skeletons
from supple_tracking.pose.kernels import append_drives
from supple_tracking.pose.tables import DRIVES, name_shift, take_drives


class LimitedDrives:
    """One compliant row of bounded impulse for every limited rate."""

    name = "tracking.drives"

    def __init__(self, build: Build, skeletons: Skeletons, count: int) -> None:
        self.skeletons, self.count, self.springs = skeletons, count, make_spring_table(count)
        self.build = build
        self.first = np.zeros(1, np.int64)  # group of the first drive
        self.key = key_of(self.name)
        self._problem: ConstraintProblem | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """Gains and forces; shifts are declared after this source."""
        return (*DRIVES, *name_shift(self.build))

    def bind(self, arrays: Bound) -> None:
        """Bind gains and forces; the problem follows when it is first filled."""
        self._problem, self.h = None, arrays.h
        self.drives = take_drives(arrays)

    def append(self, problem: ConstraintProblem) -> None:
        """Law, bounds, bias and Jacobian of all drives."""
        if problem is not self._problem:
            self._problem = problem
            self._append = bind_kernel(
                append_drives, self.h, self.first, self.key, self.drives, problem.rows, problem.origin,
                self.skeletons.jacobian.arrays, self.springs,
            )  # fmt: skip
        self.first[0] = problem.reserve(self.count)
        self.skeletons.refuse_overflow(self.count)
        self._append()

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Nothing to do: the bias does not depend on the rows' velocities and is set with the rest."""
