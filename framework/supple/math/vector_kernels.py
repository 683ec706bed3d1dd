"""Algebra of 3-vectors held in scalars, for use inside kernels; results are tuples of floats."""

from __future__ import annotations

import math

from supple.core.jit import njit


@njit
def dot(ax, ay, az, bx, by, bz):
    """The inner product a . b."""
    return ax * bx + ay * by + az * bz


@njit
def cross(ax, ay, az, bx, by, bz):
    """The vector product a x b as (x, y, z)."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@njit
def length(ax, ay, az):
    """The Euclidean length of a."""
    return math.sqrt(ax * ax + ay * ay + az * az)


@njit
def normalise(ax, ay, az):
    """The unit vector along a and the length of a, as (x, y, z, length); (0, 0, 0, 0) for the zero vector."""
    size = math.sqrt(ax * ax + ay * ay + az * az)
    if size == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    return ax / size, ay / size, az / size, size
