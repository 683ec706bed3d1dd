"""Motions: reference poses over time, from keys or from a BVH file, for whoever tracks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry

USERS = ("motion", "ghost", "pliant", "point_tracking", "pose_tracking", "pressure_tracking")
"""Components whose scenes have targets, with or without a motion."""


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the motion, and for each kind of skeleton the system that samples it."""
    from supple_motion.components import Motion

    registry.add_component(Motion)
    registry.add_compiler(
        "motion.tracks", "supple_motion.compile:compile_motions", components=USERS,
        after=["carriers", "mechanisms"],
    )  # fmt: skip
    for owner in ("skeleton", "ghost"):
        registry.add_system(
            f"motion.sample_{owner}", f"supple_motion.systems:Sample{owner.title()}", when=USERS
        )
