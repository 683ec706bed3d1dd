"""Free rigid bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add bodies, what is made of them, how they are thrown, and the systems that move them."""
    registry.add_component("supple_rigid.components:Body")
    registry.add_component("supple_rigid.components:Scatter")
    registry.add_component("supple_rigid.components:Aim")
    registry.add_component("supple_rigid.components:Tilt")
    registry.add_component("supple_rigid.components:Marble")
    registry.add_component("supple_rigid.components:Stack")
    registry.add_component("supple_rigid.components:Arch")
    registry.add_compiler(
        "rigid.bodies", "supple_rigid.compile:compile_bodies", components=["body"],
        provides=["mechanisms", "carriers"],
    )  # fmt: skip
    registry.add_compiler(
        "rigid.aims", "supple_rigid.compile:compile_aims", components=["aim"], after=["rigid.bodies"]
    )
    registry.add_compiler(
        "rigid.tilts", "supple_rigid.compile:compile_tilts", components=["tilt"], after=["rigid.bodies"]
    )
    registry.add_system("rigid.move_freely", "supple_rigid.systems:MoveFreely", when=["body"])
    registry.add_system("rigid.advance_bodies", "supple_rigid.systems:AdvanceBodies", when=["body"])
    registry.add_system("rigid.observe_bodies", "supple_rigid.systems:ObserveBodies", when=["body"])
    registry.add_system("rigid.observe_aims", "supple_rigid.systems:ObserveAims", when=["aim"])
    registry.add_system("rigid.observe_tilts", "supple_rigid.systems:ObserveTilts", when=["tilt"])
