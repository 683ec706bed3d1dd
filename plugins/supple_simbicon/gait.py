"""What a gait file says: one step on the left foot, in phases; the step on the right foot is its mirror image."""

from __future__ import annotations

from typing import Literal

from supple.core.component import Vector, component, field
from supple.core.curves import Interpolation, check_times

AXES = ("x", "y", "z")
STANCE, SWING = "stance", "swing"


@component
class Aim:
    """An angle over a phase, as it is for a step on the left foot, and what balance adds to it."""

    angle: float = field(default=0.0, unit="rad", doc="The angle, if it is constant.")
    keys: tuple[tuple[float, float], ...] = field(
        default=(), unit="1, rad", doc="Pairs of share of the phase and angle, in the order of the shares."
    )
    interpolation: Interpolation = field(default="catmull_rom", unit="", doc="Between the keys.")
    distance: float = field(
        default=0.0, unit="rad/m", doc="Added by metre that the body is ahead of the stance foot (x), or left of it."
    )  # fmt: skip
    speed: float = field(default=0.0, unit="rad s/m", doc="Added by speed of the body, likewise.")
    lower: float | None = field(default=None, unit="rad", doc="Least angle that balance may ask for.")
    upper: float | None = field(default=None, unit="rad", doc="Greatest angle that balance may ask for.")

    def __post_init__(self) -> None:
        if self.keys and self.angle:
            raise ValueError("has both keys and an angle; give one of them")
        if self.lower is not None and self.upper is not None and self.lower >= self.upper:
            raise ValueError(f"no angle is above {self.lower:g} and below {self.upper:g}; swap them")
        check_times((key[0] for key in self.keys), "")


@component
class Target:
    """Where a joint goes in a phase: turns about the axes of the frame, one after the other."""

    x: float | Aim = field(
        default=0.0, unit="rad", doc="Turn about x, which points to the left: forward is positive."
    )
    y: float | Aim = field(default=0.0, unit="rad", doc="Turn about y, which points up.")
    z: float | Aim = field(default=0.0, unit="rad", doc="Turn about z, which points forward.")
    order: Literal["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"] = field(
        default="xyz", unit="", doc="Which turn comes first; each is about an axis of the frame."
    )
    frame: Literal["parent", "heading"] = field(
        default="parent", unit="",
        doc="What the angles are measured against: the bone above, or the direction of walking, upright.",
    )  # fmt: skip
    strength: float | Aim = field(default=1.0, unit="1", doc="Factor of the joint's gains.")

    def __post_init__(self) -> None:
        for name in ("y", "strength"):
            aim = getattr(self, name)
            if isinstance(aim, Aim) and (aim.distance or aim.speed):
                raise ValueError(f"{name} has distance or speed; balance turns about x and z only")
        for name in ("y", "z", "strength"):
            aim = getattr(self, name)
            if isinstance(aim, Aim) and (aim.lower is not None or aim.upper is not None):
                raise ValueError(f"{name} has lower or upper; only turns about x have bounds")

    @property
    def aims(self) -> list[Aim]:
        """Those of its numbers that are more than a number."""
        return [aim for aim in (self.x, self.y, self.z, self.strength) if isinstance(aim, Aim)]


@component
class Gains:
    """How a joint is driven. Joints of both sides share a name: `thigh` is left_thigh and right_thigh."""

    stiffness: float = field(unit="N m/rad", ge=0, doc="Torque by distance from the target.")
    damping: float = field(unit="N m s/rad", ge=0, doc="Torque by rate.")
    scale: Vector = field(default=(1.0, 1.0, 1.0), unit="1", ge=0, doc="Factors about x, y, z of the bone.")
    limit: float | None = field(default=None, unit="N m", gt=0, doc="Greatest torque about an axis.")
    strength: float = field(
        default=200.0, unit="N m", gt=0, doc="Greatest voluntary torque: the weaker a joint, the noisier."
    )


