"""Writing recordings: HDF5 that can be read while it grows and, after a kill, up to the last flush."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np

from supple.core.arrays import Array, ArraySpec
from supple.core.control import Given
from supple.core.drawing import write_drawings
from supple.core.world import World
from supple.errors import Problem, UserError, list_choices
from supple.run.atomic import refuse_unwritable, temporary_beside
from supple.run.recorded_commands import CommandWriter, read_commands
from supple.run.recording import Recording
from supple.run.recording_layout import BLOCK, PIECE, Header
from supple.run.recording_room import Room
from supple.run.recording_series import open_series

_CHUNK_BYTES, _SMALL_BYTES = 1 << 20, 1 << 14


def recorded_specs(world: World) -> list[ArraySpec]:
    """The arrays that recordings keep at every frame."""
    specs = [spec for _, spec in sorted(world.arrays.specs.items())]
    return [spec for spec in specs if spec.record and spec.kind != "model"]


class RecordingWriter:
    """A recording that frames are appended to.

    The file takes its name only when it is complete but for its frames, and is opened at once for a single
    writer and many readers (SWMR): there is no moment at which a kill leaves it unreadable. With `earlier`
    it begins with the frames of that recording up to and including step `until`.
    """

    def __init__(
        self, path: Path, header: Header, world: World, *, earlier: Recording | None = None, until: int = 0
    ) -> None:
        self.path = path
        self.specs = recorded_specs(world)
        temporary = temporary_beside(path)
        try:
            # As in `replacing`: a link of that name may lie in wait.
            temporary.unlink(missing_ok=True)
            with h5py.File(temporary, "x", libver="latest") as file:
                _lay_out(file, header, self.specs, world)
            with _open_swmr(temporary) as file:
                self._take(file, temporary)
                if earlier is not None:
                    self._copy(earlier, until)
                    # Windows replaces no file that is open.
                    earlier.close()
            self._room.give_back()
            os.replace(temporary, path)
            self._take(_open_swmr(path), path)
        except OSError as error:
            raise refuse_unwritable(path, error) from error
        finally:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    def _take(self, file: h5py.File, path: Path) -> None:
        self._file, self._room = file, Room(path, file)
        self._series = {spec.name: open_series(file["arrays"], spec.name) for spec in self.specs}
        self._offsets = {count: open_series(file["offsets"], count) for count in file["offsets"]}
        self._ends = {count: int(file["offsets"][count][-1]) for count in file["offsets"]}
        self._time, self._step = open_series(file, "time"), open_series(file, "step")
        self._complete = file["frames"]
        self.commands = CommandWriter(file)
        self.frames = int(self._complete[0])
        self.last_step = int(file["step"][-1]) if self.frames else -1

    def append(
        self,
        steps: Array,
        times: Array,
        blocks: Mapping[str, Array],
        counts: Mapping[str, Array],
        given: Sequence[Given] = (),
    ) -> None:
        """Append frames, and commands that were given, and flush.

        Ragged arrays come as the rows of all frames; `counts` has rows per frame.
        """
        growing = [(series, blocks[name]) for name, series in self._series.items()]
        for name, offsets in self._offsets.items():
            growing.append((offsets, self._ends[name] + np.cumsum(counts[name], dtype=np.int64)))
        growing += [(self._time, times), (self._step, steps), *self.commands.grow(given)]
        try:
            self._room.take(growing)
            for series, values in growing:
                series.extend(values)
            for name in self._offsets:
                self._ends[name] += int(np.sum(counts[name]))
            self._file.flush()
            # Only now may readers trust the new frames.
            self.frames += len(steps)
            self._complete[0] = self.frames
            self._complete.flush()
            self.last_step = int(steps[-1]) if len(steps) else self.last_step
        except (OSError, RuntimeError) as error:
            raise refuse_unwritable(
                self.path, error if isinstance(error, OSError) else OSError(str(error))
            ) from error

    def close(self) -> None:
        """Close the file; from now on it is a plain HDF5 file."""
        self._file.close()
        self._room.give_back()

    def _copy(self, earlier: Recording, until: int) -> None:
        steps, times = earlier.steps, earlier.times
        kept = int(np.searchsorted(steps, until, side="right"))
        counted = {spec.name: spec.count for spec in self.specs if spec.count}
        arrays = {spec.name: earlier.array(spec.name) for spec in self.specs}
        offsets = {name: earlier.offsets(name) for name in counted}
        for first in range(0, kept, BLOCK):
            last = min(first + BLOCK, kept)
            blocks, counts = {}, {}
            for name, values in arrays.items():
                if name in counted:
                    blocks[name] = values[offsets[name][first] : offsets[name][last]]
                    counts[counted[name]] = np.diff(offsets[name][first : last + 1])
                else:
                    blocks[name] = values[first:last]
            self.append(steps[first:last], times[first:last], blocks, counts)
        labels, given = read_commands(earlier)
        self.append_commands([one for one in given if one.step < until], labels)

    def append_commands(self, given: Sequence[Given], labels: Sequence[str]) -> None:
        """Append commands of an earlier part of the run."""
        known = {name: number for number, name in enumerate(self.commands.labels)}
        kept = [one._replace(what=known[labels[one.what]]) for one in given if labels[one.what] in known]
        growing = self.commands.grow(kept)
        self._room.take(growing)
        for series, values in growing:
            series.extend(values)


def check_continuation(earlier: Recording, header: Header, world: World) -> None:
    """Refuse to go on with a recording of another run, or with one that lacks frames."""
    where, wanted = str(earlier.path), world.steps - world.steps % header.every
    if earlier.header.fingerprint != header.fingerprint:
        what = f"is the recording of another scene or seed ({earlier.header.scene})"
        raise UserError(Problem(None, where, what, "give the recording of the same run, or another name"))
    if earlier.header.every != header.every:
        what = f"has a frame every {earlier.header.every} steps, not {header.every}"
        raise UserError(Problem(None, where, what, "give the same --fps, or another name"))
    ours = {spec.name for spec in recorded_specs(world)}
    if set(earlier.names) != ours:
        what = f"does not hold the same arrays: {list_choices(ours ^ set(earlier.names))}"
        raise UserError(Problem(None, where, what, "use the plugins it was made with, or give another name"))
    steps = earlier.steps
    if wanted not in steps.tolist():
        last = f"ends at step {steps[-1]}" if len(steps) else "has no frames"
        what = f"{last}, before the checkpoint at step {world.steps}: frames would be missing"
        raise UserError(Problem(None, where, what, "give another name"))


def _lay_out(file: h5py.File, header: Header, specs: list[ArraySpec], world: World) -> None:
    file.attrs.update(header.as_attributes())
    file.create_dataset("frames", data=np.zeros(1, np.int64))
    file.create_dataset("time", (0,), np.float64, maxshape=(None,), chunks=(PIECE,)).attrs["unit"] = "s"
    file.create_dataset("step", (0,), np.int64, maxshape=(None,), chunks=(PIECE,)).attrs["unit"] = "1"
    arrays, offsets, model = (file.create_group(name) for name in ("arrays", "offsets", "model"))
    for spec in specs:
        _describe(_create_series(arrays, spec), spec)
    units = [bound.metric.unit for bound in world.build.metrics]
    if units:
        arrays["metrics.now"].attrs["units"] = np.array(units, dtype=object)
    for count in sorted({spec.count for spec in specs if spec.count}):
        start = np.zeros(1, np.int64)
        offsets.create_dataset(count, data=start, maxshape=(None,), chunks=(PIECE,))
    for spec, values in world.arrays.of_kind("model"):
        if spec.record:
            _describe(model.create_dataset(spec.name, data=values), spec)
    CommandWriter.lay_out(file, world.control.labels)
    drawings = write_drawings(world.build.drawings).encode()
    file.create_dataset("drawings", data=np.frombuffer(drawings, np.uint8))


def _create_series(group: h5py.Group, spec: ArraySpec) -> h5py.Dataset:
    inner = spec.shape[1:] if spec.count else spec.shape
    row_bytes = max(1, int(np.prod(inner)) * spec.dtype.itemsize)
    rows = max(1, min(BLOCK * (8 if spec.count else 1), _CHUNK_BYTES // row_bytes))
    # A chunk costs the same whatever is in it.
    rows = max(rows, min(PIECE, _SMALL_BYTES // row_bytes))
    # An axis of length zero cannot be chunked unless it might grow.
    limits = (None, *(size or None for size in inner))
    chunks = (rows, *(max(1, size) for size in inner))
    return group.create_dataset(spec.name, (0, *inner), spec.dtype, maxshape=limits, chunks=chunks)


def _describe(dataset: h5py.Dataset, spec: ArraySpec) -> None:
    dataset.attrs["unit"], dataset.attrs["doc"] = spec.unit, spec.doc
    if spec.labels:
        dataset.attrs["labels"] = np.array(spec.labels, dtype=object)
    if spec.count:
        dataset.attrs["count"] = spec.count


def _open_swmr(path: Path) -> h5py.File:
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
    flags = h5py.h5f.ACC_RDWR | h5py.h5f.ACC_SWMR_WRITE
    return h5py.File(h5py.h5f.open(os.fsencode(path), flags, access))
