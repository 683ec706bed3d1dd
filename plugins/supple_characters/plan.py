"""What a character is made of, before it becomes entities: bones with mass, shapes, and limbs for the skin.

All places are in the frame of the character, whose axes all bones share in their neutral pose: x to the left of a
figure, y up, z forward.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from supple.core.arrays import FloatArray
from supple_characters.limbs import Limb, Vector, mirror

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Joint:
    """How a bone hangs on the one above it; fields as those of the component `bone`, angles in degrees."""

    kind: Literal["fixed", "hinge", "slider", "universal", "ball", "translation", "free"] = "fixed"
    axis: Vector = (1.0, 0.0, 0.0)
    second_axis: Vector = (0.0, 0.0, 1.0)
    lower: float | Numbers | None = None
    upper: float | Numbers | None = None
    middle: Vector | None = None
    twist: tuple[float, float] | None = None
    start: Numbers | None = None


@dataclass(frozen=True)
class Mass:
    """Mass [kg], its centre [m] and the inertia about the centre [kg m^2, 3 x 3 as nine numbers]."""

    mass: float
    centre: Vector
    inertia: Numbers

    @property
    def matrix(self) -> FloatArray:
        """The inertia as a matrix [3, 3]."""
        return np.array(self.inertia).reshape(3, 3)


@dataclass(frozen=True)
class Block:
    """A rigid shape: a capsule from `start` to `end`, a sphere where these are the same, or a box.

    `size` is the radius, or the half sizes along `wide`, along the axis, and across both.
    """

    kind: Literal["capsule", "sphere", "box"]
    start: Vector
    end: Vector
    size: Vector
    wide: Vector = (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class BonePlan:
    """A bone: its path below the root of the skeleton, and where its joint is."""

    path: str
    origin: Vector
    joint: Joint
    mass: Mass | None = None
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Bones, parents before children, and limbs.

    `join` and `apart` [m] are how softly branches of the skin blend with the trunk and with each other, `detail` [m]
    is the smallest gap in it.
    """

    bones: tuple[BonePlan, ...]
    limbs: tuple[Limb, ...]
    join: float
    apart: float
    detail: float


def point(values: Iterable[float]) -> Vector:
    """Three numbers as a tuple of floats."""
    x, y, z = (float(value) for value in values)
    return x, y, z


def between(start: Vector, end: Vector, part: float) -> Vector:
    """The point that lies this part of the way from start to end."""
    return point((1 - part) * np.array(start) + part * np.array(end))


def solid_mass(mass: float, centre: Vector, inertia: FloatArray) -> Mass:
    """Mass properties from an inertia [3, 3] about the centre."""
    return Mass(float(mass), point(centre), tuple(float(value) for value in inertia.ravel()))


def add_masses(parts: Iterable[Mass]) -> Mass:
    """Several masses that move as one."""
    parts = list(parts)
    total = sum(part.mass for part in parts)
    centre = sum((part.mass * np.array(part.centre) for part in parts), np.zeros(3)) / total
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = np.array(part.centre) - centre
        inertia += part.matrix + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return solid_mass(total, point(centre), inertia)


def split_mass(whole: Mass, part: float, offset: Vector) -> tuple[Mass, Mass]:
    """Two masses that together are `whole`: the rest, and a `part` of it whose centre is `offset` from the whole's.

    What the distance of the two does not explain of the inertia is shared like the mass.
    """
    away = np.array(offset)
    back = -away * part / (1 - part)
    centre = np.array(whole.centre)
    arm = part * away @ away + (1 - part) * back @ back
    outer = part * np.outer(away, away) + (1 - part) * np.outer(back, back)
    own = whole.matrix - whole.mass * (arm * np.eye(3) - outer)
    return (
        solid_mass((1 - part) * whole.mass, point(centre + back), (1 - part) * own),
        solid_mass(part * whole.mass, point(centre + away), part * own),
    )


def _mirror_point(p: Vector) -> Vector:
    return -p[0], p[1], p[2]


def _mirror_axis(a: Vector) -> Vector:
    """The axis whose turns are mirror images, so that joint angles mean the same on both sides."""
    return a[0], -a[1], -a[2]


