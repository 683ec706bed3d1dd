"""Spatial vectors held in scalars, for use inside kernels; README eq. (3) and (7).

A motion is (velocity of the point that is at O, angular velocity), a force is (force, torque about O), both in
world axes. Inertias have ten numbers: mass, first moment about O, inertia xx yy zz xy xz yz about O.
"""

from __future__ import annotations

from supple.core.jit import njit


@njit
def cross_motion(v0, v1, v2, w0, w1, w2, l0, l1, l2, a0, a1, a2):
    """The rate of the motion (l, a) when it moves along with the motion (v, w), as six floats."""
    return (
        w1 * l2 - w2 * l1 + v1 * a2 - v2 * a1,
        w2 * l0 - w0 * l2 + v2 * a0 - v0 * a2,
        w0 * l1 - w1 * l0 + v0 * a1 - v1 * a0,
        w1 * a2 - w2 * a1,
        w2 * a0 - w0 * a2,
        w0 * a1 - w1 * a0,
    )


@njit
def cross_force(v0, v1, v2, w0, w1, w2, f0, f1, f2, t0, t1, t2):
    """The rate of the force (f, t) when it moves along with the motion (v, w), as six floats."""
    return (
        w1 * f2 - w2 * f1,
        w2 * f0 - w0 * f2,
        w0 * f1 - w1 * f0,
        w1 * t2 - w2 * t1 + v1 * f2 - v2 * f1,
        w2 * t0 - w0 * t2 + v2 * f0 - v0 * f2,
        w0 * t1 - w1 * t0 + v0 * f1 - v1 * f0,
    )


@njit
def apply_inertia(inertia, i, v0, v1, v2, w0, w1, w2):
    """inertia[i] times the motion (v, w): momentum, or force from an acceleration, as six floats."""
    m = inertia[i, 0]
    h0, h1, h2 = inertia[i, 1], inertia[i, 2], inertia[i, 3]
    return (
        m * v0 + w1 * h2 - w2 * h1,
        m * v1 + w2 * h0 - w0 * h2,
        m * v2 + w0 * h1 - w1 * h0,
        inertia[i, 4] * w0 + inertia[i, 7] * w1 + inertia[i, 8] * w2 + h1 * v2 - h2 * v1,
        inertia[i, 7] * w0 + inertia[i, 5] * w1 + inertia[i, 9] * w2 + h2 * v0 - h0 * v2,
        inertia[i, 8] * w0 + inertia[i, 9] * w1 + inertia[i, 6] * w2 + h0 * v1 - h1 * v0,
    )


@njit
def dot_axis(axis, k, f0, f1, f2, f3, f4, f5):
    """The part of a spatial force that acts along axis[k]."""
    linear = axis[k, 0] * f0 + axis[k, 1] * f1 + axis[k, 2] * f2
    return linear + axis[k, 3] * f3 + axis[k, 4] * f4 + axis[k, 5] * f5
