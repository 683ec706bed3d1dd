"""Linear tetrahedra in frames that turn with them: forces, the matrix of the step, energy; equations in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import matrix_of_quaternion
from supple_tets.flat_kernels import add_flat_element
from supple_tets.tables import Elements, Matrix, Now, Scratch, Vertices
from supple_tets.turn_kernels import LANES, Lanes, find_turns

FLATTEST = 0.1
"""Below this part of its volume a tetrahedron counts as flat or turned inside out: README eq. (5)."""
KEPT, CALMED = 0.5, 0.05
"""Of h^2 K, where velocities are those of the middles of steps: README eq. (8)."""
FIXED_MASS = 1e30
"""What stands still [kg]."""


@njit_inlined
def find_deformation(gradient, corner, e, x):
    """F of tetrahedron e at the places x, row by row: README eq. (1)."""
    a, b, c, d = corner[e, 0], corner[e, 1], corner[e, 2], corner[e, 3]
    g = gradient
    f00 = x[a, 0] * g[e, 0, 0] + x[b, 0] * g[e, 1, 0] + x[c, 0] * g[e, 2, 0] + x[d, 0] * g[e, 3, 0]
    f01 = x[a, 0] * g[e, 0, 1] + x[b, 0] * g[e, 1, 1] + x[c, 0] * g[e, 2, 1] + x[d, 0] * g[e, 3, 1]
    f02 = x[a, 0] * g[e, 0, 2] + x[b, 0] * g[e, 1, 2] + x[c, 0] * g[e, 2, 2] + x[d, 0] * g[e, 3, 2]
    f10 = x[a, 1] * g[e, 0, 0] + x[b, 1] * g[e, 1, 0] + x[c, 1] * g[e, 2, 0] + x[d, 1] * g[e, 3, 0]
    f11 = x[a, 1] * g[e, 0, 1] + x[b, 1] * g[e, 1, 1] + x[c, 1] * g[e, 2, 1] + x[d, 1] * g[e, 3, 1]
    f12 = x[a, 1] * g[e, 0, 2] + x[b, 1] * g[e, 1, 2] + x[c, 1] * g[e, 2, 2] + x[d, 1] * g[e, 3, 2]
    f20 = x[a, 2] * g[e, 0, 0] + x[b, 2] * g[e, 1, 0] + x[c, 2] * g[e, 2, 0] + x[d, 2] * g[e, 3, 0]
    f21 = x[a, 2] * g[e, 0, 1] + x[b, 2] * g[e, 1, 1] + x[c, 2] * g[e, 2, 1] + x[d, 2] * g[e, 3, 1]
    f22 = x[a, 2] * g[e, 0, 2] + x[b, 2] * g[e, 1, 2] + x[c, 2] * g[e, 2, 2] + x[d, 2] * g[e, 3, 2]
    return f00, f01, f02, f10, f11, f12, f20, f21, f22


@njit_inlined
def find_cofactors(f00, f01, f02, f10, f11, f12, f20, f21, f22):
    """det F times F^-T, row by row, and det F."""
    c00, c01, c02 = f11 * f22 - f12 * f21, f12 * f20 - f10 * f22, f10 * f21 - f11 * f20
    c10, c11, c12 = f02 * f21 - f01 * f22, f00 * f22 - f02 * f20, f01 * f20 - f00 * f21
    c20, c21, c22 = f01 * f12 - f02 * f11, f02 * f10 - f00 * f12, f00 * f11 - f01 * f10
    return c00, c01, c02, c10, c11, c12, c20, c21, c22, f00 * c00 + f01 * c01 + f02 * c02


@njit_inlined
def find_strain(f00, f01, f02, f10, f11, f12, f20, f21, f22, w, i, j, k):
    """E = sym R^T F - 1, R being that of a quaternion: e00, e11, e22, e01, e02, e12."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix_of_quaternion(w, i, j, k)
    e00 = r00 * f00 + r10 * f10 + r20 * f20 - 1.0
    e11 = r01 * f01 + r11 * f11 + r21 * f21 - 1.0
    e22 = r02 * f02 + r12 * f12 + r22 * f22 - 1.0
    e01 = 0.5 * (r00 * f01 + r10 * f11 + r20 * f21 + r01 * f00 + r11 * f10 + r21 * f20)
    e02 = 0.5 * (r00 * f02 + r10 * f12 + r20 * f22 + r02 * f00 + r12 * f10 + r22 * f20)
    e12 = 0.5 * (r01 * f02 + r11 * f12 + r21 * f22 + r02 * f01 + r12 * f11 + r22 * f21)
    return e00, e11, e22, e01, e02, e12


