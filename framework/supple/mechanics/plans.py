"""What the plans of this step do to the rows, for planners that come after others."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.schedule import ROWS, Access, Bound, Each
from supple.mechanics.mechanism import Mechanism


class PlansSoFar:
    """The change J A^-1 plan of the row velocities by what others have planned before.

    A planner that counts on the velocities of rows without impulses adds it to `problem.free`, which knows of no plan.
    It declares `reads`; that it reads what it adds to is how the schedule knows that it wants to see others.
    """

    reads: tuple[Access, ...] = (Each("mechanisms", "plan", ROWS), Each("mechanisms", "reads", ROWS))

    def __init__(self, arrays: Bound) -> None:
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", ROWS)
        self._plans = [(each, arrays[each.plan], np.zeros_like(arrays[each.plan])) for each in mechanisms]

    def add_row_velocities(self, out: FloatArray) -> bool:
        """out[groups, 3] += J A^-1 plan [m/s]; returns whether there is any plan."""
        planned = False
        for mechanism, plan, change in self._plans:
            if plan.any():
                planned = True
                mechanism.apply_inverse(plan, change)
                mechanism.jacobian.add_row_velocities(change.reshape(-1), out)
        return planned
