"""Edges of bending surfaces that slide fast along those of boxes."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound, Call
from supple.mechanics.deforming import find_rows
from supple_collide.finders import find_surface, take_shapes
from supple_collide.kernel_arrays import Contacts, Frames, Mounts
from supple_collide.meshes.compile import list_deforming
from supple_collide.primitives.pose_kernels import fill_rotations
from supple_collide.shape_kinds import BOX
from supple_collide.sliding_kernels import meet_edges


def name_moving(build: Build) -> list[str]:
    """The arrays of places and velocities of all surfaces that bend."""
    return [name for each in list_deforming(build) for name in (each.positions, each.velocities)]


def bind_sliding(arrays: Bound) -> list[Call]:
    """What moves contacts of edges to where they will be; nothing in scenes without boxes and surfaces that bend.

    Boxes stand still, or one carrier moves them: that of the first one that moves.
    """
    mounts, shapes = arrays.take(Mounts, "collide"), take_shapes(arrays)
    deforming, boxes = list_deforming(arrays.build), mounts.carrier[shapes.kind == BOX]
    if not deforming or not len(boxes):
        return []
    own = int(boxes.max())
    nowhere = (np.zeros((1, 3)), np.zeros((1, 4)), np.zeros((1, 6)))
    carrier = arrays.build.members("carriers")[own] if own >= 0 else None
    parts = ("position", "rotation", "twist")
    frames = (
        Frames(*nowhere) if carrier is None else Frames(*(arrays[getattr(carrier, part)] for part in parts))
    )
    return [
        Call(fill_rotations, shapes.q, shapes.rotation),
        *(
            Call(
                meet_edges, arrays.h,
                np.array([find_surface(arrays, "primitives"), find_surface(arrays, each.name)]),
                arrays["contacts.count"], np.ascontiguousarray(each.triangles, np.int64),
                arrays[each.positions][find_rows(each)], arrays[each.velocities][find_rows(each)], mounts, own, frames,
                shapes, arrays.take(Contacts, "contacts"),
            )
            for each in deforming
        ),
    ]  # fmt: skip
