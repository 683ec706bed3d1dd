"""Sorting contacts by the pair they belong to; those of one pair keep the order their finder gives them."""

from __future__ import annotations

from supple.core.jit import njit
from supple_collide.kernel_arrays import Contacts


@njit
def comes_before(key, i, j):
    """Whether the pair of contact i has a lower key than that of contact j, or i came before j."""
    return key[i, 0] < key[j, 0] or (key[i, 0] == key[j, 0] and i < j)


@njit
def fill_order(count, key, order_out):
    """order_out[:count]: the contacts by their pairs (Shell's method); returns whether they were sorted already."""
    sorted_already = True
    for c in range(count):
        order_out[c] = c
        sorted_already = sorted_already and (c == 0 or not comes_before(key, c, c - 1))
    if sorted_already:
        return True
    step = 1
    while step < count // 3:
        step = 3 * step + 1
    while step > 0:
        for place in range(step, count):
            row, slot = order_out[place], place
            while slot >= step and comes_before(key, row, order_out[slot - step]):
                order_out[slot] = order_out[slot - step]
                slot -= step
            order_out[slot] = row
        step //= 3
    return False


@njit
def permute_rows(count, order, scratch, rows_inout):
    """Row i of rows_inout becomes what row order[i] was, for i < count."""
    for i in range(count):
        for k in range(rows_inout.shape[1]):
            scratch[i, k] = rows_inout[i, k]
    for i in range(count):
        for k in range(rows_inout.shape[1]):
            rows_inout[i, k] = scratch[order[i], k]


@njit
def sort_contacts(count, order, integers, floats, columns_inout: Contacts):
    """Sort the first count[0] rows of all columns, each [capacity, width], by pair; three arrays are scratch."""
    rows = count[0]
    if fill_order(rows, columns_inout.key, order):
        return
    permute_rows(rows, order, integers, columns_inout.surface)
    permute_rows(rows, order, integers, columns_inout.element)
    permute_rows(rows, order, integers, columns_inout.key)
    permute_rows(rows, order, floats, columns_inout.point)
    permute_rows(rows, order, floats, columns_inout.normal)
    permute_rows(rows, order, floats, columns_inout.gap)
    permute_rows(rows, order, floats, columns_inout.friction)
    permute_rows(rows, order, floats, columns_inout.restitution)
    permute_rows(rows, order, floats, columns_inout.weights)
