"""Pushes: forces that act for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the push event."""
    registry.add_event("supple_push.components:Push")
    registry.add_compiler(
        "push.events", "supple_push.compile:compile_pushes", components=["push"],
        after=["carriers", "surfaces"], provides=["point_holders"],
    )  # fmt: skip
    registry.add_compiler(
        "push.commanded", "supple_push.commanded:compile_commanded", components=(), after=["carriers"]
    )
    registry.add_system("push.apply_commanded", "supple_push.commanded:ApplyCommanded")
    for name, system in (
        ("apply_forces", "ApplyForces"),
        ("hold_points", "HoldPoints"),
        ("push_surfaces", "PushSurfaces"),
    ):
        registry.add_system(f"push.{name}", f"supple_push.systems:{system}", when=["push"])
