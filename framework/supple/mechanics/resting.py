"""What holds things up until a blow of the step falls.

Forces move what flies to where a late blow meets it. What lies on something they do not move: contacts and joints hold
it, with as much of their impulses of the step as of the step is over.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.mechanics.problem import ConstraintProblem

StrikeFunction = Callable[[IntArray, FloatArray], FloatArray]


class Resting:
    """The impulses [groups, 3] N s of the whole step that hold what rests, if nothing is struck.

    `change` [groups, 3] m/s is what they do to all rows.
    """

    def __init__(
        self, problem: ConstraintProblem, groups: IntArray, free: FloatArray, solve: StrikeFunction
    ) -> None:
        """`groups` are those that hold; `free` [groups, 3] m/s are the row velocities that they may go on with."""
        self._problem = problem
        self._impulse, self.change = np.zeros((2, problem.count, 3))
        if len(groups):
            self._impulse[groups] = solve(groups, free[groups])
            problem.W.multiply(self._impulse, self.change)

    def release(self, groups: IntArray) -> FloatArray:
        """Let these hold no longer, as they are struck: their impulses of the whole step, [all groups, 3]."""
        released = np.zeros_like(self._impulse)
        if self._impulse[groups].any():
            released[groups] = self._impulse[groups]
            self._impulse[groups] = 0.0
            self._problem.W.multiply(self._impulse, self.change)
        return released
