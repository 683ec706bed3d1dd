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
def are_within(a, bound_a, b, bound_b):
    """Whether no size of two lots of flat numbers is greater than its bound. Two at once: a call costs more."""
    for k in range(a.shape[0]):
        if abs(a[k]) > bound_a:
            return False
    for k in range(b.shape[0]):  # noqa: SIM110  a kernel has no generators
        if abs(b[k]) > bound_b:
            return False
    return True


@njit
def copy_rows(count, width, values, values_out):
    """Copy the first count[0] rows of `width` numbers each; both arrays are flat."""
    for k in range(count[0] * width):
        values_out[k] = values[k]
