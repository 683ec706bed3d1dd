"""Pushes: forces that act for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the push event."""
    from supple_push.components import Push

    registry.add_event(Push)
    registry.add_compiler(
        "push.events", "supple_push.compile:compile_pushes", components=["push"], after=["carriers"]
    )
    registry.add_system("push.apply_forces", "supple_push.systems:ApplyForces", when=["push"])
