"""Kernels over the State: what every step does to all of it."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def is_any_infinite(count, width, values):
    """Whether one of the first count[0] rows of `width` numbers each is not finite; `values` is flat.

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
    return not a + b + c + d == 0.0  # noqa: SIM201  nan is not 0


@njit
def is_any_beyond(values, most):
    """Whether the size of one of these flat numbers is greater than that."""
    for k in range(values.shape[0]):  # noqa: SIM110  a kernel has no generators
        if abs(values[k]) > most:
            return True
    return False


@njit
def clear(values_out):
    """Set all of a flat array to zero."""
    for k in range(values_out.shape[0]):
        values_out[k] = 0


@njit
def is_set(flag):
    """Whether flag[0] is not zero."""
    return flag[0] != 0


@njit
def copy_rows(count, width, values, values_out):
    """Copy the first count[0] rows of `width` numbers each; both arrays are flat."""
    for k in range(count[0] * width):
        values_out[k] = values[k]


@njit
def is_either_set(one, other):
    """Whether one[0] or other[0] is not zero."""
    return one[0] != 0 or other[0] != 0
