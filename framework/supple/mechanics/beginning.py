"""Masses that are too far apart for the digits of a number: a warning before the first step."""

from __future__ import annotations

from collections.abc import Iterator

from supple.core.world import World
from supple.errors import Problem

#: Ratio of masses in one scene beyond which contact forces of the lightest are lost in the round-off of the heaviest.
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
            f"has {masses[light]:.3g} kg, and {heavy} {masses[heavy]:.3g} kg: with a ratio of {ratio:.1e} forces on "
            "the light one are lost in the digits of those on the heavy one, if the two touch"
        )
        yield Problem(None, light, what, "let what is so heavy stand still, or bring the masses closer")


def find_masses(world: World) -> dict[str, float]:
    """Mass [kg] of everything that moves by forces, by its path: of a skeleton all of it."""
    masses: dict[str, float] = {}
    for spec, values in world.arrays.of_kind("model"):
        if spec.unit == "kg" and len(spec.labels) == values.size:
            masses.update(zip(spec.labels, (float(mass) for mass in values.flat), strict=True))
    for mechanism in world.members("mechanisms"):
        for key in getattr(mechanism, "dynamics_keys", ()):
            if isinstance(key, str) and key not in masses:
                masses[key] = sum(
                    each.mass for each in mechanism.bind_dynamics([key], world.arrays, world.build)
                )
    return {path: mass for path, mass in masses.items() if mass > 0.0}
