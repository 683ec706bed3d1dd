"""The few numbers of the current step that a display shows."""

from __future__ import annotations

from dataclasses import dataclass

from supple.core.world import World


@dataclass(frozen=True)
class StepFigures:
    """Figures after the last step; None where the scene has no such thing."""

    contacts: int | None
    residual: float | None
    energy: float | None
    unsolved: int = 0


class FigureReader:
    """Reads the figures from the arrays of a world, which need not have any of them."""

    def __init__(self, world: World) -> None:
        known = world.arrays.specs
        names = {
            "contacts": ("solves.contacts", "rows.contacts"),
            "unsolved": ("solves.unsolved", "rows.unsolved"),
            "residual": ("solves.residual", "rows.residual"),
            "kinetic": ("solves.kinetic", "energy.kinetic"),
            "potential": ("solves.potential", "energy.potential"),
        }
        found = {key: next((n for n in each if n in known), None) for key, each in names.items()}
        self._arrays = {key: world.arrays[name] for key, name in found.items() if name is not None}

    def read(self) -> StepFigures:
        """Those of the step that was just taken; None for what the scene does not have."""
        count, kinetic = self._first("contacts"), self._first("kinetic")
        potential = self._first("potential")
        energy = None if kinetic is None else kinetic + (potential or 0.0)
        unsolved = int(self._first("unsolved") or 0)
        return StepFigures(None if count is None else int(count), self._first("residual"), energy, unsolved)

    def _first(self, name: str) -> float | None:
        array = self._arrays.get(name)
        return None if array is None or array.size == 0 else float(array.flat[0])
