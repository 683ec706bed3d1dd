"""Whole figures: trunk, head, arms and legs."""

from __future__ import annotations

from supple_characters.limb_plans import DETAIL, LEG_LENGTH, as_branch, plan_arm, plan_leg, rod
from supple_characters.limbs import Limb, Vector, mirror
from supple_characters.plan import (
    Block,
    BonePlan,
    Joint,
    Mass,
    Plan,
    add_masses,
    hang_below,
    mirror_plan,
    move_plan,
    split_mass,
)
from supple_characters.segments import SEGMENTS, segment_mass

FORWARD: Vector = (0.0, 0.0, 1.0)
UPWARD: Vector = (0.0, 1.0, 0.0)

# Heights [m] above the sole of the ends of de Leva's segments.
HIPS = LEG_LENGTH
NAVEL = HIPS + SEGMENTS["lower_trunk"].length
XIPHION = NAVEL + SEGMENTS["middle_trunk"].length
CERVICALE = XIPHION + SEGMENTS["upper_trunk"].length
VERTEX = CERVICALE + SEGMENTS["head"].length
HIP: Vector = (0.090, HIPS, 0.0)
SHOULDER: Vector = (0.178, 1.438, -0.012)
NECK: Vector = (0.0, 1.505, -0.020)
NOD: Vector = (0.0, 1.598, 0.0)
ARM_SPREAD = 38.0  # [deg]
JOIN, APART = 0.040, 0.010  # [m]

# Groups of limbs: the trunk is 0.
HEAD_GROUP, LEFT_ARM, RIGHT_ARM, LEFT_LEG, RIGHT_LEG = 1, 2, 3, 4, 5
ARM_WORDS = ("upper_arm", "forearm", "twist", "hand")
LEG_WORDS = ("thigh", "shank", "foot", "toes")

TrunkBones = tuple[str, str, str]


def _both_sides(*limbs: Limb) -> list[Limb]:
    return [each for limb in limbs for each in (limb, mirror(limb))]


def pelvis_limbs(bone: str, *, seated: bool) -> list[Limb]:
    """The hips; `seated` closes them below, for a body without legs."""
    hips = [Limb(bone, (-0.068, HIPS + 0.030, 0.0), (0.068, HIPS + 0.030, 0.0), (0.098, 0.098))]
    if seated:
        return hips
    seat = Limb(
        bone, (0.068, HIPS - 0.015, -0.040), (0.066, HIPS + 0.035, -0.034), (0.082, 0.074), blend=0.05
    )
    return [*hips, *_both_sides(seat)]


def trunk_limbs(bones: TrunkBones) -> list[Limb]:
    """Waist, rib cage, breast, collar bones and the slope from the neck to the shoulders."""
    _, belly, chest = bones
    collar = SHOULDER[1] + 0.012
    return [
        Limb(belly, (0.0, NAVEL - 0.03, 0.004), (0.0, XIPHION - 0.06, 0.002), (0.138, 0.140),
             flatness=0.74, blend=0.08),
        Limb(chest, (0.0, XIPHION - 0.03, -0.002), (0.0, XIPHION + 0.105, -0.008), (0.146, 0.158),
             flatness=0.72, blend=0.06, joined=(True, False)),
        Limb(chest, (-0.105, collar, -0.020), (0.105, collar, -0.020), (0.056, 0.056), blend=0.06),
        *_both_sides(
            Limb(chest, (0.050, 1.365, 0.046), (0.098, 1.385, 0.034), (0.058, 0.052), blend=0.05),
            Limb(chest, (0.070, 1.360, -0.052), (0.080, 1.410, -0.050), (0.062, 0.058), blend=0.05),
            Limb(chest, (0.015, 1.520, -0.030), (0.120, 1.468, -0.024), (0.040, 0.036), blend=0.045),
        ),
    ]  # fmt: skip


def head_limbs(neck: str, head: str) -> list[Limb]:
    """Neck, skull, face and chin."""
    crown = VERTEX - 0.094
    return [
        Limb(neck, (0.0, 1.475, -0.026), NOD, (0.058, 0.054), group=HEAD_GROUP, joined=(True, True),
             fine=(1.2, 1.2)),
        Limb(head, (0.0, crown - 0.004, -0.020), (0.0, crown - 0.012, 0.022), (0.093, 0.086), UPWARD,
             flatness=0.86, blend=0.03, group=HEAD_GROUP),
        Limb(head, (0.0, crown - 0.040, 0.030), (0.0, crown - 0.092, 0.046), (0.068, 0.046), blend=0.03,
             group=HEAD_GROUP),
    ]  # fmt: skip


def _arms(parent: str) -> tuple[Plan, Plan]:
    left = as_branch(plan_arm(SHOULDER, ARM_SPREAD), LEFT_ARM)
    right = as_branch(mirror_plan(left), RIGHT_ARM)
    return (
        hang_below(left, parent, {word: f"left_{word}" for word in ARM_WORDS}),
        hang_below(right, parent, {word: f"right_{word}" for word in ARM_WORDS}),
    )


