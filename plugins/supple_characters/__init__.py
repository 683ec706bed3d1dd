"""Characters: hands, limbs and figures as prefabs, with skins that are generated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the prefabs; they expand into components of other plugins and need no systems."""
    from supple_characters import biped, components

    for prefab in (components.Hand, components.Arm, components.Leg, components.UpperBody, components.Figure):
        registry.add_component(prefab)
    for walker in (biped.Biped, biped.Biped_2d):
        registry.add_component(walker)
