"""Control of boneless bodies: muscles and contacts are chosen together, so that a soft body walks, rolls or jumps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the controller and its systems."""
    registry.add_component("supple_locomotion.components:Locomotion")
    registry.add_component("supple_locomotion.components:Scales")
    registry.add_compiler(
        "locomotion.controllers", "supple_locomotion.compile:compile_locomotion", components=["locomotion"],
        after=["muscles.segments", "phases", "surfaces"],
    )  # fmt: skip
    for name, system in (("decide", "Decide"), ("observe", "Observe")):
        registry.add_system(f"locomotion.{name}", f"supple_locomotion.systems:{system}", when=["locomotion"])
    registry.add_system("locomotion.scales", "supple_locomotion.scales:Grip", when=["scales"])
