"""Control and simulation of a figure of 44 degrees of freedom with clamped feet that lifts a box."""

from __future__ import annotations

from pathlib import Path

from measuring import Result, time_worlds

import supple

SCENE = Path(__file__).parents[2] / "scenes" / "dynamic_manipulation" / "lift.toml"
START, STEPS = 850, 600  # the grip closes in step 750; then the box is lifted


def measure(repeat: int) -> list[Result]:
    world = supple.load(SCENE)
    world.step(START)
    lifting = world.snapshot()
    world.step(STEPS)  # compiles
    world.restore(lifting)
    results = time_worlds({"lift, clamps and grasps": world}, steps=STEPS, repeat=repeat)
    world.restore(lifting)
    return results