@component
class Landing:
    """The swing foot comes down."""

    load: float = field(default=0.0, unit="N", ge=0, doc="Vertical force on it that must be exceeded.")
    share: float = field(default=0.0, unit="1", ge=0, le=1, doc="Part of the phase that must have passed.")


@component
class Stride:
    """One phase of a step."""

    name: str = field(
        unit="", pattern=r"^[A-Za-z_]\w*$", doc="Its name; the machine has left_NAME and right_NAME."
    )
    duration: float | None = field(default=None, unit="s", ge=0, doc="After this time it ends.")
    until: Landing | None = field(default=None, unit="", doc="The landing that ends it.")
    targets: dict[str, Target] = field(
        default={}, unit="rad",
        doc="By joint: stance_NAME, swing_NAME, or the name of a bone in the middle; all others go to zero.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.duration is None and self.until is None:
            raise ValueError(f"the phase '{self.name}' never ends; give it a duration or until")
        if self.duration is None and self.until is not None and self.until.share > 0:
            raise ValueError(f"the phase '{self.name}' asks for a share of no duration; give it one")
        if not self.duration and any(
            len(aim.keys) > 1 for each in self.targets.values() for aim in each.aims
        ):
            raise ValueError(f"the phase '{self.name}' has keys, but no duration; give it one")


@component
class Gait:
    """A gait: how joints are driven, how balance is kept, and the phases of one step."""

    format: Literal[1] = field(unit="1", doc="Version of this format.")
    about: str = field(unit="", min_length=1, doc="What walks how, in a sentence.")
    root: str = field(default="pelvis", unit="", doc="The bone that is kept upright by the hips.")
    hip: str = field(default="thigh", unit="", doc="Name of the bones that the legs hang on the root by.")
    foot: str = field(default="foot", unit="", doc="Name of the bones that land, with all below them.")
    foot_point: Vector = field(
        default=(0.0, 0.0, 0.0), unit="m", doc="Point of the foot that balance counts from, in its frame."
    )
    balance: Literal["centre", "root"] = field(
        default="centre", unit="", doc="What balance looks at: the centre of mass, or the root's origin."
    )
    upright_by: Literal["load", "stance"] = field(
        default="load", unit="",
        doc="Who holds the root upright: both hips by the load on their feet, or the stance hip alone.",
    )  # fmt: skip
    heading: Literal["forward", "own"] = field(
        default="forward", unit="", doc="Where the root faces: along z, or wherever it is going."
    )
    yaw_damping: float = field(
        default=0.0, unit="N m s^2/rad^2", ge=0, doc="Of the stance hip about y, by the square of the rate."
    )
    yaw_cap: float = field(default=4.0, unit="rad/s", gt=0, doc="Rate beyond which that grows no more.")
    fade: tuple[float, float] = field(
        default=(0.2, 0.4), unit="m", doc="Heights of the root at which torques are gone, and whole."
    )
    fallen: float = field(default=0.7, unit="m", gt=0, doc="Height of the root below which it has fallen.")
    joints: dict[str, Gains] = field(unit="", doc="The driven joints, by name of the bone.")
    phases: tuple[Stride, ...] = field(unit="", doc="The phases of a step, one after the other.")

    def __post_init__(self) -> None:
        if self.fade[0] > self.fade[1]:
            raise ValueError("fade falls with the height; write the lower height first")
        if not self.phases:
            raise ValueError("phases is empty; a gait has at least one phase")
        names = [phase.name for phase in self.phases]
        if len(set(names)) < len(names):
            raise ValueError("two phases have one name; give each its own")
        if all(phase.duration == 0 for phase in self.phases):
            raise ValueError("all phases have the duration 0; let one of them last")


def split_role(name: str) -> tuple[str, str]:
    """`swing_thigh` -> ("swing", "thigh"); ("", name) for a bone in the middle."""
    role, _, joint = name.partition("_")
    return (role, joint) if role in (STANCE, SWING) and joint else ("", name)
