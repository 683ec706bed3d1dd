"""Laws that hold for every pair of primitives, against oracles that know nothing of the kernels."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from supple_collide.kernel_arrays import Objects, Shapes
from supple_collide.primitives.box_kernels import FLUSH
from supple_collide.primitives.broad_kernels import find_pairs
from supple_collide.primitives.narrow_kernels import find_contacts
from supple_collide.primitives.oracle import (
    Shape,
    find_exits,
    find_pairs_by_force,
    find_separation_along,
    find_signed_distance,
    find_surface_distance,
)
from supple_collide.scratch import make_manifold
from supple_collide.shape_kinds import BOX, CAPSULE, PLANE, SPHERE

REACH = 0.1
IDENTITY = Rotation.identity()
# A corner counts as above a reference face up to 1e-5 of its half extents (at most 0.8 here) beside it.
ON_SURFACE = 1.2e-5


def decimals(low, high):
    """Numbers with six digits: two that differ do so by more than rounding and the kernels' tolerances."""
    return st.floats(low, high).map(lambda value: round(value, 6))


# Round numbers make coincidences likely: parallel axes, shared planes, equal sizes.
lengths = st.one_of(st.sampled_from([0.1, 0.2, 0.4, 0.5, 0.8]), decimals(0.05, 0.8))
coordinates = st.one_of(st.integers(-10, 10).map(lambda tenth: tenth / 10), decimals(-1.0, 1.0))
angles = st.one_of(
    st.sampled_from([0.0, np.pi / 2, np.pi / 4, np.pi / 6, 1e-3, 1e-6, 1e-9]), decimals(-3.2, 3.2)
)
shifts = st.tuples(*[decimals(-2.0, 2.0)] * 3).map(np.array)
rotations = st.tuples(angles, angles, angles).map(lambda xyz: Rotation.from_euler("xyz", xyz))


@st.composite
def shapes(draw, kinds=(SPHERE, BOX, CAPSULE)):
    kind = draw(st.sampled_from(kinds))
    size = np.array([draw(lengths), draw(lengths), draw(lengths)])
    size[{SPHERE: 1, CAPSULE: 2, BOX: 3, PLANE: 0}[kind] :] = 0.0
    x = np.array([draw(coordinates), draw(coordinates), draw(coordinates)])
    return Shape(kind, size, x, np.roll(draw(rotations).as_quat(), 1))


def put(kind, size, x, rotation=IDENTITY):
    """A shape, as `shapes` draws it."""
    sizes = np.zeros(3)
    sizes[: len(size)] = size
    return Shape(kind, sizes, np.array(x, float), np.roll(rotation.as_quat(), 1))


def pack(bodies, reach):
    q = np.array([body.q for body in bodies])
    return Shapes(
        kind=np.array([body.kind for body in bodies], np.int64),
        size=np.array([body.size for body in bodies]),
        x=np.array([body.x for body in bodies]),
        q=q,
        reach=reach,
        rotation=Rotation.from_quat(q, scalar_first=True).as_matrix(),
    )


def make_outputs(capacity):
    """Arrays for the shapes, features, points, normals and gaps of that many contacts."""
    return (
        np.empty((capacity, 2), np.int64),
        np.empty(capacity, np.int64),
        np.empty((capacity, 2, 3)),
        np.empty((capacity, 3)),
        np.empty(capacity),
    )


def collide(a, b, reach=REACH):
    """The contacts of two shapes as (feature, point, normal, gap), sorted by feature."""
    outputs = make_outputs(32)
    pairs = np.array([[0, 1]])
    count = find_contacts(pack([a, b], np.full(2, reach / 2)), pairs, 1, make_manifold(), *outputs)
    order = np.argsort(outputs[1][:count])
    return [values[:count][order] for values in outputs[1:]]


def check_form(a, b, feature, point, normal, gap):
    """What holds for the contacts of any pair."""
    assert len(set(feature)) == len(feature)
    assert np.all(gap <= REACH)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(point[:, 0] - point[:, 1], gap[:, None] * normal, rtol=0, atol=1e-12)
    deepest = np.argmin(gap)
    for k, body in enumerate((a, b)):
        assert abs(find_surface_distance(body, point[deepest, k])) < ON_SURFACE
        # The lowest point of the higher end of a tilted capsule lies inside it, none lies outside.
        assert all(find_surface_distance(body, each) < ON_SURFACE for each in point[:, k])


def lean(a, b):
    """Whether an edge of one box is almost, but not quite, parallel to a face of the other.

    The kernel then takes box and face for resting on each other, though another axis may part the boxes at a
    slightly smaller depth.
    """
    cosines = np.abs(a.matrix.T @ b.matrix)
    return np.any((cosines > 1e-12) & (cosines < 2 * FLUSH))


