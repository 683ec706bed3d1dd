"""Commands in a recording: what was given from Python, so that the run repeats without the code that gave it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np

from supple.core.arrays import Array
from supple.core.control import WIDTH, Given
from supple.core.world import World
from supple.errors import Problem, UserError
from supple.run.recording import Recording, open_recording
from supple.run.recording_series import Series, open_series

_ROWS = 256


class CommandWriter:
    """The part of a growing recording that holds commands."""

    def __init__(self, file: h5py.File) -> None:
        group = file["commands"]
        self._series = [open_series(group, name) for name in ("step", "what", "values")]
        self.labels: list[str] = json.loads(bytes(group["labels"][...]).decode())

    @staticmethod
    def lay_out(file: h5py.File, labels: Sequence[str]) -> None:
        """Make the group, with nothing in it."""
        group = file.create_group("commands")
        group.create_dataset("labels", data=np.frombuffer(json.dumps(list(labels)).encode(), np.uint8))
        for name, shape, dtype in (
            ("step", (), np.int64), ("what", (), np.int64), ("values", (WIDTH,), np.float64),
        ):  # fmt: skip
            group.create_dataset(name, (0, *shape), dtype, maxshape=(None, *shape), chunks=(_ROWS, *shape))

    def grow(self, given: Sequence[Given]) -> list[tuple[Series, Array]]:
        """The series and the rows that come to them."""
        if not given:
            return []
        steps = np.array([one.step for one in given], np.int64)
        what = np.array([one.what for one in given], np.int64)
        values = np.array([one.values for one in given], np.float64)
        return list(zip(self._series, (steps, what, values), strict=True))


def read_commands(recording: Recording) -> tuple[list[str], list[Given]]:
    """The names of commands, and those that were given, in their order."""
    labels = recording.command_labels
    if not labels:
        return [], []
    steps, what, values = recording.command_rows()
    if len(what) and not 0 <= what.min() <= what.max() < len(labels):
        reason = f"names command {what.max()} of {len(labels)}"
        raise UserError(Problem(None, str(recording.path), f"is damaged: {reason}", "record the run again"))
    rows = zip(steps.tolist(), what.tolist(), values.tolist(), strict=True)
    return labels, [Given(step, number, tuple(row)) for step, number, row in rows]


def replay(world: World, path: str | Path) -> int:
    """Give a world all commands of a recording again, each before its step; returns how many there are to come.

    world = supple.load("cart.toml")
    supple.replay(world, "run.h5")
    world.step(1000)                # as in the recorded run, without its callbacks
    """
    with open_recording(path) as recording:
        labels, given = read_commands(recording)
        if recording.header.h != world.blueprint.run.step:
            what = f"was recorded with steps of {recording.header.h:g} s, not {world.blueprint.run.step:g}"
            raise UserError(Problem(None, str(path), what, "replay it in the same scene"))
    world.control.replay(labels, given)
    return sum(1 for one in given if one.step >= world.steps)
