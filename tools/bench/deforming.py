"""Two skins that bend, of 1452 triangles each, that touch: to refit their trees and find all contacts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from measuring import Result, time_worlds

import supple

SETTLING, STEPS = 20, 100
#: Six faces of 11 x 11 cells of two triangles. How soft the skins are is nothing to collision, so they are rigid here.
SCENE = """
format = 1
[run]
step = 0.002
duration = 1.0
gravity = [0, 0, 0]
[run.capacity]
contacts = 4000
[[entity]]
name = "lower"
fleshed_box = {{ size = [0.1, 0.1, 0.1], cells = 11, state = "rigid" }}
[[entity]]
name = "upper"
pose = {{ position = [0.0013, {height}, 0.0021], axis = {axis}, angle = {angle} }}
fleshed_box = {{ size = [0.1, 0.1, 0.1], cells = 11, state = "rigid", velocity = [0, -0.01, 0] }}
"""
CASES = {
    "face on face": (0.1002, [0, 1, 0], 17.0),
    "edge on face": (0.1212, [1, 0, 0], 45.0),
    "apart": (0.3, [1, 0, 0], 45.0),
}


def load(height: float, axis: list[int], angle: float):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "deforming.toml"
        file.write_text(SCENE.format(height=height, axis=axis, angle=angle), encoding="utf-8")
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
