"""Kernels that see where contacts that overlap would gain energy; see `gains`."""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.block_matrix_kernels import multiply
from supple.mechanics.jacobian_kernels import add_row_velocities
from supple.mechanics.rows import COULOMB

# Overlap [m] up to which places come first, as where things slide along what turns; and the part of all work of
# contacts that is round-off.
GRAZING, NOTHING = 1e-4, 1e-10
# What overlaps moves, if it slides or comes on faster than this part of the speed at which it is pushed apart. What is
# held back while it parts faster than this [m/s] was not where rows see it.
MOVING, PARTING = 0.1, 1e-3
# What rows see this much [m/s] off how things move at the start, they may see elsewhere than impulses work.
ELSEWHERE = 0.1
# Nothing is suspicious; a contact is; or rows see one elsewhere, and only what its turning gains counts.
QUIET, SUSPICIOUS, SEEN_ELSEWHERE = 0, 1, 2


@njit
def is_suspicious(origin, g):
    """Whether contact g, which bears, may give more than it takes."""
    n, t, s = origin.u_now[g, 0], origin.u_now[g, 1], origin.u_now[g, 2]
    if origin.gap[g] >= 0.0:
        return n > PARTING
    if origin.gap[g] >= -GRAZING:
        return False
    push = -origin.bias[g, 0]
    return push > 0.0 and (n < -MOVING * push or t * t + s * s > (MOVING * push) ** 2)


@njit
def is_seen_elsewhere(rows, origin, g):
    """Whether rows see contact g, which bears, move otherwise than it does at the start of the step."""
    off = 0.0
    for row in range(3):
        off = max(off, abs(rows.free[g, row] - origin.bias[g, row] - origin.u_now[g, row]))
    return off > ELSEWHERE


@njit
def find_strayed(rows, origin, lagging, outcome, strayed_out, worked_out):
    """What may make contacts give more than they take; worked_out then begins as the velocities that rows see."""
    strayed_out[0] = QUIET
    if lagging[0] != 0:
        return
    count, law, free, bias = rows.counts[0], rows.law, rows.free, origin.bias
    for g in range(count):
        if law[g] == COULOMB and outcome.impulse[g, 0] > 0.0:
            if is_suspicious(origin, g):
                strayed_out[0] = SUSPICIOUS
                break
            if is_seen_elsewhere(rows, origin, g):
                strayed_out[0] = SEEN_ELSEWHERE
    if strayed_out[0] != QUIET:
        for g in range(count):
            for row in range(3):
                worked_out[g, row] = free[g, row] - bias[g, row]


@njit
def add_turned(strayed, jacobian, turned, v, v_free, more_out, worked_inout):
    """To where impulses work on spins that rows do not see; the arrays are flat, more_out is scratch.

    `turned` is what free turning adds to the mean of v and v_free; all other velocities work as rows see them.
    """
    if strayed[0] == QUIET:
        return
    for k in range(turned.shape[0]):
        more_out[k] = turned[k] - 0.5 * (v_free[k] - v[k]) if turned[k] != 0.0 else 0.0
    add_row_velocities(jacobian, more_out, worked_inout)


@njit
def work_of_contacts(rows, blocks, impulse, worked, change_out):
    """Work of all contacts [J] and the sum of its sizes: lambda . (u + W lambda / 2), of impulses [groups, 3]."""
    multiply(blocks, rows.counts[0], impulse, change_out)
    work, size = 0.0, 0.0
    for g in range(rows.counts[0]):
        if rows.law[g] == COULOMB:
            for row in range(3):
                part = impulse[g, row] * (worked[g, row] + 0.5 * change_out[g, row])
                work += part
                size += abs(part)
    return work, size


@njit
def is_gaining(strayed, rows, origin, blocks, impulse, worked, change_out):
    """Whether contacts of a step in which something strayed would add energy."""
    if strayed[0] == QUIET:
        return False
    work, size = work_of_contacts(rows, blocks, impulse, worked, change_out)
    if strayed[0] == SEEN_ELSEWHERE:
        for g in range(rows.counts[0]):
            push = -origin.bias[g, 0]
            if rows.law[g] == COULOMB and push > 0.0:
                off = 0.0
                for row in range(3):
                    off = max(off, abs(rows.free[g, row] - origin.bias[g, row] - worked[g, row]))
                if off < MOVING * push:
                    work -= push * impulse[g, 0]
    return work > NOTHING * size
