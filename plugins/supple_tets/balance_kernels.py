"""The energy that damping and the scheme of steps take from tetrahedra: README eq. (10), (11)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray
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
from supple_tets.turn_kernels import LANES


class Powers(NamedTuple):
    """Room for the tetrahedra that are looked at side by side, one a lane."""

    numbers: FloatArray  # [37 LANES]
    powers: FloatArray  # [4 LANES]


def make_powers() -> Powers:
    """Filled anew by whoever uses it."""
    return Powers(np.zeros(37 * LANES), np.zeros(4 * LANES))


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
    """Work of drag into books.applied; mean velocities, and those that K resists: README eq. (6) and (8)."""
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


@njit_inlined
def put_nine(values, first, lane, out):
    """Nine numbers of a lane, from row `first` on."""
    f00, f01, f02, f10, f11, f12, f20, f21, f22 = values
    at = first * LANES + lane
    out[at], out[at + LANES], out[at + 2 * LANES] = f00, f01, f02
    out[at + 3 * LANES], out[at + 4 * LANES], out[at + 5 * LANES] = f10, f11, f12
    out[at + 6 * LANES], out[at + 7 * LANES], out[at + 8 * LANES] = f20, f21, f22


@njit_inlined
def take_nine(numbers, first, lane):
    """The nine numbers of a lane from row `first` on."""
    at = first * LANES + lane
    return (
        numbers[at], numbers[at + LANES], numbers[at + 2 * LANES], numbers[at + 3 * LANES], numbers[at + 4 * LANES],
        numbers[at + 5 * LANES], numbers[at + 6 * LANES], numbers[at + 7 * LANES], numbers[at + 8 * LANES],
    )  # fmt: skip


@njit
def gather_lanes(elements: Elements, first, count, now: Now, turn_next, v_next, mean, numbers_out):
    """F, rates of F with the velocities after the step and with mean ones, both rotations, and material, by rows."""
    g, corner, turn = elements.gradient, elements.corner, now.turn
    for lane in range(count):
        e = first + lane
        put_nine(find_deformation(g, corner, e, now.x), 0, lane, numbers_out)
        put_nine(find_deformation(g, corner, e, v_next), 9, lane, numbers_out)
        put_nine(find_deformation(g, corner, e, mean), 18, lane, numbers_out)
        for k in range(4):
            numbers_out[(27 + k) * LANES + lane] = turn[e, k]
            numbers_out[(31 + k) * LANES + lane] = turn_next[e, k]
        numbers_out[35 * LANES + lane], numbers_out[36 * LANES + lane] = elements.lame[e], elements.shear[e]


@njit
def find_powers(h, numbers, powers_out):
    """Of every lane, by rows: det F; powers of damping, of elastic forces before the step, and in it, for one volume.

    Without branches, and with offsets that are known: so the loop becomes vectors.
    """
    for i in range(LANES):
        lame, shear = numbers[35 * LANES + i], numbers[36 * LANES + i]
        f = take_nine(numbers, 0, i)
        v = take_nine(numbers, 9, i)
        m = take_nine(numbers, 18, i)
        f00, f01, f02, f10, f11, f12, f20, f21, f22 = f
        v00, v01, v02, v10, v11, v12, v20, v21, v22 = v
        m00, m01, m02, m10, m11, m12, m20, m21, m22 = m
        w, x, y, z = (
            numbers[27 * LANES + i],
            numbers[28 * LANES + i],
            numbers[29 * LANES + i],
            numbers[30 * LANES + i],
        )
        strain = find_strain(f00, f01, f02, f10, f11, f12, f20, f21, f22, w, x, y, z)
        R = matrix_of_quaternion(w, x, y, z)
        c = find_cofactors(f00, f01, f02, f10, f11, f12, f20, f21, f22)
        rate = find_strain_rate(m00, m01, m02, m10, m11, m12, m20, m21, m22, c)
        after = find_strain_rate(v00, v01, v02, v10, v11, v12, v20, v21, v22, c)
        # Powers of elastic forces, with the opposite sign.
        pushed = find_stiff_product(
            lame, shear, strain, turn_rate(m00, m01, m02, m10, m11, m12, m20, m21, m22, R)
        )
        given = find_stiff_product(
            lame, shear, strain, turn_rate(v00, v01, v02, v10, v11, v12, v20, v21, v22, R)
        )
        damped = find_stiff_product(lame, shear, after, rate) / c[9]
        w, x, y, z = (
            numbers[31 * LANES + i],
            numbers[32 * LANES + i],
            numbers[33 * LANES + i],
            numbers[34 * LANES + i],
        )
        strain = find_strain(
            f00 + h * v00, f01 + h * v01, f02 + h * v02, f10 + h * v10, f11 + h * v11, f12 + h * v12,
            f20 + h * v20, f21 + h * v21, f22 + h * v22, w, x, y, z,
        )  # fmt: skip
        R = matrix_of_quaternion(w, x, y, z)
        given += find_stiff_product(
            lame, shear, strain, turn_rate(v00, v01, v02, v10, v11, v12, v20, v21, v22, R)
        )
        powers_out[i], powers_out[LANES + i] = c[9], damped
        powers_out[2 * LANES + i], powers_out[3 * LANES + i] = pushed, given


@njit
def find_resisted(elements: Elements, e, lane, numbers, held):
    """Power of K held for one volume at rest, of a tetrahedron whose velocities are those of the middles of steps."""
    z00, z01, z02, z10, z11, z12, z20, z21, z22 = find_deformation(
        elements.gradient, elements.corner, e, held
    )
    f00, f01, f02, f10, f11, f12, f20, f21, f22 = take_nine(numbers, 0, lane)
    m00, m01, m02, m10, m11, m12, m20, m21, m22 = take_nine(numbers, 18, lane)
    c = find_cofactors(f00, f01, f02, f10, f11, f12, f20, f21, f22)
    kept = find_strain_rate(z00, z01, z02, z10, z11, z12, z20, z21, z22, c)
    rate = find_strain_rate(m00, m01, m02, m10, m11, m12, m20, m21, m22, c)
    return find_stiff_product(elements.lame[e], elements.shear[e], kept, rate) / c[9]


@njit
def balance_elements(
    h,
    elements: Elements,
    now: Now,
    turn_next,
    v_next,
    mean,
    held,
    scratch: Scratch,
    room: Powers,
    books: Books,
):
    """Work of damping into books.applied, and what the scheme loses into books.numerical [J]: README eq. (10), (11).

    The loss follows from the forces of the step and is not what is left over, so that an error of energies shows.
    """
    corner, turn, numbers, powers = elements.corner, now.turn, room.numbers, room.powers
    applied, numerical = 0.0, 0.0
    for first in range(0, corner.shape[0], LANES):
        count = min(LANES, corner.shape[0] - first)
        gather_lanes(elements, first, count, now, turn_next, v_next, mean, numbers)
        find_powers(h, numbers, powers)
        for lane in range(count):
            e = first + lane
            volume, damped = elements.volume[e], powers[LANES + lane]
            resisted = damped
            if powers[lane] < FLATTEST:
                w, i, j, k = turn[e, 0], turn[e, 1], turn[e, 2], turn[e, 3]
                fill_flat_stiffness(elements, e, now.x, w, i, j, k, 1.0, scratch)
                damped = find_flat_product(scratch.stiffness, corner, e, v_next, mean)
                resisted = damped
            elif elements.midpoint[e] != 0:
                resisted = find_resisted(elements, e, lane, numbers, held)
            kick = find_kick(h, now.last_step[0], elements.midpoint[e])
            applied -= h * elements.damping[e] * volume * damped
            lost = kick * powers[2 * LANES + lane] - 0.5 * h * powers[3 * LANES + lane] + h * h * resisted
            numerical += volume * lost
    books.applied[0] += applied
    books.numerical[0] += numerical
