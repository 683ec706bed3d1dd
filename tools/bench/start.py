"""What a user waits for: `supple --help`, `supple check`, a first step with compiled kernels, the runner's loop."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from measuring import Result, time_repeatedly

from supple.run.runner import Runner

SCENE = str(Path(__file__).resolve().parents[2] / "scenes/first/stack.toml")
COMMANDS = {
    "supple --help": ["--help"],
    "supple check": ["check", SCENE],
    "supple run, one step": ["run", SCENE, "--until", "0.004", "--quiet"],
}
STEPS = 100_000


class Idle:
    """Counts steps as a world does, and nothing else."""

    steps = generation = 0

    def step(self, count: int = 1) -> None:
        """Take some steps."""
        self.steps += count


def wait_for(arguments: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-m", "supple", *arguments], capture_output=True, check=True)
    return (time.perf_counter() - started) * 1e3


def measure(repeat: int) -> list[Result]:
    results = []
    for name, arguments in COMMANDS.items():
        wait_for(arguments)
        spent = [wait_for(arguments) for _ in range(repeat)]
        results.append(Result(f"{name}, wall time", min(spent), statistics.median(spent), "ms"))
    loop = time_repeatedly(
        "runner's own loop", lambda: Runner(Idle()).advance(STEPS), repeat=repeat, per=STEPS
    )
    return [*results, loop]
