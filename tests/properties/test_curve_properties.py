"""Curves through keys: what they pass, how smooth they are, and their derivatives."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicHermiteSpline

from supple.core.arrays import FloatArray
from supple.core.component import read_component
from supple.core.curves import Curve, read_curve, shape_of
from supple.math.curve_kernels import sample_curve

KINDS = ("linear", "min_jerk", "hermite", "catmull_rom", "constant")
numbers = st.floats(-10, 10)
gaps = st.floats(0.05, 3.0)


@st.composite
def keys(draw: st.DrawFn, least: int = 2, *, even: bool = False) -> list[tuple[float, float]]:
    """Keys of one number, in the order of their times."""
    count = draw(st.integers(least, 7))
    steps = [draw(gaps)] * count if even else draw(st.lists(gaps, min_size=count, max_size=count))
    times = draw(numbers) + np.cumsum(steps)
    return [(float(at), draw(numbers)) for at in times]


def sample(curve: Curve, at: float, number: int = 0) -> FloatArray:
    """Value, rate and acceleration of one number of the curve."""
    segments = read_curve(curve)[number]
    return np.array(sample_curve(shape_of(curve.interpolation), 0, len(segments), segments, float(at)))


def inside(curve: Curve) -> list[float]:
    """Times within the segments, away from the knots."""
    at = np.array([key[0] for key in curve.keys])
    return [a + part * (b - a) for a, b in pairwise(at) for part in (0.1, 0.37, 0.5, 0.8)]


def around(curve: Curve) -> list[tuple[FloatArray, FloatArray, float]]:
    """For every inner knot the values just before and after it, and how far apart these are."""
    at = np.array([key[0] for key in curve.keys])
    found = []
    for k in range(1, len(at) - 1):
        e = 1e-7 * min(at[k] - at[k - 1], at[k + 1] - at[k])
        found.append((sample(curve, at[k] - e), sample(curve, at[k] + e), e))
    return found


@pytest.mark.parametrize("kind", KINDS)
@given(given_keys=keys(1))
@settings(max_examples=40, deadline=None)
def test_a_curve_passes_its_keys_and_holds_outside(kind, given_keys) -> None:
    curve = Curve(keys=given_keys, interpolation=kind)
    for at, value in given_keys:
        assert sample(curve, at)[0] == pytest.approx(value, abs=1e-12)
    for at, value in (
        (given_keys[0][0] - 1.0, given_keys[0][1]),
        (given_keys[-1][0] + 1.0, given_keys[-1][1]),
    ):
        np.testing.assert_allclose(sample(curve, at), [value, 0.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(given_keys=keys())
@settings(max_examples=40, deadline=None)
def test_derivatives_are_those_of_the_value(kind, given_keys) -> None:
    curve = Curve(keys=given_keys, interpolation=kind)
    span = min(b[0] - a[0] for a, b in pairwise(given_keys))
    e = 1e-5 * span
    for at in inside(curve):
        before, here, after = sample(curve, at - e), sample(curve, at), sample(curve, at + e)
        scale = 100.0 / span  # no value is above 10, and no derivative is much above value / span^k
        assert here[1] == pytest.approx((after[0] - before[0]) / (2 * e), abs=1e-6 * scale)
        assert here[2] == pytest.approx((after[1] - before[1]) / (2 * e), abs=1e-5 * scale / span)


@given(given_keys=keys(3))
@settings(max_examples=40, deadline=None)
def test_min_jerk_rests_at_every_key(given_keys) -> None:
    """Rate and acceleration are zero there from both sides, so both are continuous."""
    curve = Curve(keys=given_keys, interpolation="min_jerk")
    for at, _ in given_keys:
        assert sample(curve, at)[1:] == pytest.approx([0.0, 0.0], abs=1e-9)
    for before, after, _ in around(curve):
        span = min(b[0] - a[0] for a, b in pairwise(given_keys))
        np.testing.assert_allclose(before[1:], after[1:], atol=1e-3 / span**2)


@given(given_keys=keys(3))
@settings(max_examples=40, deadline=None)
def test_hermite_is_the_spline_of_parabolas(given_keys) -> None:
    """scipy's cubic through the same keys, with the rates that numpy finds by parabolas."""
    times, values = np.array(given_keys).T
    spline = CubicHermiteSpline(times, values, np.gradient(values, times, edge_order=2))
    curve = Curve(keys=given_keys, interpolation="hermite")
    for at in inside(curve):
        exact = [spline(at), spline(at, 1), spline(at, 2)]
        np.testing.assert_allclose(sample(curve, at), exact, rtol=1e-9, atol=1e-6)
    for before, after, _ in around(curve):
        assert before[1] == pytest.approx(after[1], abs=1e-3 * (1.0 + abs(before[1])))


