"""Skeletons: articulated bodies in generalised coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add skeletons, servos and gears, and the systems that move them."""
    registry.add_component("supple_skeleton.components:Skeleton")
    registry.add_component("supple_skeleton.components:Servo")
    registry.add_component("supple_skeleton.components:Gear")
    registry.add_collection("bone_loads", "supple_skeleton.loads:BoneLoad")
    registry.add_collection("bone_steppers", "supple_skeleton.steppers:BoneStepper")
    registry.add_settings("skeleton", "supple_skeleton.components:SkeletonSettings")
    registry.add_compiler(
        "skeleton.bones", "supple_skeleton.compile:compile_skeletons", components=["skeleton"],
        after=["bone_loads"], provides=["mechanisms", "carriers", "row_sources", "bone_loads"],
    )  # fmt: skip
    registry.add_warning("skeleton.servos", "supple_skeleton.beginning:warn_of_servos", when=["servo"])
    registry.add_system(
        "skeleton.apply_commands", "supple_skeleton.commands:ApplyCommands", when=["skeleton"]
    )
    for name, system in (
        ("move_freely", "MoveFreely"),
        ("advance_bones", "AdvanceBones"),
        ("observe_bones", "ObserveBones"),
    ):
        registry.add_system(f"skeleton.{name}", f"supple_skeleton.systems:{system}", when=["skeleton"])
    registry.add_system("skeleton.observe_gears", "supple_skeleton.gears:ObserveGears", when=["gear"])
