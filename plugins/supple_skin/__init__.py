"""Contact through the skin: a skeleton that follows a motion, and yields where its skin touches something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add ghosts, skins and a finger to begin with, and the systems that move them."""
    from supple_skin import components, finger

    registry.add_component(components.Ghost)
    registry.add_component(components.Skin)
    registry.add_component(finger.SkinnedFinger)
    registry.add_compiler(
        "ghost.bones", "supple_skin.compile:compile_ghosts", components=["ghost"],
        provides=["mechanisms", "carriers", "row_sources"],
    )  # fmt: skip
    registry.add_compiler(
        "skin.surfaces", "supple_skin.skin_compile:compile_skins", components=["skin"], after=["ghost.bones"],
        provides=["surfaces"],
    )  # fmt: skip
    for name, system in (
        ("foresee_motion", "ForeseeMotion"),
        ("follow_motion", "FollowMotion"),
        ("advance_bones", "AdvanceBones"),
        ("observe_bones", "ObserveBones"),
    ):
        registry.add_system(f"ghost.{name}", f"supple_skin.systems:{system}", when=["ghost"])
    for name, system in (
        ("follow_bones", "FollowBones"),
        ("advance_vertices", "AdvanceVertices"),
        ("observe_contacts", "ObserveContacts"),
    ):
        registry.add_system(f"skin.{name}", f"supple_skin.skin_systems:{system}", when=["skin"])
    registry.add_system("skin.probe_rows", "supple_skin.probe:ProbeSkins", when=["skin"])
