"""What moves with the frames of carriers: primitives and rigid meshes alike."""

from __future__ import annotations

from supple.core.arrays import FloatArray
from supple.core.schedule import Bound, Call
from supple_collide.contact_kernels import place_shapes
from supple_collide.kernel_arrays import Frames, Mounts, Placed


def move_mounted(arrays: Bound, mounts: Mounts, ahead: FloatArray, placed: Placed) -> list[Call]:
    """For every carrier of some of these shapes or meshes, the call that places them; `ahead` as in `place_shapes`."""
    collide = arrays.build.settings("collide")
    return [
        Call(
            place_shapes, mounts, number, collide.margin, collide.sudden_speed, arrays.h,
            Frames(
                position=arrays[each.position], rotation=arrays[each.rotation], twist=arrays[each.twist]
            ),
            ahead, placed,
        )
        for number, each in enumerate(arrays.build.members("carriers"))
        if (mounts.carrier == number).any()
    ]  # fmt: skip
