"""Keeping frames in memory while a world is stepped, and handing them to the writer of a recording."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from supple.core.arrays import Array, ArraySpec, ArrayTable
from supple.core.jit import bind_first_arguments
from supple.core.schedule import Call
from supple.core.world import World
from supple.errors import Problem, UserError
from supple.run.atomic import check_folder
from supple.run.frame_kernels import HELD, LAST, FrameTables, Keeping, keep_frame, keep_when_due
from supple.run.recording import is_recording, open_recording
from supple.run.recording_layout import FLUSH_SECONDS, MOST_BYTES, MOST_FRAMES, PIECE, Header
from supple.run.recording_writer import RecordingWriter, check_continuation

#: Columns of `FrameTables.ragged` that change.
_KEPT, _USED, _ROOM = 3, 4, 5


class Recorder:
    """The observer that records every n-th step. Frames are gathered in memory and written every now and then.

    Who calls it between steps keeps frames by that. A `Runner` has it follow the steps: frames are then kept as part of
    them, and it is called now and then to write.
    """

    def __init__(self, writer: RecordingWriter, world: World, every: int) -> None:
        self.writer, self.every = writer, every
        self._fixed: list[ArraySpec] = [spec for spec in writer.specs if not spec.count]
        self._ragged: list[ArraySpec] = [spec for spec in writer.specs if spec.count]
        frame = sum(int(np.prod(spec.shape, dtype=int)) * spec.dtype.itemsize for spec in self._fixed)
        self._most = max(1, min(MOST_FRAMES, MOST_BYTES // max(frame, 1)))
        self._blocks = [np.zeros((self._most, *spec.shape), spec.dtype) for spec in self._fixed]
        self._rows = [
            np.zeros((max(256, spec.shape[0]), *spec.shape[1:]), spec.dtype) for spec in self._ragged
        ]
        self._counts = sorted({spec.count for spec in self._ragged})
        self._lengths = np.zeros((len(self._counts), self._most), np.int64)
        self._steps, self._times = np.zeros(self._most, np.int64), np.zeros(self._most)
        self._state = np.array([0, self._most, writer.last_step, every], np.int64)
        self._keeping = Keeping(self._state, self._steps, self._times, self._lengths)
        self._control = world.control
        self._followed: World | None = None
        self._arrays: ArrayTable | None = None
        self._tables: FrameTables | None = None
        self.take_arrays(world)
        self._control.start_log()
        self._due = time.monotonic() + FLUSH_SECONDS

    def observe(self, world: World) -> int:
        """Keep this frame, unless it is kept already or was copied from an earlier recording; write what is due."""
        step = world.steps
        if step % self.every == 0 and step > self._state[LAST]:
            self.keep_frame(step, world.time)
        held = self._state.item(HELD)
        if held == self._most or (held and time.monotonic() >= self._due):
            self.flush()
        return step - step % self.every + self.every

    def follow(self, world: World) -> None:
        """Keep frames as part of the steps from now on, until it is closed."""
        self._followed = world
        world.follow_steps(self._bind_keeping)

    def _bind_keeping(self, arrays: ArrayTable) -> Call:
        if arrays is not self._arrays:
            self._take(arrays)
        now = (arrays[name] for name in ("run.step", "run.part", "run.time"))
        return Call(keep_when_due, self._tables, self._keeping, *now, otherwise=self._keep_without_room)

    def _keep_without_room(self) -> None:
        """Keep the frame for which there was no room."""
        if self._state[HELD] == self._most:
            self.flush()
        assert self._arrays is not None
        self.keep_frame(self._arrays["run.step"].item(0), self._arrays["run.time"].item(0))

    def take_arrays(self, world: World) -> None:
        """Look at the arrays of this world from now on."""
        if world.arrays is not self._arrays:
            self._take(world.arrays)

    def _take(self, arrays: ArrayTable) -> None:
        self._arrays = arrays
        #: They are looked at by their addresses, and must not go.
        self._taken = {spec.name: arrays[spec.name] for spec in (*self._fixed, *self._ragged)}
        self._taken |= {name: arrays[name] for name in self._counts}
        used = self._ragged_rows()[:, _USED].tolist()
        self._tables = FrameTables(
            fixed=_table(3, [
                (self._address(spec.name), self._taken[spec.name].size, block.ctypes.data)
                for spec, block in zip(self._fixed, self._blocks, strict=True)
            ]),
            counts=np.array([self._address(name) for name in self._counts], np.int64),
            ragged=_table(6, [
                (self._address(spec.name), int(np.prod(spec.shape[1:])), self._counts.index(spec.count),
                 rows.ctypes.data, number, len(rows))
                for spec, rows, number in zip(self._ragged, self._rows, used, strict=True)
            ]),
        )  # fmt: skip
        self._keep = bind_first_arguments(keep_frame, (self._tables, self._lengths), (0,))

    def _ragged_rows(self) -> Array:
        """The table of arrays whose number of rows changes; with nothing kept before there is one."""
        return self._tables.ragged if self._tables else np.zeros((len(self._ragged), 6), np.int64)

    def _address(self, name: str) -> int:
        values = self._taken[name]
        if not values.flags.c_contiguous or values.itemsize != 8:
            raise ValueError(f"{name} does not lie in one piece, or has no words of 8 bytes")
        return int(values.ctypes.data)

    def keep_frame(self, step: int, time: float) -> None:
        """Gather the arrays as they are, as a frame of this step and time [s]."""
        held = self._state.item(HELD)
        self._steps[held], self._times[held] = step, time
        while self._keep(held):
            self._make_room(held)
        self._state[HELD], self._state[LAST] = held + 1, step

    def _make_room(self, held: int) -> None:
        """Twice the room for rows, where it does not suffice."""
        table = self._ragged_rows()
        for place, spec in enumerate(self._ragged):
            end = int(table[place, _USED] + self._lengths[self._counts.index(spec.count), held])
            if end > table[place, _ROOM]:
                rows = np.zeros((2 * end, *self._rows[place].shape[1:]), self._rows[place].dtype)
                rows[: table[place, _USED]] = self._rows[place][: table[place, _USED]]
                self._rows[place] = rows
                table[place, _KEPT], table[place, _ROOM] = rows.ctypes.data, len(rows)

    def flush(self) -> None:
        """Write the frames gathered so far."""
        held, self._due = self._state.item(HELD), time.monotonic() + FLUSH_SECONDS
        given = self._control.take_log()
        if held == 0 and not given:
            return
        ends = [np.concatenate([[0], np.cumsum(each[:held])]) for each in self._lengths]
        self._state[HELD] = 0
        self._ragged_rows()[:, _USED] = 0
        # Piece by piece, so that a disk that becomes full, or whoever kills the run, leaves what came before.
        for first in range(0, max(held, 1), PIECE):
            last = min(first + PIECE, held)
            blocks: dict[str, Array] = {
                spec.name: values[first:last] for spec, values in zip(self._fixed, self._blocks, strict=True)
            }
            for spec, values in zip(self._ragged, self._rows, strict=True):
                end = ends[self._counts.index(spec.count)]
                blocks[spec.name] = values[end[first] : end[last]]
            counts = {
                name: lengths[first:last] for name, lengths in zip(self._counts, self._lengths, strict=True)
            }
            said = given if last == held else ()
            self.writer.append(self._steps[first:last], self._times[first:last], blocks, counts, said)

    def close(self) -> None:
        """Write what is left and close the file."""
        if self._followed is not None:
            self._followed.follow_steps(None)
            self._followed = None
        try:
            self.flush()
        finally:
            self.writer.close()


def _table(columns: int, rows: list[tuple[int, ...]]) -> Array:
    return np.array(rows, np.int64).reshape(-1, columns)


def start_recording(path: Path, header: Header, world: World, *, resuming: bool) -> Recorder:
    """Begin a recording, or go on with the one that an earlier part of the run left behind.

    The frames up to the resumed step are copied from it; a file of that name that is no recording is never
    overwritten.
    """
    check_folder(path)
    if path.exists() and not is_recording(path):
        what = "exists and is not a recording"
        raise UserError(Problem(None, str(path), what, "give another name, or delete it"))
    if not (resuming and path.exists()):
        return Recorder(RecordingWriter(path, header, world), world, header.every)
    with open_recording(path) as earlier:
        check_continuation(earlier, header, world)
        writer = RecordingWriter(path, header, world, earlier=earlier, until=world.steps)
    return Recorder(writer, world, header.every)
