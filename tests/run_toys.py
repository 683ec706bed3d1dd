"""A one-file plugin and scenes for tests of the runner: an oscillator that sparks, and fails when told to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PLUGIN = '''
"""An oscillator, integrated exactly step by step; it sparks, dawdles and fails when told to."""
import math
import time

import numpy as np
import supple
from supple.errors import SimulationError


@supple.component
class Oscillator:
    """Something that swings about zero."""

    start: float = supple.field(default=1.0, unit="m", doc="Position at the start.")
    rate: float = supple.field(default=2.0, unit="rad/s", doc="Angular frequency.", gt=0)
    fail_at: int = supple.field(default=-1, unit="1", doc="Step that cannot be computed.")
    burst_at: int = supple.field(default=-1, unit="1", doc="Step that gives no number.")
    bug_at: int = supple.field(default=-1, unit="1", doc="Step at which the program itself is wrong.")
    dawdle: float = supple.field(default=0.0, unit="s", doc="Wall time that a step wastes.", ge=0)
    metrics = (
        supple.Metric("place", unit="m", doc="Position.", over_time="last"),
        supple.Metric("farthest", unit="m", doc="Greatest position.", over_time="max"),
        supple.Metric("late", unit="m", doc="Greatest position of the end.", over_time="max", settled=True),
    )


def compile_oscillators(build):
    entities = build.having("oscillator")
    labels = [entity.path for entity in entities]
    parts = [entity.components["oscillator"] for entity in entities]
    build.add_state("toy.x", [part.start for part in parts], unit="m", doc="Positions.", labels=labels, record=True)
    build.add_state("toy.v", np.zeros(len(parts)), unit="m/s", doc="Velocities.", labels=labels)
    build.add_step("toy.count", (1,), unit="1", doc="Sparks.", dtype=np.int64)
    build.add_step("toy.spark", (3, 2), unit="m", doc="Where it sparks.", count="toy.count", record=True)
    for row, entity in enumerate(entities):
        build.bind_metrics(entity, "oscillator", {m: ("toy.x.next", row) for m in ("place", "farthest", "late")})


class Swing(supple.System):
    phase = supple.Phase.ADVANCE
    reads = ("toy.x", "toy.v", "run.step")
    writes = ("toy.x.next", "toy.v.next", "toy.count", "toy.spark")

    def __init__(self, build):
        self.parts = [(e.path, e.components["oscillator"]) for e in build.having("oscillator")]
        self.h = build.run.step

    def bind(self, arrays):
        x, v, step = arrays["toy.x"], arrays["toy.v"], arrays["run.step"]
        x_next, v_next = arrays["toy.x.next"], arrays["toy.v.next"]
        count, spark = arrays["toy.count"], arrays["toy.spark"]

        def swing():
            number = int(step[0])
            count[0] = number % 4
            for k in range(count[0]):
                spark[k] = number, k
            for row, (path, part) in enumerate(self.parts):
                time.sleep(part.dawdle)
                if number == part.fail_at:
                    raise SimulationError("the spring broke", entity=path, element=f"spring[{row}]")
                if number == part.bug_at:
                    raise ZeroDivisionError("a slip of the pen")
                c, s = math.cos(part.rate * self.h), math.sin(part.rate * self.h)
                x_next[row] = c * x[row] + s / part.rate * v[row]
                v_next[row] = c * v[row] - s * part.rate * x[row]
                if number == part.burst_at:
                    x_next[row] = math.nan

        return swing


@supple.hookimpl
def supple_register(registry):
    registry.add_component(Oscillator)
    registry.add_compiler("toy", compile_oscillators, components=("oscillator",))
    registry.add_system("toy.swing", Swing, when=("oscillator",))
'''

SCENE = """\
format = 1
[run]
step = 0.01
duration = 2.0
[[entity]]
name = "swing"
oscillator = { start = 1.0 }
"""


class Place:
    """A folder with the plugin and a scene, and ways to run things in it."""

    def __init__(self, folder: Path, scene: str = SCENE) -> None:
        self.folder = folder
        self.plugin = folder / "toy.py"
        self.plugin.write_text(PLUGIN)
        self.scene = folder / "scene.toml"
        self.scene.write_text(scene)

    def command(self, name: str, *arguments: object) -> list[str]:
        """The command line of `supple NAME` with the plugin."""
        words = [sys.executable, "-m", "supple", name, "--plugin", self.plugin, *arguments]
        return [str(word) for word in words]

    def supple(self, name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run a command in a process of its own, within the folder."""
        return subprocess.run(
            self.command(name, *arguments), cwd=self.folder, capture_output=True, encoding="utf-8", check=False
        )  # fmt: skip

    def json(self, name: str, *arguments: object) -> Any:
        """What the command prints with --json; it must print nothing else."""
        return self.json_of(*self.command(name, *arguments, "--json"))

    def json_of(self, *words: object) -> Any:
        """The one object that a command line prints."""
        command = [str(word) for word in words]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, encoding="utf-8", check=False)
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def options(self, **changes: Any) -> Any:
        """Options of an in-process run."""
        from supple.run.simulate import RunOptions

        return RunOptions(**{"scene": self.scene, "plugins": (self.plugin,), **changes})
