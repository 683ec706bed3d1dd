"""The energy balance of a run: what changed, and which work explains it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Each, Phase, System
from supple.mechanics.energy_kernels import add_work, balance_energy
from supple.mechanics.mechanism import Mechanism


class BalanceEnergy(System):
    """Sums the work of rows and applied forces.

    The impulses lambda of the rows change the kinetic energy by lambda . (u + u') / 2 exactly, u = J v and u' = J v'
    being the row velocities before and after the step. That is J^T lambda . (v + v') / 2, so the rows themselves are
    not needed. A planned impulse does its work likewise.
    """

    phase = Phase.OBSERVE
    sums = (
        "run.step", "energy.before", "energy.kinetic", "energy.potential", "energy.applied",
        "energy.initial", "energy.row_work", "energy.applied_work",
    )  # fmt: skip
    reads = (*sums, *(Each("mechanisms", part) for part in ("v", "v_next", "plan", "impulse")))
    writes = ("energy.initial.next", "energy.row_work.next", "energy.applied_work.next", "energy.unaccounted")

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the sums and the velocities of all mechanisms."""
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms")
        work = np.zeros(2)
        adding = [
            bind_kernel(
                add_work,
                *(arrays[name].reshape(-1) for name in (each.v, each.v_next, each.plan, each.impulse)),
                work,
            )
            for each in mechanisms
        ]
        sums, outputs = [arrays[name] for name in self.sums], [arrays[name] for name in self.writes]
        finish = bind_kernel(balance_energy, *sums, work, *outputs)

        def balance() -> None:
            for add in adding:
                add()
            finish()

        return balance
