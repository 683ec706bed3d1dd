"""Weights of skins, and differences of coordinates, for any geometry."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from supple.core.pose import rotate
from supple_bones.coordinate_kernels import add_joint, subtract_joint
from supple_bones.layout import BALL, FREE, HINGE
from supple_skin.weights import CUT, INFLUENCES, find_segments, find_weights

SEEDS = st.integers(0, 10**6)


def random_limbs(rng, bones):
    """Origins of a random tree of bones, its parents, and vertices around it."""
    parent = [-1] + [int(rng.integers(0, k)) for k in range(1, bones)]
    origin = np.zeros((bones, 3))
    for bone in range(1, bones):
        origin[bone] = origin[parent[bone]] + rng.normal(0, 0.05, 3)
    vertices = origin[rng.integers(0, bones, 60)] + rng.normal(0, 0.02, (60, 3))
    return origin, parent, vertices


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, bones=st.integers(1, 9))
def test_weights_are_shares_of_few_bones(seed, bones):
    origin, parent, vertices = random_limbs(np.random.default_rng(seed), bones)
    weights = find_weights(vertices, find_segments(origin, parent, vertices), bones)
    assert weights.min() >= 0.0
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-12)
    assert np.count_nonzero(weights, axis=1).max() <= min(INFLUENCES, bones)
    positive = np.where(weights > 0, weights, np.inf).min(axis=1)
    assert (positive >= CUT * weights.max(axis=1) * (1 - 1e-12)).all()


@settings(max_examples=30, deadline=None)
@given(seed=SEEDS, scale=st.floats(0.1, 10.0))
def test_weights_do_not_depend_on_where_the_limbs_are_and_how_large(seed, scale):
    rng = np.random.default_rng(seed)
    origin, parent, vertices = random_limbs(rng, 5)
    turn = rng.normal(size=4)
    turn /= np.linalg.norm(turn)
    moved = [scale * rotate(turn, points) + 0.3 for points in (origin, vertices)]
    before = find_weights(vertices, find_segments(origin, parent, vertices), 5)
    after = find_weights(moved[1], find_segments(moved[0], parent, moved[1]), 5)
    # A share at the cut may fall on either side of it.
    same = np.abs(before - after).max(axis=1) < 1e-6
    assert same.mean() > 0.95
    np.testing.assert_allclose(after, before, atol=1.1 * CUT)


@settings(max_examples=40, deadline=None)
@given(along=st.floats(0.0, 0.2), radius=st.floats(0.005, 0.02), angle=st.floats(0, 6.28))
def test_two_bones_share_by_the_integral_and_only_near_their_joint(along, radius, angle):
    origin, parent = np.array([[0.0, 0, 0], [0, 0.1, 0]]), [-1, 0]
    vertex = np.array([radius * np.cos(angle), along, radius * np.sin(angle)])
    skin = np.stack([vertex, [0.0, 0.2, 0.0]])
    weights = find_weights(skin, find_segments(origin, parent, skin), 2)[0]

    def share(low, high):
        return quad(lambda s: np.exp(-((along - s) ** 2) / (2 * radius**2)), low, high, epsabs=1e-14)[0]

    first, second = share(0.0, 0.1), share(0.1, 0.2)
    expected = np.array([first, second]) / (first + second)
    expected[expected < CUT * expected.max()] = 0.0
    np.testing.assert_allclose(weights, expected / expected.sum(), atol=1e-6)
    if abs(along - 0.1) > 2.5 * radius:
        assert weights.max() == 1.0, "far from the joint one bone carries the vertex alone"


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, joint=st.sampled_from([(HINGE, 1, 1), (BALL, 4, 3), (FREE, 7, 6)]))
def test_adding_a_difference_leads_to_where_it_was_measured(seed, joint):
    code, coordinates, rates = joint
    rng = np.random.default_rng(seed)
    q, other = rng.normal(size=(2, coordinates))
    if coordinates >= 4:
        for each in (q, other):
            each[-4:] /= np.linalg.norm(each[-4:])
    difference, reached = np.zeros(rates), np.zeros(coordinates)
    subtract_joint(code, 0, 0, rates, other, q, difference)
    add_joint(code, 0, 0, rates, q, 1.0, difference, reached)
    if coordinates >= 4 and reached[-4:] @ other[-4:] < 0:
        reached[-4:] *= -1.0  # the same rotation
    np.testing.assert_allclose(reached, other, atol=1e-12)
    back = np.zeros(rates)
    subtract_joint(code, 0, 0, rates, q, other, back)
    np.testing.assert_allclose(back, -difference, atol=1e-9)
