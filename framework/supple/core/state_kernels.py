"""Kernels over the State: what every step does to all of it."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def are_finite(count, width, values):
    """Whether the first count[0] rows of `width` numbers each are finite; `values` is flat.

    A finite number less itself is zero, all others give nan. Four sums at once, lest each waits for the last.
    """
    size = count[0] * width
    a = b = c = d = 0.0
    whole = size - size % 4
    for k in range(0, whole, 4):
        a += values[k] - values[k]
        b += values[k + 1] - values[k + 1]
        c += values[k + 2] - values[k + 2]
        d += values[k + 3] - values[k + 3]
    for k in range(whole, size):
        a += values[k] - values[k]
    return a + b + c + d == 0.0


@njit
def find_beyond(values, bound):
    """The first of these flat numbers whose size is greater than the bound, or -1."""
    for k in range(values.shape[0]):
        if abs(values[k]) > bound:
            return k
    return -1


@njit
def copy_rows(count, width, values, values_out):
    """Copy the first count[0] rows of `width` numbers each; both arrays are flat."""
    for k in range(count[0] * width):
        values_out[k] = values[k]