@given(given_keys=keys(2), first=numbers, last=numbers)
@settings(max_examples=40, deadline=None)
def test_hermite_takes_the_rates_at_its_ends(given_keys, first, last) -> None:
    curve = Curve(keys=given_keys, interpolation="hermite", start_rate=first, end_rate=last)
    assert sample(curve, given_keys[0][0])[1] == pytest.approx(first, abs=1e-9)
    assert sample(curve, given_keys[-1][0])[1] == pytest.approx(last, abs=1e-6)
    if len(given_keys) == 2:
        times, values = np.array(given_keys).T
        spline = CubicHermiteSpline(times, values, [first, last])
        for at in inside(curve):
            assert sample(curve, at)[0] == pytest.approx(float(spline(at)), abs=1e-9)


@given(given_keys=keys(2))
@settings(max_examples=40, deadline=None)
def test_catmull_rom_is_its_matrix(given_keys) -> None:
    """The published basis on four neighbouring values, with the end values doubled, whatever the times."""
    basis = 0.5 * np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]])
    times, values = np.array(given_keys).T
    padded = np.concatenate([values[:1], values, values[-1:]])
    curve = Curve(keys=given_keys, interpolation="catmull_rom")
    for at in inside(curve):
        k = int(np.searchsorted(times, at)) - 1
        u = (at - times[k]) / (times[k + 1] - times[k])
        exact = np.array([1.0, u, u**2, u**3]) @ basis @ padded[k : k + 4]
        assert sample(curve, at)[0] == pytest.approx(exact, abs=1e-11)


@given(given_keys=keys(3, even=True))
@settings(max_examples=40, deadline=None)
def test_catmull_rom_has_no_kinks_between_equal_times(given_keys) -> None:
    curve = Curve(keys=given_keys, interpolation="catmull_rom")
    for before, after, _ in around(curve):
        assert before[1] == pytest.approx(after[1], abs=1e-3 * (1.0 + abs(before[1])))


def test_a_vector_has_a_curve_for_each_number() -> None:
    curve = Curve(keys=((0.0, 1.0, 2.0, 3.0), (2.0, 5.0, 2.0, -3.0)), interpolation="linear")
    assert [sample(curve, 1.0, k)[0] for k in range(3)] == [3.0, 2.0, 0.0]
    assert [sample(curve, 1.0, k)[1] for k in range(3)] == [2.0, 0.0, -3.0]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"keys": []}, "at least 1"),
        ({"keys": [[0.0]]}, "a key has no value; write"),
        ({"keys": [[0, 1], [0, 2]]}, "keys[1] at 0 is not later than keys[0] at 0; write keys in the order"),
        ({"keys": [[1, 1], [0.5, 2]]}, "keys[1] at 0.5 is not later"),
        ({"keys": [[0, 1], [1, 2, 3]]}, "keys have 1 and 2 values; give all the same number"),
        ({"keys": [[0, float("inf")]]}, "finite"),
        ({"keys": [[float("nan"), 1]]}, "finite"),
        ({"keys": [[0, 1], [1, 2]], "start_rate": 1.0}, "start_rate is for hermite curves; set"),
        (
            {"keys": [[0, 1], [1, 2]], "interpolation": "hermite", "end_rate": [1, 2]},
            "another number of values",
        ),
        ({"keys": [[0, 1]], "interpolation": "cubic"}, "'min_jerk', 'hermite', 'catmull_rom'"),
    ],
)
def test_bad_keys_are_refused(table, words) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        read_component(Curve, table)
    assert words in str(caught.value)
