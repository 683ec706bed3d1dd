"""Reading BVH files. Every complaint is one line that names the file and its line."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.rotation_rows import multiply_rows
from supple.errors import Problem, UserError, Where, list_choices

AXES = "XYZ"
CHANNELS = tuple(f"{axis}{kind}" for kind in ("position", "rotation") for axis in AXES)


@dataclass(frozen=True)
class ClipJoint:
    """A joint of the file. `parent` is its place in the list, -1 for a root; `first` its first channel."""

    name: str
    parent: int
    offset: tuple[float, float, float]
    channels: tuple[str, ...]
    first: int
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Clip:
    """A skeleton and its frames. Lengths are in the file's unit, angles in degrees.

    joints  parents come before children
    frame_time  [s]
    values  [frames, channels]
    """

    source: str
    joints: tuple[ClipJoint, ...]
    frame_time: float
    values: FloatArray

    @property
    def times(self) -> FloatArray:
        """[frames] s."""
        return np.asarray(self.frame_time * np.arange(len(self.values), dtype=np.float64))

    @property
    def period(self) -> float:
        """How long it lasts until it starts over [s]: one frame time after its last frame."""
        return self.frame_time * len(self.values)

    def rotations(self, joint: ClipJoint) -> FloatArray:
        """[frames, 4] quaternions against the parent: the turns of the channels in their order."""
        turned = np.tile([1.0, 0.0, 0.0, 0.0], (len(self.values), 1))
        for local, channel in enumerate(joint.channels):
            if channel.endswith("rotation"):
                half = np.radians(self.values[:, joint.first + local]) / 2
                step = np.zeros((len(half), 4))
                step[:, 0], step[:, 1 + AXES.index(channel[0])] = np.cos(half), np.sin(half)
                turned = multiply_rows(turned, step)
        return turned

    def positions(self, joint: ClipJoint) -> FloatArray:
        """[frames, 3] origins in the parent's frame; a channel of position replaces the offset along its axis."""
        places = np.tile(joint.offset, (len(self.values), 1))
        for local, channel in enumerate(joint.channels):
            if channel.endswith("position"):
                places[:, AXES.index(channel[0])] = self.values[:, joint.first + local]
        return places


