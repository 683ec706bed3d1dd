"""The energy balance of a run: what changed, and which work explains it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.schedule import Bound, Each, Phase, System
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.problem import ConstraintProblem


class BalanceEnergy(System):
    """Sums the work of rows and applied forces.

    The impulse lambda changes the kinetic energy by lambda . (u + u') / 2 exactly, u and u' being the row
    velocities before and after the step; a planned impulse likewise, by the velocities of its mechanism.
    """

    phase = Phase.OBSERVE
    reads = (
        "rows.problem", "rows.impulse", "run.step",
        "energy.before", "energy.kinetic", "energy.potential", "energy.applied",
        "energy.initial", "energy.row_work", "energy.applied_work",
        Each("mechanisms", "v"), Each("mechanisms", "v_next"), Each("mechanisms", "plan"),
    )  # fmt: skip
    writes = ("energy.initial.next", "energy.row_work.next", "energy.applied_work.next", "energy.unaccounted")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the sums and the velocities of all mechanisms."""
        problem: ConstraintProblem = arrays.record("rows.problem")
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms")
        velocities = [arrays[mechanism.v_next].reshape(-1) for mechanism in mechanisms]
        plans = [(arrays[each.plan], arrays[each.v], arrays[each.v_next]) for each in mechanisms]
        impulse, step = arrays["rows.impulse"], arrays["run.step"]
        before, kinetic = arrays["energy.before"], arrays["energy.kinetic"]
        potential, applied = arrays["energy.potential"], arrays["energy.applied"]
        row_work, row_work_next = arrays["energy.row_work"], arrays["energy.row_work.next"]
        applied_work, applied_work_next = arrays["energy.applied_work"], arrays["energy.applied_work.next"]
        initial, initial_next = arrays["energy.initial"], arrays["energy.initial.next"]
        unaccounted = arrays["energy.unaccounted"]
        mean_velocity = np.empty_like(impulse)

        def balance() -> None:
            n = problem.count
            start = before[0] if step[0] == 0 else initial[0]
            work = 0.0
            if n:
                mean_velocity[:n] = problem.u_now[:n]
                for mechanism, velocity in zip(mechanisms, velocities, strict=True):
                    mechanism.jacobian.add_row_velocities(velocity, mean_velocity)
                work = 0.5 * float(np.vdot(impulse[:n], mean_velocity[:n]))
            initial_next[0] = start
            row_work_next[0] = row_work[0] + work
            planned = sum(0.5 * float(np.vdot(plan, v + v_next)) for plan, v, v_next in plans if plan.any())
            applied_work_next[0] = applied_work[0] + applied[0] + planned
            change = kinetic[0] + potential[0] - start
            unaccounted[0] = change - row_work_next[0] - applied_work_next[0]

        return balance
