"""By how much a mesh of linear tetrahedra is too stiff: its slowest vibration against that of refined meshes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, diags_array
from scipy.sparse.linalg import eigsh

from supple.core.arrays import FloatArray, IntArray
from supple_tets.mesh import TetMesh, find_gradients, find_volumes

RIGID = 6
"""Motions without strain."""


class Stiffening(NamedTuple):
    """What is found: the factor, and the squares of the slowest frequency on the mesh and on the refined one."""

    factor: float
    coarse: float
    fine: float


def measure_stiffening(mesh: TetMesh, poisson: float) -> Stiffening:
    """How many times too stiff the mesh is in its slowest vibration in free flight.

    Every tetrahedron is cut into eight once. The error falls with the square of the edge or more slowly, so the value
    at an edge of 0 that follows from the two is an upper bound of the true one, and the factor a lower one.
    """
    coarse = find_slowest(mesh.vertices, mesh.tets, poisson)
    fine = find_slowest(*cut_into_eight(mesh.vertices, mesh.tets), poisson)
    return Stiffening(coarse / (fine - (coarse - fine) / 3.0), coarse, fine)


def find_slowest(vertices: FloatArray, tets: IntArray, poisson: float) -> float:
    """Square of the lowest frequency that is not zero, for a Young's modulus and a density of 1."""
    K, mass = assemble_rest(vertices, tets, poisson)
    scale = float(K.diagonal().mean() / mass.mean())
    values = eigsh(
        K, k=RIGID + 1, M=csc_array(diags_array(mass)), sigma=-1e-4 * scale, which="LM", return_eigenvectors=False,
        v0=np.random.default_rng(0).standard_normal(len(mass)),
    )  # fmt: skip
    return float(np.sort(values)[RIGID])


def assemble_rest(vertices: FloatArray, tets: IntArray, poisson: float) -> tuple[csc_array, FloatArray]:
    """Stiffness matrix [3 n, 3 n] at rest and masses [3 n], for a Young's modulus and a density of 1."""
    shear = 1.0 / (2 + 2 * poisson)
    lame = 2 * shear * poisson / (1 - 2 * poisson)
    g, volume = find_gradients(vertices, tets), find_volumes(vertices, tets)
    K = shear * np.einsum("tak,tbk,ij->taibj", g, g, np.eye(3))
    K += shear * np.einsum("taj,tbi->taibj", g, g) + lame * np.einsum("tai,tbj->taibj", g, g)
    K *= volume[:, None, None, None, None]
    places = (3 * tets[:, :, None] + np.arange(3)).reshape(len(tets), 12)
    rows, columns = np.repeat(places, 12, axis=1).ravel(), np.tile(places, (1, 12)).ravel()
    size = 3 * len(vertices)
    mass = np.zeros(len(vertices))
    np.add.at(mass, tets, volume[:, None] / 4)
    return csc_array((K.ravel(), (rows, columns)), shape=(size, size)), np.repeat(mass, 3)


def cut_into_eight(vertices: FloatArray, tets: IntArray) -> tuple[FloatArray, IntArray]:
    """Every tetrahedron cut at the middles of its edges: four corners, and four around the shortest diagonal."""
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    edges = np.sort(np.stack([tets[:, pair] for pair in pairs], axis=1), axis=2)
    known, inner = np.unique(edges.reshape(-1, 2), axis=0, return_inverse=True)
    middle = inner.reshape(len(tets), 6) + len(vertices)
    refined = np.concatenate([vertices, vertices[known].mean(axis=1)])
    a, b, c, d = tets.T
    ab, ac, ad, bc, bd, cd = middle.T
    corners = [(a, ab, ac, ad), (ab, b, bc, bd), (ac, bc, c, cd), (ad, bd, cd, d)]
    rings = {
        (0, 5): [(ab, cd, ac, ad), (ab, cd, ad, bd), (ab, cd, bd, bc), (ab, cd, bc, ac)],
        (1, 4): [(ac, bd, ab, ad), (ac, bd, ad, cd), (ac, bd, cd, bc), (ac, bd, bc, ab)],
        (2, 3): [(ad, bc, ab, ac), (ad, bc, ac, cd), (ad, bc, cd, bd), (ad, bc, bd, ab)],
    }
    lengths = np.stack(
        [np.linalg.norm(refined[middle[:, i]] - refined[middle[:, j]], axis=1) for i, j in rings], axis=1
    )
    best = np.argmin(lengths, axis=1)
    pieces = [np.stack(corner, axis=1) for corner in corners]
    pieces += [np.stack(piece, axis=1)[best == n] for n, ring in enumerate(rings.values()) for piece in ring]
    made = np.concatenate(pieces)
    turned = find_volumes(refined, made) < 0
    return refined, np.where(turned[:, None], made[:, [0, 2, 1, 3]], made)
