"""Piles, as scenes for supple and as models for MuJoCo: spheres in a bin, a wall of bricks, a tower of boxes."""

from __future__ import annotations

import random
from dataclasses import dataclass

RADIUS, DENSITY, FRICTION = 0.05, 1000.0, 0.5
BRICK = (0.2, 0.1, 0.1)
BOX = 0.2


@dataclass(frozen=True)
class Thing:
    """A sphere (`size` is its radius) or a box (`size` are its three edges), [m], at rest at a place."""

    size: tuple[float, ...]
    place: tuple[float, float, float]


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
    for number, thing in enumerate(pile.things):
        lines += ["[[entity]]", f'name = "thing{number}"', f"pose = {{ position = {list(thing.place)} }}"]
        shape = f"radius = {thing.size[0]}" if len(thing.size) == 1 else f"size = {list(thing.size)}"
        kind = "sphere" if len(thing.size) == 1 else "box"
        lines.append(f"{kind} = {{ {shape}, friction = {FRICTION} }}")
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
        kind, half = (
            ("sphere", thing.size) if len(thing.size) == 1 else ("box", [0.5 * e for e in thing.size])
        )
        where, size = " ".join(map(str, thing.place)), " ".join(map(str, half))
        lines.append(f'<body pos="{where}"><freejoint/><geom type="{kind}" size="{size}"/></body>')
    return "\n".join([*lines, "</worldbody></mujoco>"])
