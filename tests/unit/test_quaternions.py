"""Quaternion and vector kernels against scipy and against the laws of rotations."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from supple.math import quaternion_kernels as quaternions
from supple.math import vector_kernels as vectors

numbers = st.floats(-3.0, 3.0, allow_nan=False).map(lambda value: 0.0 if abs(value) < 1e-150 else value)
triples = st.tuples(numbers, numbers, numbers)
rotation_vectors = st.tuples(triples, st.sampled_from([1.0, 1e-2, 5e-3, 1e-4, 1e-9])).map(
    lambda drawn: tuple(drawn[1] * value for value in drawn[0])
)


def scipy_of(q):
    return Rotation.from_quat([q[1], q[2], q[3], q[0]])


@given(rotation_vectors)
@settings(deadline=None)
def test_exponential_is_scipys_and_unit(r):
    q = quaternions.exponentiate_rotation_vector(*r)
    x, y, z, w = Rotation.from_rotvec(r).as_quat()
    # q and -q are the same rotation, and scipy may return either.
    sign = math.copysign(1.0, np.dot(q, (w, x, y, z)))
    np.testing.assert_allclose(q, sign * np.array((w, x, y, z)), rtol=0, atol=4e-16)
    assert math.hypot(*q) == pytest.approx(1.0, abs=4e-16)


def test_exponential_keeps_the_first_order_of_tiny_vectors():
    w, x, y, z = quaternions.exponentiate_rotation_vector(2e-200, -4e-200, 6e-200)
    assert (w, x, y, z) == (1.0, 1e-200, -2e-200, 3e-200)


@given(rotation_vectors)
@settings(deadline=None)
def test_logarithm_is_scipys_and_at_most_half_a_turn(r):
    q = quaternions.exponentiate_rotation_vector(*r)
    expected = scipy_of(q).as_rotvec()
    for same in (q, tuple(-value for value in q)):
        turn = quaternions.find_rotation_vector(*same)
        assert math.hypot(*turn) <= math.pi * (1 + 1e-15)
        # Half a turn one way is half a turn the other way.
        sign = math.copysign(1.0, np.dot(turn, expected)) if math.hypot(*turn) > math.pi - 1e-6 else 1.0
        np.testing.assert_allclose(turn, sign * expected, rtol=1e-9, atol=1e-15)


@given(rotation_vectors, rotation_vectors, triples)
@settings(deadline=None)
def test_product_is_composition(r, s, v):
    a, b = quaternions.exponentiate_rotation_vector(*r), quaternions.exponentiate_rotation_vector(*s)
    product = quaternions.multiply_quaternions(*a, *b)
    twice = quaternions.rotate_vector(*a, *quaternions.rotate_vector(*b, *v))
    np.testing.assert_allclose(quaternions.rotate_vector(*product, *v), twice, rtol=0, atol=1e-14)
    np.testing.assert_allclose((scipy_of(a) * scipy_of(b)).apply(v), twice, rtol=0, atol=1e-14)


@given(rotation_vectors, triples)
@settings(deadline=None)
def test_rotation_back_and_matrix(r, v):
    q = quaternions.exponentiate_rotation_vector(*r)
    turned = quaternions.rotate_vector(*q, *v)
    matrix = np.reshape(quaternions.matrix_of_quaternion(*q), (3, 3))
    np.testing.assert_allclose(matrix @ v, turned, rtol=0, atol=1e-14)
    np.testing.assert_allclose(scipy_of(q).as_matrix(), matrix, rtol=0, atol=1e-14)
    np.testing.assert_allclose(quaternions.rotate_vector_back(*q, *turned), v, rtol=0, atol=1e-14)
    rows = np.array([[1.0, 0.0, 0.0, 0.0], q])
    assert quaternions.rotate_vector_at(rows, 1, *v) == turned
    assert quaternions.rotate_vector_back_at(rows, 1, *v) == quaternions.rotate_vector_back(*q, *v)
    assert quaternions.matrix_of_quaternion_at(rows, 1) == quaternions.matrix_of_quaternion(*q)


def test_normalising():
    np.testing.assert_allclose(
        quaternions.normalise_quaternion(1.0, -2.0, 2.0, 4.0), np.array([1, -2, 2, 4]) / 5, rtol=1e-15
    )
    assert quaternions.normalise_quaternion(0.0, 0.0, 0.0, 0.0) == (1.0, 0.0, 0.0, 0.0)
    assert vectors.normalise(0.0, 3.0, -4.0) == pytest.approx((0.0, 0.6, -0.8, 5.0))
    assert vectors.normalise(0.0, 0.0, 0.0) == (0.0, 0.0, 0.0, 0.0)


@given(triples, triples)
@settings(deadline=None)
def test_vector_algebra(a, b):
    np.testing.assert_allclose(vectors.cross(*a, *b), np.cross(a, b), rtol=0, atol=1e-14)
    assert vectors.dot(*a, *b) == pytest.approx(float(np.dot(a, b)), abs=1e-14)
    assert vectors.length(*a) == pytest.approx(float(np.linalg.norm(a)), rel=1e-14)
