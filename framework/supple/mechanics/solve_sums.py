"""The figures of a run that has several solves: those of all of them together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from supple.core.build import Build
from supple.core.members import Solve
from supple.core.schedule import ROWS, Bound, Phase, System

OWNER: Final = "solves"
FIGURES: Final = {
    "residual": ("m/s", "Worst natural-map residual of this step."),
    "penetration": ("m", "Deepest penetration at the start of this step."),
    "contacts": ("1", "Frictional contacts in this step."),
    "iterations": ("1", "Iterations of the solver."),
    "unsolved": ("1", "Steps that stayed unsolved so far."),
    "failures": ("1", "Steps whose solve fell short so far."),
    "rescues": ("1", "Steps in which another solver had to help so far."),
    "kinetic": ("J", "Kinetic energy after the step."),
    "potential": ("J", "Potential energy after the step."),
    "stored": ("J", "That part of it which springs and drives have stored."),
    "initial": ("J", "Energy at the start of the run."),
    "row_work": ("J", "Work of all rows so far."),
    "applied_work": ("J", "Work of applied forces so far."),
    "numerical_loss": ("J", "Energy that springs and drives lost by being taken in steps, so far."),
    "unaccounted": ("J", "Change of energy that no work explains."),
}
"""Unit and meaning of what is known of every solve."""
WORST: Final = ("residual", "penetration")
"""Figures of which the run has the greatest; of all others it has the sum."""
ENERGY: Final = ("before", "kinetic", "potential", "applied", "stored", "numerical", "given", "late")
"""What mechanisms add up in every step."""
_HELD: Final = (
    "unsolved", "failures", "rescues", "initial", "row_work", "applied_work", "numerical_loss",
)  # fmt: skip


def name_figure(solve: Solve, figure: str) -> str:
    """The array with a figure of a solve after the step.

    Those of the solve that every scene has are Step values, or State of `rows` and `energy`. Any other solve may be
    slower than the run, so it holds them all as State.
    """
    if solve.name != ROWS:
        return f"{solve.array(figure)}.next"
    energy = figure in (
        *ENERGY, "initial", "row_work", "applied_work", "numerical_loss", "unaccounted",
    )  # fmt: skip
    name = f"energy.{figure}" if energy else solve.array(figure)
    return f"{name}.next" if figure in _HELD else name


def name_energy(solve: Solve, part: str) -> str:
    """The array that mechanisms of a solve add this part of their energy to."""
    return f"energy.{part}" if solve.name == ROWS else solve.array(f"energy_{part}")


class SolveSums:
    """Stands for the sums in scenes with several solves. Collection `solve_sums`."""

    name = OWNER
    reads = ()

    def bind(self, arrays: Bound) -> None:
        """It looks at nothing."""


def declare_sums(build: Build) -> None:
    """Declare the figures of all solves together."""
    for figure, (unit, doc) in FIGURES.items():
        build.add_step(f"{OWNER}.{figure}", (1,), unit=unit, doc=f"{doc} All solves together.")
    build.add_member("solve_sums", SolveSums())


class SumFigures(System):
    """The worst or the sum of every figure over all solves, as each of them had it last."""

    phase = Phase.OBSERVE
    writes = tuple(f"{OWNER}.{figure}" for figure in FIGURES)

    def __init__(self, build: Build, sums: SolveSums) -> None:
        self.parts = {
            figure: [name_figure(solve, figure) for solve in build.members("solves")] for figure in FIGURES
        }
        self.reads = tuple(name for names in self.parts.values() for name in names)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the figures of all solves."""
        tables = [
            (max if figure in WORST else sum, [arrays[name] for name in names], arrays[f"{OWNER}.{figure}"])
            for figure, names in self.parts.items()
        ]

        def add_up() -> None:
            for reduce, parts, total in tables:
                total[0] = reduce([part.item(0) for part in parts])

        return add_up