def read_bvh(file: Path, path: str) -> Clip:
    """The clip in a file; `path` is the field of the scene that names it. Raises UserError."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise UserError(Problem(None, path, f"cannot read '{file.name}': {error.strerror}")) from error
    return parse_bvh(text, str(file), path)


def parse_bvh(text: str, source: str, path: str = "") -> Clip:
    """The clip in a text."""
    return _Reader(text, source, path).read()


class _Reader:
    """Goes through the lines of a file; `line` is the number of the one that was read last."""

    def __init__(self, text: str, source: str, path: str) -> None:
        self.lines = [
            (number, line.split()) for number, line in enumerate(text.splitlines(), 1) if line.strip()
        ]
        self.last = len(text.splitlines()) or 1
        self.source, self.path = source, path
        self.at, self.line = 0, 1
        self.joints: list[ClipJoint] = []
        self.width = 0

    def refuse(self, what: str, remedy: str = "", line: int | None = None) -> UserError:
        where = Where(self.source, self.line if line is None else line)
        return UserError(Problem(where, self.path, what, remedy))

    def next(self, expected: str) -> list[str]:
        """The words of the next line that is not empty."""
        if self.at == len(self.lines):
            raise self.refuse(f"the file ends where {expected} should come", "is it complete?", self.last)
        self.line, words = self.lines[self.at]
        self.at += 1
        return words

    def read(self) -> Clip:
        if self.next("HIERARCHY") != ["HIERARCHY"]:
            raise self.refuse("does not begin with HIERARCHY", "give a BVH file")
        words = self.next("ROOT")
        while words[0] == "ROOT":
            self.read_joint(words, -1)
            words = self.next("MOTION")
        if not self.joints:
            raise self.refuse(
                f"'{_short(words[0])}' comes where ROOT should", "a hierarchy has at least one ROOT"
            )
        if words != ["MOTION"]:
            raise self.refuse(
                f"'{_short(words[0])}' comes where MOTION should", "the hierarchy ends before it"
            )
        count, frame_time = self.read_header()
        return Clip(self.source, tuple(self.joints), frame_time, self.read_frames(count))

    def read_joint(self, words: list[str], parent: int) -> None:
        """A ROOT or JOINT with all that is within its braces; several joints deep without recursion."""
        stack = [self.open_joint(words, parent)]
        while stack:
            words = self.next("}")
            if words == ["}"]:
                stack.pop()
            elif words[0] == "JOINT":
                stack.append(self.open_joint(words, stack[-1]))
            elif [word.lower() for word in words] == ["end", "site"]:
                self.skip_end_site()
            else:
                remedy = "within a joint come JOINT, End Site and }"
                raise self.refuse(f"'{_short(words[0])}' is not known here", remedy)

    def open_joint(self, words: list[str], parent: int) -> int:
        """Name, brace, OFFSET and CHANNELS; returns the joint's place."""
        name, line = " ".join(words[1:]), self.line
        if not name:
            raise self.refuse(f"{words[0]} has no name", f"write {words[0]} and a name")
        if any(joint.name == name for joint in self.joints):
            raise self.refuse(f"there are two joints called '{_short(name)}'", "rename one of them")
        self.read_brace()
        offset = self.read_offset()
        channels = self.read_channels()
        self.joints.append(ClipJoint(name, parent, offset, channels, self.width, line))
        self.width += len(channels)
        return len(self.joints) - 1

    def read_brace(self) -> None:
        words = self.next("{")
        if words != ["{"]:
            raise self.refuse(
                f"'{_short(words[0])}' comes where {{ should", "put the brace on a line of its own"
            )

    def read_offset(self) -> tuple[float, float, float]:
        words = self.next("OFFSET")
        if words[0] != "OFFSET" or len(words) != 4:
            raise self.refuse("OFFSET with three numbers should come here", "write OFFSET x y z")
        x, y, z = (self.read_number(word) for word in words[1:])
        return x, y, z

    def read_channels(self) -> tuple[str, ...]:
        words = self.next("CHANNELS")
        if words[0] != "CHANNELS" or len(words) < 2 or not words[1].isdecimal():
            raise self.refuse("CHANNELS with their number should come here", "write CHANNELS 3 Zrotation ...")
        named = tuple(words[2:])
        if len(named) != int(words[1][:9]):
            raise self.refuse(
                f"CHANNELS promises {_short(words[1])} and names {len(named)}", "make both agree"
            )
        for channel in named:
            if channel not in CHANNELS:
                raise self.refuse(
                    f"unknown channel '{_short(channel)}'", f"choose from: {list_choices(CHANNELS)}"
                )
        if len(set(named)) != len(named):
            raise self.refuse("a channel is named twice", "name each once")
        return named

    def skip_end_site(self) -> None:
        """An end site only says how long its bone is."""
        self.read_brace()
        self.read_offset()
        words = self.next("}")
        if words != ["}"]:
            raise self.refuse(f"'{_short(words[0])}' comes where }} should", "an End Site has only an OFFSET")

    def read_header(self) -> tuple[int, float]:
        """Number of frames, and the time between them."""
        words = self.next("Frames:")
        if words[0] != "Frames:" or len(words) != 2 or not words[1].isdecimal():
            raise self.refuse("Frames: with their number should come here", "write Frames: 120")
        count = int(words[1][:9])
        if count < 1:
            raise self.refuse("there are no frames", "a motion has at least one")
        words = self.next("Frame Time:")
        if words[:2] != ["Frame", "Time:"] or len(words) != 3:
            raise self.refuse("Frame Time: with the seconds should come here", "write Frame Time: 0.0333")
        frame_time = self.read_number(words[2])
        if frame_time <= 0.0:
            raise self.refuse(f"a frame time of {frame_time:g} s", "it must be greater than 0")
        return count, frame_time

    def read_frames(self, count: int) -> FloatArray:
        """One line for every frame, one number for every channel."""
        present = len(self.lines) - self.at
        if present < count:
            what = f"the file promises {count} frames and has {present}"
            raise self.refuse(what, "is it complete?", self.last)
        frames = []
        for number in range(count):
            words = self.next(f"frame {number + 1}")
            if len(words) != self.width:
                what = f"frame {number + 1} has {len(words)} numbers"
                raise self.refuse(what, f"the hierarchy has {self.width} channels")
            frames.append([self.read_number(word) for word in words])
        if self.at < len(self.lines):
            self.next("")
            raise self.refuse(
                f"something follows the last of {count} frames", "make Frames: agree with their number"
            )
        return np.array(frames).reshape(count, self.width)

    def read_number(self, word: str) -> float:
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise self.refuse(f"'{_short(word)}' is not a finite number", "write a number such as 1.25")
        return number


def _short(word: str) -> str:
    """What the file says, fit for one line of a message."""
    shown = "".join(each if each.isprintable() else "?" for each in word)
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