def mirror_bone(bone: BonePlan) -> BonePlan:
    """The bone on the other side of the plane x = 0, whose coordinates mean the same."""
    joint = replace(
        bone.joint,
        axis=_mirror_axis(bone.joint.axis),
        second_axis=_mirror_axis(bone.joint.second_axis),
    )
    if bone.joint.kind == "ball":
        # The axis of a ball joint is a direction of the bone, and not what it turns about.
        middle, twist = bone.joint.middle, bone.joint.twist
        joint = replace(
            joint,
            axis=_mirror_point(bone.joint.axis),
            middle=None if middle is None else _mirror_point(middle),
            twist=None if twist is None else (-twist[1], -twist[0]),
        )
    mass = bone.mass
    if mass is not None:
        flip = np.diag([-1.0, 1.0, 1.0])
        mass = solid_mass(mass.mass, _mirror_point(mass.centre), flip @ mass.matrix @ flip)
    blocks = tuple(
        replace(b, start=_mirror_point(b.start), end=_mirror_point(b.end), wide=_mirror_point(b.wide))
        for b in bone.blocks
    )
    return replace(bone, origin=_mirror_point(bone.origin), joint=joint, mass=mass, blocks=blocks)


def mirror_plan(plan: Plan) -> Plan:
    """The character on the other side of the plane x = 0."""
    bones = tuple(map(mirror_bone, plan.bones))
    return replace(plan, bones=bones, limbs=tuple(map(mirror, plan.limbs)))


def scale_plan(plan: Plan, scale: float) -> Plan:
    """The character `scale` times as long, wide and thick, of the same density."""

    def larger(p: Vector) -> Vector:
        return p[0] * scale, p[1] * scale, p[2] * scale

    def scale_bone(bone: BonePlan) -> BonePlan:
        mass = bone.mass
        if mass is not None:
            inertia = tuple(value * scale**5 for value in mass.inertia)
            mass = Mass(mass.mass * scale**3, larger(mass.centre), inertia)
        blocks = tuple(
            replace(b, start=larger(b.start), end=larger(b.end), size=larger(b.size)) for b in bone.blocks
        )
        return replace(bone, origin=larger(bone.origin), mass=mass, blocks=blocks)

    limbs = tuple(
        replace(
            limb,
            start=larger(limb.start),
            end=larger(limb.end),
            radii=(limb.radii[0] * scale, limb.radii[1] * scale),
            blend=limb.blend * scale,
        )
        for limb in plan.limbs
    )
    return Plan(
        tuple(map(scale_bone, plan.bones)), limbs, plan.join * scale, plan.apart * scale, plan.detail * scale
    )


def move_plan(plan: Plan, by: Vector) -> Plan:
    """The plan with all its places shifted `by` a vector [m]."""

    def moved(p: Vector) -> Vector:
        return p[0] + by[0], p[1] + by[1], p[2] + by[2]

    def move_bone(bone: BonePlan) -> BonePlan:
        mass = bone.mass and replace(bone.mass, centre=moved(bone.mass.centre))
        blocks = tuple(replace(b, start=moved(b.start), end=moved(b.end)) for b in bone.blocks)
        return replace(bone, origin=moved(bone.origin), mass=mass, blocks=blocks)

    limbs = tuple(replace(limb, start=moved(limb.start), end=moved(limb.end)) for limb in plan.limbs)
    return replace(plan, bones=tuple(map(move_bone, plan.bones)), limbs=limbs)


def hang_below(plan: Plan, root: str, names: Mapping[str, str]) -> Plan:
    """The plan with its bones below `root`, where the words of their paths have the new `names`."""

    def renamed(path: str) -> str:
        words = "/".join(names.get(word, word) for word in path.split("/"))
        return f"{root}/{words}" if root else words

    return replace(
        plan,
        bones=tuple(replace(bone, path=renamed(bone.path)) for bone in plan.bones),
        limbs=tuple(replace(limb, bone=renamed(limb.bone)) for limb in plan.limbs),
    )
