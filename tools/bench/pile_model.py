"""Piles, as scenes for supple and as models for MuJoCo: spheres in a bin, a wall of bricks, a tower, a mixture."""

from __future__ import annotations

import random
from dataclasses import dataclass

RADIUS, DENSITY, FRICTION = 0.05, 1000.0, 0.5
BRICK = (0.2, 0.1, 0.1)
BOX = 0.2


@dataclass(frozen=True)
class Thing:
    """A sphere (`size` is its radius), a capsule (radius and length of its middle) or a box (three edges), [m].

    It is at rest at a place, turned about an axis by an angle [degrees].
    """

    size: tuple[float, ...]
    place: tuple[float, float, float]
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0)
    angle: float = 0.0

    @property
    def kind(self) -> str:
        """What it is, by the number of its sizes."""
        return ("sphere", "capsule", "box")[len(self.size) - 1]


@dataclass(frozen=True)
class Pile:
    """Things on a floor, within four walls at distance `wall` [m] from the middle if that is not zero."""

    name: str
    things: tuple[Thing, ...]
    wall: float = 0.0


def pack_spheres(columns: int, levels: int, seed: int = 1) -> Pile:
    """columns x columns x levels spheres that touch but for a little disorder, in a bin that they fill."""
    random_number, pitch = random.Random(seed), 2.02 * RADIUS
    wall = 0.5 * columns * pitch + 0.01 * RADIUS
    things = []
    for level in range(levels):
        for row in range(columns):
            for column in range(columns):
                x, z = ((k - 0.5 * (columns - 1)) * pitch for k in (column, row))
                jitter = [0.009 * RADIUS * (2.0 * random_number.random() - 1.0) for _ in range(3)]
                y = RADIUS + level * pitch + 0.01 * RADIUS
                things.append(Thing((RADIUS,), (x + jitter[0], y + jitter[1], z + jitter[2])))
    return Pile(f"{len(things)} spheres", tuple(things), wall)


def build_wall(columns: int, levels: int) -> Pile:
    """Bricks in running bond, face to face."""
    things = []
    for level in range(levels):
        for column in range(columns):
            x = BRICK[0] * (column - 0.5 * columns + (0.5 if level % 2 else 0.0))
            things.append(Thing(BRICK, (x, BRICK[1] * (level + 0.5), 0.0)))
    return Pile(f"wall of {len(things)} boxes", tuple(things))


def build_tower(levels: int) -> Pile:
    """One box on top of the other."""
    return Pile(
        f"tower of {levels} boxes",
        tuple(Thing((BOX,) * 3, (0.0, BOX * (k + 0.5), 0.0)) for k in range(levels)),
    )


def mix_things(count: int, seed: int = 1) -> Pile:
    """Spheres, capsules and boxes by turns, turned anyhow, that fall apart from each other into a bin."""
    random_number, columns = random.Random(seed), round((count / 2) ** (1 / 3))
    pitch, things = 3.6 * RADIUS, []
    sizes = ((RADIUS,), (0.6 * RADIUS, RADIUS), (2.0 * RADIUS, 1.2 * RADIUS, 1.6 * RADIUS))
    for number in range(count):
        level, rest = divmod(number, columns * columns)
        row, column = divmod(rest, columns)
        x, z = ((k - 0.5 * (columns - 1)) * pitch for k in (column, row))
        axis = (random_number.gauss(0, 1), random_number.gauss(0, 1), random_number.gauss(0, 1))
        place = (x, (level + 0.6) * pitch, z)
        things.append(Thing(sizes[number % 3], place, axis, random_number.uniform(-180.0, 180.0)))
    return Pile(f"{count} mixed bodies", tuple(things), 0.5 * columns * pitch)


def write_supple(pile: Pile, step: float, settings: str = "") -> str:
    """The scene file of a pile; `settings` are lines of [run.newton]."""
    lines = ["format = 1", "[run]", f"step = {step}", "duration = 100.0", "[run.newton]", settings]
    planes = [((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0)]
    if pile.wall:
        planes += [((side * pile.wall, 0.0, 0.0), (0.0, 0.0, 1.0), 90.0 * side) for side in (1, -1)]
        planes += [((0.0, 0.0, side * pile.wall), (1.0, 0.0, 0.0), -90.0 * side) for side in (1, -1)]
    for number, (place, axis, angle) in enumerate(planes):
        lines += ["[[entity]]", f'name = "plane{number}"', f"plane = {{ friction = {FRICTION} }}"]
        lines.append(f"pose = {{ position = {list(place)}, axis = {list(axis)}, angle = {angle} }}")
    names = {"sphere": ("radius",), "capsule": ("radius", "length"), "box": ("size",)}
    for number, thing in enumerate(pile.things):
        turned = f", axis = {list(thing.axis)}, angle = {thing.angle}" if thing.angle else ""
        lines += ["[[entity]]", f'name = "thing{number}"']
        lines.append(f"pose = {{ position = {list(thing.place)}{turned} }}")
        values = [list(thing.size)] if thing.kind == "box" else list(thing.size)
        shape = ", ".join(f"{key} = {value}" for key, value in zip(names[thing.kind], values, strict=True))
        lines.append(f"{thing.kind} = {{ {shape}, friction = {FRICTION} }}")
        lines.append(f"body = {{ density = {DENSITY} }}")
    return "\n".join(lines)


def write_mujoco(pile: Pile, step: float, cone: str = "elliptic") -> str:
    """The same for MuJoCo, with its own defaults for solver and softness; y is up."""
    lines = [
        "<mujoco>",
        f'<option timestep="{step}" gravity="0 -9.81 0" cone="{cone}" integrator="implicitfast"/>',
        f'<default><geom friction="{FRICTION} 0 0" condim="3" density="{DENSITY}"/></default>',
        "<worldbody>",
    ]
    normals = [((0.0, 0.0, 0.0), (0, 1, 0))]
    if pile.wall:
        normals += [((side * pile.wall, 0.0, 0.0), (-side, 0, 0)) for side in (1, -1)]
        normals += [((0.0, 0.0, side * pile.wall), (0, 0, -side)) for side in (1, -1)]
    for place, normal in normals:
        where, along = " ".join(map(str, place)), " ".join(map(str, normal))
        lines.append(f'<geom type="plane" size="5 5 0.1" pos="{where}" zaxis="{along}"/>')
    for thing in pile.things:
        half = thing.size[:1] + tuple(0.5 * edge for edge in thing.size[1:])
        if thing.kind == "box":
            half = tuple(0.5 * edge for edge in thing.size)
        where, size = " ".join(map(str, thing.place)), " ".join(map(str, half))
        turned = " ".join(map(str, (*thing.axis, thing.angle)))
        lines.append(
            f'<body pos="{where}" axisangle="{turned}"><freejoint/><geom type="{thing.kind}" size="{size}"/></body>'
        )
    return "\n".join([*lines, "</worldbody></mujoco>"])
