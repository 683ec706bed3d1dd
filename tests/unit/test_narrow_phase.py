"""Contacts of primitives whose answer is known in closed form."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from supple_collide.kernel_arrays import Shapes
from supple_collide.primitives.narrow_kernels import find_contacts
from supple_collide.primitives.oracle import Shape
from supple_collide.scratch import make_manifold
from supple_collide.shape_kinds import BOX, CAPSULE, PLANE, SPHERE

UP = np.array([0.0, 1.0, 0.0])


def place(kind, size, x=(0.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0)):
    """A shape of the given kind; `turn` is a rotation vector [rad]."""
    padded = np.zeros(3)
    padded[: len(size)] = size
    q = np.roll(Rotation.from_rotvec(turn).as_quat(), 1)
    return Shape(kind, padded, np.array(x, float), q)


def collide(shapes, reach=0.01, capacity=64):
    """All contacts among the shapes as (needed, shape, feature, point, normal, gap)."""
    pairs = np.array([(i, j) for i in range(len(shapes)) for j in range(i + 1, len(shapes))])
    outputs = (
        np.full((capacity, 2), -1),
        np.full(capacity, -1),
        np.full((capacity, 2, 3), np.nan),
        np.full((capacity, 3), np.nan),
        np.full(capacity, np.nan),
    )
    placed = Shapes(
        kind=np.array([shape.kind for shape in shapes]),
        size=np.array([shape.size for shape in shapes]),
        x=np.array([shape.x for shape in shapes]),
        q=np.array([shape.q for shape in shapes]),
        reach=np.full(len(shapes), reach / 2),
        rotation=Rotation.from_quat([shape.q for shape in shapes], scalar_first=True).as_matrix(),
    )
    needed = find_contacts(placed, pairs, len(pairs), make_manifold(), *outputs)
    return needed, *(values[:needed] for values in outputs)


def sort_points(points):
    return points[np.lexsort(np.round(points, 9).T)]


@pytest.mark.parametrize("offset", [0.0, -1e-3, 5e-3])
def test_equal_boxes_stacked_touch_in_four_corners(offset):
    lower = place(BOX, (0.5, 0.25, 0.4), (0.3, 0.25, -0.2))
    upper = place(BOX, (0.5, 0.25, 0.4), (0.3, 0.75 + offset, -0.2))
    needed, shape, feature, point, normal, gap = collide([lower, upper])
    assert needed == 4
    assert np.all(shape == (0, 1))
    assert len(set(feature)) == 4
    np.testing.assert_array_equal(normal, np.tile(-UP, (4, 1)))
    np.testing.assert_allclose(gap, offset, rtol=0, atol=1e-15)
    corners = [(0.3 + sx * 0.5, 0.5, -0.2 + sz * 0.4) for sx in (-1, 1) for sz in (-1, 1)]
    np.testing.assert_allclose(sort_points(point[:, 0]), sort_points(np.array(corners)), rtol=0, atol=1e-15)


def test_features_survive_rounding():
    lower = place(BOX, (0.5, 0.5, 0.5))
    seen = set()
    for jitter in np.random.default_rng(3).normal(size=(50, 6)) * 1e-9:
        upper = place(BOX, (0.5, 0.5, 0.5), UP + jitter[:3], jitter[3:])
        needed, _, feature, *_ = collide([lower, upper])
        assert needed == 4
        seen.add(tuple(sorted(feature)))
    assert len(seen) == 1


@pytest.mark.parametrize("angle", [1e-12, 1e-6, 1e-4, 1e-2, 0.1, 0.5])
def test_turning_about_the_normal_keeps_the_corners_of_the_common_area(angle):
    lower = place(BOX, (0.5, 0.5, 0.5))
    upper = place(BOX, (0.5, 0.5, 0.5), (0.0, 1.0, 0.0), angle * UP)
    needed, _, feature, point, normal, gap = collide([lower, upper])
    assert needed in (4, 8)
    assert len(set(feature)) == needed
    np.testing.assert_allclose(gap, 0.0, atol=1e-15)
    np.testing.assert_allclose(normal, np.tile(-UP, (needed, 1)), atol=1e-15)
    # Square and turned square meet in an octagon; at its corners a side of one meets a side of the other.
    radius = 0.5 / np.cos(np.pi / 4 - angle / 2)
    np.testing.assert_allclose(np.max(np.linalg.norm(point[:, 0] - 0.5 * UP, axis=1)), radius, atol=2e-5)


def test_boxes_turned_by_an_eighth_touch_in_an_octagon():
    lower, upper = (
        place(BOX, (0.5, 0.5, 0.5)), place(BOX, (0.5, 0.5, 0.5), (0.0, 1.0, 0.0), np.pi / 4 * UP)
    )  # fmt: skip
    needed, _, feature, point, _, gap = collide([lower, upper])
    assert needed == 8
    assert len(set(feature)) == 8
    np.testing.assert_allclose(gap, 0.0, atol=1e-15)
    radius = np.linalg.norm(point[:, 0, [0, 2]], axis=1)
    np.testing.assert_allclose(radius, 0.5 / np.cos(np.pi / 8), rtol=2e-5)


def test_small_tilt_keeps_all_contacts_of_bricks_in_bond():
    # Offset along both axes, so that an edge normal parts the boxes best; the faces still rest on each other.
    lower = place(BOX, (0.5, 0.5, 0.5))
    upper = place(BOX, (0.5, 0.5, 0.5), (0.3, 1.0, -0.2), (1e-4, 0.0, 1e-4))
    needed, _, _, point, _, _ = collide([lower, upper])
    assert needed == 4
    np.testing.assert_allclose(np.ptp(point[:, 0], axis=0)[[0, 2]], (0.7, 0.8), atol=1e-3)


@pytest.mark.parametrize("gap", [-0.02, 0.02])
def test_crossed_edges(gap):
    # Two cubes stand on an edge each, the edges crossing at a right angle.
    lower = place(BOX, (0.5, 0.5, 0.5), (0.0, 0.0, 0.0), (0.0, 0.0, np.pi / 4))
    upper = place(BOX, (0.5, 0.5, 0.5), (0.1, np.sqrt(2.0) + gap, 0.2), (np.pi / 4, 0.0, 0.0))
    needed, _, _, point, normal, found = collide([lower, upper], reach=0.1)
    assert needed == 1
    np.testing.assert_allclose(found, gap, atol=1e-14)
    np.testing.assert_allclose(normal[0], -UP, atol=1e-14)
    height = np.sqrt(0.5)
    np.testing.assert_allclose(point[0], [[0.0, height, 0.2], [0.0, height + gap, 0.2]], atol=1e-14)


def test_boxes_that_pass_corner_to_corner_have_their_true_distance():
    one, other = place(BOX, (0.5, 0.5, 0.5)), place(BOX, (0.5, 0.5, 0.5), (1.02, 1.01, 1.02))
    needed, _, _, point, normal, gap = collide([one, other], reach=0.1)
    assert needed == 1
    np.testing.assert_allclose(gap, 0.03, atol=1e-14)
    np.testing.assert_allclose(normal[0], np.array([-2.0, -1.0, -2.0]) / 3.0, atol=1e-12)
    np.testing.assert_allclose(point[0, 0], (0.5, 0.5, 0.5), atol=1e-14)
    assert collide([one, other], reach=0.029)[0] == 0


def test_plane_meets_corners_within_reach():
    plane = place(PLANE, (0.0,), (0.0, 0.1, 0.0))
    flat = place(BOX, (0.5, 0.2, 0.3), (2.0, 0.3, 1.0))
    needed, _, feature, point, normal, gap = collide([flat, plane])
    assert needed == 4
    assert len(set(feature)) == 4
    np.testing.assert_allclose(gap, 0.0, atol=1e-15)
    np.testing.assert_allclose(point[:, :, 1], 0.1, atol=1e-15)
    np.testing.assert_array_equal(normal, np.tile(UP, (4, 1)))
    assert np.all(collide([plane, flat])[4] == -UP)
    assert collide([flat, plane], reach=1.0)[0] == 8


def test_capsule_lies_on_a_plane_and_on_a_box():
    lying = place(CAPSULE, (0.1, 0.4), (0.0, 0.1, 0.0), (0.0, 0.0, np.pi / 2))
    for ground in (place(PLANE, (0.0,)), place(BOX, (5.0, 1.0, 5.0), (0.0, -1.0, 0.0))):
        needed, _, feature, point, normal, gap = collide([lying, ground])
        assert needed == 2
        assert len(set(feature)) == 2
        np.testing.assert_allclose(gap, 0.0, atol=1e-15)
        np.testing.assert_allclose(normal, np.tile(UP, (2, 1)), atol=1e-15)
        np.testing.assert_allclose(sorted(point[:, 1, 0]), (-0.4, 0.4), atol=1e-15)


def test_capsule_overhanging_a_box_touches_to_its_rim():
    lying = place(CAPSULE, (0.1, 0.8), (0.6, 0.6, 0.0), (0.0, 0.0, np.pi / 2))
    needed, _, _, point, _, gap = collide([lying, place(BOX, (0.5, 0.5, 0.5))])
    assert needed == 2
    np.testing.assert_allclose(gap, 0.0, atol=1e-15)
    np.testing.assert_allclose(sorted(point[:, 1, 0]), (-0.2, 0.5), atol=1e-15)


def test_capsule_along_an_edge_of_a_box_touches_twice():
    along = place(CAPSULE, (0.1, 2.0), (0.5 + 0.1 * 0.6, 0.0, 0.5 + 0.1 * 0.8))
    needed, _, _, point, normal, gap = collide([along, place(BOX, (0.5, 0.3, 0.5))])
    assert needed == 2
    np.testing.assert_allclose(gap, 0.0, atol=1e-14)
    np.testing.assert_allclose(normal, np.tile([0.6, 0.0, 0.8], (2, 1)), atol=1e-14)
    np.testing.assert_allclose(sorted(point[:, 1, 1]), (-0.3, 0.3), atol=1e-14)


def test_parallel_capsules_touch_at_the_ends_of_their_overlap():
    one = place(CAPSULE, (0.1, 1.0))
    other = place(CAPSULE, (0.2, 0.5), (0.3, 0.8, 0.0), (np.pi, 0.0, 0.0))
    needed, _, feature, point, normal, gap = collide([one, other])
    assert needed == 2
    assert len(set(feature)) == 2
    np.testing.assert_allclose(gap, 0.0, atol=1e-15)
    np.testing.assert_allclose(normal, np.tile([-1.0, 0.0, 0.0], (2, 1)), atol=1e-15)
    np.testing.assert_allclose(sorted(point[:, 0, 1]), (0.3, 1.0), atol=1e-15)


def test_slightly_crossed_capsules_keep_their_deepest_point():
    one = place(CAPSULE, (0.1, 1.0))
    other = place(CAPSULE, (0.1, 1.0), (0.2, 0.0, 0.0), (0.05, 0.0, 0.0))
    needed, _, feature, _, _, gap = collide([one, other])
    assert needed == 3
    assert len(set(feature)) == 3
    assert np.min(gap) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    ("centre", "normal", "gap"),
    [
        ((0.0, 0.45, 0.1), (0.0, 1.0, 0.0), -0.05 - 0.2),
        ((-0.48, 0.45, 0.1), (-1.0, 0.0, 0.0), -0.02 - 0.2),
        ((0.0, 0.6, 0.1), (0.0, 1.0, 0.0), 0.1 - 0.2),
        ((0.53, 0.54, 0.1), (0.6, 0.8, 0.0), 0.05 - 0.2),
    ],
)
def test_sphere_in_and_at_a_box(centre, normal, gap):
    needed, _, _, _, found_normal, found_gap = collide(
        [place(SPHERE, (0.2,), centre), place(BOX, (0.5, 0.5, 0.5))]
    )
    assert needed == 1
    np.testing.assert_allclose(found_normal[0], normal, atol=1e-14)
    np.testing.assert_allclose(found_gap[0], gap, atol=1e-14)


def test_shapes_with_one_centre_still_get_a_normal():
    middle = np.array([0.3, 0.2, 0.1])
    shapes = [
        place(SPHERE, (0.2,), middle),
        place(SPHERE, (0.1,), middle),
        place(CAPSULE, (0.1, 0.5), middle),
        place(CAPSULE, (0.1, 0.4), middle),
        place(BOX, (0.5, 0.4, 0.3), middle),
        place(BOX, (0.5, 0.4, 0.3), middle),
    ]
    needed, shape, _, point, normal, gap = collide(shapes, capacity=200)
    assert {tuple(pair) for pair in shape} == {(i, j) for i in range(6) for j in range(i + 1, 6)}
    assert needed > 15
    assert np.all(gap < 0.0)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, atol=1e-15)
    assert np.all(np.isfinite(point))


def test_what_does_not_fit_is_counted_but_not_written():
    lower, upper = place(BOX, (0.5, 0.5, 0.5)), place(BOX, (0.5, 0.5, 0.5), (0.0, 1.0, 0.0))
    full = collide([lower, upper])
    needed, _, _, point, _, gap = collide([lower, upper], capacity=3)
    assert needed == full[0] == 4
    np.testing.assert_array_equal(gap, full[5][:3])
    np.testing.assert_array_equal(point, full[3][:3])


def test_nothing_beyond_reach_and_no_planes_among_themselves():
    far = [place(SPHERE, (0.1,)), place(SPHERE, (0.1,), (0.0, 0.2100001, 0.0))]
    assert collide(far)[0] == 0
    assert collide(far, reach=0.0101)[0] == 1
    assert collide([place(PLANE, (0.0,)), place(PLANE, (0.0,), (0.0, 1.0, 0.0))], reach=10.0)[0] == 0
