"""The arm and the leg of the left side of a figure that looks along z."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from supple_characters.limbs import Limb, Vector
from supple_characters.plan import Block, BonePlan, Joint, Plan, between, point, split_mass
from supple_characters.segments import SEGMENTS, segment_mass

FORWARD: Vector = (0.0, 0.0, 1.0)
HAND_LENGTH = 0.188  # [m]
DETAIL = 0.0115  # [m], half the thickness of a hand
SOLE_BULGE = 0.0035  # [m], what blending adds below the foot
ANKLE_HEIGHT = 0.068  # [m], 0.039 of the height
# Where shoulders and hips go [deg]: a cone, and an oval that is wide for bending and narrow for spreading (README).
SHOULDER_MIDDLE: Vector = (0.821, -0.423, 0.383)
SHOULDER_SWING, SHOULDER_TWIST = 72.0, (-85.0, 65.0)
HIP_MIDDLE: Vector = (0.087, -0.704, 0.704)
HIP_SWING, HIP_TWIST = (55.0, 29.0), (-30.0, 30.0)
LEG_LENGTH = ANKLE_HEIGHT + SEGMENTS["thigh"].length + SEGMENTS["shank"].length


def place(origin: Vector, *steps: tuple[float, Vector]) -> Vector:
    """The origin, moved by so many metres along each direction."""
    return point(sum((step * np.array(way) for step, way in steps), np.array(origin)))


def rod(start: Vector, end: Vector, radius: float) -> Block:
    """A capsule, as a rigid shape of a bone."""
    return Block("capsule", start, end, (radius, 0.0, 0.0))


def plan_arm(shoulder: Vector, spread: float) -> Plan:
    """An arm, straight, `spread` [deg] away from hanging; the thumb of its mitten is in front."""
    angle = math.radians(spread)
    along: Vector = (math.sin(angle), -math.cos(angle), 0.0)
    inward: Vector = (-math.cos(angle), -math.sin(angle), 0.0)
    elbow = place(shoulder, (SEGMENTS["upper_arm"].length, along))
    wrist = place(elbow, (SEGMENTS["forearm"].length, along))
    middle = between(elbow, wrist, 0.5)
    fingertips = place(wrist, (HAND_LENGTH, along))
    bends = point(np.cross(along, FORWARD))
    palm_bends = point(np.cross(along, inward))
    # In de Leva's posture the palm looks to the front; here it looks inward.
    forearm, twist = split_mass(
        segment_mass("forearm", elbow, wrist, inward), 0.5, place((0, 0, 0), (0.055, along))
    )
    bones = (
        BonePlan(
            "upper_arm", shoulder,
            Joint("ball", along, upper=SHOULDER_SWING, middle=SHOULDER_MIDDLE, twist=SHOULDER_TWIST),
            segment_mass("upper_arm", shoulder, elbow, FORWARD), (rod(shoulder, elbow, 0.046),),
        ),
        BonePlan(
            "upper_arm/forearm", elbow, Joint("hinge", bends, lower=0.0, upper=145.0),
            forearm, (rod(elbow, between(elbow, wrist, 0.45), 0.040),),
        ),
        BonePlan(
            "upper_arm/forearm/twist", middle, Joint("hinge", along, lower=-80.0, upper=80.0),
            twist, (rod(middle, between(middle, wrist, 0.9), 0.031),),
        ),
        BonePlan(
            "upper_arm/forearm/twist/hand", wrist,
            Joint("universal", palm_bends, bends, (-65.0, -30.0), (70.0, 20.0)),
            segment_mass("hand", wrist, fingertips, inward),
            (Block("box", between(wrist, fingertips, 0.15), fingertips, (0.040, 0.0, 0.014), FORWARD),),
        ),
    )  # fmt: skip
    limbs = (*_arm_limbs(shoulder, elbow, middle, wrist), *_mitten_limbs(wrist, along, inward))
    return Plan(bones, limbs, join=0.0, apart=0.0, detail=DETAIL)


def _arm_limbs(shoulder: Vector, elbow: Vector, middle: Vector, wrist: Vector) -> list[Limb]:
    def at(part: float) -> Vector:
        return between(shoulder, elbow, part)

    def below(part: float) -> Vector:
        return between(elbow, wrist, part)

    upper, lower, twist = "upper_arm", "upper_arm/forearm", "upper_arm/forearm/twist"
    back, front = (-0.008, FORWARD), (0.010, FORWARD)
    return [
        Limb(upper, at(0.02), at(0.30), (0.060, 0.050), joined=(True, False)),
        Limb(upper, at(0.2), elbow, (0.046, 0.038), blend=0.03, joined=(False, True)),
        Limb(upper, place(at(0.38), front), place(at(0.62), front), (0.044, 0.040), blend=0.03),
        Limb(upper, place(at(0.35), back), place(at(0.60), back), (0.045, 0.040), blend=0.03),
        Limb(lower, elbow, below(0.5), (0.038, 0.035), blend=0.02, joined=(True, True)),
        Limb(lower, below(0.12), below(0.40), (0.043, 0.039), blend=0.03, joined=(False, True)),
        Limb(twist, middle, wrist, (0.036, 0.0285), FORWARD, flatness=0.88, blend=0.02, joined=(True, True)),
    ]


def _mitten_limbs(wrist: Vector, along: Vector, inward: Vector) -> list[Limb]:
    """A palm, the four fingers as one, and the thumb."""
    hand = "upper_arm/forearm/twist/hand"

    def at(down: float, forward: float, inside: float = 0.0) -> Vector:
        return place(wrist, (down, along), (forward, FORWARD), (inside, inward))

    return [
        Limb(
            hand, at(0.012, 0.0), at(0.080, -0.002), (0.036, 0.040), FORWARD, flatness=0.46,
            blend=0.03, joined=(True, False), fine=(1.1, 1.2),
        ),
        Limb(
            hand, at(0.085, -0.002, 0.002), at(0.155, -0.001, 0.008), (0.038, 0.028), FORWARD,
            flatness=0.50, blend=0.02, fine=(1.2, 1.2),
        ),
        Limb(hand, at(0.030, 0.018, 0.010), at(0.064, 0.040, 0.012), (0.0185, 0.0160), blend=0.035),
        Limb(
            hand, at(0.060, 0.038, 0.012), at(0.108, 0.064, 0.016), (0.0150, 0.0115), blend=0.022,
            fine=(1.0, 1.2),
        ),
    ]  # fmt: skip


def plan_leg(hip: Vector) -> Plan:
    """A straight leg; the sole is level."""
    knee = place(hip, (-SEGMENTS["thigh"].length, (0.0, 1.0, 0.0)))
    ankle = place(knee, (-SEGMENTS["shank"].length, (0.0, 1.0, 0.0)))
    x, floor, z = ankle[0], ankle[1] - ANKLE_HEIGHT, ankle[2]
    heel, tips = (x, floor + 0.032, z - 0.085), (x + 0.008, floor + 0.032, z + 0.173)
    ball = (x + 0.006, floor + 0.026, z + 0.108)
    foot, toes = split_mass(segment_mass("foot", heel, tips, (0.0, 1.0, 0.0)), 0.12, (0.0, -0.004, 0.105))
    sideways: Vector = (1.0, 0.0, 0.0)
    bones = (
        BonePlan(
            "thigh", hip,
            Joint("ball", (0.0, -1.0, 0.0), sideways, upper=HIP_SWING, middle=HIP_MIDDLE, twist=HIP_TWIST),
            segment_mass("thigh", hip, knee, FORWARD), (rod(hip, knee, 0.066),),
        ),
        BonePlan(
            "thigh/shank", knee, Joint("hinge", sideways, lower=0.0, upper=140.0),
            segment_mass("shank", knee, ankle, FORWARD), (rod(knee, ankle, 0.046),),
        ),
        BonePlan(
            "thigh/shank/foot", ankle,
            Joint("universal", sideways, FORWARD, (-25.0, -20.0), (45.0, 20.0)), foot,
            (Block("box", (x, floor + 0.031, z - 0.085), (x, floor + 0.031, z + 0.105), (0.040, 0.0, 0.031)),),
        ),
        BonePlan(
            "thigh/shank/foot/toes", ball, Joint("hinge", sideways, lower=-60.0, upper=30.0), toes,
            (Block("box", (x, floor + 0.016, z + 0.108), (x, floor + 0.016, z + 0.173), (0.042, 0.0, 0.016)),),
        ),
    )  # fmt: skip
    limbs = (*_leg_limbs(hip, knee, ankle), *_foot_limbs(x, floor + SOLE_BULGE, z))
    return Plan(bones, limbs, join=0.0, apart=0.0, detail=DETAIL)


def _leg_limbs(hip: Vector, knee: Vector, ankle: Vector) -> list[Limb]:
    def at(part: float, back: float = 0.0, out: float = 0.0) -> Vector:
        return place(between(hip, knee, part), (-back, FORWARD), (out, (1.0, 0.0, 0.0)))

    def below(part: float, back: float = 0.0) -> Vector:
        return place(between(knee, ankle, part), (-back, FORWARD))

    return [
        Limb("thigh", at(0.08, out=-0.002), at(0.95), (0.080, 0.051), joined=(True, True)),
        Limb(
            "thigh",
            at(0.20, -0.014, 0.006),
            at(0.62, -0.012, 0.004),
            (0.072, 0.060),
            blend=0.05,
            joined=(True, False),
        ),
        Limb("thigh/shank", knee, below(0.5, 0.005), (0.052, 0.047), blend=0.03, joined=(True, False)),
        Limb("thigh/shank", below(0.18, 0.018), below(0.42, 0.014), (0.050, 0.042), blend=0.04),
        Limb("thigh/shank", below(0.5, 0.006), ankle, (0.044, 0.034), blend=0.03, joined=(False, True)),
    ]


def _foot_limbs(x: float, floor: float, z: float) -> list[Limb]:
    foot, toes = "thigh/shank/foot", "thigh/shank/foot/toes"
    return [
        Limb(foot, (x, floor + 0.036, z - 0.048), (x, floor + 0.038, z - 0.020), (0.036, 0.036), blend=0.03),
        Limb(foot, (x, floor + 0.062, z + 0.002), (x + 0.004, floor + 0.032, z + 0.080), (0.036, 0.032), blend=0.035),
        Limb(foot, (x, floor + 0.024, z - 0.02), (x + 0.007, floor + 0.024, z + 0.108), (0.034, 0.046),
             flatness=0.52, blend=0.03, joined=(False, True)),
        Limb(toes, (x + 0.007, floor + 0.022, z + 0.108), (x + 0.006, floor + 0.017, z + 0.143), (0.045, 0.034),
             flatness=0.48, blend=0.03, joined=(True, False), fine=(1.1, 1.2)),
    ]  # fmt: skip


def as_branch(plan: Plan, group: int) -> Plan:
    """The plan as a branch of a trunk."""
    return replace(plan, limbs=tuple(replace(limb, group=group) for limb in plan.limbs))
