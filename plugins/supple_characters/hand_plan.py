"""The hand: sizes of the bones after Buchholz, Armstrong and Goldstein, skin and masses by them.

A right hand: the wrist at the origin, fingers along z, the back of the hand up, the thumb at +x.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, get_args

import numpy as np

from supple.core.arrays import FloatArray
from supple_characters.limbs import Limb, Vector
from supple_characters.plan import Block, BonePlan, Joint, Mass, Plan, between, hang_below, point, solid_mass

FingerName = Literal["thumb", "index", "middle", "ring", "little"]
FINGERS: tuple[FingerName, ...] = get_args(FingerName)

HAND_LENGTH = 0.188  # [m], wrist to the tip of the middle finger
HAND_BREADTH = 0.085  # [m], at the knuckles
HAND_MASS = 0.00610 * 73.0  # [kg], de Leva
DENSITY = 1100.0  # [kg/m^3], of fingers
UP: Vector = (0.0, 1.0, 0.0)
# Rigid fingers are thinner than skin, so that neighbours keep apart.
SLIM = 0.88
FINE_TIP = 1.3


@dataclass(frozen=True)
class Finger:
    """Parts of the hand's length: wrist to knuckle and the three phalanges; knuckle off the middle, by breadth.

    `spread` [deg] is how far it points to the thumb's side, `height` [m] that of the knuckle, `radii` [m] are at
    the knuckle, the two joints and the tip. Between others the skin of its root has the radii `root` [m], from back to
    palm and from side to side. It is slim, so that webs end near the knuckles: what lies farther out is stretched by
    the way that a bent finger goes from its neighbour. It is deep, so that the bone stays inside.
    """

    metacarpal: float
    phalanges: tuple[float, float, float]
    offset: float
    spread: float
    height: float
    radii: tuple[float, float, float, float]
    root: tuple[float, float]


LONG_FINGERS = {
    "index": Finger(
        0.463, (0.245, 0.143, 0.097), 0.251, 8.0, 0.0, (0.0102, 0.0090, 0.0080, 0.0070), (0.0107, 0.0088)
    ),
    "middle": Finger(
        0.446, (0.266, 0.170, 0.108), 0.0, 1.0, 0.002, (0.0102, 0.0092, 0.0082, 0.0072), (0.0112, 0.0075)
    ),
    "ring": Finger(
        0.421, (0.244, 0.165, 0.107), -0.206, -9.0, 0.001, (0.0096, 0.0086, 0.0077, 0.0068), (0.0109, 0.0071)
    ),
    "little": Finger(
        0.414,
        (0.204, 0.117, 0.093),
        -0.402,
        -16.0,
        -0.003,
        (0.0085, 0.0075, 0.0067, 0.0060),
        (0.0096, 0.0069),
    ),
}
# Widths [m] over which fingers blend with the palm and with each other; less where there are webs between them.
JOIN, APART = 0.017, 0.008
WEB_JOIN, WEB_APART = 0.007, 0.002
THUMB_ROOT: Vector = (0.015, -0.008, 0.018)
THUMB_LENGTHS = (0.251, 0.196, 0.158)
THUMB_RADII = (0.0140, 0.0112, 0.0098, 0.0078)
# Directions of the thumb: straight out, and where its tip goes when it bends.
THUMB_ALONG: Vector = (0.62, -0.36, 0.70)
THUMB_BENDS_TO: Vector = (-0.75, -0.35, 0.35)

MCP = ((-20.0, -20.0), (90.0, 20.0))
THUMB_CMC = ((-20.0, -15.0), (45.0, 40.0))
THUMB_MCP = ((-10.0, -15.0), (60.0, 15.0))


def rod_mass(start: Vector, end: Vector, radius: float, density: float) -> Mass:
    """A round rod of even density."""
    axis = np.array(end) - np.array(start)
    length = float(np.linalg.norm(axis))
    along = axis / length
    mass = density * math.pi * radius**2 * length
    across = mass * (3 * radius**2 + length**2) / 12
    turned = mass * radius**2 / 2
    inertia = across * np.eye(3) + (turned - across) * np.outer(along, along)
    return solid_mass(mass, between(start, end, 0.5), inertia)


def chain_points(root: Vector, along: FloatArray, lengths: tuple[float, ...]) -> list[Vector]:
    """The joints of a straight finger and its tip."""
    points = [np.array(root)]
    for length in lengths:
        points.append(points[-1] + length * HAND_LENGTH * along)
    return [point(p) for p in points]


def finger_parts(
    name: str, points: list[Vector], radii: tuple[float, ...], joints: list[Joint], wide: Vector, group: int,
    fine_tip: float,
) -> tuple[list[BonePlan], list[Limb]]:  # fmt: skip
    """Bones and limbs of a finger whose joints and tip are at `points`."""
    bones, limbs = [], []
    path = "palm"
    for k, joint in enumerate(joints):
        path = f"{path}/{name}{k + 1}"
        start, end, last = points[k], points[k + 1], k == len(joints) - 1
        first_radius, last_radius = radii[k], radii[k + 1]
        if last:
            # The finger ends at its skin, not at the middle of its round end.
            length = math.dist(start, end)
            end = between(start, end, 1 - last_radius / length)
        radius = 0.5 * (first_radius + last_radius)
        limbs.append(
            Limb(
                path, start, end, (first_radius, last_radius), wide,
                flatness=0.9 if last else 0.96, blend=0.006, group=group,
                joined=(True, not last), fine=(max(1.0, 0.5 * fine_tip), fine_tip) if last else (1.0, 1.0),
            )
        )  # fmt: skip
        block = Block("capsule", start, end, (SLIM * radius, 0.0, 0.0))
        bones.append(
            BonePlan(path, start, joint, rod_mass(points[k], points[k + 1], radius, DENSITY), (block,))
        )
    return bones, limbs


def knuckle(finger: Finger) -> Vector:
    """Where a long finger hangs on the palm."""
    x = finger.offset * HAND_BREADTH
    reach = finger.metacarpal * HAND_LENGTH
    return x, finger.height, math.sqrt(reach**2 - x**2 - finger.height**2)


def long_finger(name: str, group: int, fine_tip: float, webs: bool) -> tuple[list[BonePlan], list[Limb]]:
    """Index, middle, ring or little finger; `webs` says whether there are others beside it."""
    finger = LONG_FINGERS[name]
    spread = math.radians(finger.spread)
    along = np.array([math.sin(spread), 0.0, math.cos(spread)])
    bends = point(np.cross(UP, along))
    joints = [
        Joint("universal", bends, UP, *MCP),
        Joint("hinge", bends, lower=0.0, upper=105.0),
        Joint("hinge", bends, lower=0.0, upper=85.0),
    ]
    points = chain_points(knuckle(finger), along, finger.phalanges)
    bones, limbs = finger_parts(name, points, finger.radii, joints, bends, group, fine_tip)
    if not webs:
        return bones, limbs
    depth, across = finger.root
    root = Limb(
        f"palm/{name}1", points[0], between(points[0], points[1], 0.55), (depth, depth - 0.0012), UP,
        flatness=across / depth, blend=0.006, group=group, joined=(True, True), fine=(1.25, 1.25),
    )  # fmt: skip
    first = replace(limbs[0], radii=(across, limbs[0].radii[1]))
    return bones, [root, first, *limbs[1:]]


def thumb(group: int, fine_tip: float, webs: bool) -> tuple[list[BonePlan], list[Limb]]:
    """The thumb from its saddle joint at the wrist, with the ball of the thumb, slimmer in a hand with webs."""
    along = np.array(THUMB_ALONG) / np.linalg.norm(THUMB_ALONG)
    bends_to = np.array(THUMB_BENDS_TO)
    bends_to -= along * (bends_to @ along)
    bends = np.cross(along, bends_to / np.linalg.norm(bends_to))
    # Spreading moves the thumb across the way it bends, off the palm.
    spreads = np.cross(along, bends if bends[1] < 0 else -bends)
    joints = [
        Joint("universal", point(bends), point(spreads), *THUMB_CMC),
        Joint("universal", point(bends), point(spreads), *THUMB_MCP),
        Joint("hinge", point(bends), lower=-15.0, upper=80.0),
    ]
    points = chain_points(THUMB_ROOT, along, THUMB_LENGTHS)
    bones, limbs = finger_parts("thumb", points, THUMB_RADII, joints, point(bends), group, fine_tip)
    ball = Limb(
        "palm/thumb1", between(points[0], points[1], 0.1), between(points[0], points[1], 0.75),
        (0.0160, 0.0115) if webs else (0.0165, 0.0125), blend=0.008, group=group, joined=(True, True),
    )  # fmt: skip
    return bones, [limbs[0], ball, *limbs[1:]]


def palm(fingers_mass: float, joint: Joint, webs: bool) -> tuple[BonePlan, list[Limb]]:
    """The palm: a slab about the metacarpals, the heel of the hand, and the end of the forearm.

    With `webs` it ends before the knuckles, which are the fingers' own.
    """
    roots = {
        "index": (0.011, 0.0),
        "middle": (0.004, 0.002),
        "ring": (-0.005, 0.001),
        "little": (-0.012, -0.003),
    }
    limbs = [
        Limb("palm", (0.0, 0.0, -0.034), (0.0, 0.0, 0.010), (0.0250, 0.0240), flatness=0.74),
    ]
    blocks = []
    for name, (x, y) in roots.items():
        finger = LONG_FINGERS[name]
        head = knuckle(finger)
        start = (x, y - 0.002, 0.016)
        limbs.append(
            Limb(
                "palm", start, between(start, head, 0.93) if webs else head, (0.0135, finger.radii[0] + 0.0005),
                blend=0.014, joined=(False, True),
            )
        )  # fmt: skip
        blocks.append(Block("capsule", start, between(start, head, 0.97), (0.0105, 0.0, 0.0)))
    heel = Limb("palm", (-0.020, -0.007, 0.022), (-0.030, -0.006, 0.052), (0.0135, 0.0095), blend=0.018)
    mass = HAND_MASS - fingers_mass
    x, y, z = 0.8 * HAND_BREADTH, 0.028, 0.095
    inertia = mass / 12 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    bone = BonePlan(
        "palm", (0.0, 0.0, 0.0), joint, solid_mass(mass, (-0.004, 0.0, 0.045), inertia), tuple(blocks)
    )
    return bone, [*limbs, heel]


def plan_hand(fingers: tuple[FingerName, ...], joint: Joint, fine_tip: float = FINE_TIP) -> Plan:
    """A right hand with these fingers, whose palm has this joint to what is above it.

    Edges of the mesh at the fingertips are `fine_tip` times as short as they would be by the radius.
    """
    long = [name in fingers for name in LONG_FINGERS]
    webs = any(one and other for one, other in pairwise(long))
    parts = {
        name: thumb(group, fine_tip, webs) if name == "thumb" else long_finger(name, group, fine_tip, webs)
        for group, name in enumerate(FINGERS, 1)
    }
    everything = sum(bone.mass.mass for bones, _ in parts.values() for bone in bones if bone.mass)
    root, limbs = palm(everything, joint, webs)
    chosen = [parts[name] for name in FINGERS if name in fingers]
    bones = [root, *(bone for group, _ in chosen for bone in group)]
    return Plan(
        tuple(bones),
        (*limbs, *(limb for _, group in chosen for limb in group)),
        join=WEB_JOIN if webs else JOIN,
        apart=WEB_APART if webs else APART,
        detail=0.0034,
    )


# Angles [deg] of bent fingers: knuckles, then the joints after them.
BENT = {1: (70.0, 0.0), 2: (90.0,), 3: (60.0,)}
BENT_THUMB = {1: (25.0, 20.0), 2: (35.0, 0.0), 3: (45.0,)}


def curl(bone: BonePlan, amount: float) -> BonePlan:
    """The bone, bent at the start by a part of a loose fist."""
    word = bone.path.rpartition("/")[2]
    if amount == 0 or not word[-1].isdigit():
        return bone
    bent = (BENT_THUMB if word.startswith("thumb") else BENT)[int(word[-1])]
    return replace(bone, joint=replace(bone.joint, start=tuple(amount * angle for angle in bent)))


def carry(plan: Plan) -> Plan:
    """The hand on a massless bone `carriage` that slides along all axes, and about which the palm turns."""
    carriage = BonePlan("carriage", (0.0, 0.0, 0.0), Joint("translation"))
    below = hang_below(plan, "carriage", {})
    palm_bone = replace(below.bones[0], joint=Joint("ball", (0.0, 0.0, 1.0), upper=170.0))
    return replace(below, bones=(carriage, palm_bone, *below.bones[1:]))
