"""The rotation of a tetrahedron: README eq. (2)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import matrix_of_quaternion

QUICK_TURNS, MOST_TURNS = 12, 400
FOUND = 1e-17
"""Square of an angle after which the next step would turn by less than 1e-16."""
LANES = 32
"""Tetrahedra that are turned side by side."""


class Lanes(NamedTuple):
    """Room for the tetrahedra that are turned side by side, one a column."""

    deformation: FloatArray  # [9, LANES] F, row by row
    turn: FloatArray  # [4, LANES] quaternions
    sought: FloatArray  # [LANES] 1 while the rotation is not found


def make_lanes() -> Lanes:
    """Room that is filled anew by whoever uses it."""
    return Lanes(deformation=np.zeros((9, LANES)), turn=np.zeros((4, LANES)), sought=np.zeros(LANES))


@njit_inlined
def find_asymmetry(f00, f01, f02, f10, f11, f12, f20, f21, f22, w, x, y, z):
    """Of M = R^T F: the slope a of tr M when R turns, its curvature h (positive: downwards), and the size of M."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix_of_quaternion(w, x, y, z)
    m00, m11 = r00 * f00 + r10 * f10 + r20 * f20, r01 * f01 + r11 * f11 + r21 * f21
    m22 = r02 * f02 + r12 * f12 + r22 * f22
    m01, m10 = r00 * f01 + r10 * f11 + r20 * f21, r01 * f00 + r11 * f10 + r21 * f20
    m02, m20 = r00 * f02 + r10 * f12 + r20 * f22, r02 * f00 + r12 * f10 + r22 * f20
    m12, m21 = r01 * f02 + r11 * f12 + r21 * f22, r02 * f01 + r12 * f11 + r22 * f21
    a0, a1, a2 = m21 - m12, m02 - m20, m10 - m01
    h00, h11, h22 = m11 + m22, m00 + m22, m00 + m11
    h01, h02, h12 = -0.5 * (m01 + m10), -0.5 * (m02 + m20), -0.5 * (m12 + m21)
    size = abs(m00) + abs(m11) + abs(m22) + abs(h01) + abs(h02) + abs(h12) + 1e-300
    return a0, a1, a2, h00, h11, h22, h01, h02, h12, size


@njit_inlined
def solve_curvature(a0, a1, a2, h00, h11, h22, h01, h02, h12):
    """h^-1 a, and the minors of h, all positive where it curves downwards."""
    k00, k01, k02 = h11 * h22 - h12 * h12, h02 * h12 - h01 * h22, h01 * h12 - h02 * h11
    det = h00 * k00 + h01 * k01 + h02 * k02
    minor = h00 * h11 - h01 * h01
    k11, k12, k22 = h00 * h22 - h02 * h02, h01 * h02 - h00 * h12, minor
    scale = 1.0 / det if det != 0.0 else 0.0
    t0 = scale * (k00 * a0 + k01 * a1 + k02 * a2)
    t1 = scale * (k01 * a0 + k11 * a1 + k12 * a2)
    t2 = scale * (k02 * a0 + k12 * a1 + k22 * a2)
    return t0, t1, t2, minor, det


@njit_inlined
def turn_further(w, x, y, z, t0, t1, t2):
    """The quaternion after a turn. Half the angle by its tangent: right to second order, and no sine is needed."""
    t0, t1, t2 = 0.5 * t0, 0.5 * t1, 0.5 * t2
    w, x, y, z = (
        w - t0 * x - t1 * y - t2 * z,
        x + t0 * w + t2 * y - t1 * z,
        y + t1 * w - t2 * x + t0 * z,
        z + t2 * w + t1 * x - t0 * y,
    )
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return scale * w, scale * x, scale * y, scale * z


