"""What a step drove beyond its reach, against plain formulas."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_collide.looking_kernels import find_driven_shapes, find_driven_vertices, is_anything_near
from supple_collide.shape_kinds import BOX, PLANE, SPHERE

H = 0.004


@given(st.integers(0, 2**31), st.integers(1, 12), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_shapes_are_driven_by_what_they_come_beyond_their_reach(seed, count, frames):
    rng = np.random.default_rng(seed)
    shape, frame = np.sort(rng.permutation(2 * count)[:count]), rng.integers(frames, size=count)
    extent, twist = rng.uniform(0.0, 0.5, 2 * count), rng.normal(size=(frames, 6))
    reach, ahead = rng.uniform(0.0, 0.02, 2 * count), rng.uniform(0.0, 2.0, 2 * count)
    before = ahead.copy()
    driven = np.zeros(1, np.int64)
    find_driven_shapes(H, shape, frame, extent, twist, reach, ahead, driven)
    speed = (
        np.linalg.norm(twist[frame, :3], axis=1) + np.linalg.norm(twist[frame, 3:], axis=1) * extent[shape]
    )
    beyond = H * speed > reach[shape]
    assert driven[0] == beyond.sum()
    before[shape[beyond]] = np.maximum(before[shape[beyond]], speed[beyond])
    np.testing.assert_allclose(ahead, before, rtol=1e-14)


@given(st.integers(0, 2**31), st.integers(1, 30))
@settings(max_examples=60, deadline=None)
def test_vertices_are_driven_likewise(seed, count):
    rng = np.random.default_rng(seed)
    velocities, reach = rng.normal(size=(count, 3)), np.array([0.0, 0.01])
    short, ahead = rng.uniform(0.0, 0.01, count), np.zeros(count)
    driven = np.zeros(1, np.int64)
    find_driven_vertices(1, H, velocities, reach, short, ahead, driven)
    speed = np.linalg.norm(velocities, axis=1)
    beyond = H * speed > 0.01 - short
    assert driven[0] == beyond.sum()
    np.testing.assert_allclose(ahead, np.where(beyond, speed, 0.0), rtol=1e-14)


@given(st.integers(0, 2**31), st.floats(0.5, 50.0))
@settings(max_examples=100, deadline=None)
def test_nothing_that_is_in_the_way_is_overlooked(seed, speed):
    """A ball is driven along x; boxes, balls and planes whose surface it may reach must count as near."""
    rng = np.random.default_rng(seed)
    kind = np.array([SPHERE, rng.choice([SPHERE, BOX, PLANE])])
    size = np.array(
        [[0.05, 0.0, 0.0], rng.uniform(0.01, 0.3, 3) * ([1, 0, 0] if kind[1] == SPHERE else [1, 1, 1])]
    )
    x, q = np.zeros((2, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    x[1] = rng.normal(size=3) * 0.3
    group, carrier = np.array([0, -1]), np.array([0, -1])
    reach, ahead, ahead_next = np.array([1e-3, 0.0]), np.zeros(2), np.array([speed, 0.0])
    near = is_anything_near(0.0, 0.1, H, kind, size, x, q, group, carrier, reach, ahead, ahead_next)
    if kind[1] == PLANE:
        distance = -x[1, 1]
    elif kind[1] == SPHERE:
        distance = np.linalg.norm(x[1]) - size[1, 0]
    else:
        distance = np.linalg.norm(np.maximum(np.abs(x[1]) - size[1], 0.0))
    if distance <= 0.05 + H * speed:
        assert near
    if distance > 1.0 + 0.05 + H * (speed + 0.2):
        assert not near
    assert not is_anything_near(0.0, 0.1, H, kind, size, x, q, group, carrier, reach, ahead_next, ahead_next)
