"""Checkpoints: everything needed to go on, in one file that is never half written.

A checkpoint is a numpy archive (npz) of plain arrays: `state/NAME` for every State array and `about`, a JSON
text in bytes. It is read without pickle, so that a foreign file cannot run code.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.core.archives import check_archive
from supple.core.blueprint import Blueprint
from supple.core.world import World
from supple.errors import PluginError, Problem, UserError
from supple.run.atomic import check_folder, replacing
from supple.run.difference import describe_difference
from supple.run.runner import NEVER

FORMAT = 1
MADE_BY = "supple checkpoint"
_STATE = "state/"


@dataclass(frozen=True)
class About:
    """What a checkpoint says about its run. `plain` is the whole scene as JSON-ready values."""

    scene: str
    text: str
    variant: str
    fingerprint: str
    plain: dict[str, Any]
    seed: int
    step: int
    planned_steps: int
    versions: dict[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """The state of a world at one step, and what it belongs to."""

    path: Path
    about: About
    state: Mapping[str, NDArray[Any]]


class CheckpointWriter:
    """Writes checkpoints of one world."""

    def __init__(self, world: World, versions: dict[str, Any]) -> None:
        self._world = world
        blueprint = world.blueprint
        self._fixed: dict[str, Any] = {
            "scene": blueprint.source.replace("\\", "/").rpartition("/")[2],
            "text": blueprint.text,
            "variant": blueprint.variant,
            "fingerprint": blueprint.fingerprint(),
            "plain": blueprint.as_plain(),
            "seed": blueprint.seed,
            "planned_steps": blueprint.run.steps,
            "versions": versions,
        }

    def write(self, path: Path) -> None:
        """Replace the file by the state as it is now, atomically."""
        about = About(step=self._world.steps, **self._fixed)
        text = json.dumps({"format": FORMAT, "made_by": MADE_BY, **asdict(about)}).encode()
        arrays = {_STATE + name: values for name, values in self._world.snapshot().items()}
        with replacing(path) as file:
            np.savez(file, about=np.frombuffer(text, np.uint8), **arrays)  # type: ignore[arg-type]


class Checkpointer:
    """The observer that writes a checkpoint every so many steps, always at multiples of that number."""

    def __init__(
        self, path: Path, writer: CheckpointWriter, every: int, *, before: Callable[[], None] = lambda: None
    ) -> None:
        self.path = path
        self.last_step: int | None = None
        self._writer = writer
        self._every = every
        # A recording must not end before the checkpoint from which a run goes on.
        self._before = before

    def observe(self, world: World) -> int:
        """Write if the step is due."""
        step = world.steps
        if step > 0 and step % self._every == 0:
            self.write(world)
        return step - step % self._every + self._every if self._every < NEVER else NEVER

    def write(self, world: World) -> None:
        """Write now, unless this step has been written."""
        if self.last_step == world.steps:
            return
        self._before()
        self._writer.write(self.path)
        self.last_step = world.steps


def check_checkpoint_place(path: Path) -> None:
    """Refuse to overwrite what is no checkpoint."""
    check_folder(path)
    if path.exists() and not zipfile.is_zipfile(path):
        what = "exists and is not a checkpoint"
        raise UserError(Problem(None, str(path), what, "give another name, or delete it"))


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; whatever is wrong with the file is an error of one line."""
    if not path.is_file():
        raise UserError(
            Problem(None, str(path), "no such checkpoint", "supple run SCENE --checkpoint FILE makes one")
        )
    if not zipfile.is_zipfile(path):
        raise UserError(Problem(None, str(path), "is not a checkpoint", "give a file made by --checkpoint"))
    try:
        # Checkpoints are not packed, so that they take no more memory than the file has bytes.
        check_archive(path, packed=False)
        archive = np.load(path, allow_pickle=False)
        about = json.loads(archive["about"].tobytes().decode())
        made_by, written = about.pop("made_by"), about.pop("format")
    except Exception as error:  # a damaged or foreign file can fail anywhere in the reader
        what = f"is not a checkpoint, or is damaged: {_first_line(error)}"
        raise UserError(Problem(None, str(path), what, "give a file made by --checkpoint")) from error
    if made_by != MADE_BY or not isinstance(written, int):
        raise UserError(Problem(None, str(path), "is not a checkpoint", "give a file made by --checkpoint"))
    if written > FORMAT:
        what = f"has the checkpoint format {written}; this supple reads up to {FORMAT}"
        raise UserError(Problem(None, str(path), what, "update supple"))
    try:
        names = [name for name in archive.files if name.startswith(_STATE)]
        state = {name.removeprefix(_STATE): archive[name] for name in names}
        return Checkpoint(path, _read_about(about), state)
    except Exception as error:  # as above
        what = f"is damaged: {_first_line(error)}"
        raise UserError(Problem(None, str(path), what, "use an earlier checkpoint")) from error


def _read_about(plain: dict[str, Any]) -> About:
    about = About(**plain)
    kinds = {"step": int, "planned_steps": int, "seed": int, "plain": dict, "versions": dict}
    for field in fields(About):
        kind, value = kinds.get(field.name, str), getattr(about, field.name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{field.name} is {type(value).__name__}, not {kind.__name__}")
    return about


def check_belongs(checkpoint: Checkpoint, blueprint: Blueprint) -> None:
    """Refuse a checkpoint of another scene, and say what differs; do this before a world is built."""
    about, where = checkpoint.about, str(checkpoint.path)
    if about.fingerprint != blueprint.fingerprint():
        differs = describe_difference(blueprint.as_plain(), about.plain) or "the scene's contents differ"
        what = f"made by another scene ({about.scene}): {differs}"
        raise UserError(Problem(None, where, what, "give the same scene, --set, --variant and --seed"))
    if about.step > blueprint.run.steps:
        what = f"is at step {about.step}, after the end of the run at step {blueprint.run.steps}"
        raise UserError(Problem(None, where, what, "give a later --until"))


def resume(world: World, checkpoint: Checkpoint) -> None:
    """Put the world into the state of the checkpoint."""
    about, where = checkpoint.about, str(checkpoint.path)
    try:
        world.restore(checkpoint.state, planned_steps=about.planned_steps)
    except PluginError as error:
        what = f"does not fit the plugins: {_first_line(error)}"
        raise UserError(Problem(None, where, what, "use the plugins it was made with")) from error
    if world.steps != about.step:
        what = f"says step {about.step}, its state says {world.steps}"
        raise UserError(Problem(None, where, what, "use an earlier checkpoint"))


def _first_line(error: Exception) -> str:
    """What a reader said, without the bytes of the file that it may quote at length."""
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
