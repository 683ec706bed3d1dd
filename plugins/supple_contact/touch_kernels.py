"""Kernel of what touches each entity; README eq. (5)."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.vector_kernels import cross, dot


@njit
def observe_touch(first, entity, body, count, surface, element, point, normal, force, touch_out):
    """Sums over the sides of all contacts, for the entity of the element and for that of the frame that moves it."""
    total, torque, pressing = touch_out.force, touch_out.torque, touch_out.normal_force
    presses, centre = touch_out.count, touch_out.centre
    for i in range(pressing.shape[0]):
        pressing[i] = 0.0
        presses[i] = 0
        for k in range(3):
            total[i, k] = torque[i, k] = centre[i, k] = 0.0
    for c in range(count[0]):
        fx, fy, fz = force[c, 0], force[c, 1], force[c, 2]
        along = dot(fx, fy, fz, normal[c, 0], normal[c, 1], normal[c, 2])
        for side in range(2):
            px, py, pz = point[c, side, 0], point[c, side, 1], point[c, side, 2]
            tx, ty, tz = cross(px, py, pz, fx, fy, fz)
            sign = 1.0 - 2.0 * side
            e = first[surface[c, side]] + element[c, side]
            for which in range(2):
                i = entity[e] if which == 0 else body[e]
                if i < 0 or (which == 1 and i == entity[e]):
                    continue
                total[i, 0] += sign * fx
                total[i, 1] += sign * fy
                total[i, 2] += sign * fz
                torque[i, 0] += sign * tx
                torque[i, 1] += sign * ty
                torque[i, 2] += sign * tz
                pressing[i] += along
                presses[i] += along > 0.0
                centre[i, 0] += along * px
                centre[i, 1] += along * py
                centre[i, 2] += along * pz
    for i in range(pressing.shape[0]):
        for k in range(3):
            centre[i, k] = centre[i, k] / pressing[i] if pressing[i] > 0.0 else 0.0
