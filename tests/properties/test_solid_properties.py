"""Solids with every primitive, against the greatest separation that a search over all directions finds."""

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from supple_collide.kernel_arrays import Shapes
from supple_collide.scratch import make_manifold
from supple_collide.shape_kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, PLANE, SPHERE
from supple_collide.solids.scratch import make_solids
from supple_collide.solids.solid_kernels import find_solid_contacts

MANY = 4000
#: Contacts of what rests on a face may be that much off, in parts of the size of the shapes: `FLUSH` squared.
FLAT = 2e-5
# The side of a cone leans against that of an upright cylinder by 3.6 mrad.
LEANING = np.array([[0.99267708, -0.12079827, 0.0], [0.12079827, 0.99267708, 0.0], [0.0, 0.0, 1.0]])
SOLIDS = (CYLINDER, CONE, ELLIPSOID)


def decimals(low, high):
    return st.floats(low, high).map(lambda value: round(value, 6))


lengths = st.one_of(st.sampled_from([0.1, 0.2, 0.4, 0.5]), decimals(0.05, 0.8))
coordinates = st.one_of(st.integers(-10, 10).map(lambda tenth: tenth / 10), decimals(-1.0, 1.0))
angles = st.one_of(st.sampled_from([0.0, np.pi / 2, np.pi / 4, 1e-3, 1e-6, 1e-9]), decimals(-3.2, 3.2))
rotations = st.tuples(angles, angles, angles).map(lambda xyz: Rotation.from_euler("xyz", xyz).as_matrix())


@st.composite
def solids(draw, kinds=(SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID)):
    kind = draw(st.sampled_from(kinds))
    size = np.array([draw(lengths), draw(lengths), draw(lengths)])
    size[{SPHERE: 1, CAPSULE: 2, CYLINDER: 2, CONE: 2, BOX: 3, ELLIPSOID: 3, PLANE: 0}[kind] :] = 0.0
    x = np.array([draw(coordinates), draw(coordinates), draw(coordinates)])
    return kind, size, x, draw(rotations)


def find_reach(shape, directions):
    """How far a shape reaches in these directions [n, 3], written down for each kind."""
    kind, size, x, turn = shape
    local, centre = directions @ turn, directions @ x
    if kind == SPHERE:
        return centre + size[0] * np.linalg.norm(directions, axis=1)
    if kind == BOX:
        return centre + np.abs(local) @ size
    if kind == CAPSULE:
        return centre + size[0] * np.linalg.norm(directions, axis=1) + np.abs(local[:, 1]) * size[1]
    if kind == ELLIPSOID:
        return centre + np.linalg.norm(local * size, axis=1)
    rim = size[0] * np.hypot(local[:, 0], local[:, 2])
    if kind == CONE:
        return centre + np.maximum(local[:, 1] * size[1], rim - local[:, 1] * size[1])
    return centre + np.abs(local[:, 1]) * size[1] + rim


def separate(a, b, directions):
    return -find_reach(a, -directions) - find_reach(b, directions)


def list_directions(a, b):
    k = np.arange(MANY) + 0.5
    height, turn = 1 - 2 * k / MANY, np.pi * (1 + 5**0.5) * k
    flat = np.sqrt(1 - height**2)
    axes = np.concatenate([a[3].T, b[3].T])
    crossed = np.cross(axes[:, None], axes[None]).reshape(-1, 3)
    found = np.concatenate(
        [np.stack([flat * np.cos(turn), flat * np.sin(turn), height], 1), axes, -axes, crossed, -crossed]
    )
    size = np.linalg.norm(found, axis=1)
    return found[size > 1e-6] / size[size > 1e-6, None]


def search(a, b):
    """The greatest separation of two shapes over all directions, and the direction."""
    directions = list_directions(a, b)
    best, normal = -np.inf, None
    for start in np.argsort(-separate(a, b, directions))[:5]:
        n = directions[start]
        for radius in (3e-2, 1e-3, 1e-5):
            across = np.linalg.svd(n[None])[2][1:]

            def apart(p, n=n, across=across):
                turned = n + p @ across
                return -separate(a, b, (turned / np.linalg.norm(turned))[None])[0]

            found = minimize(
                apart, [0, 0], method="Nelder-Mead",
                options={"xatol": 1e-13, "fatol": 1e-15, "initial_simplex": [[0, 0], [radius, 0], [0, radius]]},
            )  # fmt: skip
            n = n + found.x @ across
            n = n / np.linalg.norm(n)
        value = separate(a, b, n[None])[0]
        if value > best:
            best, normal = value, n
    return best, normal


def collide(a, b, reach):
    """The contacts of two shapes: features, points, normals and gaps."""
    pack = Shapes(
        kind=np.array([a[0], b[0]], np.int64), size=np.array([a[1], b[1]]), x=np.array([a[2], b[2]]),
        q=np.zeros((2, 4)), reach=np.full(2, reach / 2), rotation=np.array([a[3], b[3]]),
    )  # fmt: skip
    manifold = make_manifold()
    outputs = (
        np.zeros((32, 2), np.int64), np.zeros(32, np.int64), np.zeros((32, 2, 3)), np.zeros((32, 3)), np.zeros(32),
    )  # fmt: skip
    pairs = np.array([[0, 1]])
    count = find_solid_contacts(pack, pairs, 1, manifold, make_solids(manifold), 0, *outputs)
    return [values[:count] for values in outputs[1:]]


