"""Which elements of which surfaces belong to a bone whose pressure is asked for."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import IntArray
from supple.core.build import Build
from supple.mechanics.deforming import DeformingSurface
from supple_skeleton.mechanism import Skeletons

NOBODY = -1


def number_elements(build: Build, skeletons: Skeletons, pads: list[str]) -> tuple[IntArray, IntArray]:
    """First entry of every surface, and for all elements of all surfaces the pad they belong to, or -1.

    A shape or mesh belongs to the bone that carries it. A surface that bends may say the bone of each of its
    triangles in an attribute `bone_of_triangle`; else it belongs to the bone at or above its entity.
    """
    pad_of_bone = {skeletons.bones[path]: pad for pad, path in enumerate(pads)}
    firsts, found = [], [np.zeros(0, np.int64)]
    for surface in build.members("surfaces"):
        firsts.append(sum(map(len, found)))
        bones = _bones_of(build, surface)
        found.append(np.array([pad_of_bone.get(bone, NOBODY) for bone in bones], np.int64))
    return np.array(firsts, np.int64), np.concatenate(found)


def _bones_of(build: Build, surface: object) -> list[int]:
    """The row of the bone of every element; -1 for what no bone carries."""
    if isinstance(surface, DeformingSurface):
        given = getattr(surface, "bone_of_triangle", None)
        if given is not None:
            return [int(bone) for bone in given]
        place = build.pose_in_frame(surface.path)
        mine = place is not None and place[0].carrier == Skeletons.name
        return [place[0].index if mine and place else NOBODY] * len(surface.triangles)
    number = [carrier.name for carrier in build.members("carriers")].index(Skeletons.name)
    owner = "mesh" if getattr(surface, "name", "") == "meshes" else "collide"
    carrier, frame = build.arrays[f"{owner}.carrier"], build.arrays[f"{owner}.frame"]
    bones = np.where(carrier == number, frame, NOBODY)
    return [int(bone) for bone in (bones[build.arrays["mesh.of_triangle"]] if owner == "mesh" else bones)]
