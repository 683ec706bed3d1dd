"""What of a recording is exported: which things, and which frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from supple.errors import Problem, UserError
from supple.run.recording import Recording
from supple.run.stage import Stage, Thing

#: Called with every frame that was written, as a number from 1 on.
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Selection:
    """Some things of a stage at some of its frames; `only` are the paths that were asked for, if any."""

    stage: Stage
    things: tuple[Thing, ...]
    frames: tuple[int, ...]
    only: tuple[str, ...] = ()

    @property
    def recording(self) -> Recording:
        """The recording that the stage shows."""
        return self.stage.recording

    @property
    def seconds(self) -> float:
        """Simulated time from frame to frame [s]; zero if there is one frame."""
        times = self.stage.times[list(self.frames)]
        # The last frame may come early.
        return float(np.median(np.diff(times))) if len(times) > 1 else 0.0

    @property
    def rate(self) -> float:
        """Frames per second of simulated time, without rounding errors of times; zero if there is one frame."""
        return round(1.0 / self.seconds, 6) if self.seconds > 0 else 0.0

    def covers(self, path: str) -> bool:
        """Whether an entity is one of those asked for, or below one."""
        return not self.only or any(path == own or path.startswith(f"{own}/") for own in self.only)


def select(recording: Recording, only: Sequence[str], fps: float | None, whole: bool = False) -> Selection:
    """The things of the entities `only`, or all; as many recorded frames a second as come nearest to `fps`.

    `whole` takes the last frame as well, though it may come sooner after the one before than the others.
    """
    stage = Stage(recording)
    if only:
        wanted = {thing.drawing.name for path in only for thing in stage.find(path)}
        things = [thing for thing in stage.things if thing.drawing.name in wanted]
    else:
        things = stage.things
    frames = choose_frames(stage.times, fps)
    if whole and frames[-1] != stage.frames - 1:
        frames = (*frames, stage.frames - 1)
    return Selection(stage, tuple(things), frames, tuple(only))


def choose_frames(times: Sequence[float] | np.ndarray, fps: float | None) -> tuple[int, ...]:
    """Every n-th frame, so that there are about `fps` [1/s]; all without it or if fewer were recorded."""
    count = len(times)
    stride = 1
    if fps is not None and count > 1:
        recorded = (count - 1) / float(times[-1] - times[0])
        stride = max(1, round(recorded / fps))
    return tuple(range(0, count, stride))


def require_things(selection: Selection) -> None:
    """Refuse formats of geometry for recordings without any."""
    if not any(len(thing.triangles) for thing in selection.things):
        where = str(selection.recording.path)
        raise UserError(Problem(None, where, "has nothing to see", "--to csv exports its numbers"))


def name_files(names: Sequence[str]) -> list[str]:
    """Names of files, without suffix, that every file system takes; different for different things."""
    taken: set[str] = set()
    files = []
    for name in names:
        plain = (
            "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)[:80] or "_"
        )
        file, number = plain, 2
        while file.lower() in taken:
            file, number = f"{plain}_{number}", number + 1
        taken.add(file.lower())
        files.append(file)
    return files
