"""What an uneven floor costs: the standing humanoid on a plane, and on 40 x 40 tiles, level and bumpy."""

from __future__ import annotations

import tempfile
from pathlib import Path

from humanoid_model import STANDING_HEIGHT, write_supple
from measuring import Result, time_worlds

import supple

STEP, SETTLING, STEPS = 0.002, 100, 500
PLANE = "plane = { friction = 0.8 }"
FLOORS = {
    "plane": PLANE,
    "40 x 40 level tiles": "bumpy = { size = [2, 2], tile = 0.05, amplitude = 0.0, friction = 0.8 }",
    "40 x 40 bumpy tiles": "bumpy = { size = [2, 2], tile = 0.05, amplitude = 0.004, friction = 0.8 }",
}


def load(floor: str):
    text = write_supple(STANDING_HEIGHT + 0.004, 400.0, 20.0, STEP, "newton").replace(PLANE, floor)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "floor.toml"
        file.write_text(text, encoding="utf-8")
        return supple.load(file)


def measure(repeat: int) -> list[Result]:
    worlds = {name: load(floor) for name, floor in FLOORS.items()}
    for world in worlds.values():
        world.step(SETTLING)
    results = time_worlds(worlds, steps=STEPS, repeat=repeat)
    plane = next(result for result in results if result.name == "plane: step")
    for name, world in worlds.items():
        own = next(result for result in results if result.name == f"{name}: step")
        contacts = float(world.array("contacts.count")[0])
        results.append(Result(f"{name}: contacts at the end", contacts, contacts, "1"))
        more = (100 * (own.minimum / plane.minimum - 1), 100 * (own.median / plane.median - 1))
        results.append(Result(f"{name}: more than on the plane", *more, "%"))
    return results
