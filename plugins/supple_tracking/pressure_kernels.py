"""Centres of pressure of bones; README eq. (9)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.quaternion_kernels import rotate_vector_back_at
from supple.math.vector_kernels import dot


@njit
def observe_pressure(
    pad_bone, first_element, pad_of_element, x, rotation, count, surface, element, point, normal, force,
    pad_point_out, pad_force_out,
):  # fmt: skip
    """Normal force on every pad [N], and its centre in the frame of the pad's bone [m].

    Contact points, like x and rotation, are those of the step's start. A pad without force keeps its point.
    """
    pads = pad_bone.shape[0]
    for pad in range(pads):
        total, cx, cy, cz = 0.0, 0.0, 0.0, 0.0
        for c in range(count[0]):
            for side in range(2):
                if pad_of_element[first_element[surface[c, side]] + element[c, side]] != pad:
                    continue
                pressing = abs(
                    dot(force[c, 0], force[c, 1], force[c, 2], normal[c, 0], normal[c, 1], normal[c, 2])
                )
                total += pressing
                cx += pressing * point[c, side, 0]
                cy += pressing * point[c, side, 1]
                cz += pressing * point[c, side, 2]
        pad_force_out[pad] = total
        if total > 0.0:
            i = pad_bone[pad]
            lx, ly, lz = rotate_vector_back_at(
                rotation, i, cx / total - x[i, 0], cy / total - x[i, 1], cz / total - x[i, 2]
            )
            pad_point_out[pad, 0] = lx
            pad_point_out[pad, 1] = ly
            pad_point_out[pad, 2] = lz
