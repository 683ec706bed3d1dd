"""Kernels of the constraint problem."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.rows import BILATERAL, COULOMB


@njit
def reset_groups(
    groups, law_out, size_out, friction_out, restitution_out, scale_out, lower_out, upper_out,
    compliance_out, bias_out, gap_out, u_now_out, key_out, free_out,
):  # fmt: skip
    """What groups[0] to groups[1] are until somebody writes into them: free bilateral rows without an identity."""
    for g in range(groups[0], groups[1]):
        law_out[g] = BILATERAL
        size_out[g] = 1
        friction_out[g] = 0.0
        restitution_out[g] = 0.0
        gap_out[g] = 0.0
        key_out[g, 0] = -1
        key_out[g, 1] = -1
        for row in range(3):
            scale_out[g, row] = 1.0
            lower_out[g, row] = -math.inf
            upper_out[g, row] = math.inf
            compliance_out[g, row] = 0.0
            bias_out[g, row] = 0.0
            u_now_out[g, row] = 0.0
            free_out[g, row] = 0.0


@njit
def measure_rows(group_count, law, gap, count_out, contacts_out, penetration_out):
    """Figures of a step: groups of rows, frictional contacts among them, deepest penetration [m]."""
    contacts = 0
    deepest = 0.0
    for g in range(group_count):
        contacts += law[g] == COULOMB
        deepest = max(deepest, -gap[g])
    count_out[0] = group_count
    contacts_out[0] = contacts
    penetration_out[0] = deepest
