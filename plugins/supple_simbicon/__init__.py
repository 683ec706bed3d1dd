"""Walking: the SIMBICON controller, gaits in TOML, motor noise, and what a walk is measured by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the controller, pushes that wait for a moment of the gait, and their systems."""
    registry.add_component("supple_simbicon.components:Simbicon")
    registry.add_event("supple_simbicon.components:GaitPush")
    registry.add_settings("simbicon", "supple_simbicon.components:SimbiconSettings")
    registry.add_compiler(
        "simbicon.walkers", "supple_simbicon.compile:compile_walkers", components=["simbicon"],
        after=["skeleton.bones", "phases", "owners"], provides=["walkers", "bone_steppers"],
    )  # fmt: skip
    registry.add_compiler(
        "simbicon.pushes", "supple_simbicon.pushes:compile_pushes", components=["gait_push"],
        after=["simbicon.walkers", "carriers"],
    )  # fmt: skip
    for name, system in (
        ("drive_joints", "systems:DriveJoints"),
        ("observe_slips", "systems:ObserveSlips"),
        ("observe_walk", "systems:ObserveWalk"),
    ):
        registry.add_system(f"simbicon.{name}", f"supple_simbicon.{system}", when=["simbicon"])
    for name, system in (("await_push", "pushes:AwaitPush"), ("apply_push", "pushes:ApplyPush")):
        registry.add_system(f"simbicon.{name}", f"supple_simbicon.{system}", when=["gait_push"])
