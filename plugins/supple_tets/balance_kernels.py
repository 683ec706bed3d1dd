"""The energy that damping and the scheme of steps take from tetrahedra: README eq. (9), (10)."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined
from supple.math.quaternion_kernels import matrix_of_quaternion
from supple_tets.element_kernels import (
    CALMED,
    FLATTEST,
    KEPT,
    find_cofactors,
    find_deformation,
    find_kick,
    find_strain,
)
from supple_tets.flat_kernels import fill_flat_stiffness
from supple_tets.tables import Books, Elements, Now, Scratch, Vertices


@njit_inlined
def find_strain_rate(f00, f01, f02, f10, f11, f12, f20, f21, f22, c):
    """sym(dF/dt F^-1) times det F, of dF/dt and the cofactors of F: d00, d11, d22, d01, d02, d12."""
    c00, c01, c02, c10, c11, c12, c20, c21, c22, _ = c
    d00 = f00 * c00 + f01 * c01 + f02 * c02
    d11 = f10 * c10 + f11 * c11 + f12 * c12
    d22 = f20 * c20 + f21 * c21 + f22 * c22
    d01 = 0.5 * (f00 * c10 + f01 * c11 + f02 * c12 + f10 * c00 + f11 * c01 + f12 * c02)
    d02 = 0.5 * (f00 * c20 + f01 * c21 + f02 * c22 + f20 * c00 + f21 * c01 + f22 * c02)
    d12 = 0.5 * (f10 * c20 + f11 * c21 + f12 * c22 + f20 * c10 + f21 * c11 + f22 * c12)
    return d00, d11, d22, d01, d02, d12


@njit_inlined
def find_stiff_product(lame, shear, a, b):
    """2 shear a : b + lame tr a tr b of two symmetric tensors."""
    a00, a11, a22, a01, a02, a12 = a
    b00, b11, b22, b01, b02, b12 = b
    both = a00 * b00 + a11 * b11 + a22 * b22 + 2.0 * (a01 * b01 + a02 * b02 + a12 * b12)
    return 2.0 * shear * both + lame * (a00 + a11 + a22) * (b00 + b11 + b22)


@njit_inlined
def turn_rate(f00, f01, f02, f10, f11, f12, f20, f21, f22, r):
    """sym R^T dF/dt: d00, d11, d22, d01, d02, d12."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = r
    d00 = r00 * f00 + r10 * f10 + r20 * f20
    d11 = r01 * f01 + r11 * f11 + r21 * f21
    d22 = r02 * f02 + r12 * f12 + r22 * f22
    d01 = 0.5 * (r00 * f01 + r10 * f11 + r20 * f21 + r01 * f00 + r11 * f10 + r21 * f20)
    d02 = 0.5 * (r00 * f02 + r10 * f12 + r20 * f22 + r02 * f00 + r12 * f10 + r22 * f20)
    d12 = 0.5 * (r01 * f02 + r11 * f12 + r21 * f22 + r02 * f01 + r12 * f11 + r22 * f21)
    return d00, d11, d22, d01, d02, d12


