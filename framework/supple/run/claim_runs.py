"""The runs behind claims: what each is, and how a worker process computes it."""

from __future__ import annotations

import hashlib
import json
import math
import statistics
import time
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import supple
from supple.core.mould import Mould
from supple.core.world import World
from supple.errors import Problem, SimulationError, UserError
from supple.mechanics.run_metrics import STEP_TIME
from supple.plugin import Plugins, load_plugins
from supple.run.ending import make_runner
from supple.run.recording_layout import make_header, steps_per_frame
from supple.run.versions import list_versions
from supple.scene.load import Scene, build_world, read_scene
from supple.scene.sweep import Cell

if TYPE_CHECKING:
    from supple.run.recorder import Recorder

#: Of the recordings of claims.
FRAMES_PER_SECOND = 100.0
#: The parts of supple that decide the result of a run; scenes are known by what they were read as.
_DECISIVE = ("core", "mechanics", "math")


@dataclass(frozen=True)
class Setting:
    """How scenes are read, in this process and in the workers."""

    plugins: tuple[Path, ...] = ()
    disabled: tuple[str, ...] = ()
    allow_outside: bool = False


@dataclass(frozen=True)
class Task:
    """One run. `key` names everything that decides its result: the scene, its length and the code.

    `record` is where its recording goes, if one is wanted.
    """

    scene: Path
    variant: str
    cell: Cell
    key: str
    record: Path | None = None

    def from_anywhere(self) -> Task:
        """The same task for a process with another current folder."""
        record = self.record.resolve() if self.record else None
        return replace(self, scene=self.scene.resolve(), record=record)

    @property
    def label(self) -> str:
        """What a reader calls the run."""
        return f"{self.scene}" + (f" {self.variant}" if self.variant else "") + f" [{self.cell.label}]"


@dataclass(frozen=True)
class Outcome:
    """The metrics at the end of a run, its wall time [s], and why it failed if it did."""

    metrics: dict[str, float]
    seconds: float
    error: str = ""

    def as_plain(self) -> dict[str, Any]:
        """As a part of the results file."""
        return {"metrics": self.metrics, "seconds": self.seconds, "error": self.error}


def read_outcome(plain: Any) -> Outcome:
    """From a part of the results file; null stands for what was not measured."""
    metrics = {name: math.nan if value is None else float(value) for name, value in plain["metrics"].items()}
    return Outcome(metrics, float(plain["seconds"]), str(plain["error"]))


@lru_cache(maxsize=4)
def load_setting(setting: Setting) -> Plugins:
    """The plugins, loaded once a process."""
    return load_plugins(setting.plugins, setting.disabled)


@lru_cache(maxsize=64)
def load_scene(setting: Setting, path: Path) -> Scene:
    """A scene, read once a process."""
    return read_scene(path, load_setting(setting), allow_outside=setting.allow_outside)


@lru_cache(maxsize=4)
def find_mould(setting: Setting, path: Path, variant: str) -> Mould:
    """What the runs of a scene in one variant are built from, kept by the process."""
    scene, plugins = load_scene(setting, path), load_setting(setting)
    return Mould(lambda blueprint: build_world(scene, blueprint, plugins))


def run_task(setting: Setting, task: Task) -> Outcome:
    """Compute one run from start to end. A step that fails is part of the outcome."""
    began = time.perf_counter()
    scene = load_scene(setting, task.scene)
    blueprint = scene.blueprint(variant=task.variant, cell=task.cell)
    world = find_mould(setting, task.scene, task.variant).cast(blueprint)
    recorder = _start_recording(setting, task, world)
    error, clock = "", StepClock()
    try:
        make_runner(world, [clock, recorder] if recorder else [clock]).advance(blueprint.run.steps)
    except SimulationError as failed:
        error = str(failed)
    finally:
        if recorder:
            recorder.close()
    metrics = {**world.metrics(), f"run.{STEP_TIME.name}": clock.median()}
    return Outcome(metrics, time.perf_counter() - began, error)


def run_same_task(setting: Setting, task: Task) -> Outcome:
    """Compute one run on another machine, if the scene is there and is the same."""
    if not task.scene.is_file():
        what, remedy = (
            "is not to be found on a machine of the cluster",
            "put it on a file system that all share",
        )
        raise UserError(Problem(None, str(task.scene), what, remedy))
    plugins = load_setting(setting)
    if make_key(load_scene(setting, task.scene), task.variant, task.cell, hash_code(plugins)) != task.key:
        what, remedy = (
            "is another scene on a machine of the cluster",
            "put it on a file system that all share",
        )
        raise UserError(Problem(None, str(task.scene), what, remedy))
    return run_task(setting, task)


class StepClock:
    """The observer that takes the CPU time of every step."""

    def __init__(self) -> None:
        self.moments: list[float] = []

    def observe(self, world: World) -> int:
        """Look at the clock after every step."""
        self.moments.append(time.process_time())
        return world.steps + 1

    def median(self) -> float:
        """CPU time of a step [s], the median, which first steps with kernels to compile do not move."""
        return (
            statistics.median(b - a for a, b in pairwise(self.moments)) if len(self.moments) > 1 else math.nan
        )


def _start_recording(setting: Setting, task: Task, world: World) -> Recorder | None:
    if task.record is None:
        return None
    from supple.run.recorder import start_recording

    header = make_header(
        world.blueprint,
        every=steps_per_frame(FRAMES_PER_SECOND, world.blueprint.run.step),
        versions=list_versions(load_setting(setting)),
        overrides=[f"{path}={json.dumps(value, default=str)}" for path, value in task.cell.overrides],
    )
    return start_recording(task.record, header, world, resuming=False)


@lru_cache(maxsize=4)
def hash_code(plugins: Plugins) -> str:
    """A hash of the version and the sources that decide results: the engine's and all plugins'."""
    digest = hashlib.sha256(supple.__version__.encode())
    home = Path(supple.__file__).parent
    files = [file for part in _DECISIVE for file in (home / part).rglob("*.py")]
    for info in plugins.infos():
        module = plugins.manager.get_plugin(info.name)
        origin = Path(module.__file__) if module is not None and getattr(module, "__file__", None) else None
        if origin is not None:
            files += origin.parent.rglob("*.py") if origin.name == "__init__.py" else [origin]
        digest.update(info.name.encode() + b"\0")
    for content in sorted(hashlib.sha256(file.read_bytes()).digest() for file in set(files)):
        digest.update(content)
    return digest.hexdigest()


def make_key(scene: Scene, variant: str, cell: Cell, code: str) -> str:
    """The key of a run. Raises SceneError when the cell does not fit the scene."""
    blueprint = scene.blueprint(variant=variant, cell=cell)
    length = f"{blueprint.run.steps} {blueprint.run.ends}"
    return hashlib.sha256(f"{blueprint.fingerprint()} {length} {code}".encode()).hexdigest()
