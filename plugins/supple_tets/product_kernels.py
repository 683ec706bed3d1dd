"""The one loop that takes the time of factors and of solving with them: products of rows of numbers."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined

ROOM = 512
"""Numbers of a row that are made at a time."""
AT_ONCE = 510
"""So many of them are used: rows of vertices, three each, are not torn apart."""


@njit_inlined
def clear_sums(sums_out, count):
    """The first `count` numbers of all three sums = 0."""
    for e in range(3):
        part = sums_out[e * ROOM : e * ROOM + count]
        for i in range(count):
            part[i] = 0.0


@njit_inlined
def subtract_sum(sums, e, count, numbers, target):
    """numbers[target + i] -= sum e."""
    part, goal = sums[e * ROOM : e * ROOM + count], numbers[target : target + count]
    for i in range(count):
        goal[i] -= part[i]


@njit
def add_products(rows, first, stride, count, terms, weights, at, step, side, sums_out):
    """sums_out[ROOM e + i] += sum over k < terms of weights[at + step k + side e] rows[first + stride k + i].

    e < 3, i < count <= ROOM; terms are 3, 6, 9... Slices tell the compiler that no index is negative, and the fixed
    distance between the sums that they do not overlap: it can then take several numbers at once. Three sums share
    what is read of the rows.
    """
    k = 0
    while k + 6 <= terms:
        a, w = first + k * stride, at + k * step
        p, q, r = (
            rows[a : a + count],
            rows[a + stride : a + stride + count],
            rows[a + 2 * stride : a + 2 * stride + count],
        )
        a += 3 * stride
        s, t, u = (
            rows[a : a + count],
            rows[a + stride : a + stride + count],
            rows[a + 2 * stride : a + 2 * stride + count],
        )
        a0, b0, c0 = weights[w], weights[w + side], weights[w + 2 * side]
        w += step
        a1, b1, c1 = weights[w], weights[w + side], weights[w + 2 * side]
        w += step
        a2, b2, c2 = weights[w], weights[w + side], weights[w + 2 * side]
        w += step
        a3, b3, c3 = weights[w], weights[w + side], weights[w + 2 * side]
        w += step
        a4, b4, c4 = weights[w], weights[w + side], weights[w + 2 * side]
        w += step
        a5, b5, c5 = weights[w], weights[w + side], weights[w + 2 * side]
        for i in range(count):
            x0, x1, x2, x3, x4, x5 = p[i], q[i], r[i], s[i], t[i], u[i]
            sums_out[i] += (a0 * x0 + a1 * x1 + a2 * x2) + (a3 * x3 + a4 * x4 + a5 * x5)
            sums_out[i + ROOM] += (b0 * x0 + b1 * x1 + b2 * x2) + (b3 * x3 + b4 * x4 + b5 * x5)
            sums_out[i + 2 * ROOM] += (c0 * x0 + c1 * x1 + c2 * x2) + (c3 * x3 + c4 * x4 + c5 * x5)
        k += 6
    if k < terms:
        a, w = first + k * stride, at + k * step
        p, q, r = (
            rows[a : a + count],
            rows[a + stride : a + stride + count],
            rows[a + 2 * stride : a + 2 * stride + count],
        )
        a0, b0, c0 = weights[w], weights[w + side], weights[w + 2 * side]
        w += step
        a1, b1, c1 = weights[w], weights[w + side], weights[w + 2 * side]
        w += step
        a2, b2, c2 = weights[w], weights[w + side], weights[w + 2 * side]
        for i in range(count):
            x0, x1, x2 = p[i], q[i], r[i]
            sums_out[i] += a0 * x0 + a1 * x1 + a2 * x2
            sums_out[i + ROOM] += b0 * x0 + b1 * x1 + b2 * x2
            sums_out[i + 2 * ROOM] += c0 * x0 + c1 * x1 + c2 * x2
