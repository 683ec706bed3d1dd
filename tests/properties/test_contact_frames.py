"""Frames of contacts: right-handed, and the same for normals that differ by round-off."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_contact.kernels import find_tangents


def frame(normal):
    found = find_tangents(*normal)
    return np.array([normal, found[:3], found[3:]])


def unit(x):
    return np.asarray(x, float) / np.linalg.norm(x)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=200, deadline=None)
def test_frames_are_right_handed(seed):
    axes = frame(unit(np.random.default_rng(seed).normal(size=3)))
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(axes), 1.0, atol=1e-14)


@pytest.mark.parametrize(
    "normal",
    [(0, 1, 0), (1, 0, 0), (0, 0, -1), (1, 1, 0), (0, 1, 1), (1, 0, -1), (1, 1, 1), (2, 1, 1), (1, 2, 1)],
)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_round_off_does_not_turn_a_frame(normal, seed):
    noise = 1e-12 * np.random.default_rng(seed).normal(size=3)
    np.testing.assert_allclose(frame(unit(unit(normal) + noise)), frame(unit(normal)), atol=1e-10)
