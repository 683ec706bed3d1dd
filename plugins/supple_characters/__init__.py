"""Characters: hands, limbs and figures as prefabs, with skins that are generated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the prefabs; they expand into components of other plugins and need no systems."""
    for prefab in (
        "supple_characters.components:Hand",
        "supple_characters.components:Arm",
        "supple_characters.components:Leg",
        "supple_characters.components:UpperBody",
        "supple_characters.components:Figure",
    ):
        registry.add_component(prefab)
    for walker in ("supple_characters.biped:Biped", "supple_characters.biped:Biped_2d"):
        registry.add_component(walker)
