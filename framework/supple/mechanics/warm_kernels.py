"""Kernels that carry impulses from one step to the next by the identity of their group."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def match_impulses(count, key, last_count, last_key, last_impulse, impulse_out):
    """Impulses of the last step for the groups of this one, zero for new groups; last_key is sorted."""
    for i in range(count):
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
        for row in range(3):
            impulse_out[i, row] = last_impulse[low, row] if known else 0.0


@njit
def keep_impulses(count, key, impulse, count_out, key_out, impulse_out):
    """Store the impulses sorted by key. Groups mostly come sorted, so insertion is quick."""
    for i in range(count):
        place = i
        while place > 0 and (
            key_out[place - 1, 0] > key[i, 0]
            or (key_out[place - 1, 0] == key[i, 0] and key_out[place - 1, 1] > key[i, 1])
        ):
            for column in range(2):
                key_out[place, column] = key_out[place - 1, column]
            for row in range(3):
                impulse_out[place, row] = impulse_out[place - 1, row]
            place -= 1
        for column in range(2):
            key_out[place, column] = key[i, column]
        for row in range(3):
            impulse_out[place, row] = impulse[i, row]
    count_out[0] = count
