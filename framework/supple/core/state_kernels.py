"""Kernels over the State: what every step does to all of it."""

from __future__ import annotations

from typing import Final

from supple.core.jit import njit

EXPONENT: Final = 0x7FF0000000000000
"""The bits of the exponent of a float64."""


@njit
def is_any_infinite(count, width, words):
    """Whether one of the first count[0] rows of `width` numbers each is not finite.

    `words` are the numbers, flat, looked at as integers: of one that is not finite all bits of the exponent are set,
    and the greatest of integers is found many at a time.
    """
    greatest = 0
    for k in range(count[0] * width):
        greatest = max(greatest, words[k] & EXPONENT)
    return greatest == EXPONENT


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
def copy_vector(values, values_out):
    """Copy all of it."""
    for k in range(values.shape[0]):
        values_out[k] = values[k]


@njit
def copy_matrix(values, values_out):
    """Copy all of it; the target may be part of a larger one."""
    for i in range(values.shape[0]):
        for k in range(values.shape[1]):
            values_out[i, k] = values[i, k]


@njit
def is_either_set(one, other):
    """Whether one[0] or other[0] is not zero."""
    return one[0] != 0 or other[0] != 0