@njit
def find_flat_product(K, corner, e, a, b):
    """a . K b, K [12, 12] being that of a flat tetrahedron."""
    total = 0.0
    for r in range(12):
        for c in range(12):
            total += a[corner[e, r // 3], r % 3] * K[r, c] * b[corner[e, c // 3], c % 3]
    return total


@njit
def balance_vertices(h, vertices: Vertices, now: Now, v_next, books: Books, mean_out, held_out):
    """Work of drag into books.applied; mean velocities, and those that K resists: README eq. (6) and (7)."""
    v, dragged = now.v, 0.0
    for n in range(v.shape[0]):
        midpoint, drag = vertices.vertex_midpoint[n] != 0, vertices.drag[n] * vertices.mass[n]
        for axis in range(3):
            mean = 0.5 * (v[n, axis] + v_next[n, axis])
            mean_out[n, axis], held_out[n, axis] = mean, v_next[n, axis]
            if midpoint:
                held_out[n, axis] = (
                    (KEPT - CALMED) * v_next[n, axis]
                    - (KEPT - 2.0 * CALMED) * v[n, axis]
                    - CALMED * now.v_before[n, axis]
                )
            dragged += drag * v_next[n, axis] * mean
    books.applied[0] -= h * dragged


@njit
def balance_elements(
    h, elements: Elements, now: Now, turn_next, v_next, mean, held, scratch: Scratch, books: Books
):
    """Work of damping into books.applied, and what the scheme loses into books.numerical [J]: README eq. (9), (10).

    The loss follows from the forces of the step and is not what is left over, so that an error of energies shows.
    """
    g, corner, turn = elements.gradient, elements.corner, now.turn
    applied, numerical = 0.0, 0.0
    for e in range(corner.shape[0]):
        lame, shear, volume = elements.lame[e], elements.shear[e], elements.volume[e]
        f00, f01, f02, f10, f11, f12, f20, f21, f22 = find_deformation(g, corner, e, now.x)
        w, i, j, k = turn[e, 0], turn[e, 1], turn[e, 2], turn[e, 3]
        strain = find_strain(f00, f01, f02, f10, f11, f12, f20, f21, f22, w, i, j, k)
        R = matrix_of_quaternion(w, i, j, k)
        c = find_cofactors(f00, f01, f02, f10, f11, f12, f20, f21, f22)
        v00, v01, v02, v10, v11, v12, v20, v21, v22 = find_deformation(g, corner, e, v_next)
        m00, m01, m02, m10, m11, m12, m20, m21, m22 = find_deformation(g, corner, e, mean)
        if c[9] < FLATTEST:
            fill_flat_stiffness(elements, e, now.x, w, i, j, k, volume, scratch)
            damped = find_flat_product(scratch.stiffness, corner, e, v_next, mean)
            resisted = damped
        else:
            scale = volume / c[9]
            rate = find_strain_rate(m00, m01, m02, m10, m11, m12, m20, m21, m22, c)
            after = find_strain_rate(v00, v01, v02, v10, v11, v12, v20, v21, v22, c)
            damped = scale * find_stiff_product(lame, shear, after, rate)
            resisted = damped
            if elements.midpoint[e] != 0:
                z00, z01, z02, z10, z11, z12, z20, z21, z22 = find_deformation(g, corner, e, held)
                kept = find_strain_rate(z00, z01, z02, z10, z11, z12, z20, z21, z22, c)
                resisted = scale * find_stiff_product(lame, shear, kept, rate)
        # Powers of elastic forces, with the opposite sign.
        pushed = find_stiff_product(
            lame, shear, strain, turn_rate(m00, m01, m02, m10, m11, m12, m20, m21, m22, R)
        )
        given = find_stiff_product(
            lame, shear, strain, turn_rate(v00, v01, v02, v10, v11, v12, v20, v21, v22, R)
        )
        w, i, j, k = turn_next[e, 0], turn_next[e, 1], turn_next[e, 2], turn_next[e, 3]
        strain = find_strain(
            f00 + h * v00, f01 + h * v01, f02 + h * v02, f10 + h * v10, f11 + h * v11, f12 + h * v12,
            f20 + h * v20, f21 + h * v21, f22 + h * v22, w, i, j, k,
        )  # fmt: skip
        R = matrix_of_quaternion(w, i, j, k)
        given += find_stiff_product(
            lame, shear, strain, turn_rate(v00, v01, v02, v10, v11, v12, v20, v21, v22, R)
        )
        kick = find_kick(h, now.last_step[0], elements.midpoint[e])
        applied -= h * elements.damping[e] * damped
        numerical += volume * (kick * pushed - 0.5 * h * given) + h * h * resisted
    books.applied[0] += applied
    books.numerical[0] += numerical