def has_one_exit(a, b):
    """Whether one axis parts two boxes better than all others do."""
    separations, normals = find_exits(a, b)
    best = np.argmax(separations)
    rivals = separations > separations[best] - 1e-5
    return np.all(normals[rivals] @ normals[best] > 1.0 - 1e-9)


@given(shapes(kinds=(SPHERE, CAPSULE)), shapes(kinds=(SPHERE, CAPSULE, BOX, PLANE)), st.booleans())
@settings(max_examples=100, deadline=None)
def test_round_shapes_have_the_distance_of_the_oracle(a, b, exchanged):
    if exchanged:
        a, b = b, a
    distance = find_signed_distance(a, b)
    assume(abs(distance - REACH) > 1e-6)
    feature, point, normal, gap = collide(a, b)
    assert (len(gap) > 0) == (distance < REACH)
    if len(gap):
        assert np.min(gap) == pytest.approx(distance, abs=2e-7)
        check_form(a, b, feature, point, normal, gap)


@given(shapes(kinds=(BOX,)), shapes(kinds=(PLANE,)))
@settings(max_examples=50, deadline=None)
def test_box_on_plane_touches_with_every_corner_in_reach(box, plane):
    heights = (box.corners - plane.x) @ plane.matrix[:, 1]
    assume(np.all(np.abs(heights - REACH) > 1e-9))
    feature, point, normal, gap = collide(box, plane)
    np.testing.assert_allclose(np.sort(gap), np.sort(heights[heights < REACH]), rtol=0, atol=1e-13)
    if len(gap):
        check_form(box, plane, feature, point, normal, gap)


@given(shapes(kinds=(BOX,)), shapes(kinds=(BOX,)))
@settings(max_examples=100, deadline=None)
def test_boxes_agree_with_the_oracle(a, b):
    distance = find_signed_distance(a, b)
    assume(abs(distance - REACH) > 1e-6)
    feature, point, normal, gap = collide(a, b)
    assert (len(gap) > 0) >= (distance < REACH)
    if not len(gap):
        return
    check_form(a, b, feature, point, normal, gap)
    # The points of a contact are points of the two boxes, hence no nearer than the boxes are.
    assert np.min(gap) > distance - (1e-6 if distance > 1e-9 else FLUSH)
    if abs(distance) > FLUSH:
        assert np.sign(np.min(gap)) == np.sign(distance)
    if distance < 0.0:
        tolerance = FLUSH * 1.5 if lean(a, b) else 1e-6
        assert np.min(gap) == pytest.approx(distance, abs=tolerance)
        along = find_separation_along(a, b, normal[np.argmin(gap)])
        assert np.min(gap) == pytest.approx(along, abs=tolerance)


@given(shapes(), shapes(kinds=(SPHERE, BOX, CAPSULE, PLANE)), rotations, shifts)
# The axis of the capsule runs in the plane of a side of the box.
@example(
    put(BOX, [0.5, 0.6, 0.5], [0.9, 0.2, -0.6]),
    put(CAPSULE, [0.8, 0.8], [-0.9, 0.8, -0.1], Rotation.from_euler("z", 1.1)),
    Rotation.from_euler("xyz", [0.1, 0.3, 0.2]),
    np.array([0.3, 0.1, -0.2]),
)
@settings(max_examples=100, deadline=None)
def test_contacts_move_with_the_shapes(a, b, rotation, shift):
    matrix = rotation.as_matrix()
    feature, point, normal, gap = collide(a, b)
    moved = collide(a.moved(matrix, shift), b.moved(matrix, shift))
    # Whether what is as far away as the reach is seen, rounding decides.
    assume(np.all(np.abs(np.concatenate([gap, moved[3]]) - REACH) > 1e-9))
    np.testing.assert_array_equal(moved[0], feature)
    np.testing.assert_allclose(moved[1], point @ matrix.T + shift, rtol=0, atol=1e-6)
    np.testing.assert_allclose(moved[2], normal @ matrix.T, rtol=0, atol=1e-6)
    np.testing.assert_allclose(moved[3], gap, rtol=0, atol=1e-9)


