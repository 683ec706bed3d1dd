"""The mass matrix as M = F^T D F, which keeps the zeros of trees, and rows measured by kinetic energy: README eq. (4).

With a = F^-1 D^-1/2 w the kinetic energy of a is |w|^2 / 2, and a row J becomes K = J F^-1 D^-1/2.
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tasks.tables import Room


@njit
def factor_mass(M, room_out: Room):
    """F, sqrt D and where F is not zero. Rates below others in a tree come later, so that nothing fills in."""
    F, root, chain, length = room_out.F, room_out.root, room_out.chain, room_out.length
    n = M.shape[0]
    for i in range(n):
        for k in range(n):
            F[i, k] = M[i, k] if k <= i else 0.0
    for back in range(n):
        i = n - 1 - back
        pivot, count = F[i, i], 0
        for k in range(i):
            if F[i, k] != 0.0:
                chain[i, count] = k
                count += 1
        length[i] = count
        for p in range(count):
            k = chain[i, p]
            part = F[i, k] / pivot
            for q in range(p + 1):
                F[k, chain[i, q]] -= part * F[i, chain[i, q]]
        for p in range(count):
            F[i, chain[i, p]] /= pivot
        root[i] = math.sqrt(pivot)
        F[i, i] = 1.0


@njit
def whiten_row(J, row, room: Room, K_out):
    """K_out[row] = J[row] F^-1 D^-1/2; returns its square, and leaves K_out alone where J is zero."""
    F, chain, length, root = room.F, room.chain, room.length, room.root
    n, source, out, square = root.shape[0], J[row], K_out[row], 0.0
    last = n - 1
    while last >= 0 and source[last] == 0.0:
        last -= 1
    if last < 0:
        return square
    for k in range(n):
        out[k] = source[k]
    for back in range(last + 1):
        i = last - back
        value = out[i]
        if value != 0.0:
            for p in range(length[i]):
                out[chain[i, p]] -= F[i, chain[i, p]] * value
            value /= root[i]
            out[i] = value
            square += value * value
    return square


@njit
def unwhiten(w, room: Room, a_out):
    """a = F^-1 D^-1/2 w."""
    F, chain, length = room.F, room.chain, room.length
    for i in range(room.root.shape[0]):
        value = w[i] / room.root[i]
        for p in range(length[i]):
            value -= F[i, chain[i, p]] * a_out[chain[i, p]]
        a_out[i] = value


@njit
def unwhiten_basis(first, room: Room):
    """room.C [n, free]: the rows of Z from `first` on as accelerations, one in a column."""
    F, chain, length, C, Z = room.F, room.chain, room.length, room.C, room.Z
    n = room.root.shape[0]
    free = n - first
    for i in range(n):
        inverse, row = 1.0 / room.root[i], C[i]
        for j in range(free):
            row[j] = Z[first + j, i] * inverse
        for p in range(length[i]):
            part, above = F[i, chain[i, p]], C[chain[i, p]]
            for j in range(free):
                row[j] -= part * above[j]


@njit
def multiply_mass(w, room: Room, row):
    """room.W[row] = M a = F^T D^1/2 w."""
    F, chain, length, out = room.F, room.chain, room.length, room.W
    n = room.root.shape[0]
    for i in range(n):
        value = room.root[i] * w[i]
        out[row, i] = value
        for p in range(length[i]):
            out[row, chain[i, p]] += F[i, chain[i, p]] * value
