"""Rows of gears; README eq. (9a)."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit
from supple_bones.layout import Q_FIRST, TREE, V_FIRST, WINDOW
from supple_bones.row_kernels import append_block


class GearTree(NamedTuple):
    """gear [m, 2]: bone that is driven, bone that drives it (-1: it is held still).

    gear_numbers [m, 2]: ratio, offset.
    """

    bone: IntArray
    gear: IntArray
    gear_numbers: FloatArray
    q: FloatArray


@njit
def find_gear_error(n, tree: GearTree, q):
    """How far a driven coordinate is from where its gear has it: README eq. (9a)."""
    driven, driver = tree.gear[n, 0], tree.gear[n, 1]
    error = q[tree.bone[driven, Q_FIRST]] - tree.gear_numbers[n, 1]
    if driver >= 0:
        error -= tree.gear_numbers[n, 0] * q[tree.bone[driver, Q_FIRST]]
    return error


@njit
def append_gears(h, fastest, tree: GearTree, key, blocks_out, first, key_out, bias_out):
    """One bilateral row for every gear: README eq. (9a). Rows of bones of two trees have two blocks."""
    bone = tree.bone
    for n in range(tree.gear.shape[0]):
        g, driven, driver = first + n, tree.gear[n, 0], tree.gear[n, 1]
        key_out[g, 0] = key
        key_out[g, 1] = n
        bias_out[g, 0] = min(max(find_gear_error(n, tree, tree.q) / h, -fastest), fastest)
        block = append_block(bone, driven, g, blocks_out)
        blocks_out.values[block, 0, bone[driven, V_FIRST] - bone[driven, WINDOW]] = 1.0
        if driver >= 0:
            if bone[driver, TREE] != bone[driven, TREE]:
                block = append_block(bone, driver, g, blocks_out)
            blocks_out.values[block, 0, bone[driver, V_FIRST] - bone[driver, WINDOW]] = -tree.gear_numbers[
                n, 0
            ]


@njit
def observe_gears(h, tree: GearTree, q_next, key, count, keys, impulse, observed_out):
    """Error after the step, force of the gear on what it drives, and the size of both."""
    for n in range(tree.gear.shape[0]):
        error = find_gear_error(n, tree, q_next)
        observed_out[n, 0] = abs(error)
        observed_out[n, 1] = 0.0
        observed_out[n, 2] = 0.0
    for g in range(count[0]):
        if keys[g, 0] == key:
            force = impulse[g, 0] / h
            observed_out[keys[g, 1], 1] = force
            observed_out[keys[g, 1], 2] = abs(force)
