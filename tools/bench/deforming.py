"""Two skins that bend, of 1452 triangles each, that touch: to refit their trees and find all contacts."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from pathlib import Path

from measuring import Result, time_worlds

import supple
from supple_flesh.shapes import make_box_surface

SETTLING, STEPS = 20, 100
#: Six faces of 11 x 11 cells of two triangles.
LENGTH, CELLS = 0.1, 11
HEAD = """
format = 1
[run]
step = 0.002
duration = 1.0
gravity = [0, 0, 0]
[run.capacity]
contacts = 4000
"""
#: How soft the skins are is nothing to collision, so they are rigid here.
SKIN = """
[[entity]]
name = "{name}"
pose = {{ position = {position}, axis = {axis}, angle = {angle} }}
skeleton = {{}}
flesh = {{ vertices = {vertices}, triangles = {triangles}, mass = 0.2, stiffness = 1e4, state = "rigid" }}
[[entity]]
name = "{name}/core"
bone = {{ joint = "free", mass = 0.8, inertia = [3e-4, 3e-4, 3e-4], rate = [0, {speed}, 0, 0, 0, 0] }}
"""
#: Height of the upper skin [m], its turn [deg] about an axis, and how deep the wrinkles of both are [m].
CASES = {
    "face on face": (0.1002, [0, 1, 0], 17.0, 0.0),
    "wrinkles on wrinkles": (0.1002, [0, 1, 0], 17.0, 2e-4),
    "edge on face": (0.1212, [1, 0, 0], 45.0, 0.0),
    "apart": (0.3, [1, 0, 0], 45.0, 0.0),
}


def wrinkle(point: Sequence[float], depth: float) -> list[float]:
    """A point of the skin pushed in by up to `depth` [m], by turns of every vertex and its neighbours."""
    cell = LENGTH / CELLS
    phase = math.pi * (point[0] + 0.5 * LENGTH) / cell, math.pi * (point[2] + 0.5 * LENGTH) / cell
    inwards = 0.5 * depth * (1.0 - math.cos(phase[0]) * math.cos(phase[1]))
    return [point[0], point[1] - math.copysign(inwards, point[1]), point[2]]


def load(height: float, axis: list[int], angle: float, depth: float):
    vertices, triangles = make_box_surface((LENGTH, LENGTH, LENGTH), CELLS)
    surface = {
        "vertices": [wrinkle(point, depth) for point in vertices],
        "triangles": [list(corners) for corners in triangles],
    }
    lower = SKIN.format(name="lower", position=[0, 0, 0], axis=[0, 1, 0], angle=0.0, speed=0.0, **surface)
    place = {"position": [0.0013, height, 0.0021], "axis": axis, "angle": angle}
    upper = SKIN.format(name="upper", **place, speed=-0.01, **surface)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deforming.toml"
        file.write_text(HEAD + lower + upper, encoding="utf-8")
        return supple.load(file)


def measure(repeat: int) -> list[Result]:
    worlds = {name: load(*case) for name, case in CASES.items()}
    for world in worlds.values():
        world.step(SETTLING)
    timed = {result.name: result for result in time_worlds(worlds, steps=STEPS, repeat=repeat)}
    results = []
    for name, world in worlds.items():
        refit, query = (timed[f"{name}: collide.{part}"] for part in ("place_meshes", "find_contacts"))
        contacts = float(world.array("contacts.count")[0])
        results += [
            Result(f"{name}: contacts", contacts, contacts, "1"),
            Result(f"{name}: refit", refit.minimum, refit.median, "us"),
            Result(f"{name}: query", query.minimum, query.median, "us"),
            Result(f"{name}: both", refit.minimum + query.minimum, refit.median + query.median, "us"),
        ]
    return results
