"""Tetrahedra that are nearly flat or inside out, which have no gradients at their present shape: README eq. (5)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.quaternion_kernels import matrix_of_quaternion
from supple_tets.tables import Elements, Scratch


@njit
def fill_turned_stiffness(elements: Elements, e, w, i, j, k, scale, K_out):
    """K_out [12, 12] = scale times the stiffness at rest, turned with the tetrahedron."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix_of_quaternion(w, i, j, k)
    g, lame, shear = elements.gradient, scale * elements.lame[e], scale * elements.shear[e]
    for a in range(4):
        a0 = r00 * g[e, a, 0] + r01 * g[e, a, 1] + r02 * g[e, a, 2]
        a1 = r10 * g[e, a, 0] + r11 * g[e, a, 1] + r12 * g[e, a, 2]
        a2 = r20 * g[e, a, 0] + r21 * g[e, a, 1] + r22 * g[e, a, 2]
        for b in range(4):
            b0 = r00 * g[e, b, 0] + r01 * g[e, b, 1] + r02 * g[e, b, 2]
            b1 = r10 * g[e, b, 0] + r11 * g[e, b, 1] + r12 * g[e, b, 2]
            b2 = r20 * g[e, b, 0] + r21 * g[e, b, 1] + r22 * g[e, b, 2]
            dot = shear * (a0 * b0 + a1 * b1 + a2 * b2)
            K_out[3 * a, 3 * b] = (lame + shear) * a0 * b0 + dot
            K_out[3 * a + 1, 3 * b + 1] = (lame + shear) * a1 * b1 + dot
            K_out[3 * a + 2, 3 * b + 2] = (lame + shear) * a2 * b2 + dot
            K_out[3 * a, 3 * b + 1] = lame * a0 * b1 + shear * a1 * b0
            K_out[3 * a + 1, 3 * b] = lame * a1 * b0 + shear * a0 * b1
            K_out[3 * a, 3 * b + 2] = lame * a0 * b2 + shear * a2 * b0
            K_out[3 * a + 2, 3 * b] = lame * a2 * b0 + shear * a0 * b2
            K_out[3 * a + 1, 3 * b + 2] = lame * a1 * b2 + shear * a2 * b1
            K_out[3 * a + 2, 3 * b + 1] = lame * a2 * b1 + shear * a1 * b2


@njit
def fill_rigid_motions(corner, e, x, Q_out):
    """Q_out [6, 12]: unit vectors across each other that span the rigid motions at the present shape."""
    for m in range(6):
        for c in range(12):
            Q_out[m, c] = 0.0
    c0, c1, c2 = 0.0, 0.0, 0.0
    for a in range(4):
        n = corner[e, a]
        c0, c1, c2 = c0 + 0.25 * x[n, 0], c1 + 0.25 * x[n, 1], c2 + 0.25 * x[n, 2]
        for axis in range(3):
            Q_out[axis, 3 * a + axis] = 0.5
    for a in range(4):
        n = corner[e, a]
        d0, d1, d2 = x[n, 0] - c0, x[n, 1] - c1, x[n, 2] - c2
        Q_out[3, 3 * a + 1], Q_out[3, 3 * a + 2] = -d2, d1
        Q_out[4, 3 * a], Q_out[4, 3 * a + 2] = d2, -d0
        Q_out[5, 3 * a], Q_out[5, 3 * a + 1] = -d1, d0
    largest = 0.0
    for m in range(3, 6):
        for earlier in range(3, m):
            dot = 0.0
            for c in range(12):
                dot += Q_out[m, c] * Q_out[earlier, c]
            for c in range(12):
                Q_out[m, c] -= dot * Q_out[earlier, c]
        square = 0.0
        for c in range(12):
            square += Q_out[m, c] * Q_out[m, c]
        largest = max(largest, square)
        # Of corners on a line one rotation moves nothing.
        scale = 1.0 / math.sqrt(square) if square > 1e-20 * largest else 0.0
        for c in range(12):
            Q_out[m, c] *= scale


@njit
def fill_flat_stiffness(elements: Elements, e, x, w, i, j, k, scale, scratch: Scratch):
    """scratch.stiffness [12, 12] = (1 - Q Q^T) K (1 - Q Q^T)."""
    K, Q = scratch.stiffness, scratch.rigid
    fill_turned_stiffness(elements, e, w, i, j, k, scale, K)
    fill_rigid_motions(elements.corner, e, x, Q)
    for _ in range(2):  # from the right, and, transposed, from the left
        for m in range(6):
            for r in range(12):
                dot = 0.0
                for c in range(12):
                    dot += K[r, c] * Q[m, c]
                for c in range(12):
                    K[r, c] -= dot * Q[m, c]
        for r in range(12):
            for c in range(r):
                K[r, c], K[c, r] = K[c, r], K[r, c]


@njit
def add_flat_element(elements: Elements, e, x, w, i, j, k, scale, scratch: Scratch, D, L):
    """Add (1 - Q Q^T) K (1 - Q Q^T) to A."""
    fill_flat_stiffness(elements, e, x, w, i, j, k, scale, scratch)
    K = scratch.stiffness
    for a in range(4):
        for b in range(a + 1):
            q = elements.slot[e, a] if a == b else elements.slot[e, 4 + (a * (a - 1)) // 2 + b]
            for r in range(3):
                for c in range(3):
                    if a == b:
                        D[q, r, c] += K[3 * a + r, 3 * a + c]
                    else:
                        L[q, r, c] += K[3 * a + r, 3 * b + c]
