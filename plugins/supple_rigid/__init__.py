"""Free rigid bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add bodies, stacks and arches of them, and the systems that move them."""
    from supple_rigid import components

    registry.add_component(components.Body)
    registry.add_component(components.Scatter)
    registry.add_component(components.Stack)
    registry.add_component(components.Arch)
    registry.add_compiler(
        "rigid.bodies", "supple_rigid.compile:compile_bodies", components=["body"],
        provides=["mechanisms", "carriers"],
    )  # fmt: skip
    registry.add_system("rigid.move_freely", "supple_rigid.systems:MoveFreely", when=["body"])
    registry.add_system("rigid.advance_bodies", "supple_rigid.systems:AdvanceBodies", when=["body"])
    registry.add_system("rigid.observe_bodies", "supple_rigid.systems:ObserveBodies", when=["body"])
