"""Rows of servos; README eq. (9)."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit
from supple.mechanics.rows import COMPLIANT
from supple_bones.layout import Q_FIRST, V_FIRST, WINDOW
from supple_bones.row_kernels import open_block


class ServoRows(NamedTuple):
    """What servos set of the groups of the problem."""

    law: IntArray
    key: IntArray
    lower: FloatArray
    upper: FloatArray
    compliance: FloatArray
    bias: FloatArray


@njit
def append_servos(
    h, bone, servo, gains, q, first, key, rows_out, used_out, group_out, unit_out, dof_out, values_out,
):  # fmt: skip
    """One compliant row for every servo, servo [m, 2] = bone and place of the coordinate: README eq. (9).

    gains [m, 4] are stiffness, damping, target and greatest force.
    """
    for n in range(servo.shape[0]):
        g = first + n
        i = servo[n, 0]
        stiffness, damping, target, greatest = gains[n, 0], gains[n, 1], gains[n, 2], gains[n, 3]
        resisting = damping + h * stiffness
        rows_out.law[g] = COMPLIANT
        rows_out.key[g, 0] = key
        rows_out.key[g, 1] = n
        rows_out.lower[g, 0] = -h * greatest
        rows_out.upper[g, 0] = h * greatest
        rows_out.compliance[g, 0] = 1.0 / (h * resisting)
        rows_out.bias[g, 0] = stiffness * (q[bone[i, Q_FIRST] + servo[n, 1]] - target) / resisting
        block = open_block(bone, i, g, used_out, group_out, unit_out, dof_out, values_out)
        values_out[block, 0, bone[i, V_FIRST] + servo[n, 1] - bone[i, WINDOW]] = 1.0
