"""What an uneven floor costs: the standing humanoid on a plane, and on 40 x 40 tiles, level and bumpy."""

from __future__ import annotations

import tempfile
from pathlib import Path

from humanoid_model import STANDING_HEIGHT, write_supple
from measuring import Result, time_repeatedly

import supple

STEP, STEPS = 0.002, 500
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
    results = []
    for name, floor in FLOORS.items():
        world = load(floor)
        world.step(100)
        start = world.snapshot()

        def run(world=world, start=start) -> None:
            world.restore(start)
            world.timing.reset()
            world.step(STEPS)

        results.append(time_repeatedly(f"{name}: step", run, repeat=repeat, per=STEPS))
        contacts = float(world.array("contacts.count")[0])
        results.append(Result(f"{name}: contacts at the end", contacts, contacts, "1"))
        for system in world.timing.table():
            if system.name.startswith(("collide", "rows")):
                spent = system.microseconds_per_step
                results.append(Result(f"{name}: {system.name}", spent, spent, "us"))
    return results
