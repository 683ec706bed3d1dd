"""The energy balance of a run: what changed, and which work explains it."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.core.members import Solve
from supple.core.schedule import ROWS, Bound, Call, Each, Phase, System
from supple.mechanics.energy_kernels import add_work, balance_energy, hold
from supple.mechanics.energy_tables import EnergyBooks, EnergySums
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.solve_sums import name_energy, name_figure


def name_worked(mechanism: Mechanism) -> str:
    """The velocities that impulses lead to: v_next, unless a mechanism has moved on from them (`v_worked`)."""
    return str(getattr(mechanism, "v_worked", mechanism.v_next))


class BalanceEnergy(System):
    """Sums the work of rows and applied forces.

    The impulses lambda of the rows change the kinetic energy by lambda . (u + u') / 2 exactly, u = J v and u' = J v'
    being the row velocities before and after the step. That is J^T lambda . (v + v') / 2, so the rows themselves are
    not needed. A planned impulse does its work likewise.
    """

    phase = Phase.OBSERVE

    def __init__(self, build: Build, solve: Solve) -> None:
        self.solve, self.rate = solve, solve.rate
        self.sums = {part: name_energy(solve, part) for part in EnergySums._fields}
        self.books_next = {part: name_figure(solve, part) for part in EnergyBooks._fields}
        self.books = {part: name.removesuffix(NEXT) for part, name in self.books_next.items()}
        self.unaccounted = name_figure(solve, "unaccounted")
        # Who is slower than the run has its energy held for the steps between.
        self.held = (
            [
                (name_energy(solve, part), name_figure(solve, part))
                for part in ("kinetic", "potential", "stored")
            ]
            if solve.name != ROWS
            else []
        )
        parts = (Each("mechanisms", part, solve.name) for part in ("v", "plan", "impulse"))
        ended = (name_worked(each) for each in build.members("mechanisms", solve.name))
        self.reads = ("run.time", *self.sums.values(), *self.books.values(), *parts, *ended)
        self.writes = (*self.books_next.values(), self.unaccounted, *(name for _, name in self.held))

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the sums and the velocities of all mechanisms."""
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", self.solve.name)
        work = np.zeros(2)
        adding = [
            Call(
                add_work,
                *(arrays[name].reshape(-1) for name in (each.v, name_worked(each), each.plan, each.impulse)),
                work,
            )
            for each in mechanisms
        ]
        sums = EnergySums(**{part: arrays[name] for part, name in self.sums.items()})
        books, books_next = (
            EnergyBooks(**{part: arrays[name] for part, name in names.items()})
            for names in (self.books, self.books_next)
        )
        finish = Call(
            balance_energy, arrays["run.time"], sums, books, work, books_next, arrays[self.unaccounted]
        )
        held = [Call(hold, arrays[source], arrays[target]) for source, target in self.held]
        return [*adding, finish, *held]
