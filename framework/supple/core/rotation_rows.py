"""Many rotations at once, as rows of unit quaternions (w, x, y, z); for compiling, not for stepping."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray


def multiply_rows(p: FloatArray, q: FloatArray) -> FloatArray:
    """The products p q, row by row; one row goes with many."""
    p, q = np.broadcast_arrays(p, q)
    scalar = p[..., :1] * q[..., :1] - np.sum(p[..., 1:] * q[..., 1:], axis=-1, keepdims=True)
    vector = p[..., :1] * q[..., 1:] + q[..., :1] * p[..., 1:] + _cross(p[..., 1:], q[..., 1:])
    product: FloatArray = np.concatenate([scalar, vector], axis=-1)
    return product


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    """Cross products, row by row: the numbers of numpy.cross, whose preparations take longer than a few rows."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def invert_rows(q: FloatArray) -> FloatArray:
    """The inverses of unit quaternions."""
    inverses: FloatArray = q * np.array([1.0, -1.0, -1.0, -1.0])
    return inverses


def rotate_rows(q: FloatArray, v: FloatArray) -> FloatArray:
    """The vectors v turned by q."""
    doubled = 2.0 * _cross(q[..., 1:], v)
    turned: FloatArray = v + q[..., :1] * doubled + _cross(q[..., 1:], doubled)
    return turned


def log_rows(q: FloatArray) -> FloatArray:
    """Rotation vectors [rad] of at most half a turn: q and -q are the same rotation."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    size = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, q[..., :1])
    # A tiny angle is twice its sine to the last digit.
    scale = np.divide(angle, size, out=np.full_like(size, 2.0), where=size > 1e-9)
    vectors: FloatArray = scale * q[..., 1:]
    return vectors


def spin_tangents(way: FloatArray, spin: FloatArray) -> FloatArray:
    """Derivative of the rotation vector r at r = way when the angular velocity in the turned axes is `spin`.

    It is the inverse of the right Jacobian of the exponential map.
    """
    angle = np.linalg.norm(way, axis=-1, keepdims=True)
    safe = np.where(angle < 1e-4, 1.0, angle)
    exact = 1.0 / safe**2 - 1.0 / (2.0 * safe * np.tan(safe / 2.0))
    factor = np.where(angle < 1e-4, 1.0 / 12.0, exact)
    across = _cross(way, spin)
    tangents: FloatArray = spin + 0.5 * across + factor * _cross(way, across)
    return tangents
