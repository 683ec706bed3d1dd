"""Points on surfaces: the nearest one by its optimality condition, and sides of contacts sorted by surface."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from supple.mechanics.point_kernels import find_nearest_point, place_point, select_carried, sort_sides
from supple.mechanics.points import make_points

COORDINATE = st.floats(-2.0, 2.0, allow_nan=False).map(lambda value: round(value, 3))
TRIANGLES = np.array([[0, 1, 2], [2, 1, 3], [3, 4, 0]])


@settings(max_examples=200, deadline=None)
@given(arrays(np.float64, (5, 3), elements=COORDINATE), arrays(np.float64, 3, elements=COORDINATE))
def test_the_nearest_point_is_the_projection_on_a_triangle(x, place) -> None:
    """p* is nearest in a convex set if (p - p*) . (y - p*) <= 0 for its corners y; and no other triangle is nearer."""
    weights, point = np.zeros(3), np.zeros(3)
    element = find_nearest_point(TRIANGLES, x, place, weights)
    assert weights.min() >= 0.0
    assert abs(weights.sum() - 1.0) < 1e-12
    place_point(TRIANGLES, x, element, weights, point)
    slack = (x[TRIANGLES[element]] - point) @ (place - point)
    assert slack.max() <= 1e-9
    far = np.linalg.norm(place - point)
    shares = np.array([(i, j, 12 - i - j) for i in range(13) for j in range(13 - i)]) / 12
    for triangle in TRIANGLES:
        assert np.linalg.norm(shares @ x[triangle] - place, axis=1).min() >= far - 1e-9


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 20), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_sides_are_sorted_by_surface_and_keep_their_order(count, surfaces, seed) -> None:
    rng = np.random.default_rng(seed)
    n = max(count, 1)
    surface, element = rng.integers(0, surfaces, (n, 2)), rng.integers(0, 9, (n, 2))
    weights, point = rng.normal(size=(n, 2, 3)), rng.normal(size=(n, 2, 3))
    group, directions = rng.permutation(n), rng.normal(size=(n, 3, 3))
    span, points = np.zeros((surfaces, 2), np.int64), make_points(2 * n)
    sort_sides(np.array([count]), surface, element, weights, point, group, directions, span, points)
    assert span[0, 0] == 0
    assert span[-1, 1] == 2 * count
    for number in range(surfaces):
        sides = [(c, side) for c in range(count) for side in range(2) if surface[c, side] == number]
        first, last = span[number]
        assert last - first == len(sides)
        for k, (c, side) in enumerate(sides, first):
            assert (points.group[k], points.element[k]) == (group[c], element[c, side])
            assert points.sign[k] == 1 - 2 * side
            np.testing.assert_array_equal(points.weights[k], weights[c, side])
            np.testing.assert_array_equal(points.point[k], point[c, side])
            np.testing.assert_array_equal(points.directions[k], directions[c])


def test_only_the_points_in_the_span_and_of_the_carrier_are_taken() -> None:
    points = make_points(5)
    points.span[:] = 1, 4
    points.group[:], points.element[:], points.sign[:] = range(5), [0, 1, 2, 1, 1], 1.0
    carrier, frame = np.array([3, 3, -1]), np.array([7, 8, 0])
    integers, floats = (np.zeros(5, np.int64), np.zeros(5, np.int64)), (np.zeros(5), np.zeros((5, 3)))
    found = select_carried(carrier, frame, 3, points, *integers, *floats, np.zeros((5, 3, 3)))
    assert found == 2
    assert integers[0][:2].tolist() == [1, 3]
    assert integers[1][:2].tolist() == [8, 8]