@njit_inlined
def add_stiffness(slot, e, gradient, lame, shear, D, L):
    """Add the blocks of one tetrahedron with these gradients [4, 3] to A: README eq. (4)."""
    both = lame + shear
    for a in range(4):
        x0, x1, x2 = gradient[a, 0], gradient[a, 1], gradient[a, 2]
        q = slot[e, a]
        square = shear * (x0 * x0 + x1 * x1 + x2 * x2)
        D[q, 0, 0] += both * x0 * x0 + square
        D[q, 1, 0] += both * x1 * x0
        D[q, 1, 1] += both * x1 * x1 + square
        D[q, 2, 0] += both * x2 * x0
        D[q, 2, 1] += both * x2 * x1
        D[q, 2, 2] += both * x2 * x2 + square
        for b in range(a):
            y0, y1, y2 = gradient[b, 0], gradient[b, 1], gradient[b, 2]
            q = slot[e, 4 + (a * (a - 1)) // 2 + b]
            dot = shear * (x0 * y0 + x1 * y1 + x2 * y2)
            L[q, 0, 0] += both * x0 * y0 + dot
            L[q, 1, 1] += both * x1 * y1 + dot
            L[q, 2, 2] += both * x2 * y2 + dot
            L[q, 0, 1] += lame * x0 * y1 + shear * x1 * y0
            L[q, 1, 0] += lame * x1 * y0 + shear * x0 * y1
            L[q, 0, 2] += lame * x0 * y2 + shear * x2 * y0
            L[q, 2, 0] += lame * x2 * y0 + shear * x0 * y2
            L[q, 1, 2] += lame * x1 * y2 + shear * x2 * y1
            L[q, 2, 1] += lame * x2 * y1 + shear * x1 * y2


@njit_inlined
def find_kick(h, last_step, midpoint):
    """For how long forces act in this step [s]: from the middle of the last one to the middle of this one."""
    return 0.5 * (last_step + h) if midpoint != 0 else h


@njit
def start_step(h, vertices: Vertices, gravity, now: Now, force, right_out, matrix_out: Matrix):
    """M (v + h g) + h f into right_out, and the masses added to the diagonal of A."""
    D, v = matrix_out.matrix_diagonal, now.v
    for i in range(v.shape[0]):
        k = vertices.place[i]
        stands = vertices.fixed[i] != 0
        kick = find_kick(h, now.last_step[0], vertices.vertex_midpoint[i])
        heavy = FIXED_MASS if stands else vertices.mass[i] * (1.0 + h * vertices.drag[i])
        for r in range(3):
            D[k, r, r] += heavy
            right_out[i, r] = (
                0.0 if stands else vertices.mass[i] * (v[i, r] + kick * gravity[r]) + kick * force[i, r]
            )


@njit_inlined
def add_kept_strain(corner, e, gradient, lame, shear, fixed, now: Now, right_out):
    """K ((KEPT - 2 CALMED) v + CALMED v_before) of one with these gradients [4, 3] into right_out: README eq. (8)."""
    g00, g01, g02, g10, g11, g12, g20, g21, g22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(4):
        n, x, y, z = corner[e, a], gradient[a, 0], gradient[a, 1], gradient[a, 2]
        u = (KEPT - 2.0 * CALMED) * now.v[n, 0] + CALMED * now.v_before[n, 0]
        v = (KEPT - 2.0 * CALMED) * now.v[n, 1] + CALMED * now.v_before[n, 1]
        w = (KEPT - 2.0 * CALMED) * now.v[n, 2] + CALMED * now.v_before[n, 2]
        g00, g01, g02 = g00 + u * x, g01 + u * y, g02 + u * z
        g10, g11, g12 = g10 + v * x, g11 + v * y, g12 + v * z
        g20, g21, g22 = g20 + w * x, g21 + w * y, g22 + w * z
    trace = lame * (g00 + g11 + g22)
    s00, s11, s22 = 2.0 * shear * g00 + trace, 2.0 * shear * g11 + trace, 2.0 * shear * g22 + trace
    s01, s02, s12 = shear * (g01 + g10), shear * (g02 + g20), shear * (g12 + g21)
    for a in range(4):
        n, x, y, z = corner[e, a], gradient[a, 0], gradient[a, 1], gradient[a, 2]
        if fixed[n] == 0:
            right_out[n, 0] += s00 * x + s01 * y + s02 * z
            right_out[n, 1] += s01 * x + s11 * y + s12 * z
            right_out[n, 2] += s02 * x + s12 * y + s22 * z


@njit
def find_shapes(elements: Elements, first, x, turn, lanes_out: Lanes):
    """F and the rotations of the tetrahedra from `first` on, as many as there are lanes for; says how many."""
    F, Q = lanes_out.deformation, lanes_out.turn
    count = min(LANES, elements.corner.shape[0] - first)
    for i in range(count):
        F[0, i], F[1, i], F[2, i], F[3, i], F[4, i], F[5, i], F[6, i], F[7, i], F[8, i] = find_deformation(
            elements.gradient, elements.corner, first + i, x
        )
        for k in range(4):
            Q[k, i] = turn[first + i, k]
    find_turns(count, lanes_out)
    return count


@njit
def add_elements(
    h, elements: Elements, fixed, now: Now, scratch: Scratch, lanes: Lanes, right_out, matrix_out: Matrix
):
    """Elastic impulses h f into right_out, h (h + damping) K into A: README eq. (3), (4), (8)."""
    for first in range(0, elements.corner.shape[0], LANES):
        for lane in range(find_shapes(elements, first, now.x, now.turn, lanes)):
            add_element(h, elements, first + lane, fixed, now, scratch, lanes, lane, right_out, matrix_out)


@njit_inlined
def add_element(
    h, elements: Elements, e, fixed, now: Now, scratch: Scratch, lanes: Lanes, lane, right_out, matrix_out: Matrix
):  # fmt: skip
    """The same of one tetrahedron, whose F and rotation are in a lane."""
    x, F, Q = now.x, lanes.deformation, lanes.turn
    g, corner, D, L = elements.gradient, elements.corner, matrix_out.matrix_diagonal, matrix_out.matrix_lower
    f00, f01, f02, f10, f11, f12 = F[0, lane], F[1, lane], F[2, lane], F[3, lane], F[4, lane], F[5, lane]
    f20, f21, f22 = F[6, lane], F[7, lane], F[8, lane]
    w, i, j, k = Q[0, lane], Q[1, lane], Q[2, lane], Q[3, lane]
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix_of_quaternion(w, i, j, k)
    e00, e11, e22, e01, e02, e12 = find_strain(f00, f01, f02, f10, f11, f12, f20, f21, f22, w, i, j, k)
    lame, shear = elements.lame[e], elements.shear[e]
    trace = lame * (e00 + e11 + e22)
    s00, s11, s22 = 2.0 * shear * e00 + trace, 2.0 * shear * e11 + trace, 2.0 * shear * e22 + trace
    s01, s02, s12 = 2.0 * shear * e01, 2.0 * shear * e02, 2.0 * shear * e12
    p00, p01, p02 = (
        r00 * s00 + r01 * s01 + r02 * s02,
        r00 * s01 + r01 * s11 + r02 * s12,
        r00 * s02 + r01 * s12 + r02 * s22,
    )
    p10, p11, p12 = (
        r10 * s00 + r11 * s01 + r12 * s02,
        r10 * s01 + r11 * s11 + r12 * s12,
        r10 * s02 + r11 * s12 + r12 * s22,
    )
    p20, p21, p22 = (
        r20 * s00 + r21 * s01 + r22 * s02,
        r20 * s01 + r21 * s11 + r22 * s12,
        r20 * s02 + r21 * s12 + r22 * s22,
    )
    pushed = -find_kick(h, now.last_step[0], elements.midpoint[e]) * elements.volume[e]
    for a in range(4):
        n = corner[e, a]
        if fixed[n] == 0:
            right_out[n, 0] += pushed * (p00 * g[e, a, 0] + p01 * g[e, a, 1] + p02 * g[e, a, 2])
            right_out[n, 1] += pushed * (p10 * g[e, a, 0] + p11 * g[e, a, 1] + p12 * g[e, a, 2])
            right_out[n, 2] += pushed * (p20 * g[e, a, 0] + p21 * g[e, a, 1] + p22 * g[e, a, 2])
    c00, c01, c02, c10, c11, c12, c20, c21, c22, J = find_cofactors(
        f00, f01, f02, f10, f11, f12, f20, f21, f22
    )
    scale = h * (h + elements.damping[e]) * elements.volume[e]
    if J < FLATTEST:
        add_flat_element(elements, e, x, w, i, j, k, scale, scratch, D, L)
        return
    # Gradients at the present shape are F^-T g; the present volume is J times that at rest.
    here = scratch.gradient
    for a in range(4):
        here[a, 0] = c00 * g[e, a, 0] + c01 * g[e, a, 1] + c02 * g[e, a, 2]
        here[a, 1] = c10 * g[e, a, 0] + c11 * g[e, a, 1] + c12 * g[e, a, 2]
        here[a, 2] = c20 * g[e, a, 0] + c21 * g[e, a, 1] + c22 * g[e, a, 2]
    if elements.midpoint[e] != 0:
        kept = h * h * elements.volume[e] / J
        scale = h * ((KEPT - CALMED) * h + elements.damping[e]) * elements.volume[e]
        add_kept_strain(corner, e, here, lame * kept, shear * kept, fixed, now, right_out)
    add_stiffness(elements.slot, e, here, lame * scale / J, shear * scale / J, D, L)


@njit
def follow_shape(elements: Elements, x, turn, lanes: Lanes, turn_out, stored_out, shape_out):
    """Rotations of the tetrahedra at x, the energy stored in every body [J], and its shape.

    shape_out[body]: volume [m^3], the least det F of a tetrahedron, how many are inside out, the greatest |E|.
    """
    for body in range(shape_out.shape[0]):
        stored_out[body] = 0.0
        shape_out[body, 0], shape_out[body, 1], shape_out[body, 2], shape_out[body, 3] = (
            0.0,
            math.inf,
            0.0,
            0.0,
        )
    F, Q = lanes.deformation, lanes.turn
    for first in range(0, elements.corner.shape[0], LANES):
        for lane in range(find_shapes(elements, first, x, turn, lanes)):
            e = first + lane
            f00, f01, f02, f10, f11, f12 = (
                F[0, lane],
                F[1, lane],
                F[2, lane],
                F[3, lane],
                F[4, lane],
                F[5, lane],
            )
            f20, f21, f22 = F[6, lane], F[7, lane], F[8, lane]
            w, i, j, k = Q[0, lane], Q[1, lane], Q[2, lane], Q[3, lane]
            turn_out[e, 0], turn_out[e, 1], turn_out[e, 2], turn_out[e, 3] = w, i, j, k
            e00, e11, e22, e01, e02, e12 = find_strain(
                f00, f01, f02, f10, f11, f12, f20, f21, f22, w, i, j, k
            )
            square = e00 * e00 + e11 * e11 + e22 * e22 + 2.0 * (e01 * e01 + e02 * e02 + e12 * e12)
            trace, body = e00 + e11 + e22, elements.body_of[e]
            J = f00 * (f11 * f22 - f12 * f21) + f01 * (f12 * f20 - f10 * f22) + f02 * (f10 * f21 - f11 * f20)
            stored_out[body] += elements.volume[e] * (
                elements.shear[e] * square + 0.5 * elements.lame[e] * trace * trace
            )
            shape_out[body, 0] += J * elements.volume[e]
            shape_out[body, 1] = min(shape_out[body, 1], J)
            shape_out[body, 2] += J <= 0.0
            shape_out[body, 3] = max(shape_out[body, 3], math.sqrt(square))
