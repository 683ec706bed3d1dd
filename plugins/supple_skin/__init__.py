"""Contact through the skin of a ghost: a surface blended from bones, which yield where it touches something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add skins and a finger to begin with, and the systems that move them."""
    registry.add_component("supple_skin.components:Skin")
    registry.add_component("supple_skin.finger:SkinnedFinger")
    registry.add_compiler(
        "skin.frames", "supple_skin.frames:compile_frames", components=["skin"], provides=["bone_riders"]
    )
    registry.add_compiler(
        "skin.surfaces", "supple_skin.compile:compile_skins", components=["skin"], after=["ghost.bones"],
        provides=["surfaces"],
    )  # fmt: skip
    for name, system in (
        ("follow_bones", "FollowBones"),
        ("advance_vertices", "AdvanceVertices"),
        ("observe_contacts", "ObserveContacts"),
    ):
        registry.add_system(f"skin.{name}", f"supple_skin.systems:{system}", when=["skin"])
    registry.add_system("skin.probe_rows", "supple_skin.probe:ProbeSkins", when=["skin"])