@given(shapes(), shapes(kinds=(SPHERE, BOX, CAPSULE, PLANE)))
# Edges of equal faces cross at an angle.
@example(
    put(BOX, [0.75, 0.1, 0.2], [0, 0, 0]),
    put(BOX, [0.75, 0.1, 0.2], [0, 0.1, 0], Rotation.from_euler("y", 0.5)),
)
# Capsules that lie along each other, one beyond the end of the other as seen along its own axis only.
@example(
    put(CAPSULE, [0.8, 0.2], [-0.583312, -0.6, 0.100373], Rotation.from_rotvec([2.255476, 0, 0])),
    put(CAPSULE, [0.8, 0.2], [-0.4, -0.399253, 0.791793], Rotation.from_rotvec([-0.487793, 2.076726, -0.89847])),
)  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_exchanging_the_shapes_turns_the_normal(a, b):
    assume(np.linalg.norm(a.x - b.x) > 1e-3)
    _, point, normal, gap = collide(a, b)
    _, other_point, other_normal, other_gap = collide(b, a)
    if a.kind == b.kind == BOX:
        # Equal faces that lean against each other have no larger one to be the reference.
        assume(not lean(a, b) and has_one_exit(a, b))
    assert len(gap) == len(other_gap)
    for k in range(len(gap)):
        # Codes of features depend on which shape comes first, so the contacts are matched by place.
        match = np.argmin(np.linalg.norm(other_point - point[k, ::-1], axis=(1, 2)))
        np.testing.assert_allclose(other_point[match], point[k, ::-1], rtol=0, atol=2e-5)
        np.testing.assert_allclose(other_normal[match], -normal[k], rtol=0, atol=1e-5)
        assert other_gap[match] == pytest.approx(gap[k], abs=1e-6)


def find_all_pairs(bodies, reach, movable, group, order, ignored=(), capacity=512):
    pairs, count = np.full((capacity, 2), -1), len(bodies)
    objects = Objects(
        group=group,
        movable=movable,
        ignored=np.array(sorted(i * count + j for i, j in ignored), np.int64),
        friction=np.zeros(count),
        restitution=np.zeros(count),
    )
    needed = find_pairs(pack(bodies, reach), objects, count, order, np.empty((count, 6)), pairs)
    return needed, pairs


@given(
    st.lists(shapes(kinds=(SPHERE, BOX, CAPSULE, BOX, CAPSULE, PLANE)), min_size=2, max_size=14),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=60, deadline=None)
def test_broad_phase_equals_brute_force(bodies, seed):
    random = np.random.default_rng(seed)
    count = len(bodies)
    reach = random.uniform(0.0, 0.1, count)
    movable = random.integers(0, 2, count)
    group = np.where(movable == 1, random.integers(0, count, count), -1)
    order = random.permutation(count)
    needed, pairs = find_all_pairs(bodies, reach, movable, group, order)
    found = [tuple(pair) for pair in pairs[:needed]]
    assert found == sorted(found)
    # Bounds that touch to rounding may count either way.
    surely = find_pairs_by_force(bodies, reach - 1e-12, movable, group)
    perhaps = find_pairs_by_force(bodies, reach + 1e-12, movable, group)
    assert set(surely) <= set(found) <= set(perhaps)
    assert sorted(order) == list(range(count))
    # Neither the order of the last call nor repeating it matters.
    again, repeated = find_all_pairs(bodies, reach, movable, group, order)
    assert again == needed
    np.testing.assert_array_equal(repeated, pairs)
    # Without room all are counted and none is written beyond it.
    room = needed // 2
    short, written = find_all_pairs(bodies, reach, movable, group, order, capacity=room + 1)
    assert short == needed
    assert {tuple(pair) for pair in written[: min(room + 1, needed)]} <= set(found)
    # Who ignores each other is left out, and nobody else.
    ignored = {pair for pair in itertools.combinations(range(count), 2) if random.random() < 0.3}
    fewer, left = find_all_pairs(bodies, reach, movable, group, order, ignored)
    assert [tuple(pair) for pair in left[:fewer]] == [pair for pair in found if pair not in ignored]


@given(st.lists(shapes(kinds=(SPHERE, BOX, CAPSULE, PLANE)), min_size=2, max_size=6))
@settings(max_examples=60, deadline=None)
def test_no_touching_pair_is_lost_between_the_phases(bodies):
    count = len(bodies)
    reach = np.full(count, 0.03)
    everything = np.ones(count, np.int64)
    needed, pairs = find_all_pairs(bodies, reach, everything, np.arange(count), np.arange(count))
    outputs = make_outputs(600)
    contacts = find_contacts(pack(bodies, reach), pairs, needed, make_manifold(), *outputs)
    touching = {tuple(pair) for pair in outputs[0][:contacts]}
    for i, j in itertools.combinations(range(count), 2):
        if not bodies[i].kind == bodies[j].kind == PLANE:
            distance = find_signed_distance(bodies[i], bodies[j])
            assert distance > 0.06 - 1e-6 or (i, j) in touching
    assert np.all(np.diff(outputs[0][:contacts, 0]) >= 0)
    # The same input gives the same bits.
    twins = [np.empty_like(values) for values in outputs]
    assert find_contacts(pack(bodies, reach), pairs, needed, make_manifold(), *twins) == contacts
    for values, twin in zip(outputs, twins, strict=True):
        np.testing.assert_array_equal(values[:contacts], twin[:contacts])
