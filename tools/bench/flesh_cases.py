"""Four scenes of flesh at the sizes of published examples: degrees of freedom, contacts and length of the step.

Limbs are boxes of flesh on chains of bones with joint springs. Two of them pinch a light slab, hold one another, or
stand on the ground.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from supple_flesh.shapes import make_box_surface

Point = tuple[float, float, float]
Cells = tuple[int, int, int]


@dataclass(frozen=True)
class Case:
    """What is built, and what the published example had."""

    name: str
    text: str
    dof: int  # simulated, on average
    contacts: int
    total: int  # degrees of freedom if all flesh were soft
    published: float  # [ms] for one step


def _entity(name: str, **tables: dict | tuple) -> str:
    lines = [f'[[entity]]\nname = "{name}"']
    for kind, table in tables.items():
        lines.append(f"[entity.{kind}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _begin(step: float, margin: float = 0.0) -> str:
    """`margin` [m] is how far apart surfaces may be and still count as in contact, beyond what they may come."""
    run = f"format = 1\n[run]\nstep = {step}\nduration = 10\n[run.capacity]\ncontacts = 600\n"
    return run + f"[run.collide]\nmargin = {margin}\n"


def _push(number: int, on: str, at: float, force: Point, duration: float) -> str:
    push = f'{{ on = "{on}", force = {list(force)}, duration = {duration} }}'
    return f'[[event]]\nname = "push{number}"\nat = {at}\npush = {push}\n'


def _make_round(y: float, z: float) -> tuple[float, float]:
    """Squares about the origin become circles, and equal steps along a square equal angles."""
    radius = max(abs(y), abs(z))
    if radius == 0.0:
        return 0.0, 0.0
    along, across = (z, y) if abs(y) >= abs(z) else (y, z)
    angle = math.pi / 4 * along / radius
    a, b = math.copysign(radius, across) * math.cos(angle), radius * math.sin(angle)
    return (a, b) if abs(y) >= abs(z) else (b, a)


def make_limb(
    name: str, position: Point, turn: tuple[Point, float], size: Point, *, bones: int, mass: float, spring: float,
    start: float, **more: dict,
) -> str:  # fmt: skip
    """A chain along x of hinges about z; it opens by `start` [deg] at the first. `more` are tables by bone number."""
    length, height, width = size
    part, m = length / bones, mass / bones
    text = _entity(name, pose={"position": position, "axis": turn[0], "angle": turn[1]}, skeleton={})
    path = name
    for n in range(bones):
        path = f"{path}/b{n}"
        inertia = [m * (a * a + b * b) / 12 for a, b in ((height, width), (part, width), (part, height))]
        bone = {
            "joint": "hinge", "axis": (0, 0, 1), "stiffness": spring, "damping": 0.02 * spring, "mass": m,
            "centre": (part / 2, 0, 0), "inertia": inertia, "start": [start if n == 0 else 0.0],
        }  # fmt: skip
        place = {"position": (0 if n == 0 else part, 0, 0)}
        text += _entity(path, pose=place, bone=bone, **more.get(f"b{n}", {}))
    return text


def make_flesh(
    size: Point,
    cells: Cells,
    centre: Point,
    bones: list[str],
    *,
    is_round: bool = False,
    **flesh,
) -> dict:
    """A box or a rod of flesh about a point."""
    vertices, triangles = make_box_surface(size, cells)
    moved = [
        (x + centre[0], y + centre[1], z + centre[2])
        for x, y, z in ((x, *(_make_round(y, z) if is_round else (y, z))) for x, y, z in vertices)
    ]
    return {"vertices": moved, "triangles": triangles, "bones": bones, **flesh}


def make_pinch(step: float, state: str, pads: tuple[Cells, Cells], sleeve: Cells, rings: int) -> str:
    """Two fingers of 60 mm with pads of 12 by 14 by 9 mm hold a slab of 8 g that is pushed to and fro.

    `pads` and `sleeve` are cells of the pads, which touch, and of the flesh on the first two bones, which does not.
    """
    material = {"stiffness": 1.5e4, "damping": 3.0, "rings": rings, "friction": 0.8, "state": state}
    text = _begin(step)
    for name, side, pad in (("above", 1.0, pads[0]), ("below", -1.0, pads[1])):
        tip = make_flesh((0.012, 0.014, 0.009), pad, (0.01, -0.001, 0), ["."], mass=0.002, **material)
        rest = make_flesh(
            (0.036, 0.012, 0.012), sleeve, (0.018, 0, 0), [".", "b1"], mass=0.008, is_round=True, **material
        )
        # Half a turn about x puts the lower finger under the slab as the mirror image of the upper one.
        text += make_limb(
            name, (0, side * 0.01, 0), ((1, 0, 0), 0.0 if side > 0 else 180.0), (0.06, 0.01, 0.01), bones=3,
            mass=0.02, spring=15.0, start=3.0, b0={"flesh": rest}, b2={"flesh": tip},
        )  # fmt: skip
    slab = {"size": (0.024, 0.006, 0.03), "friction": 0.8}
    text += _entity("slab", pose={"position": (0.051, 0, 0)}, box=slab, body={"mass": 0.008})
    for number in range(60):
        sign = 1.0 if number % 2 else -1.0
        text += _push(number, "slab", 0.15 + 0.02 * number, (0.5 * sign, 0.0, 2.0 * sign), 0.02)
    return text


def make_fold(step: float, state: str, cells: Cells, rings: int) -> str:
    """A round forearm of 160 mm and 35 mm radius lies across another and is rubbed over it.

    With a margin of 0.25 mm there are as many contacts as published.
    """
    size = (0.16, 0.07, 0.07)
    flesh = make_flesh(
        size, cells, (0.08, 0, 0), [".", "b1"], is_round=True, mass=0.4, stiffness=1e4, damping=20.0, rings=rings,
        friction=0.5, state=state,
    )  # fmt: skip
    text = _begin(step, margin=2.5e-4)
    for name, position, turn, start in (
        ("lower", (-0.08, 0.0, 0.0), ((1, 0, 0), 0.0), 0.0),
        ("upper", (0.0, 0.064, 0.08), ((0, 1, 0), 80.0), 7.0),
    ):
        text += make_limb(
            name, position, turn, size, bones=2, mass=0.8, spring=60.0, start=start, b0={"flesh": flesh}
        )
    for number in range(30):
        sign = 1.0 if number % 2 else -1.0
        text += _push(number, "upper/b0/b1", 0.2 + 0.1 * number, (0.0, 6.0 * sign, 0.0), 0.1)
    return text


def make_stand(step: float, state: str, cells: tuple[Cells, Cells], rings: int) -> str:
    """A body with ball joints and two fleshed feet, one of which stands on the ground, is rocked."""
    text = _begin(step) + _entity("floor", plane={"friction": 0.8})
    text += _entity("man", pose={"position": (0, 0.9, 0)}, skeleton={})
    solid = {"centre": (0, -0.1, 0), "inertia": (0.02, 0.01, 0.02)}
    text += _entity("man/torso", bone={"joint": "translation", "mass": 25.0, **solid})
    for side, x, lift, mesh in (("left", 0.1, 0.0, cells[0]), ("right", -0.1, 0.08, cells[1])):
        leg, arm = f"man/torso/{side}", f"man/torso/{side}_arm"
        foot = f"{leg}/shank/foot"
        for path, place, mass in (
            (leg, (x, 0, 0), 6.0), (f"{leg}/shank", (0, -0.42, 0), 3.0), (foot, (0, lift - 0.42, 0), 0.7),
            (arm, (2 * x, 0.4, 0), 2.0), (f"{arm}/low", (0, -0.3, 0), 1.5), (f"{arm}/low/hand", (0, -0.25, 0), 0.4),
        ):  # fmt: skip
            bone = {"joint": "ball", "mass": mass, **solid, "stiffness": 600.0, "damping": 30.0}
            tables = {"pose": {"position": place}, "bone": bone}
            if path == foot:
                # The sole is a millimetre in the ground when the joints are straight.
                tables["flesh"] = make_flesh(
                    (0.09, 0.05, 0.22), mesh, (0, -0.036, 0.05), ["."], mass=0.3, stiffness=1e4, damping=30.0,
                    rings=rings, friction=0.8, state=state,
                )  # fmt: skip
            text += _entity(path, **tables)
    for number in range(60):
        sign = 1.0 if number % 2 else -1.0
        text += _push(number, "man/torso", 0.3 + 0.05 * number, (150.0 * sign, 0.0, 250.0 * sign), 0.05)
    return text


def make_cases(state: str = "adaptive") -> list[Case]:
    """The four, with the sizes and times of their published counterparts; `state` is that of all flesh."""
    flick = make_pinch(0.0017, state, ((5, 4, 3), (5, 4, 3)), (14, 5, 5), 8)
    fold = make_fold(0.0083, state, (14, 7, 7), 1)
    pinch = make_pinch(0.0017, state, ((5, 5, 2), (5, 5, 2)), (10, 3, 3), 1)
    stand = make_stand(0.004, state, ((3, 3, 3), (3, 2, 3)), 2)
    return [
        Case("finger flick", flick, 573, 39, 2573, 256.0),
        Case("arm fold", fold, 321, 32, 2802, 286.0),
        Case("pinch grasp", pinch, 256, 29, 1427, 192.0),
        Case("biped", stand, 196, 15, 334, 54.0),
    ]
