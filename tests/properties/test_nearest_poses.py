"""The nearest pose of a library: the closed form against a search, and what it must not depend on."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_tasks.nearest_kernels import centre_markers, choose_pose, measure_poses
from supple_tasks.records import Shelf


def make_shelf(markers, weight):
    """A shelf of poses given by their markers [poses, markers, 3]."""
    markers, count = markers.copy(), len(weight)
    square = np.array([centre_markers(weight, each) for each in markers])
    x, y, z = (np.ascontiguousarray((weight * markers[:, :, k]).T) for k in range(3))
    frames = len(markers)
    return Shelf(
        marker=np.zeros(count, np.int64), offset=np.zeros((count, 3)), weight=weight, x=x, y=y, z=z,
        square=square, pose=np.zeros((frames, 1)), place=np.zeros((count, 3)), along=np.zeros(frames),
        across=np.zeros(frames), distance=np.zeros(frames), target=np.zeros(1),
    )  # fmt: skip


def measure(shelf, place):
    shelf.place[:] = place
    measure_poses(shelf)
    return shelf.distance.copy()


def move(place, angle, shift):
    """Turned about the vertical, then shifted along the ground."""
    c, s = math.cos(angle), math.sin(angle)
    turned = place @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    return turned + np.array([shift[0], 0.0, shift[1]])


def search(place, other, weight):
    """The least weighted square distance over all turns, each with its best shift, by a fine search."""

    def at(angle):
        turned = move(other, angle, (0.0, 0.0))
        apart = place - turned
        apart[:, [0, 2]] -= np.average(apart[:, [0, 2]], axis=0, weights=weight)
        return float((weight * (apart**2).sum(axis=1)).sum())

    angles = np.linspace(-math.pi, math.pi, 181)
    best = angles[np.argmin([at(angle) for angle in angles])]
    low, high = best - 0.05, best + 0.05
    for _ in range(60):
        one, two = low + (high - low) / 3.0, high - (high - low) / 3.0
        low, high = (low, two) if at(one) < at(two) else (one, high)
    return at(0.5 * (low + high))


clouds = {"seed": st.integers(0, 2**32 - 1), "count": st.integers(2, 20)}


@settings(max_examples=25, deadline=None)
@given(**clouds)
def test_the_closed_form_is_the_least_distance(seed, count):
    rng = np.random.default_rng(seed)
    poses, weight, place = (
        rng.normal(size=(3, count, 3)),
        rng.uniform(0.1, 3.0, count),
        rng.normal(size=(count, 3)),
    )
    found = measure(make_shelf(poses, weight), place)
    for value, pose in zip(found, poses, strict=True):
        assert value == pytest.approx(search(place, pose, weight), rel=1e-7, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(**clouds, angle=st.floats(-10, 10), shift=st.tuples(st.floats(-50, 50), st.floats(-50, 50)))
def test_shifts_and_vertical_turns_change_nothing(seed, count, angle, shift):
    rng = np.random.default_rng(seed)
    poses, weight, place = (
        rng.normal(size=(9, count, 3)),
        rng.uniform(0.1, 3.0, count),
        rng.normal(size=(count, 3)),
    )
    shelf = make_shelf(poses, weight)
    here, there = measure(shelf, place), measure(shelf, move(place, angle, shift))
    assert there == pytest.approx(here, rel=1e-9, abs=1e-9)
    moved = make_shelf(np.array([move(pose, angle, shift) for pose in poses]), weight)
    assert measure(moved, place) == pytest.approx(here, rel=1e-9, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(**clouds, angle=st.floats(-10, 10), lift=st.floats(0.1, 1.0))
def test_a_pose_of_the_library_is_found_and_height_counts(seed, count, angle, lift):
    rng = np.random.default_rng(seed)
    poses, weight = rng.normal(size=(9, count, 3)), np.ones(count)
    chosen = int(rng.integers(9))
    distance = measure(make_shelf(poses, weight), move(poses[chosen], angle, (3.0, -2.0)))
    assert choose_pose(distance)[0] == chosen
    assert distance[chosen] == pytest.approx(0.0, abs=1e-9)
    higher = measure(make_shelf(poses, weight), poses[chosen] + np.array([0.0, lift, 0.0]))
    assert higher[chosen] == pytest.approx(count * lift * lift, rel=1e-6)


def test_between_poses_the_choice_moves_on_smoothly():
    at = np.arange(5.0)
    for place in np.linspace(0.6, 3.4, 30):
        best, share = choose_pose((at - place) ** 2)
        assert best + share == pytest.approx(place)
