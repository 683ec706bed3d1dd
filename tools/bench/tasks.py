"""Control and simulation of a figure of 44 degrees of freedom that lifts a box: with clamped feet, and on real ones."""

from __future__ import annotations

from pathlib import Path

from measuring import Result, time_worlds

import supple

SCENES = Path(__file__).parents[2] / "scenes" / "dynamic_manipulation"
WORLDS = {"lift, clamps and grasps": "lift.toml", "lift, real feet and strength": "lift_on_feet.toml"}
START, STEPS = 850, 600  # the grip closes in step 750; then the box is lifted


def measure(repeat: int) -> list[Result]:
    worlds = {name: supple.load(SCENES / file) for name, file in WORLDS.items()}
    for world in worlds.values():
        world.step(START)
        lifting = world.snapshot()
        world.step(STEPS)  # compiles
        world.restore(lifting)
    return time_worlds(worlds, steps=STEPS, repeat=repeat)
