"""The normal along which two hulls of atoms are farthest apart, whether they overlap or not.

s(n) is the gap between the planes across n that hold both shapes apart. Where the shapes are apart its greatest value
over all unit n is their distance; where they overlap it is minus the least shift that parts them. s is the least of
the smooth functions s_ij that pairs of atoms have,

    s_ij(n) = n . w_ij(n),    w_ij = support of atom i against n - support of atom j along n,

so its maximum is sought by Newton's method on a growing set of pairs that are equally near: with p the steps of n in
its tangent plane, shares l_k of the pairs and their curvatures,

    sum_k l_k (H_k - s) p + sum_k l_k w_k = 0,    s_k + w_k . p = t,    sum_k l_k = 1.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit
from supple.math.vector_kernels import cross, normalise
from supple_collide.solids.atom_kernels import (
    Hulls,
    find_across,
    find_farthest,
    find_separation,
    find_support,
)

MOST_PAIRS = 3
MOST_STEPS = 40
# n has been found when a step turns it by less.
CLOSE = 1e-14
# Longest turn in one step [rad].
LONGEST = 0.5
# Shares and separations below these parts are rounding.
NO_SHARE, ROUNDING = -1e-12, 1e-15
HALVINGS = 30


class Ascent(NamedTuple):
    """Scratch: pairs of atoms [4, 2] that count, w of each [4, 3], its share [4], s of each [4], equations [8, 9]."""

    pair: IntArray
    w: FloatArray
    share: FloatArray
    gap: FloatArray
    equations: FloatArray


@njit
def fill_pair(hulls: Hulls, row, i, j, nx, ny, nz, ascent: Ascent):
    """Write w and s of the pair (i, j) of atoms as a row."""
    first = find_across(hulls, 0, -nx, -ny, -nz)
    second = find_across(hulls, 1, nx, ny, nz)
    ax, ay, az = find_support(hulls, 0, i, first, -nx, -ny, -nz)
    bx, by, bz = find_support(hulls, 1, j, second, nx, ny, nz)
    ascent.pair[row, 0], ascent.pair[row, 1] = i, j
    ascent.w[row, 0], ascent.w[row, 1], ascent.w[row, 2] = ax - bx, ay - by, az - bz
    ascent.gap[row] = nx * (ax - bx) + ny * (ay - by) + nz * (az - bz)


@njit
def find_bend(hulls: Hulls, row, n, d, e, ascent: Ascent):
    """d . H e of a pair in two directions across n: circles bend around their axes, balls and ellipsoids everywhere."""
    total = -(hulls.ball[0] + hulls.ball[1]) * (d[0] * e[0] + d[1] * e[1] + d[2] * e[2])
    for side in range(2):
        ring = hulls.atoms[side, ascent.pair[row, side], 3]
        ax, ay, az, size = find_across(hulls, side, n[0], n[1], n[2])
        if hulls.smooth[side] != 0:
            # (E - p p) / h with E = m m^T, p the farthest point and h how far it is.
            m, mixed = hulls.oval[side], 0.0
            for k in range(3):
                mixed += (m[0, k] * d[0] + m[1, k] * d[1] + m[2, k] * d[2]) * (
                    m[0, k] * e[0] + m[1, k] * e[1] + m[2, k] * e[2]
                )
            mixed -= (ax * d[0] + ay * d[1] + az * d[2]) * (ax * e[0] + ay * e[1] + az * e[2])
            total -= mixed / size
            continue
        if ring == 0.0 or size == 0.0:
            continue
        tx, ty, tz = cross(hulls.axis[side, 0], hulls.axis[side, 1], hulls.axis[side, 2], ax, ay, az)
        along_d, along_e = tx * d[0] + ty * d[1] + tz * d[2], tx * e[0] + ty * e[1] + tz * e[2]
        total -= ring / size * along_d * along_e
    return total


@njit
def eliminate(size, m):
    """Solve the equations m [size, size + 1] in place, by elimination with pivots; False if there is no solution."""
    for c in range(size):
        pivot = c
        for r in range(c + 1, size):
            if abs(m[r, c]) > abs(m[pivot, c]):
                pivot = r
        if abs(m[pivot, c]) < 1e-300:
            return False
        for k in range(c, size + 1):
            m[c, k], m[pivot, k] = m[pivot, k], m[c, k]
        for r in range(size):
            if r != c:
                factor = m[r, c] / m[c, c]
                for k in range(c, size + 1):
                    m[r, k] -= factor * m[c, k]
    for r in range(size):
        m[r, size] /= m[r, r]
    return True


@njit
def solve_step(hulls: Hulls, count, n, d, e, separation, scale, ascent: Ascent):
    """The step (p, q) in the tangent plane (d, e) for the pairs that count, and t; new shares are in the equations."""
    m, w = ascent.equations, ascent.w
    size = 3 + count
    for r in range(size):
        for c in range(size + 1):
            m[r, c] = 0.0
    # Overlapping corners have no best normal of their own: there the step leads on to the next pair.
    stiff = separation if separation > 0.0 else 1e-3 * scale
    m[0, 0] = m[1, 1] = -stiff
    for k in range(count):
        share = ascent.share[k]
        m[0, 0] += share * find_bend(hulls, k, n, d, d, ascent)
        m[0, 1] += share * find_bend(hulls, k, n, d, e, ascent)
        m[1, 1] += share * find_bend(hulls, k, n, e, e, ascent)
        m[0, 2 + k] = m[2 + k, 0] = w[k, 0] * d[0] + w[k, 1] * d[1] + w[k, 2] * d[2]
        m[1, 2 + k] = m[2 + k, 1] = w[k, 0] * e[0] + w[k, 1] * e[1] + w[k, 2] * e[2]
        # Pairs that say the same share what they carry.
        m[2 + k, 2 + k] = 1e-13 * scale
        m[2 + k, 2 + count] = -1.0
        m[2 + count, 2 + k] = 1.0
        m[2 + k, size] = -ascent.gap[k]
    m[1, 0] = m[0, 1]
    m[2 + count, size] = 1.0
    if not eliminate(size, m):
        return 0.0, 0.0, separation, False
    return m[0, size], m[1, size], m[2 + count, size], True


@njit
def find_violated(hulls: Hulls, n, turned):
    """The pair of atoms that is nearest if those at n were points, as seen along n turned: (separation, i, j)."""
    low, high, first, second = math.inf, -math.inf, 0, 0
    across = find_across(hulls, 0, -n[0], -n[1], -n[2])
    for k in range(hulls.count[0]):
        px, py, pz = find_support(hulls, 0, k, across, -n[0], -n[1], -n[2])
        reach = px * turned[0] + py * turned[1] + pz * turned[2]
        if reach < low:
            low, first = reach, k
    across = find_across(hulls, 1, n[0], n[1], n[2])
    for k in range(hulls.count[1]):
        px, py, pz = find_support(hulls, 1, k, across, n[0], n[1], n[2])
        reach = px * turned[0] + py * turned[1] + pz * turned[2]
        if reach > high:
            high, second = reach, k
    return low - high, first, second


@njit
def is_listed(count, i, j, ascent: Ascent):
    """Whether a pair of atoms counts already."""
    listed = False
    for k in range(count):
        listed = listed or (ascent.pair[k, 0] == i and ascent.pair[k, 1] == j)
    return listed


@njit
def drop_row(row, count, ascent: Ascent):
    """Forget one pair; returns how many are left."""
    last = count - 1
    for k in range(2):
        ascent.pair[row, k] = ascent.pair[last, k]
    for k in range(3):
        ascent.w[row, k] = ascent.w[last, k]
    ascent.share[row], ascent.gap[row] = ascent.share[last], ascent.gap[last]
    return last


@njit
def add_row(hulls: Hulls, i, j, count, n, ascent: Ascent):
    """One more pair, in the place of the one that carries least if there is no room; returns how many there are."""
    if count > MOST_PAIRS:
        least = 0
        for k in range(1, count):
            if ascent.share[k] < ascent.share[least]:
                least = k
        count = drop_row(least, count, ascent)
    fill_pair(hulls, count, i, j, n[0], n[1], n[2], ascent)
    ascent.share[count] = 0.0
    return count + 1


@njit
def find_step(hulls: Hulls, count, n, d, e, separation, scale, ascent: Ascent):
    """The step in the tangent plane to where all pairs that matter are equally near: (p, q, pairs that count)."""
    p, q = 0.0, 0.0
    for _ in range(12):
        p, q, level, found = solve_step(hulls, count, n, d, e, separation, scale, ascent)
        if not found:
            return 0.0, 0.0, count
        least = 0
        for k in range(count):
            if ascent.equations[2 + k, 3 + count] < ascent.equations[2 + least, 3 + count]:
                least = k
        if count > 1 and ascent.equations[2 + least, 3 + count] < NO_SHARE:
            count = drop_row(least, count, ascent)
            continue
        for k in range(count):
            ascent.share[k] = max(0.0, ascent.equations[2 + k, 3 + count])
        size = math.sqrt(p * p + q * q)
        shorter = min(1.0, LONGEST / size) if size > 0.0 else 1.0
        p, q = p * shorter, q * shorter
        turned = (n[0] + p * d[0] + q * e[0], n[1] + p * d[1] + q * e[1], n[2] + p * d[2] + q * e[2])
        lowest, i, j = find_violated(hulls, n, turned)
        level = separation + shorter * (level - separation)
        if lowest > level - ROUNDING * scale or is_listed(count, i, j, ascent):
            break
        count = add_row(hulls, i, j, count, n, ascent)
    return p, q, count


@njit
def find_tangents(n):
    """Two unit vectors across n and each other."""
    if abs(n[0]) < 0.6:
        dx, dy, dz, _ = normalise(*cross(n[0], n[1], n[2], 1.0, 0.0, 0.0))
    else:
        dx, dy, dz, _ = normalise(*cross(n[0], n[1], n[2], 0.0, 1.0, 0.0))
    return (dx, dy, dz), cross(n[0], n[1], n[2], dx, dy, dz)


@njit
def climb(hulls: Hulls, nx, ny, nz, scale, ascent: Ascent):
    """From n to where the separation is greatest nearby: (n, separation, how many pairs are equally near there).

    `scale` [m] is the size of the shapes. The shares of the pairs say where between them the contact is.
    """
    n, count = (nx, ny, nz), 0
    separation = find_separation(hulls, nx, ny, nz)
    for _ in range(MOST_STEPS):
        for k in range(count):
            fill_pair(hulls, k, ascent.pair[k, 0], ascent.pair[k, 1], n[0], n[1], n[2], ascent)
        _, i = find_farthest(hulls, 0, -n[0], -n[1], -n[2])
        _, j = find_farthest(hulls, 1, n[0], n[1], n[2])
        if not is_listed(count, i, j, ascent):
            count = add_row(hulls, i, j, count, n, ascent)
        if count == 1:
            ascent.share[0] = 1.0
        d, e = find_tangents(n)
        p, q, count = find_step(hulls, count, n, d, e, separation, scale, ascent)
        size, best, moved = math.sqrt(p * p + q * q), separation, False
        if size < CLOSE:
            break
        for _ in range(HALVINGS):
            tx, ty, tz, _ = normalise(
                n[0] + p * d[0] + q * e[0], n[1] + p * d[1] + q * e[1], n[2] + p * d[2] + q * e[2]
            )  # fmt: skip
            best = find_separation(hulls, tx, ty, tz)
            if best > separation or (size < 1e-6 and best > separation - 4.0 * ROUNDING * scale):
                n, moved = (tx, ty, tz), True
                break
            p, q, size = 0.5 * p, 0.5 * q, 0.5 * size
        if not moved:
            break
        done = size < 1e-9 and best <= separation + ROUNDING * scale
        separation = best
        if done:
            break
    return n[0], n[1], n[2], separation, count


@njit
def find_place(hulls: Hulls, count, nx, ny, nz, ascent: Ascent):
    """The point of the second side, relative to its origin, that the pairs share, as (x, y, z)."""
    across = find_across(hulls, 1, nx, ny, nz)
    x, y, z, total = 0.0, 0.0, 0.0, 0.0
    for k in range(count):
        px, py, pz = find_support(hulls, 1, ascent.pair[k, 1], across, nx, ny, nz)
        share = ascent.share[k]
        x, y, z, total = x + share * px, y + share * py, z + share * pz, total + share
    return x / total, y / total, z / total