@njit_inlined
def make_turn(f00, f01, f02, f10, f11, f12, f20, f21, f22, w, x, y, z):
    """One step of Newton's method on tr R^T F, and the square of its angle.

    Where the trace does not curve downwards, a shorter step uphill is taken. Without branches: so loops of it become
    vectors.
    """
    a0, a1, a2, h00, h11, h22, h01, h02, h12, size = find_asymmetry(
        f00, f01, f02, f10, f11, f12, f20, f21, f22, w, x, y, z
    )
    t0, t1, t2, minor, det = solve_curvature(a0, a1, a2, h00, h11, h22, h01, h02, h12)
    down = (h00 > 1e-3 * size) & (minor > 1e-4 * size * size) & (det > 1e-5 * size * size * size)
    t0, t1, t2 = t0 if down else a0 / size, t1 if down else a1 / size, t2 if down else a2 / size
    w, x, y, z = turn_further(w, x, y, z, t0, t1, t2)
    return w, x, y, z, t0 * t0 + t1 * t1 + t2 * t2


@njit
def turn_once(lanes_inout: Lanes):
    """One step for all whose rotation is sought; says whether one is still."""
    F, Q, sought = lanes_inout.deformation, lanes_inout.turn, lanes_inout.sought
    for i in range(LANES):
        w, x, y, z = Q[0, i], Q[1, i], Q[2, i], Q[3, i]
        a, b, c, d, square = make_turn(
            F[0, i], F[1, i], F[2, i], F[3, i], F[4, i], F[5, i], F[6, i], F[7, i], F[8, i], w, x, y, z
        )
        turns = sought[i] != 0.0
        Q[0, i], Q[1, i] = a if turns else w, b if turns else x
        Q[2, i], Q[3, i] = c if turns else y, d if turns else z
        sought[i] = 0.0 if square < FOUND else sought[i]
    left = 0.0
    for i in range(LANES):
        left += sought[i]
    return left != 0.0


@njit
def find_turns(count, lanes_inout: Lanes):
    """The rotation R of each of the first `count` lanes that makes R^T F symmetric: README eq. (2).

    Found from the quaternions of near ones, by Newton's method on tr R^T F, whose greatest value is at the polar
    decomposition. R is proper even if F is turned inside out. What a lane gets does not depend on the others.
    """
    F, Q, sought = lanes_inout.deformation, lanes_inout.turn, lanes_inout.sought
    for i in range(LANES):
        sought[i] = 1.0 if i < count else 0.0
    for _ in range(QUICK_TURNS):
        if not turn_once(lanes_inout):
            return
    for i in range(count):
        if sought[i] != 0.0:
            Q[0, i], Q[1, i], Q[2, i], Q[3, i] = find_flat_turn(
                F[0, i], F[1, i], F[2, i], F[3, i], F[4, i], F[5, i], F[6, i], F[7, i], F[8, i],
                Q[0, i], Q[1, i], Q[2, i], Q[3, i],
            )  # fmt: skip


@njit
def find_flat_turn(f00, f01, f02, f10, f11, f12, f20, f21, f22, w, x, y, z):
    """The same where the trace is nearly flat along some turn, as that of F inside out with two like stretches is.

    Newton's method with a curvature of sqrt(size |a|) added: no step is too long, and steps become whole as a
    vanishes. It stops at a symmetric R^T F, which is what forces need, not at a turn that is small.
    """
    for _ in range(MOST_TURNS):
        a0, a1, a2, h00, h11, h22, h01, h02, h12, size = find_asymmetry(
            f00, f01, f02, f10, f11, f12, f20, f21, f22, w, x, y, z
        )
        slope = math.sqrt(a0 * a0 + a1 * a1 + a2 * a2)
        if slope <= 1e-15 * size:
            break
        extra = math.sqrt(size * slope)
        for _ in range(8):  # no curvature is below minus 2 size
            t0, t1, t2, minor, det = solve_curvature(
                a0, a1, a2, h00 + extra, h11 + extra, h22 + extra, h01, h02, h12
            )
            if h00 + extra > 0.0 and minor > 0.0 and det > 0.0:
                break
            extra = 4.0 * extra + 1e-3 * size
        w, x, y, z = turn_further(w, x, y, z, t0, t1, t2)
    return w, x, y, z
