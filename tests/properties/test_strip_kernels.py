"""Loops that are written as vectors give the bits of plain loops, and write nothing beyond their room."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit
from supple.math.strip_kernels import (
    LANES,
    SUMS,
    add_six,
    add_three_sixes,
    copy_six,
    subtract_row,
    sum_one_even,
    sum_one_vector,
    sum_two_even,
    sum_two_vectors,
    update_two_by_six,
)
from supple_tasks.factor_kernels import reflect


@njit
def sum_narrow(rows, places, weights, terms, here, sums_out, room):
    """One vector wide."""
    sum_one_vector(rows, places, weights, terms, here, sums_out, room)


@njit
def sum_wide(rows, places, weights, terms, here, sums_out, room):
    """Two vectors wide."""
    sum_two_vectors(rows, places, weights, terms, here, sums_out, room)


@njit
def sum_even(rows, distance, weights, terms, here, sums_out, room):
    """Rows at equal distances, one vector wide."""
    sum_one_even(rows, distance, weights, terms, here, sums_out, room)


@njit
def sum_wide_even(rows, distance, weights, terms, here, sums_out, room):
    """The same, two vectors wide."""
    sum_two_even(rows, distance, weights, terms, here, sums_out, room)


@njit
def subtract(numbers_inout, target, source, count, ratio):
    """A multiple of one row from another."""
    subtract_row(numbers_inout, target, source, count, ratio)


@njit
def update(numbers_inout, target, distance, source, stride, count):
    """Six rows from two others."""
    update_two_by_six(numbers_inout, target, distance, source, stride, count)


@njit
def add_sixes(numbers_inout, others, a, b, c):
    """Six numbers are copied to 6, then added to at 20, and three rows of six are to 40."""
    copy_six(numbers_inout, 6, others, 3)
    add_six(numbers_inout, 20, others, 5)
    add_three_sixes(numbers_inout, 40, others, 7, a, b, c)


def sum_plainly(rows: FloatArray, places: IntArray, weights: FloatArray, here: int, width: int) -> FloatArray:
    sums = np.zeros((SUMS, width))
    for k, place in enumerate(places):
        for e in range(SUMS):
            for i in range(width):
                sums[e, i] = sums[e, i] + weights[k, e] * rows[place + here + i]
    return sums


@settings(deadline=None)  # the first call compiles
@given(st.integers(0, 12), st.integers(0, 9), st.sampled_from([1, 2]), st.integers(0, 2**32 - 1))
def test_sums_are_those_of_plain_loops(terms: int, here: int, vectors: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    width, length = vectors * LANES, 40
    room = here + width + 5
    rows, weights = draw.normal(size=(terms + 1) * length), draw.normal(size=(terms + 1, SUMS))
    places = draw.permutation(terms).astype(np.int64) * length
    sums = np.full(SUMS * room, 7.0)
    (sum_narrow, sum_wide)[vectors - 1](rows, np.append(places, 0), weights, terms, here, sums, room)
    kept = sums.reshape(SUMS, room)
    assert np.array_equal(kept[:, here : here + width], sum_plainly(rows, places, weights, here, width))
    assert (kept[:, :here] == 7.0).all()
    assert (kept[:, here + width :] == 7.0).all()
    sums[:] = 7.0
    (sum_even, sum_wide_even)[vectors - 1](rows, length, weights, terms, here, sums, room)
    even = np.arange(terms, dtype=np.int64) * length
    assert np.array_equal(kept[:, here : here + width], sum_plainly(rows, even, weights, here, width))
    assert (kept[:, here + width :] == 7.0).all()


@settings(deadline=None)  # the first call compiles
@given(st.integers(0, 30), st.floats(-10, 10), st.integers(0, 2**32 - 1))
def test_a_row_is_subtracted_up_to_a_whole_vector(count: int, ratio: float, seed: int) -> None:
    numbers = np.random.default_rng(seed).normal(size=200)
    before, written = numbers.copy(), -(-count // LANES) * LANES
    subtract(numbers, 100, 10, count, ratio)
    expected = before.copy()
    for i in range(written):
        expected[100 + i] = before[100 + i] - ratio * before[10 + i]
    assert np.array_equal(numbers, expected)


@settings(deadline=None)  # the first call compiles
@given(st.integers(0, 30), st.integers(0, 2**32 - 1))
def test_six_rows_are_taken_from_two_up_to_whole_vectors(count: int, seed: int) -> None:
    numbers = np.random.default_rng(seed).normal(size=700)
    before, written = numbers.copy(), -(-count // LANES) * LANES
    update(numbers, 400, 100, 10, 50, count)
    expected = before.copy()
    for goal in (400, 500):
        for i in range(written):
            total = before[goal - 6] * before[10 + i]
            for k in range(1, 6):
                total = total + before[goal - 6 + k] * before[10 + 50 * k + i]
            expected[goal + i] = before[goal + i] - total
    assert np.array_equal(numbers, expected)


@settings(deadline=None)  # the first call compiles
@given(st.tuples(*[st.floats(-10, 10)] * 3), st.integers(0, 2**32 - 1))
def test_six_numbers_are_copied_and_added(weights: tuple[float, float, float], seed: int) -> None:
    draw = np.random.default_rng(seed)
    numbers, others = draw.normal(size=60), draw.normal(size=40)
    expected = numbers.copy()
    expected[6:12] = others[3:9]
    expected[20:26] += others[5:11]
    a, b, c = weights
    expected[40:46] += a * others[7:13] + b * others[13:19] + c * others[19:25]
    add_sixes(numbers, others, *weights)
    assert np.array_equal(numbers, expected)


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 12), st.integers(1, 45), st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_reflections_are_those_of_plain_loops(length: int, count: int, start: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    start, offset, j = min(start, count - 1), int(draw.integers(3)), int(draw.integers(length))
    A, V = draw.normal(size=(offset + length + 1, count + LANES)), draw.normal(size=(length, length))
    V[j, :j], before = 0.0, A.copy()
    reflect(V, j, offset, length, start, count, A)
    for i in range(start, count):
        total = 0.0
        for k in range(j, length):
            total = total + V[j, k] * before[offset + k, i]
        for k in range(j, length):
            before[offset + k, i] = before[offset + k, i] - V[j, k] * total
    assert (A[:, :count] == before[:, :count]).all()
    untouched = np.ones(len(A), bool)
    untouched[offset + j : offset + length] = False
    assert (A[untouched] == before[untouched]).all()
