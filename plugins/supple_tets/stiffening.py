"""By how much a mesh of linear tetrahedra is too stiff: its slowest vibration against that of quadratic ones.

The same tetrahedra with ten vertices each bend without locking: their error is far below that of the linear ones, so
they stand for the truth.
"""

from __future__ import annotations

from math import factorial, prod
from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import eigsh

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple_tets.mesh import TetMesh, find_gradients, find_volumes

RIGID = 6
"""Motions without strain."""
EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
INNER, OUTER = 0.58541020, 0.13819660
"""Weights of the corners at the four points at which a quadratic function is integrated exactly."""


class Stiffening(NamedTuple):
    """What is found: the factor, and the squares of the slowest frequency of linear and of quadratic tetrahedra."""

    factor: float
    linear: float
    quadratic: float


def measure_stiffening(mesh: TetMesh, poisson: float, fixed: BoolArray | None = None) -> Stiffening:
    """How many times too stiff the mesh is in its slowest vibration, held at `fixed` vertices or in free flight."""
    still = np.zeros(len(mesh.vertices), bool) if fixed is None else fixed
    loose = count_loose(mesh.vertices[still])
    K, mass = assemble_rest(mesh.vertices, mesh.tets, poisson)
    linear = find_slowest(K, csc_array(diags_array(mass)), still, loose)
    K, M, still = assemble_quadratic(mesh.vertices, mesh.tets, poisson, still)
    quadratic = find_slowest(K, M, still, loose)
    return Stiffening(linear / quadratic, linear, quadratic)


def count_loose(held: FloatArray) -> int:
    """How many rigid motions are left to a body that is held at these points [k, 3]."""
    if len(held) == 0:
        return RIGID
    arm = held - held.mean(axis=0)
    motions = [np.tile(np.eye(3)[axis], (len(held), 1)) for axis in range(3)]
    motions += [np.cross(np.eye(3)[axis], arm) for axis in range(3)]
    return RIGID - int(np.linalg.matrix_rank(np.stack([each.ravel() for each in motions])))


def find_slowest(K: csc_array, M: csc_array, fixed: BoolArray, loose: int) -> float:
    """Square of the lowest frequency above those of `loose` rigid motions; vertices in fixed [n] stand still."""
    free = np.repeat(~fixed, 3)
    K, M = csc_array(K[free][:, free]), csc_array(M[free][:, free])
    scale = float(K.diagonal().mean() / M.diagonal().mean())
    values = eigsh(
        K, k=loose + 1, M=M, sigma=-1e-6 * scale, which="LM", return_eigenvectors=False,
        v0=np.random.default_rng(0).standard_normal(K.shape[0]),
    )  # fmt: skip
    return float(np.sort(values)[loose])


def assemble_rest(vertices: FloatArray, tets: IntArray, poisson: float) -> tuple[csc_array, FloatArray]:
    """Stiffness matrix [3 n, 3 n] at rest and masses [3 n], for a Young's modulus and a density of 1."""
    g, volume = find_gradients(vertices, tets), find_volumes(vertices, tets)
    mass = np.zeros(len(vertices))
    np.add.at(mass, tets, volume[:, None] / 4)
    return _gather(tets, len(vertices), _find_stiffness(g, volume, poisson)), np.repeat(mass, 3)


def _find_stiffness(g: FloatArray, volume: FloatArray, poisson: float) -> FloatArray:
    """[m, k, 3, k, 3] of tetrahedra in which the k vertices have the weights' gradients g [m, k, 3]."""
    shear = 1.0 / (2 + 2 * poisson)
    lame = 2 * shear * poisson / (1 - 2 * poisson)
    K = shear * np.einsum("tak,tbk,ij->taibj", g, g, np.eye(3))
    K += shear * np.einsum("taj,tbi->taibj", g, g) + lame * np.einsum("tai,tbj->taibj", g, g)
    K *= volume[:, None, None, None, None]
    return np.asarray(K)


def _gather(cells: IntArray, count: int, parts: FloatArray) -> csc_array:
    """The matrix of all cells [m, k] from theirs."""
    places = (3 * cells[:, :, None] + np.arange(3)).reshape(len(cells), -1)
    many = places.shape[1]
    rows, columns = np.repeat(places, many, axis=1).ravel(), np.tile(places, (1, many)).ravel()
    return csc_array((parts.ravel(), (rows, columns)), shape=(3 * count, 3 * count))


def assemble_quadratic(
    vertices: FloatArray, tets: IntArray, poisson: float, fixed: BoolArray
) -> tuple[csc_array, csc_array, BoolArray]:
    """Stiffness and mass matrices of the same tetrahedra with vertices at the middles of their edges, and which stand
    still: the middle of an edge does where both its ends do.
    """
    edges = np.sort(np.stack([tets[:, list(pair)] for pair in EDGES], axis=1), axis=2)
    known, inner = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
    cells = np.concatenate([tets, inner.reshape(len(tets), 6) + len(vertices)], axis=1)
    g, volume = find_gradients(vertices, tets), find_volumes(vertices, tets)
    K, M = np.zeros((len(tets), 10, 3, 10, 3)), np.zeros((10, 10))
    for corner in range(4):
        at = np.full(4, OUTER)
        at[corner] = INNER
        bent = np.concatenate(
            [(4 * at[:, None] - 1) * g, *(4 * (at[a] * g[:, [b]] + at[b] * g[:, [a]]) for a, b in EDGES)],
            axis=1,
        )
        K += _find_stiffness(bent, volume / 4, poisson)
    # Exact integrals of products of the weights over a tetrahedron of volume 1.
    powers = [{a: 2} for a in range(4)]
    terms = [[(2.0, each), (-1.0, {a: 1})] for a, each in enumerate(powers)]
    terms += [[(4.0, {a: 1, b: 1})] for a, b in EDGES]
    for i, first in enumerate(terms):
        for j, second in enumerate(terms):
            M[i, j] = sum(p * q * _integrate(one, other) for p, one in first for q, other in second)
    masses = np.einsum("t,ab,ij->taibj", volume, M, np.eye(3))
    count = len(vertices) + len(known)
    still = np.concatenate([fixed, fixed[known].all(axis=1)])
    return _gather(cells, count, K), _gather(cells, count, masses), still


def _integrate(one: dict[int, int], other: dict[int, int]) -> float:
    """Of a product of powers of the corners' weights over a tetrahedron of volume 1."""
    power = [one.get(a, 0) + other.get(a, 0) for a in range(4)]
    return 6.0 * prod(factorial(each) for each in power) / factorial(sum(power) + 3)