def _legs(parent: str) -> tuple[Plan, Plan]:
    left = as_branch(plan_leg(HIP), LEFT_LEG)
    right = as_branch(mirror_plan(left), RIGHT_LEG)
    return (
        hang_below(left, parent, {word: f"left_{word}" for word in LEG_WORDS}),
        hang_below(right, parent, {word: f"right_{word}" for word in LEG_WORDS}),
    )


def trunk_masses() -> tuple[Mass, Mass, Mass]:
    """Lower, middle and upper trunk; de Leva counts their centres from above."""
    heights = (HIPS, NAVEL, XIPHION, CERVICALE)
    names = ("lower_trunk", "middle_trunk", "upper_trunk")
    low, middle, high = (
        segment_mass(name, (0.0, heights[k + 1], 0.0), (0.0, heights[k], 0.0), FORWARD)
        for k, name in enumerate(names)
    )
    return low, middle, high


def head_mass() -> Mass:
    """Mass of head and neck together, which move as one segment of the tables."""
    return segment_mass("head", (0.0, VERTEX, 0.005), (0.0, CERVICALE, 0.005), FORWARD)


def ball_block(centre: Vector, radius: float) -> Block:
    """A sphere, as a rigid shape of a bone."""
    return Block("sphere", centre, centre, (radius, 0.0, 0.0))


TRUNK_BLOCKS = (
    (rod((-0.07, HIPS + 0.03, 0.0), (0.07, HIPS + 0.03, 0.0), 0.095),),
    (rod((-0.045, NAVEL + 0.105, 0.0), (0.045, NAVEL + 0.105, 0.0), 0.098),),
    (
        rod((-0.05, XIPHION + 0.05, 0.0), (0.05, XIPHION + 0.05, 0.0), 0.108),
        rod((-0.11, SHOULDER[1] - 0.01, -0.015), (0.11, SHOULDER[1] - 0.01, -0.015), 0.062),
    ),
)
SKULL = ball_block((0.0, VERTEX - 0.098, 0.005), 0.092)


def turn_upright(swing: float, twist: float) -> Joint:
    """A ball joint of the spine: how far it goes to all sides, and turns to both [deg]."""
    return Joint("ball", UPWARD, upper=swing, twist=(-twist, twist))


def plan_figure(joint: Joint) -> Plan:
    """A whole figure of 38 joint rates and those of its root, which has this joint to the world."""
    pelvis, abdomen = "pelvis", "pelvis/abdomen"
    chest = f"{abdomen}/chest"
    neck, head = f"{chest}/neck", f"{chest}/neck/head"
    low, middle, high = trunk_masses()
    skull, nape = split_mass(head_mass(), 0.18, (0.0, -0.10, -0.012))
    bones = [
        BonePlan(pelvis, (0.0, HIPS, 0.0), joint, low, TRUNK_BLOCKS[0]),
        BonePlan(
            abdomen,
            (0.0, NAVEL, -0.025),
            turn_upright(35.0, 15.0),
            middle,
            TRUNK_BLOCKS[1],
        ),
        BonePlan(
            chest,
            (0.0, XIPHION, -0.030),
            turn_upright(30.0, 30.0),
            high,
            TRUNK_BLOCKS[2],
        ),
        BonePlan(neck, NECK, turn_upright(35.0, 45.0), nape, (rod(NECK, NOD, 0.050),)),
        BonePlan(head, NOD, Joint("hinge", lower=-25.0, upper=25.0), skull, (SKULL,)),
    ]
    limbs = [
        *pelvis_limbs(pelvis, seated=False),
        *trunk_limbs((pelvis, abdomen, chest)),
        *head_limbs(neck, head),
    ]
    for part in (*_arms(chest), *_legs(pelvis)):
        bones.extend(part.bones)
        limbs.extend(part.limbs)
    return Plan(tuple(bones), tuple(limbs), JOIN, APART, DETAIL)


def plan_upper_body(joint: Joint) -> Plan:
    """Trunk, head and arms; the trunk is one bone that has this joint to the world, at the hips."""
    trunk, head = "trunk", "trunk/head"
    blocks = tuple(block for part in TRUNK_BLOCKS for block in part)
    bones = [
        BonePlan(trunk, (0.0, HIPS, 0.0), joint, add_masses(trunk_masses()), blocks),
        BonePlan(
            head,
            NECK,
            turn_upright(50.0, 60.0),
            head_mass(),
            (rod(NECK, NOD, 0.05), SKULL),
        ),
    ]
    limbs = [*pelvis_limbs(trunk, seated=True), *trunk_limbs((trunk, trunk, trunk)), *head_limbs(head, head)]
    for part in _arms(trunk):
        bones.extend(part.bones)
        limbs.extend(part.limbs)
    return move_plan(Plan(tuple(bones), tuple(limbs), JOIN, APART, DETAIL), (0.0, -HIPS, 0.0))
