"""Rows of servos; README eq. (9)."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit
from supple.mechanics.rows import COMPLIANT
from supple.mechanics.spring_tables import SpringTable
from supple_bones.layout import Q_FIRST, V_FIRST, WINDOW
from supple_bones.row_kernels import append_block


class ServoTree(NamedTuple):
    """servo [m, 2]: bone, place of the coordinate.

    servo_gains [m, 4]: stiffness, damping, greatest force, implicitness.
    """

    bone: IntArray
    servo: IntArray
    servo_gains: FloatArray
    servo_target: FloatArray
    q: FloatArray


class ServoRows(NamedTuple):
    """What servos set of the groups of the problem."""

    law: IntArray
    key: IntArray
    lower: FloatArray
    upper: FloatArray
    compliance: FloatArray
    bias: FloatArray


@njit
def append_servos(h, tree, key, blocks_out, springs_out: SpringTable, first, rows_out):
    """One compliant row for every servo: README eq. (9). Those with stiffness are closed when W is known."""
    springs_out.counts[0] = 0
    bone, servo, gains, q = tree.bone, tree.servo, tree.servo_gains, tree.q
    for n in range(servo.shape[0]):
        g = first + n
        i = servo[n, 0]
        stiffness, damping, greatest = gains[n, 0], gains[n, 1], gains[n, 2]
        resisting = damping + h * stiffness
        rows_out.law[g] = COMPLIANT
        rows_out.key[g, 0] = key
        rows_out.key[g, 1] = n
        rows_out.lower[g, 0] = -h * greatest
        rows_out.upper[g, 0] = h * greatest
        rows_out.compliance[g, 0] = 1.0 / (h * resisting)
        stretch = q[bone[i, Q_FIRST] + servo[n, 1]] - tree.servo_target[n]
        rows_out.bias[g, 0] = stiffness * stretch / resisting
        if stiffness > 0.0:
            s = springs_out.counts[0]
            springs_out.counts[0] += 1
            springs_out.group[s] = g
            springs_out.stiffness[s] = stiffness
            springs_out.damping[s] = damping
            springs_out.bound[s] = greatest
            springs_out.setting[s] = gains[n, 3]
            springs_out.stretch[s] = stretch
            springs_out.pull[s] = stiffness * stretch
        block = append_block(bone, i, g, blocks_out)
        blocks_out.values[block, 0, bone[i, V_FIRST] + servo[n, 1] - bone[i, WINDOW]] = 1.0
