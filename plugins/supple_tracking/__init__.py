"""Tracking: controllers that drive skeletons towards poses, points and centres of pressure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry

TASKS = ("point_tracking", "pressure_tracking")
"""Components that shift the pose that is tracked."""


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the three kinds of tracking and their systems."""
    for component in (
        "supple_tracking.pose.components:PoseTracking",
        "supple_tracking.tasks.components:PointTracking",
        "supple_tracking.tasks.components:PressureTracking",
    ):
        registry.add_component(component)
    registry.add_compiler(
        "tracking.joints", "supple_tracking.pose.compile:compile_pose_tracking", components=["pose_tracking"],
        after=["skeleton.bones", "targets"], provides=["row_sources"],
    )  # fmt: skip
    registry.add_compiler(
        "tracking.tasks", "supple_tracking.tasks.compile:compile_tasks", components=TASKS,
        after=["tracking.joints", "owners"],
    )  # fmt: skip
    for name, system, when in (
        ("drive_joints", "pose.systems:DriveJoints", ("pose_tracking",)),
        ("observe_joints", "pose.systems:ObserveJoints", ("pose_tracking",)),
        ("shift_pose", "tasks.systems:ShiftPose", TASKS),
        ("observe_tasks", "tasks.systems:ObserveTasks", TASKS),
        ("observe_pressure", "tasks.systems:ObservePressure", ("pressure_tracking",)),
    ):
        registry.add_system(f"tracking.{name}", f"supple_tracking.{system}", when=when)
