"""One call of `supple picture`: from a stage to a file."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.run.stage import Stage
from supple_picture.film import FILMS, write_gif, write_mp4, write_picture
from supple_picture.look import Look, plan_look
from supple_picture.shot import Shot, Viewpoint, pick_evenly, pick_film, plan_shot
from supple_picture.strip import draw_frames, join

Picture = NDArray[np.uint8]

#: Width and height of a picture alone, and of one of several side by side.
_SIZE, _STRIP_SIZE = (800, 600), (320, 400)
#: Seconds between two lines about the progress of a film.
_PATIENCE = 5.0


@dataclass(frozen=True)
class Job:
    """What to draw. Neither `times` [s] nor `strip`: the last frame, or all of them in a film."""

    output: Path
    times: Sequence[float] = ()
    strip: int | None = None
    size: tuple[int, int] | None = None
    fps: float = 25.0
    speed: float = 1.0
    viewpoint: Viewpoint = field(default_factory=Viewpoint)
    hidden: Sequence[str] = ()
    through: Sequence[str] = ()

    @property
    def is_film(self) -> bool:
        """Whether the output is a film."""
        return self.output.suffix.lower() in FILMS

    def run(self, stage: Stage, note: Callable[[str], None]) -> dict[str, Any]:
        """Write the file; returns what `--json` prints."""
        frames = self._pick(stage)
        alone = self.is_film or len(frames) == 1
        size = self.size or (_SIZE if alone else _STRIP_SIZE)
        look = plan_look(stage, frames, hidden=self.hidden, through=self.through, title=_title(stage))
        shot = plan_shot(stage, frames, size, self.viewpoint)
        if self.is_film:
            self._write_film(stage, frames, size, shot, look, note)
        else:
            pictures = draw_frames(stage, frames, size, shot, look, abreast=True)
            write_picture(self.output, join(list(pictures)))
        return {
            "file": str(self.output),
            "frames": [{"frame": frame, "time": float(stage.times[frame])} for frame in frames],
            "size": list(size),
            "camera": {
                "eye": shot.camera.eye.tolist(),
                "target": shot.camera.target.tolist(),
                "fov": shot.camera.field_of_view,
            },
        }

    def _pick(self, stage: Stage) -> list[int]:
        if self.is_film:
            return pick_film(stage, self.fps, self.speed)
        if self.strip:
            return pick_evenly(stage, self.strip)
        return [stage.frame_at(moment) for moment in self.times] or [stage.frames - 1]

    def _write_film(
        self,
        stage: Stage,
        frames: list[int],
        size: tuple[int, int],
        shot: Shot,
        look: Look,
        note: Callable[[str], None],
    ) -> None:
        def draw(numbers: Sequence[int]) -> Iterator[Picture]:
            said = time.monotonic()
            chosen = [frames[number] for number in numbers]
            for done, picture in enumerate(draw_frames(stage, chosen, size, shot, look)):
                if time.monotonic() - said > _PATIENCE:
                    said = time.monotonic()
                    note(f"picture {done} of {len(chosen)}")
                yield picture

        if self.output.suffix.lower() == ".gif":
            write_gif(self.output, draw, len(frames), self.fps)
        else:
            write_mp4(self.output, draw(range(len(frames))), self.fps)


def _title(stage: Stage) -> str:
    header = stage.recording.header
    name = Path(header.scene).stem
    return f"{name}, {header.variant}" if header.variant else name
