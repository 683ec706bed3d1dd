"""Many runs of one scene: 250 steps of drop, by numbers of the scene, of the start, and built anew."""

from __future__ import annotations

from pathlib import Path

from measuring import Result, time_repeatedly

import supple

SCENE = Path(__file__).resolve().parents[2] / "scenes/first/drop.toml"
RUNS, STEPS = 20, 250


def measure(repeat: int) -> list[Result]:
    until = STEPS * supple.load(SCENE).blueprint.run.step
    moved = [{"ball.pose.position": [0, 1 + 0.01 * k, 0]} for k in range(RUNS)]
    thrown = [{"ball.velocity": [0.01 * k, 0, 0, 0, 0, 0]} for k in range(RUNS)]

    def build() -> None:
        for cell in moved:
            supple.load(SCENE, overrides=cell, until=until).step(STEPS)

    cases = {
        "250 steps of drop, number of the start": lambda: supple.rollouts(SCENE, thrown, until=until),
        "250 steps of drop, number of the scene": lambda: supple.rollouts(SCENE, moved, until=until),
        "250 steps of drop, read and built anew": build,
    }
    return [time_repeatedly(name, run, repeat=repeat, per=RUNS) for name, run in cases.items()]
