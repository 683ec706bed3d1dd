"""Ghosts: trees of bones that follow a motion, and yield to contact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add ghosts, and the systems that move them."""
    registry.add_component("supple_ghost.components:Ghost")
    registry.add_collection("bone_riders", "supple_ghost.riders:BoneRider")
    registry.add_compiler(
        "ghost.bones", "supple_ghost.compile:compile_ghosts", components=["ghost"], after=["bone_riders"],
        provides=["mechanisms", "carriers", "row_sources"],
    )  # fmt: skip
    registry.add_compiler(
        "ghost.targets", "supple_ghost.compile:follow_targets", components=["ghost"], after=["targets"]
    )
    for name, system in (
        ("foresee_motion", "ForeseeMotion"),
        ("follow_motion", "FollowMotion"),
        ("advance_bones", "AdvanceBones"),
        ("observe_bones", "ObserveBones"),
    ):
        registry.add_system(f"ghost.{name}", f"supple_ghost.systems:{system}", when=["ghost"])
