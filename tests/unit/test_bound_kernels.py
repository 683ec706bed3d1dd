"""Kernels with fixed arguments: the same result as an ordinary call, always from the same arrays."""

from typing import NamedTuple

import numpy as np

from supple.core.jit import TypedKernel, bind_first_arguments, bind_kernel, njit


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


class Pair(NamedTuple):
    """Two arrays by name."""

    x: np.ndarray
    y: np.ndarray


@njit
def scale_pair(pair, factor):
    """y = factor x; returns the sum."""
    return scale_into(factor, pair.x, pair.y)


def test_a_typed_kernel_takes_other_arrays_in_every_call():
    scale = TypedKernel(scale_pair)
    for size in (4, 2, 7):
        pair = Pair(np.arange(float(size)), np.zeros(size))
        assert scale(pair, 3.0) == 3.0 * pair.x.sum()
        np.testing.assert_array_equal(pair.y, 3.0 * pair.x)


def test_plain_functions_may_be_typed_or_bound_in_part():
    pair = Pair(np.ones(3), np.zeros(3))
    assert TypedKernel(lambda pair, factor: factor * pair.x.sum())(pair, 2.0) == 6.0
    assert bind_first_arguments(scale_into.py_func, (2.0, pair.x), (pair.y,))(pair.y) == 6.0
