"""Balls that bounce: their contacts are those of the time at which they touch."""

from __future__ import annotations

import numpy as np

from supple.core.schedule import Bound, Call
from supple_collide.finders import find_surface, take_shapes
from supple_collide.kernel_arrays import Contacts, Frames, Mounts
from supple_collide.meeting_kernels import find_centre_velocities, turn_normals
from supple_collide.primitives.pose_kernels import fill_rotations
from supple_collide.scratch import make_manifold
from supple_collide.shape_kinds import SPHERE


def bind_meetings(arrays: Bound) -> list[Call]:
    """What says which balls bounce after contacts are found, and turns normals; nothing where no ball bounces.

    Only a carrier with `meets_late` knows of impulses within a step.
    """
    mounts, shapes = arrays.take(Mounts, "collide"), take_shapes(arrays)
    carriers = arrays.build.members("carriers")
    able = [number for number, each in enumerate(carriers) if getattr(each, "meets_late", False)]
    meets = np.isin(mounts.carrier, able).astype(np.int64)
    if not np.any((meets > 0) & (shapes.kind == SPHERE) & (arrays["collide.bounces"] > 0)):
        return []
    velocity = np.zeros((len(meets), 3))
    moving = [
        Call(
            find_centre_velocities, mounts, number,
            Frames(*(arrays[getattr(carriers[number], part)] for part in ("position", "rotation", "twist"))), velocity,
        )
        for number in able
    ]  # fmt: skip
    return [
        *moving,
        Call(fill_rotations, shapes.q, shapes.rotation),
        Call(
            turn_normals, arrays.h, find_surface(arrays, "primitives"), arrays["contacts.count"], meets, mounts, shapes,
            velocity, make_manifold(), arrays.take(Contacts, "contacts"), arrays["contacts.late"],
        ),
    ]  # fmt: skip
