"""Writing pictures and films. A file is either there whole or not at all."""

from __future__ import annotations

import importlib.util
import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from supple.errors import Problem, UserError
from supple.run.atomic import check_folder, refuse_unwritable, replacing, temporary_beside

Picture = NDArray[np.uint8]

PICTURES, FILMS = (".png",), (".gif", ".mp4")
#: Frames that a GIF takes its 256 colours from.
_SAMPLED = 5


def check_output(path: Path) -> None:
    """Refuse early what could not be written at the end."""
    check_folder(path)
    if path.suffix.lower() not in PICTURES + FILMS:
        what = f"unknown kind of file '{path.suffix}'" if path.suffix else "has no suffix"
        raise UserError(Problem(None, str(path), what, "choose from: .gif, .mp4, .png"))
    if path.suffix.lower() == ".mp4" and importlib.util.find_spec("imageio_ffmpeg") is None:
        what = "films in .mp4 need the package imageio-ffmpeg"
        raise UserError(Problem(None, str(path), what, "pip install 'supple[video]', or write a .gif"))


def write_picture(path: Path, picture: Picture) -> None:
    """Write a PNG."""
    with replacing(path) as file:
        Image.fromarray(picture).save(file, "png", optimize=True)


def write_gif(path: Path, draw: Callable[[Sequence[int]], Iterator[Picture]], count: int, fps: float) -> None:
    """Write a GIF; `draw` makes the pictures of these numbers. All frames share their colours, lest it flicker."""
    chosen = np.unique(np.linspace(0, count - 1, _SAMPLED).round().astype(int)).tolist()
    palette = Image.fromarray(np.concatenate(list(draw(chosen)))).quantize(256, kmeans=1)
    images = (
        Image.fromarray(picture).quantize(palette=palette, dither=Image.Dither.NONE)
        for picture in draw(range(count))
    )
    first = next(images)
    # A GIF counts hundredths of a second, and viewers take less than two for a mistake.
    hold = 10 * max(2, round(100 / fps))
    with replacing(path) as file:
        first.save(file, "gif", save_all=True, append_images=images, duration=hold, loop=0, optimize=False)


def write_mp4(path: Path, pictures: Iterable[Picture], fps: float) -> None:
    """Write H.264, which every browser plays. Odd sizes lose a row or a column, since it knows none."""
    import imageio_ffmpeg

    pictures = iter(pictures)
    first = next(pictures)
    height, width = (side - side % 2 for side in first.shape[:2])
    temporary = temporary_beside(path).with_suffix(".mp4")
    try:
        writer = imageio_ffmpeg.write_frames(
            str(temporary), (width, height), fps=fps, codec="libx264", quality=8, macro_block_size=2,
            ffmpeg_log_level="quiet",
        )  # fmt: skip
        writer.send(None)
        count = 0
        for picture in itertools.chain([first], pictures):
            writer.send(np.ascontiguousarray(picture[:height, :width]))
            count += 1
        writer.close()
        _check_film(temporary, count, path)
        os.replace(temporary, path)
    except OSError as error:
        raise refuse_unwritable(path, error) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _check_film(written: Path, count: int, path: Path) -> None:
    """The encoder does not say that a disk is full: read what it wrote."""
    import imageio_ffmpeg

    try:
        found, _ = imageio_ffmpeg.count_frames_and_secs(str(written))
    except (RuntimeError, OSError):
        found = 0
    if found != count:
        what = f"cannot be written: the encoder stored {found} of {count} frames"
        raise UserError(Problem(None, str(path), what, "make room on the disk, or choose another place"))
