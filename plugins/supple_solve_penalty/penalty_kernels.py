"""Contact impulses straight from depth and velocity."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.rows import COULOMB


@njit
def press_contacts(rows, gap, u_now, step, stiffness, damping, slope, impulse_out):
    """README eq. (1) and (2), for the contacts alone; all other groups get zero."""
    law, friction, scale = rows.law, rows.friction, rows.scale
    for i in range(rows.counts[0]):
        impulse_out[i, 0] = 0.0
        impulse_out[i, 1] = 0.0
        impulse_out[i, 2] = 0.0
        depth = -gap[i]
        if law[i] != COULOMB or depth <= 0.0:
            continue
        normal = step * max(0.0, (stiffness - damping * u_now[i, 0]) * depth)
        impulse_out[i, 0] = normal
        # In the scaled variables of `supple.mechanics.rows` the friction ellipse is a disk.
        wt = scale[i, 1] * u_now[i, 1]
        ws = scale[i, 2] * u_now[i, 2]
        speed = math.sqrt(wt * wt + ws * ws)
        if speed > 0.0:
            friction_impulse = friction[i] * normal * min(1.0, slope * speed / step)
            impulse_out[i, 1] = -scale[i, 1] * friction_impulse * wt / speed
            impulse_out[i, 2] = -scale[i, 2] * friction_impulse * ws / speed
