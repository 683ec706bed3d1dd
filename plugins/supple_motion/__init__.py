"""Motions: reference poses over time, from keys or from a BVH file, for whoever tracks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the motion, and for each kind of skeleton the system that samples it."""
    registry.add_component("supple_motion.components:Motion")
    registry.add_compiler(
        "motion.tracks", "supple_motion.compile:compile_motions", components=["motion", "skeleton", "ghost"],
        after=["carriers", "mechanisms", "phases"], provides=["targets"],
    )  # fmt: skip
    for owner in ("skeleton", "ghost"):
        registry.add_system(
            f"motion.sample_{owner}", f"supple_motion.systems:Sample{owner.title()}", when=[owner]
        )
