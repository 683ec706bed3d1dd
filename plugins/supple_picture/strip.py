"""Several frames side by side in one picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from supple.run.stage import Stage
from supple_picture.labels import label
from supple_picture.look import Look, plan_look
from supple_picture.render import Renderer
from supple_picture.shot import Shot, Viewpoint, plan_shot

Picture = NDArray[np.uint8]

#: White between two frames [pixels].
GAP = 4


def draw_frames(
    stage: Stage,
    frames: Sequence[int],
    size: tuple[int, int],
    shot: Shot,
    look: Look,
    *,
    abreast: bool = False,
) -> Iterator[Picture]:
    """Pictures of the frames, one after the other, labelled unless labels are hidden.

    Pictures that will stand abreast have one title, on the first, and one set of scales, on the last.
    """
    renderer = Renderer(stage, size, look)
    for number, frame in enumerate(frames):
        camera = shot.at(frame)
        picture = renderer.render(frame, camera, shot.shift(frame))
        if "labels" not in look.hidden:
            first, last = number == 0, number == len(frames) - 1
            picture = label(
                picture, stage, frame, camera, look, title=first or not abreast, scales=last or not abreast
            )
        yield picture


def render_strip(
    stage: Stage,
    frames: Sequence[int],
    size: tuple[int, int],
    viewpoint: Viewpoint | None = None,
    look: Look | None = None,
) -> Picture:
    """The frames side by side, each of width and height `size`: [height, n (width + GAP) - GAP, 3].

    All are seen from the same place, unless the viewpoint follows something.
    """
    look = look or plan_look(stage, frames)
    shot = plan_shot(stage, frames, size, viewpoint or Viewpoint())
    return join(list(draw_frames(stage, frames, size, shot, look, abreast=True)))


def join(pictures: Sequence[Picture]) -> Picture:
    """Pictures of equal height side by side, with white between them."""
    white = np.full((pictures[0].shape[0], GAP, 3), 255, np.uint8)
    parts = [pictures[0]]
    for picture in pictures[1:]:
        parts += [white, picture]
    return np.concatenate(parts, axis=1)
