"""Joints, motors, springs and grasps: rows between frames that something carries, and points of surfaces that bend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry

LINKED = ("joint", "spring", "grasp")
"""The kinds that tie two things together; motors and releases act on one of these."""


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add what ties things together, and the source of its rows."""
    for component in (
        "supple_joints.chain:Chain",
        "supple_joints.components:Joint",
        "supple_joints.components:Motor",
        "supple_joints.components:Spring",
    ):
        registry.add_component(component)
    for event in ("supple_joints.events:Grasp", "supple_joints.events:Release"):
        registry.add_event(event)
    registry.add_settings("joints", "supple_joints.components:Joints")
    registry.add_compiler(
        "joints.links", "supple_joints.compile:compile_links", components=LINKED,
        after=["carriers", "surfaces"], provides=["row_sources", "point_holders"],
    )  # fmt: skip
    registry.add_warning("joints.springs", "supple_joints.beginning:warn_of_springs", when=["spring"])
    registry.add_warning("joints.distances", "supple_joints.beginning:warn_of_distances", when=["joint"])
    registry.add_system("joints.follow_phases", "supple_joints.follow:FollowPhases", when=["grasp"])
    registry.add_system("joints.drive_axes", "supple_joints.commands:DriveAxes", when=["joint"])
    registry.add_system("joints.measure_links", "supple_joints.systems:MeasureLinks", when=LINKED)
    registry.add_system("joints.observe_links", "supple_joints.systems:ObserveLinks", when=LINKED)
