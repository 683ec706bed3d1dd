"""Keys of lifts from the knees, from the back and in between, for the bones of a `figure`; README, Postures."""

from __future__ import annotations

from supple.core.pose import multiply, turn
from supple_motion.components import JointPose, JointValue, Key

# How far the arms of a figure are spread in its neutral pose [deg].
SPREAD = 38.0
# Angles [deg] at the bottom: ankle, knee, hip, lower and upper back, shoulder. The trunk then leans by the shoulder's
# angle against the feet, so that the arms hang down.
SQUAT = (25.0, 105.0, 115.0, 15.0, 15.0, 65.0)
STOOP = (-8.0, 15.0, 88.0, 25.0, 20.0, 110.0)
STAND = (8.0, 16.0, 8.0, 0.0, 0.0, 0.0)  # knees a little bent: straight legs are singular
CARRY_SHOULDER, CARRY_ELBOW = 25.0, 80.0
BENT = 5.0  # elbows, so that they are not straight [deg]
DOWN, STAY, UP = 1.2, 0.3, 1.5  # [s]


def list_lift_keys(style: float) -> tuple[Key, ...]:
    """Stand, bottom, bottom, carry; the style goes from 0, squat, to 1, stoop."""
    bottom = tuple((1.0 - style) * low + style * high for low, high in zip(SQUAT, STOOP, strict=True))
    carry = (*STAND[:5], CARRY_SHOULDER)
    times = (0.0, DOWN, DOWN + STAY, DOWN + STAY + UP)
    poses = ((STAND, BENT), (bottom, BENT), (bottom, BENT), (carry, CARRY_ELBOW))
    return tuple(Key(at, _make_pose(angles, elbow)) for at, (angles, elbow) in zip(times, poses, strict=True))


def _make_pose(angles: tuple[float, ...], elbow: float) -> dict[str, JointValue]:
    ankle, knee, hip, low, high, shoulder = angles
    pose: dict[str, JointValue] = {
        "pelvis/abdomen": JointPose(axis=(1.0, 0.0, 0.0), angle=low),
        "pelvis/abdomen/chest": JointPose(axis=(1.0, 0.0, 0.0), angle=high),
    }
    for side, sign in (("left", -1.0), ("right", 1.0)):
        thigh, arm = f"pelvis/{side}_thigh", f"pelvis/abdomen/chest/{side}_upper_arm"
        hang = multiply(turn((1.0, 0.0, 0.0), -shoulder), turn((0.0, 0.0, 1.0), sign * (SPREAD - 4.0)))
        w, x, y, z = (float(number) for number in hang)
        pose[thigh] = JointPose(axis=(1.0, 0.0, 0.0), angle=-hip)
        pose[f"{thigh}/{side}_shank"] = knee
        pose[f"{thigh}/{side}_shank/{side}_foot"] = (-ankle, 0.0)
        pose[arm] = JointPose(rotation=(w, x, y, z))
        pose[f"{arm}/{side}_forearm"] = elbow
    return pose
