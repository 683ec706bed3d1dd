"""Reading recordings, also one that is still being written or whose writer was killed.

with open_recording("run.h5") as recording:
    recording.times                     # [s], one per frame
    recording.array("bodies.position")  # (frames, bodies, 3)
    recording.rows("contacts.point", 7) # the contacts of frame 7
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import h5py
import numpy as np

from supple.core.arrays import Array
from supple.core.control import WIDTH
from supple.core.drawing import Drawing, read_drawings
from supple.errors import Problem, UserError, suggest
from supple.run.recording_layout import FORMAT, MADE_BY, Header, read_header
from supple.run.recording_room import SUPERBLOCK

Value = TypeVar("Value")
#: What a row holds of arrays that whoever draws or plots knows by name, one row for every contact.
_CONTACTS = {"contacts.point": (2, 3), "contacts.normal": (3,), "contacts.force": (3,)}
_WRITTEN_SWMR = 0x04
#: What a file may announce beyond its size [bytes]: a writer may be about to fill it.
_SLACK = 1 << 22


def open_recording(path: str | Path) -> Recording:
    """Open a recording for reading; whatever is wrong with the file is an error of one line."""
    path = Path(path)
    if not path.is_file():
        raise _refuse(path, "no such recording", "supple run SCENE --record FILE makes one")
    file = _open_file(path)
    try:
        return Recording(path, file)
    except BaseException:
        file.close()
        raise


def is_recording(path: Path) -> bool:
    """Whether the file looks like a recording of any format, damaged or not."""
    try:
        with _open_file(path) as file:
            return _text(file.attrs.get("made_by", "")) == MADE_BY
    except (UserError, OSError, RuntimeError, ValueError, KeyError):
        return False


class Recording:
    """The frames of a run. Frames beyond the last flush of a killed run are left out."""

    def __init__(self, path: Path, file: h5py.File) -> None:
        self.path = path
        self._file = file
        self.header: Header = self._read(self._read_header)
        self._read(self._check_contents)
        self.frames: int = 0
        self.refresh()

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; arrays already read stay."""
        self._file.close()

    def refresh(self) -> int:
        """Look for frames that a running writer has added; returns their number so far."""

        def count() -> int:
            # First of all: the writer announces frames when they are there, so whatever is looked at later has them.
            frames = self._file["frames"]
            for name, kinds in (("frames", "iu"), ("step", "iu"), ("time", "f")):
                if self._file[name].ndim != 1 or self._file[name].dtype.kind not in kinds:
                    raise ValueError(f"{name} is no list of numbers")
            if self._file.swmr_mode:
                frames.refresh()
            complete = int(frames[0])
            if self._file.swmr_mode:
                for dataset in self._datasets():
                    dataset.refresh()
            lengths = [self._file["time"].shape[0], self._file["step"].shape[0]]
            if not 0 <= complete <= min(lengths):
                raise ValueError(f"{complete} frames announced, {min(lengths)} found")
            return complete

        self.frames = self._read(count)
        return self.frames

    # What there is

    @property
    def times(self) -> Array:
        """Simulated time of every frame [s]."""

        def look() -> Array:
            times = np.asarray(self._file["time"][: self.frames])
            if not np.isfinite(times).all() or (np.diff(times) <= 0.0).any():
                raise ValueError("its times do not go forward")
            return times

        return self._read(look)

    @property
    def steps(self) -> Array:
        """Number of the step of every frame."""
        return self._read(lambda: np.asarray(self._file["step"][: self.frames]))

    @property
    def names(self) -> list[str]:
        """The arrays with one value per frame."""
        return self._read(lambda: sorted(self._file["arrays"]))

    @property
    def model_names(self) -> list[str]:
        """The arrays that do not change."""
        return self._read(lambda: sorted(self._file["model"]))

    def unit(self, name: str) -> str:
        """The unit of an array."""
        return self._read(lambda: _text(self._find(name).attrs["unit"]))

    def doc(self, name: str) -> str:
        """What an array is."""
        return self._read(lambda: _text(self._find(name).attrs["doc"]))

    def labels(self, name: str) -> tuple[str, ...]:
        """The names of the rows of an array's first axis; empty if they have none."""

        def look() -> tuple[str, ...]:
            array = self._find(name)
            labels = tuple(_text(label) for label in array.attrs.get("labels", ()))
            if labels and array.shape[1:2] != (len(labels),):
                raise ValueError(f"{name} has {len(labels)} names for rows of {array.shape[1:2]}")
            return labels

        return self._read(look)

    @property
    def metric_units(self) -> dict[str, str]:
        """The unit of every metric in `metrics.now`; empty where a recording does not say."""

        def look() -> dict[str, str]:
            if "metrics.now" not in self._file["arrays"]:
                return {}
            units = self._file["arrays"]["metrics.now"].attrs.get("units", ())
            return {
                label: _text(unit) for label, unit in zip(self.labels("metrics.now"), units, strict=False)
            }

        return self._read(look)

    def is_ragged(self, name: str) -> bool:
        """Whether the number of rows changes from frame to frame."""
        return self._read(lambda: "count" in self._find(name).attrs)

    @property
    def drawings(self) -> list[Drawing]:
        """What there is to see, sorted by name."""

        def look() -> list[Drawing]:
            if "drawings" not in self._file:
                return []
            return read_drawings(bytes(self._file["drawings"][...]).decode())

        return self._read(look)

    @property
    def command_labels(self) -> list[str]:
        """Names of what could be commanded from Python; empty where a recording does not say."""

        def look() -> list[str]:
            if "commands" not in self._file:
                return []
            labels = json.loads(bytes(self._file["commands"]["labels"][...]).decode())
            if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
                raise ValueError("the names of commands are no list")
            return labels

        return self._read(look)

    def command_rows(self) -> tuple[Array, Array, Array]:
        """Of all commands: before which step, which, and the values; see `supple.run.recorded_commands`."""

        def look() -> tuple[Array, Array, Array]:
            group = self._file["commands"]
            count = min(len(group[name]) for name in ("step", "what", "values"))
            step, what, values = (np.asarray(group[name][:count]) for name in ("step", "what", "values"))
            counted = all(each.ndim == 1 and each.dtype.kind in "iu" for each in (step, what))
            if not counted or values.dtype.kind != "f" or values.shape[1:] != (WIDTH,):
                raise ValueError("its commands are no numbers")
            if not np.isfinite(values).all():
                raise ValueError("a number of its commands is not finite")
            return step, what, values

        return self._read(look)

    # Numbers

    def model(self, name: str) -> Array:
        """An array that does not change."""
        return self._read(lambda: np.asarray(self._find(name, "model")[...]))

    def array(self, name: str) -> Array:
        """All frames: (frames, *shape); of a ragged array the rows of all frames, one frame after another."""
        if self.is_ragged(name):
            last = int(self.offsets(name)[-1])
            return self._read(lambda: np.asarray(self._find(name)[:last]))

        def look() -> Array:
            values = np.asarray(self._find(name)[: self.frames])
            if len(values) != self.frames:
                raise ValueError(f"{name} has {len(values)} of {self.frames} frames")
            return values

        return self._read(look)

    def offsets(self, name: str) -> Array:
        """Where the rows of each frame of a ragged array begin, and where the last one's end: (frames + 1,)."""

        def look() -> Array:
            count = _text(self._find(name).attrs["count"])
            offsets = np.asarray(self._file["offsets"][count][: self.frames + 1])
            if offsets.shape != (self.frames + 1,) or offsets.dtype.kind not in "iu":
                raise ValueError(f"the rows of {name} are not counted")
            if offsets[0] != 0 or (np.diff(offsets) < 0).any() or offsets[-1] > self._find(name).shape[0]:
                raise ValueError(f"the rows of {name} are counted wrongly")
            return offsets

        return self._read(look)

    def rows(self, name: str, frame: int) -> Array:
        """The values of one frame; of a ragged array the rows in use."""
        number = range(self.frames)[frame]
        if not self.is_ragged(name):
            return self._read(lambda: np.asarray(self._find(name)[number]))
        first, last = self.offsets(name)[number : number + 2]
        return self._read(lambda: np.asarray(self._find(name)[first:last]))

    def frame(self, number: int) -> dict[str, Array]:
        """All arrays of one frame by name."""
        return {name: self.rows(name, number) for name in self.names}

    def _find(self, name: str, group: str = "arrays") -> h5py.Dataset:
        if name not in self._file[group]:
            remedy = suggest(name, self._file[group], "it has")
            raise UserError(Problem(None, str(self.path), f"has no array {name}", remedy))
        return self._file[group][name]

    def _datasets(self) -> list[h5py.Dataset]:
        file = self._file
        groups = [file[name] for name in ("arrays", "offsets", "commands") if name in file]
        return [file["time"], file["step"], *(group[name] for group in groups for name in group)]

    def _check_contents(self) -> None:
        """A recording holds its own numbers: it leads to no other file, and is not larger than it is."""
        room = 2 * self.path.stat().st_size + _SLACK
        announced = 0

        def check(group: h5py.Group) -> None:
            nonlocal announced
            for name in group:
                if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                    raise ValueError(f"{name} leads elsewhere")
                part = group[name]
                if isinstance(part, h5py.Group):
                    if group.name != "/":
                        raise ValueError(f"{name} lies too deep")
                    check(part)
                    continue
                if not isinstance(part, h5py.Dataset) or part.dtype.kind not in "iufb":
                    raise ValueError(f"{name} holds no numbers")
                packed = part.id.get_create_plist().get_nfilters()
                if part.external or part.is_virtual or packed:
                    raise ValueError(f"the numbers of {name} are elsewhere, or packed")
                announced += part.nbytes
                if announced > room:
                    raise ValueError(f"{name} announces {part.nbytes} bytes, more than the file has")

        check(self._file)
        if not isinstance(self._file["arrays"], h5py.Group):
            raise ValueError("its arrays are one array")
        for name, row in _CONTACTS.items():
            part = self._file["arrays"].get(name)
            if part is None:
                continue
            if part.shape[1:] != row or part.dtype.kind != "f" or "count" not in part.attrs:
                raise ValueError(f"the rows of {name} are no contacts")

    def _read_header(self) -> Header:
        attributes = self._file.attrs
        if _text(attributes.get("made_by", "")) != MADE_BY:
            raise _refuse(
                self.path, "is an HDF5 file, but no recording of supple", "give a file made by --record"
            )
        written = int(attributes["format"])
        if written > FORMAT:
            what = f"has the recording format {written}; this supple reads up to {FORMAT}"
            raise _refuse(self.path, what, "update supple")
        return read_header(attributes)

    def _read(self, look: Callable[[], Value]) -> Value:
        """A damaged file can fail at any access and with many kinds of errors."""
        try:
            return look()
        except UserError:
            raise
        except (OSError, RuntimeError, KeyError, ValueError, IndexError, TypeError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise _refuse(self.path, f"is damaged: {reason}", "record the run again") from error


def _open_file(path: Path) -> h5py.File:
    try:
        if not h5py.is_hdf5(path):
            raise _refuse(path, "is not an HDF5 file", "give a file made by --record")
        if not _is_growing(path):
            return h5py.File(path, "r")
        return h5py.File(path, "r", libver="latest", swmr=True)
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise _refuse(path, f"cannot be opened: {reason}", "record the run again") from error


def _is_growing(path: Path) -> bool:
    """Whether the file is being written, or was when its writer was killed.

    Such a file must be opened as growing, and only such: HDF5 waits practically for ever for the missing parts
    of a truncated file that it is told will grow. Says so the superblock (version 3 of the HDF5 file format).
    """
    with path.open("rb") as file:
        head = file.read(SUPERBLOCK.size)
        size = file.seek(0, 2)
    if len(head) < SUPERBLOCK.size:
        return False
    version, flags, end = SUPERBLOCK.unpack(head)
    growing = version == 3 and bool(flags & _WRITTEN_SWMR)
    if growing and end > size:
        raise OSError(f"it is truncated: {size} of {end} bytes are left")
    return growing


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _refuse(path: Path, what: str, remedy: str) -> UserError:
    return UserError(Problem(None, str(path), what, remedy))
