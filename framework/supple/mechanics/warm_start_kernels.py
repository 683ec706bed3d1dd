"""Kernels around a solve: impulses go from one step to the next by the identity of their group."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.mechanics.residual_kernels import compute_row_velocities, find_worst_group

# Impulses are led on by their last change as long as that foretells the next one to this part of it.
STEADY = 0.5
# What is kept of a change. Impulses that hold each other, of which no velocity tells, would else drift for ever.
LASTING = 0.9
# And of one that a solver took as it was: within its tolerance impulses come to rest.
FADING = 0.7


@njit_inlined
def find_key(key, i, last_count, last_key):
    """Where last_key, which is sorted, has the identity key[i]; -1 if it has not."""
    low = 0
    high = last_count[0]
    while low < high:
        middle = (low + high) // 2
        if last_key[middle, 0] < key[i, 0] or (
            last_key[middle, 0] == key[i, 0] and last_key[middle, 1] < key[i, 1]
        ):
            low = middle + 1
        else:
            high = middle
    known = low < last_count[0] and last_key[low, 0] == key[i, 0] and last_key[low, 1] == key[i, 1]
    return low if known else -1


@njit
def match_values(count, key, last_count, last_key, last_values, values_out):
    """The rows that `keep_values` kept of the groups of this step, zero for new groups."""
    for i in range(count):
        place = find_key(key, i, last_count, last_key)
        for column in range(values_out.shape[1]):
            values_out[i, column] = last_values[place, column] if place >= 0 else 0.0


@njit
def keep_values(count, key, values, column, count_out, key_out, values_out):
    """Store a row of values for every group, sorted by key, from a column on.

    Groups mostly come sorted, so insertion is quick.
    """
    width = values.shape[1]
    for i in range(count):
        place = i
        while place > 0 and (
            key_out[place - 1, 0] > key[i, 0]
            or (key_out[place - 1, 0] == key[i, 0] and key_out[place - 1, 1] > key[i, 1])
        ):
            for k in range(2):
                key_out[place, k] = key_out[place - 1, k]
            for k in range(column, column + width):
                values_out[place, k] = values_out[place - 1, k]
            place -= 1
        for k in range(2):
            key_out[place, k] = key[i, k]
        for k in range(width):
            values_out[place, column + k] = values[i, k]
    count_out[0] = count


@njit
def keep_changes(count, key, impulse, change, kept_out):
    """Store impulse and change of every group side by side, as `keep_values` would both; their keys move once."""
    key_out, values_out = kept_out.key, kept_out.impulse
    for i in range(count):
        place = i
        while place > 0 and (
            key_out[place - 1, 0] > key[i, 0]
            or (key_out[place - 1, 0] == key[i, 0] and key_out[place - 1, 1] > key[i, 1])
        ):
            for k in range(2):
                key_out[place, k] = key_out[place - 1, k]
            for k in range(6):
                values_out[place, k] = values_out[place - 1, k]
            place -= 1
        for k in range(2):
            key_out[place, k] = key[i, k]
        for k in range(3):
            values_out[place, k] = impulse[i, k]
            values_out[place, 3 + k] = change[i, k]
    kept_out.counts[0] = count


@njit
def start_rows(count, key, kept, start_out, impulse_out):
    """What a solve begins with: the impulses of the last step, [n, 6] with what is kept of their changes.

    While these are steady, the impulses go on as they went. start_out has impulses and changes of the last step
    [groups, 3], zero where `known` is 0, for a new group.
    """
    known_out, before_out, change_out = start_out.known, start_out.before, start_out.change
    for i in range(count[0]):
        place = find_key(key, i, kept.counts, kept.key)
        known_out[i] = place >= 0
        for row in range(3):
            before_out[i, row] = kept.impulse[place, row] if place >= 0 else 0.0
            change_out[i, row] = kept.impulse[place, 3 + row] if place >= 0 else 0.0
            impulse_out[i, row] = before_out[i, row] + (change_out[i, row] if kept.steady[0] != 0 else 0.0)


@njit
def follow_changes(count, known, before, impulse, part, change_inout):
    """change_inout becomes what changed in this step, zero for new groups; returns whether that was to be foreseen.

    It was if the changes of the last step foretold those of this one, in the sum of their squares. Only a part of
    what changed is kept.
    """
    missed, total = 0.0, 0.0
    for i in range(count):
        for row in range(3):
            change = impulse[i, row] - before[i, row] if known[i] != 0 else 0.0
            missed += (change - change_inout[i, row]) ** 2
            total += change * change
            change_inout[i, row] = part * change
    return missed < STEADY * STEADY * total


@njit
def take_plan(plan, impulse_out):
    """impulse_out = plan, both flat; returns whether there is any."""
    planned = False
    for k in range(plan.shape[0]):
        impulse_out[k] = plan[k]
        planned |= plan[k] != 0.0
    return planned


@njit
def finish_rows(rows, blocks, key, start, residual_out, kept_out, impulse_out, solution):
    """Hand over the impulses of a solution, measure its residual [m/s], and keep it for the next step.

    impulse_out still holds what the solve began with; `start` is that of `start_rows`: its changes become what is kept
    of those of this step, and its velocity is scratch. The residual is that of `residual.natural_map_residual`.
    """
    group_count, velocity, change = rows.counts[0], start.velocity, start.change
    moved = False
    for i in range(group_count):
        for row in range(3):
            moved |= impulse_out[i, row] != solution[i, row]
            impulse_out[i, row] = solution[i, row]
    compute_row_velocities(rows, blocks, impulse_out, velocity)
    worst, _ = find_worst_group(rows, blocks, impulse_out, velocity)
    residual_out[0] = worst
    part = LASTING if moved else FADING
    kept_out.steady[0] = follow_changes(group_count, start.known, start.before, impulse_out, part, change)
    keep_changes(group_count, key, impulse_out, change, kept_out)