def find_outside(shape, points):
    """How far points are outside of a shape, 0 within it."""
    kind, size, x, turn = shape
    local = (points - x) @ turn
    if kind == BOX:
        beyond = np.maximum(np.abs(local) - size, 0)
        return np.linalg.norm(beyond, axis=1)
    along = np.maximum(np.abs(local[:, 1]) - (size[1] if kind != SPHERE else 0.0), 0)
    across = np.hypot(local[:, 0], local[:, 2])
    if kind == ELLIPSOID:
        return np.maximum(np.linalg.norm(local / size, axis=1) - 1, 0) * size.min()
    if kind == CYLINDER:
        return np.hypot(np.maximum(across - size[0], 0), along)
    if kind == CONE:
        slope = (across - size[0] * (0.5 - local[:, 1] / (2 * size[1]))) / np.hypot(
            1, size[0] / (2 * size[1])
        )
        return np.maximum(np.maximum(slope, -size[1] - local[:, 1]), 0)
    return np.maximum(np.hypot(across, along) - size[0], 0)


@given(
    solids(kinds=(CYLINDER,)),
    solids(),
    st.booleans(),
    st.sampled_from([0, 1e-7, -1e-7, 1e-4, -1e-4, 0.05, None]),
)
@example(
    a=(CYLINDER, np.array([0.1, 0.1, 0.0]), np.zeros(3), np.eye(3)),
    b=(CONE, np.array([0.1, 0.4, 0.0]), np.zeros(3), LEANING),
    exchanged=False,
    gap=0,
)
@settings(max_examples=60, deadline=None)
def test_solids_are_as_far_from_others_as_the_search_says(a, b, exchanged, gap):
    if exchanged:
        a, b = b, a
    apart, normal = search(a, b)
    if gap is not None:
        a = (a[0], a[1], a[2] + (gap - apart) * normal, a[3])
        apart, normal = search(a, b)
    # Two that are deep in each other may be parted in several ways.
    assume(apart > -1e-3)
    feature, point, normals, gaps = collide(a, b, 10.0)
    scale = np.abs(a[1]).sum() + np.abs(b[1]).sum()
    assert len(set(feature)) == len(feature) > 0
    assert np.min(gaps) == pytest.approx(apart, abs=FLAT * scale)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(point[:, 0] - point[:, 1], gaps[:, None] * normals, rtol=0, atol=1e-12)
    # All are points of the shapes.
    for side, shape in enumerate((a, b)):
        assert np.max(find_outside(shape, point[:, side])) < FLAT * scale


@given(solids(kinds=SOLIDS), solids(kinds=(PLANE,)), st.booleans())
@settings(max_examples=60, deadline=None)
def test_lowest_point_of_a_solid_touches_a_plane(solid, plane, exchanged):
    up = plane[3][:, 1]
    height = -find_reach(solid, -up[None])[0] - up @ plane[2]
    feature, point, _, gaps = collide(*((plane, solid) if exchanged else (solid, plane)), 10.0)
    assert len(set(feature)) == len(feature) >= 1
    assert np.min(gaps) == pytest.approx(height, abs=1e-8)
    assert np.max(find_outside(solid, point[:, 1 if exchanged else 0])) < 1e-12
    np.testing.assert_allclose((point[:, 0 if exchanged else 1] - plane[2]) @ up, 0.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("x", [(0, 0.3, 0), (0.95, 0.3, 0.0), (0.9, 0.3, 0.9), (0.5, 0.3, 0.2)])
def test_what_stands_on_a_box_touches_with_what_is_above_it(x):
    """The corners of the contact enclose the part of the disc that is above the box, up to what arcs stick out."""
    from scipy.spatial import ConvexHull

    box = (BOX, np.array([1.0, 0.1, 1.0]), np.zeros(3), np.eye(3))
    cylinder = (CYLINDER, np.array([0.3, 0.2, 0.0]), np.array(x, float), np.eye(3))
    _, point, normals, gaps = collide(cylinder, box, 0.1)
    np.testing.assert_allclose(gaps, 0.0, atol=1e-12)
    np.testing.assert_allclose(normals, [[0, 1, 0]] * len(gaps), atol=1e-12)
    places = np.random.default_rng(0).uniform(-0.3, 0.3, (20000, 2))
    places = places[np.hypot(*places.T) < 0.3] + np.array([x[0], x[2]])
    covered = np.mean(np.all(np.abs(places) <= 1.0, axis=1)) * np.pi * 0.09
    hull = ConvexHull(point[:, 0][:, [0, 2]]).volume
    assert 0.6 * covered < hull < 1.01 * covered


def test_capsule_and_cylinder_that_lie_along_each_other_touch_at_both_ends():
    cylinder = (CYLINDER, np.array([0.2, 0.5, 0.0]), np.zeros(3), np.eye(3))
    capsule = (CAPSULE, np.array([0.1, 0.3, 0.0]), np.array([0.3, 0.4, 0.0]), np.eye(3))
    _, point, normals, gaps = collide(cylinder, capsule, 0.1)
    np.testing.assert_allclose(np.sort(point[:, 0, 1]), [0.1, 0.5], atol=1e-12)
    np.testing.assert_allclose(gaps, 0.0, atol=1e-12)
    np.testing.assert_allclose(normals, [[-1, 0, 0]] * 2, atol=1e-12)
