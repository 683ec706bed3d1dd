"""Clips of any kind of file."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.rotation_rows import multiply_rows, rotate_rows
from supple.errors import Problem, UserError
from supple_motion.bvh import Clip, read_bvh
from supple_motion.gltf_file import SUFFIXES as GLTF
from supple_motion.sampled import SampledClip, read_amass, read_gltf_clip

AnyClip = Clip | SampledClip
#: A figure that is taller than this [m] is written in another unit.
TALLEST = 15.0


def read_clip(file: Path, path: str, name: str = "") -> AnyClip:
    """The clip of a file; `name` chooses an animation of glTF, `path` is the field of the scene that names the file."""
    stat = file.stat()
    return _read(file, path, name, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _read(file: Path, path: str, name: str, _stamp: int, _size: int) -> AnyClip:
    suffix = file.suffix.lower()
    if suffix in GLTF:
        return read_gltf_clip(file, path, name)
    if name:
        what = f"clip names an animation of a glTF file, and '{file.name}' is none"
        raise UserError(Problem(None, path.replace(".file", ".clip"), what, "take it away"))
    if suffix == ".npz":
        return read_amass(file, path)
    return read_bvh(file, path)


def refuse_other_units(clip: AnyClip, scale: float, path: str) -> None:
    """Centimetres are the usual reason for a figure of 170 m."""
    tall = scale * float(np.ptp(_rest_places(clip), axis=0).max())
    if tall > TALLEST:
        unit, factor = ("centimetres", 0.01) if tall < 1000.0 else ("millimetres", 0.001)
        what = f"the figure of the file measures {tall:.3g} m at scale = {scale:g}, so its unit is most likely {unit}"
        raise UserError(Problem(None, path, what, f"give scale = {scale * factor:g}"))


def _rest_places(clip: AnyClip) -> FloatArray:
    """Origins of all joints at the first frame, in the unit of the file."""
    places: list[FloatArray] = []
    turns: list[FloatArray] = []
    for joint in clip.joints:
        place, turn = clip.positions(joint)[:1], clip.rotations(joint)[:1]
        if joint.parent >= 0:
            place = places[joint.parent] + rotate_rows(turns[joint.parent], place)
            turn = multiply_rows(turns[joint.parent], turn)
        places.append(place)
        turns.append(turn)
    return np.concatenate(places)
