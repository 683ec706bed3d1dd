"""Reference motions: interpolation in closed form, rates, loops and clocks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.core.arrays import FloatArray
from supple.core.curves import shape_of
from supple.core.rotation_rows import invert_rows, log_rows, multiply_rows
from supple.math.curve_layout import SEGMENT_COLUMNS
from supple_bones.coordinate_kernels import integrate_coordinates
from supple_bones.forest import build_forest
from supple_bones.sampling import sample_rotation, sample_specs, sample_state
from supple_motion.sample_kernels import find_rates, sample_track
from supple_motion.segments import Channel, make_segments

SOME_TIMES = np.array([0.2, 0.5, 1.4, 1.6])
seeds = st.integers(0, 2**32 - 1)


def sample(
    times: FloatArray, values: FloatArray, interpolation: str, at: FloatArray, *,
    period: float = 0.0, offset: float = 0.0, speed: float = 1.0,
) -> FloatArray:  # fmt: skip
    """The channel with these knots at the times `at`, one row each."""
    channel = Channel(0, 0, np.asarray(times, float), np.asarray(values, float))
    segments = make_segments(channel, interpolation, period)
    assert segments.shape[1] == SEGMENT_COLUMNS
    track = np.array([[int(channel.turns), 0, 0, len(segments), shape_of(interpolation), 0]])
    clock, found = np.array([[offset, speed, period]]), np.zeros((len(at), channel.values.shape[1]))
    for row, time in zip(found, at, strict=True):
        sample_track(track, clock, segments, 0, float(time), row)
    return found


def angles_between(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.linalg.norm(log_rows(multiply_rows(invert_rows(a), b)), axis=-1)


def test_min_jerk_is_its_polynomial() -> None:
    at = np.linspace(1.0, 3.0, 41)
    u = (at - 1.0) / 2.0
    expected = 0.3 + 0.9 * (10 * u**3 - 15 * u**4 + 6 * u**5)
    found = sample(np.array([1.0, 3.0]), np.array([[0.3], [1.2]]), "min_jerk", at)
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-15)


def test_hermite_passes_parabolas_exactly() -> None:
    at = np.linspace(0.2, 1.6, 57)
    parabola = np.polynomial.Polynomial([0.4, -1.3, 2.1])
    found = sample(SOME_TIMES, parabola(SOME_TIMES)[:, None], "hermite", at)
    np.testing.assert_allclose(found[:, 0], parabola(at), atol=1e-14)


def test_linear_has_the_slope_of_each_segment() -> None:
    values = np.array([[0.0], [3.0], [-1.0], [-1.0]])
    at = np.linspace(0.2, 1.6, 57)
    found = sample(SOME_TIMES, values, "linear", at)
    np.testing.assert_allclose(found[:, 0], np.interp(at, SOME_TIMES, values[:, 0]), atol=1e-14)


@pytest.mark.parametrize("interpolation", ["min_jerk", "hermite", "linear", "catmull_rom", "constant"])
@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_knots_are_met_and_held(interpolation, seed) -> None:
    rng = np.random.default_rng(seed)
    turns = np.array([sample_rotation(rng) for _ in SOME_TIMES])
    found = sample(SOME_TIMES, turns, interpolation, SOME_TIMES)
    assert angles_between(found, turns).max() < 1e-7
    outside = sample(SOME_TIMES, turns, interpolation, np.array([-5.0, 0.1999, 1.6001, 99.0]))
    assert angles_between(outside, turns[[0, 0, 3, 3]]).max() < 1e-7
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-15)


@given(seed=seeds)
@settings(max_examples=50, deadline=None)
def test_linear_rotation_is_a_geodesic_at_constant_speed(seed) -> None:
    rng = np.random.default_rng(seed)
    turns = np.array([sample_rotation(rng), sample_rotation(rng)])
    at = np.linspace(0.5, 1.0, 26)
    found = sample(np.array([0.5, 1.0]), turns, "linear", at)
    steps = log_rows(multiply_rows(invert_rows(found[:-1]), found[1:]))
    np.testing.assert_allclose(steps, np.tile(steps[0], (25, 1)), atol=1e-13)
    assert np.linalg.norm(steps.sum(0)) == pytest.approx(angles_between(turns[:1], turns[1:])[0], abs=1e-12)
    assert np.linalg.norm(steps.sum(0)) <= math.pi + 1e-12


@given(seed=seeds)
@settings(max_examples=50, deadline=None)
def test_hermite_rotation_has_no_kinks(seed) -> None:
    """The angular velocities just before and just after an inner knot agree to the order of the difference."""
    rng = np.random.default_rng(seed)
    turns = [sample_rotation(rng)]
    for _ in range(3):  # neighbours within 2 rad: beyond half a turn the way between them jumps
        axis = rng.normal(size=3)
        half = rng.uniform(0.1, 1.0)
        step = np.concatenate([[np.cos(half)], np.sin(half) * axis / np.linalg.norm(axis)])
        turns.append(multiply_rows(turns[-1], step))
    e = 1e-6
    for knot in (0.5, 1.4):
        a, b, c = sample(SOME_TIMES, np.array(turns), "hermite", np.array([knot - e, knot, knot + e]))
        before, after = (log_rows(multiply_rows(invert_rows(p), q)) / e for p, q in ((a, b), (b, c)))
        np.testing.assert_allclose(before, after, atol=2e-3)


@pytest.mark.parametrize("interpolation", ["hermite", "catmull_rom", "constant"])
def test_rotation_about_one_axis_is_the_scalar_curve(interpolation) -> None:
    angles = np.array([0.1, 0.9, 2.5, 1.0])
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    turns = np.array([[np.cos(a / 2), *(np.sin(a / 2) * axis)] for a in angles])
    at = np.linspace(0.2, 1.6, 57)
    scalar = sample(SOME_TIMES, angles[:, None], interpolation, at)[:, 0]
    turned = sample(SOME_TIMES, turns, interpolation, at)
    np.testing.assert_allclose(log_rows(turned), scalar[:, None] * axis, atol=1e-13)


def test_a_catmull_rom_loop_goes_round_without_a_kink() -> None:
    """Knots on a circle, equally far apart: the same curve from wherever it is begun, and smooth where it closes."""
    times = np.arange(4.0)
    values = np.array([[0.0], [1.0], [0.0], [-1.0]])
    at = np.linspace(0.0, 8.0, 161)
    found = sample(times, values, "catmull_rom", at, period=4.0)[:, 0]
    later = sample(times, np.roll(values, -1, axis=0), "catmull_rom", at, period=4.0)[:, 0]
    np.testing.assert_allclose(found[20:], later[:-20], atol=1e-12)
    e = 1e-6
    before, after = sample(times, values, "catmull_rom", np.array([4.0 - e, 4.0 + e]), period=4.0)[:, 0]
    assert after - before == pytest.approx(2 * e * 1.0, rel=1e-5)  # the slope is (1 - -1) / 2


def test_loop_returns_to_the_first_knot() -> None:
    times, values = np.array([0.0, 0.3, 0.8]), np.array([[1.0], [2.0], [0.0]])
    at = np.array([0.0, 0.3, 0.8, 0.9, 1.0, 1.3, 7.3, -0.1])
    found = sample(times, values, "linear", at, period=1.0)[:, 0]
    np.testing.assert_allclose(found, [1.0, 2.0, 0.0, 0.5, 1.0, 2.0, 2.0, 0.5], atol=1e-12)


def test_looped_hermite_is_smooth_where_it_starts_over() -> None:
    times = np.linspace(0.0, 1.0, 9)[:-1]
    e = 1e-6
    at = np.array([1.0 - e, 1.0, 1.0 + e])
    a, b, c = sample(times, np.sin(2 * np.pi * times)[:, None], "hermite", at, period=1.0)[:, 0]
    assert (b - a) / e == pytest.approx((c - b) / e, abs=1e-3)
    assert (c - b) / e > 5.0


def test_offset_and_speed_move_the_clock() -> None:
    times, values = np.array([0.0, 1.0]), np.array([[0.0], [1.0]])
    found = sample(times, values, "linear", np.array([0.0, 0.1, 0.2]), offset=0.25, speed=2.0)[:, 0]
    np.testing.assert_allclose(found, [0.25, 0.45, 0.65], atol=1e-15)


@given(seed=seeds)
@settings(max_examples=50, deadline=None)
def test_rates_lead_from_now_to_the_target(seed) -> None:
    """The skeleton's own integration of the rates arrives at the target."""
    rng = np.random.default_rng(seed)
    joints = list(rng.permutation(["free", "ball", "hinge", "universal", "slider", "translation", "fixed"]))
    specs = sample_specs(rng, joints, [0] * len(joints))
    forest = build_forest(specs)
    now, v = sample_state(rng, specs)
    then = np.zeros_like(now)
    integrate_coordinates(0.01, forest.bone, now, v, then)
    rates, arrived = np.zeros_like(v), np.zeros_like(now)
    find_rates(0.01, forest.bone, now, then, rates)
    np.testing.assert_allclose(rates, v, atol=1e-11)
    integrate_coordinates(0.01, forest.bone, now, rates, arrived)
    np.testing.assert_allclose(arrived, then, atol=1e-14)
