"""Masses that are too far apart for the digits of a number: a warning before the first step."""

from __future__ import annotations

from collections.abc import Iterator

from supple.core.world import World
from supple.errors import Problem

#: Ratio of masses in one scene beyond which forces on the lightest may be lost in the round-off of the heaviest.
FAR_APART = 1e8


def warn_of_masses(world: World) -> Iterator[Problem]:
    """The lightest and the heaviest thing, if their ratio is extreme."""
    masses = find_masses(world)
    if len(masses) < 2:
        return
    light, heavy = min(masses, key=lambda path: masses[path]), max(masses, key=lambda path: masses[path])
    ratio = masses[heavy] / masses[light]
    if ratio > FAR_APART:
        what = (
            f"has {masses[light]:.3g} kg, and {heavy} {masses[heavy]:.3g} kg: with a ratio of {ratio:.1e} the light "
            "one can neither carry nor stop the heavy one to the digits that there are"
        )
        yield Problem(None, light, what, "let what is so heavy stand still, or bring the masses closer")


def find_masses(world: World) -> dict[str, float]:
    """Mass [kg] of every body and bone, by its path."""
    masses: dict[str, float] = {}
    for spec, values in world.arrays.of_kind("model"):
        # Bodies have masses in kg; bones have them before their first moments, in "kg, kg m, kg m^2".
        if spec.unit.split(", ")[0] == "kg" and spec.labels:
            first = values.reshape(len(values), -1)[:, 0]
            masses.update(zip(spec.labels, (float(mass) for mass in first), strict=False))
    return {path: mass for path, mass in masses.items() if mass > 0.0}
