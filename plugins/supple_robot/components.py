"""What an author says about robots."""

from __future__ import annotations

from typing import Literal

from supple.core.component import component, field
from supple.core.entity import Entity
from supple.core.scene_files import SceneFiles


@component
class Robot:
    """A robot of an MJCF or URDF file: child `bones` with its links below, and whatever stands still beside it."""

    file: str = field(unit="", doc="An MJCF (.xml) or URDF (.urdf) file beside the scene.", min_length=1)
    base: Literal["as_written", "free", "fixed"] = field(
        default="as_written", unit="",
        doc="How its roots move against the world: as the file says, freely, or not at all.",
    )  # fmt: skip
    up: Literal["y", "z"] = field(default="z", unit="", doc="Which axis of the file points up.")
    keyframe: str = field(
        default="", unit="", doc="Keyframe of the file that it starts in, with its controls as targets."
    )
    motor_stiffness: float = field(
        default=0.0, unit="N m/rad, N/m", ge=0,
        doc="Makes servos of actuators that are mere torques: they hold the start; 0 leaves them out.",
    )  # fmt: skip
    motor_damping: float = field(
        default=0.0, unit="N m s/rad, N s/m", ge=0, doc="Damping of the servos that torques are made to."
    )

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """Links, joints, shapes, servos and closed loops of the file."""
        from supple_robot.robot import make_robot

        return make_robot(self, entity.path, files).entities
