"""Forces from Python at points of frames, for the part of a step in which they act."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.wrench_kernels import add_force_at_point


@njit
def apply_commanded(number, table, step, rotation, wrench_out):
    """Adds each force, and torque, in proportion to its overlap with the step: README eq. (1)."""
    now = step[0]
    for k in range(table.carrier.shape[0]):
        part = min(table.until[k] - now, 1.0)
        i = table.frame[k]
        if table.carrier[k] != number or part <= 0.0 or i >= rotation.shape[0]:
            continue
        w = table.wrench[k]
        add_force_at_point(rotation, i, table.point, k, part * w[0], part * w[1], part * w[2], wrench_out)
        for c in range(3, 6):
            wrench_out[i, c] += part * w[c]
