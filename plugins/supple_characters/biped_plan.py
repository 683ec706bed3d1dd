"""The bodies of two walkers: a man of 15 bones, and one of seven links in a plane.

Masses, inertias, joints and starts are those of published walking controllers: bipV2 of SIMBICON's controller editor
(34 rates, 70.4 kg), and the seven links of the planar SIMBICON (9 rates, 90 kg).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from supple_characters.limbs import Vector
from supple_characters.plan import Block, BonePlan, Joint, Numbers, mirror_bone, point, solid_mass

BALL = Joint("ball")
STANDING = 1.037  # [m] of the pelvis
KNEE = Joint("hinge", lower=0.0, upper=math.degrees(2.5))
TOES = Joint("hinge", lower=math.degrees(-0.52), upper=math.degrees(0.02))
ELBOW = Joint("hinge", (0.0, 1.0, 0.0), lower=math.degrees(-2.7), upper=0.0)
ANKLE = Joint("universal", lower=(-43.0, -43.0), upper=(43.0, 43.0))
NOWHERE: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Segment:
    """A bone as the tables have it: its joint in the frames of both bones, whose origins are their centres of mass."""

    name: str
    parent: str
    joint: Joint
    at_parent: Vector
    at_child: Vector
    mass: float
    inertia: Vector
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True)
class Start:
    """How a walker starts: pose and velocity of its root, and of joints the turn about x [rad] and its rate [rad/s].

    `arms` [rad] is how far left and right arm are lowered.
    """

    position: Vector
    rotation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    velocity: Vector = NOWHERE
    spin: Vector = NOWHERE
    turns: Mapping[str, float] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    arms: tuple[float, float] = (math.pi / 2, math.pi / 2)


def ball(centre: Vector, radius: float) -> Block:
    """A sphere."""
    return Block("sphere", centre, centre, (radius, 0.0, 0.0))


def rod(start: Vector, end: Vector, radius: float = 0.05) -> Block:
    """A capsule."""
    return Block("capsule", start, end, (radius, 0.0, 0.0))


def brick(low: Vector, high: Vector) -> Block:
    """A box along the axes, from its lowest to its highest corner."""
    x, z = (low[0] + high[0]) / 2, (low[2] + high[2]) / 2
    half = ((high[0] - low[0]) / 2, 0.0, (high[2] - low[2]) / 2)
    return Block("box", (x, low[1], z), (x, high[1], z), half)


SOLE = brick((-0.025, -0.033, -0.09), (0.025, 0.005, 0.055))
TOE_TIP = ball((0.0, -0.005, 0.025), 0.01)

TRUNK = (
    Segment("pelvis", "", Joint("free"), NOWHERE, NOWHERE, 12.9, (0.0705, 0.11, 0.13),
            (ball((0.0, -0.075, 0.0), 0.12),)),
    Segment("torso", "pelvis", BALL, (0.0, 0.17, -0.035), (0.0, -0.23, -0.01), 22.5, (0.34, 0.21, 0.46),
            (ball((0.0, 0.0, 0.01), 0.11),)),
    Segment("head", "torso", BALL, (0.0, 0.1, 0.0), (0.0, -0.16, -0.025), 5.2, (0.04, 0.02, 0.042),
            (ball((0.0, 0.04, 0.0), 0.11),)),
)  # fmt: skip
LEFT_SIDE = (
    Segment("upper_arm", "torso", BALL, (0.20, 0.07, 0.02), (-0.17, 0.0, 0.0), 2.2, (0.005, 0.02, 0.02),
            (rod((-0.15, 0.0, 0.0), (0.15, 0.0, 0.0)),)),
    Segment("forearm", "upper_arm", ELBOW, (0.175, 0.0, 0.006), (-0.215, 0.0, 0.0), 1.7, (0.0024, 0.025, 0.025),
            (rod((-0.15, 0.0, 0.0), (0.15, 0.0, 0.0)),)),
    Segment("thigh", "pelvis", BALL, (0.1, -0.05, 0.0), (0.0, 0.21, 0.0), 6.6, (0.15, 0.022, 0.15),
            (rod((0.0, 0.12, 0.0), (0.0, -0.26, 0.0)),)),
    Segment("shank", "thigh", KNEE, (0.0, -0.26, 0.0), (0.0, 0.21, 0.0), 3.2, (0.055, 0.007, 0.055),
            (rod((0.0, 0.12, 0.0), (0.0, -0.20, 0.0)),)),
    Segment("foot", "shank", ANKLE, (0.0, -0.25, 0.01), (0.0, 0.02, -0.04), 1.0, (0.007, 0.008, 0.002), (SOLE,)),
    Segment("toes", "foot", TOES, (0.0, -0.02, 0.05), (0.0, 0.0, -0.025), 0.2, (0.002, 0.002, 0.0005), (TOE_TIP,)),
)  # fmt: skip

STARTS: dict[str, Start] = {
    "stand": Start((0.0, STANDING, 0.0)),
    "forward": Start(
        (0.0104, 1.0096, 0.0), (0.9994, 0.0334, 0.0, -0.0075), (0.0953, -0.2558, 1.0782), (0.033, 0.356, 0.036),
        {"left_thigh": -0.425, "right_thigh": 0.174, "left_shank": 0.106, "left_foot": -0.282, "right_foot": -0.241},
        {"left_thigh": -0.06, "right_thigh": 1.20, "left_shank": -0.46, "left_foot": 5.15, "right_foot": -1.38},
        (1.58, 1.55),
    ),
    "in_place": Start(
        (0.0, 1.0335, 0.0), velocity=(0.10, 0.004, 0.003),
        turns={"left_thigh": -0.176, "left_shank": 0.419, "left_foot": -0.184},
        rates={"left_thigh": 1.41, "left_shank": -3.60, "left_foot": 1.57},
    ),
}  # fmt: skip
"""Starts of the man; both walks begin on the left foot. The pelvis is 5 mm above its place in the published starts."""

# The planar walker: torso, thighs, shanks and feet.
THIGH, SHANK, ANKLE_HEIGHT = 0.45, 0.45, 0.04  # [m]
HIP_HEIGHT = THIGH + SHANK + ANKLE_HEIGHT
APART = 0.08  # [m] of the legs from the plane, which nothing depends on
HINGE = Joint("hinge")
PLANE = (
    Segment("slide", "", Joint("slider", (0.0, 0.0, 1.0)), NOWHERE, NOWHERE, 0.0, NOWHERE),
    Segment("lift", "slide", Joint("slider", (0.0, 1.0, 0.0)), NOWHERE, NOWHERE, 0.0, NOWHERE),
    Segment("torso", "lift", HINGE, NOWHERE, (0.0, -0.24, 0.0), 70.0, (1.475, 1.475, 1.475),
            (brick((-0.12, -0.24, -0.05), (0.12, 0.24, 0.05)),)),
)  # fmt: skip
PLANE_LEG = (
    Segment("thigh", "torso", HINGE, (APART, -0.24, 0.0), (0.0, 0.225, 0.0), 5.0, (0.0885, 0.0885, 0.0885),
            (rod((0.0, 0.17, 0.0), (0.0, -0.17, 0.0), 0.045),)),
    Segment("shank", "thigh", HINGE, (0.0, -0.225, 0.0), (0.0, 0.225, 0.0), 4.0, (0.0696, 0.0696, 0.0696),
            (rod((0.0, 0.17, 0.0), (0.0, -0.16, 0.0), 0.04),)),
    Segment("foot", "shank", HINGE, (0.0, -0.225, 0.0), (0.0, 0.02, -0.04), 1.0, (0.01, 0.01, 0.01),
            (brick((-0.04, -0.02, -0.08), (0.04, 0.01, 0.08)),)),
)  # fmt: skip
PLANE_STARTS: dict[str, Start] = {
    "stand": Start((0.0, HIP_HEIGHT, 0.0)),
    "walk": Start(
        (0.0, 0.901, 0.0), velocity=(0.0, -0.229, 0.98),
        turns={"torso": -0.051, "right_thigh": 0.221, "right_shank": 0.217, "left_thigh": -0.298, "left_shank": 0.601,
               "right_foot": -0.360, "left_foot": -0.241},
        rates={"torso": -0.276, "right_thigh": 1.430, "right_shank": -0.086, "left_thigh": 3.268, "left_shank": -3.167,
               "right_foot": -0.697, "left_foot": -3.532},
    ),
}  # fmt: skip
"""Starts of the planar walker. In the published start, angles are positive the other way."""


def plan_biped() -> tuple[BonePlan, ...]:
    """The man, standing on y = 0 and looking along z, his arms spread out."""
    return _assemble(TRUNK, LEFT_SIDE, (0.0, STANDING, 0.0))


def plan_biped_2d() -> tuple[BonePlan, ...]:
    """The planar walker, standing on y = 0 and looking along z."""
    return _assemble(PLANE, PLANE_LEG, (0.0, HIP_HEIGHT, 0.0))


def _assemble(middle: tuple[Segment, ...], left: tuple[Segment, ...], root: Vector) -> tuple[BonePlan, ...]:
    """Bones of the middle and of both sides, parents before children."""
    centres: dict[str, np.ndarray] = {"": np.array(root)}
    paths: dict[str, str] = {"": ""}
    plans = []
    for segment in middle:
        plans.append(_place(segment, segment.name, segment.parent, centres, paths))
    names = {segment.name for segment in left}
    for segment in left:
        parent = f"left_{segment.parent}" if segment.parent in names else segment.parent
        plans.append(_place(segment, f"left_{segment.name}", parent, centres, paths))
    sides = plans[len(middle) :]
    return (*plans, *(_other_side(mirror_bone(bone)) for bone in sides))


def _other_side(bone: BonePlan) -> BonePlan:
    return BonePlan(
        bone.path.replace("left_", "right_"), bone.origin, bone.joint, bone.mass, bone.blocks
    )  # fmt: skip


def _place(
    segment: Segment, name: str, parent: str, centres: dict[str, np.ndarray], paths: dict[str, str]
) -> BonePlan:
    origin = centres[parent] + np.array(segment.at_parent)
    centre = origin - np.array(segment.at_child)
    centres[name] = centre
    paths[name] = f"{paths[parent]}/{name}" if paths[parent] else name
    mass = solid_mass(segment.mass, point(centre), np.diag(segment.inertia)) if segment.mass else None
    blocks = tuple(_move(block, centre) for block in segment.blocks)
    return BonePlan(paths[name], point(origin), segment.joint, mass, blocks)


def _move(block: Block, by: np.ndarray) -> Block:
    start, end = (point(np.array(each) + by) for each in (block.start, block.end))
    return Block(block.kind, start, end, block.size, block.wide)


def start_coordinates(bone: BonePlan, start: Start) -> dict[str, Numbers]:
    """Fields `start` and `rate` of a bone that is no root."""
    name, kind = bone.path.rpartition("/")[2], bone.joint.kind
    angle, rate = start.turns.get(name, 0.0), start.rates.get(name, 0.0)
    if kind == "ball":
        if name.endswith("upper_arm"):
            left = name.startswith("left")
            half = (-start.arms[0] if left else start.arms[1]) / 2
            return {"start": (math.cos(half), 0.0, 0.0, math.sin(half)), "rate": (0.0, 0.0, 0.0)}
        return {"start": (math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0), "rate": (rate, 0.0, 0.0)}
    if kind == "universal":
        return {"start": (math.degrees(angle), 0.0), "rate": (rate, 0.0)}
    if kind == "hinge":
        return {"start": (math.degrees(angle),), "rate": (rate,)}
    if kind == "slider":
        along = 2 if name == "slide" else 1
        return {"start": (0.0,), "rate": (start.velocity[along],)}
    return {}
