"""Kernels with fixed arguments: the same result as an ordinary call, always from the same arrays."""

import numpy as np

from supple.core.jit import bind_kernel, njit


@njit
def scale_into(factor, x, y_out):
    """y_out = factor x; returns the sum."""
    total = 0.0
    for i in range(x.shape[0]):
        y_out[i] = factor * x[i]
        total += y_out[i]
    return total


def test_a_bound_kernel_sees_what_its_arrays_hold_when_it_is_called():
    x, y = np.arange(4.0), np.zeros(4)
    call = bind_kernel(scale_into, 3, x, y)
    assert call() == 18.0
    np.testing.assert_array_equal(y, 3 * np.arange(4.0))
    x[:] = 1.0
    assert call() == scale_into(3, x, np.zeros(4)) == 12.0


def test_types_are_told_apart_when_binding():
    whole, parts = np.arange(4), np.arange(4.0)
    assert bind_kernel(scale_into, 2, whole, np.zeros(4))() == 12.0
    assert bind_kernel(scale_into, 0.5, parts, np.zeros(4))() == 3.0
    assert bind_kernel(scale_into, 2, np.arange(8.0)[::2], np.zeros(4))() == 24.0


def test_plain_functions_are_bound_too():
    assert bind_kernel(scale_into.py_func, 2, np.ones(3), np.zeros(3))() == 6.0
