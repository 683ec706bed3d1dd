"""Complementarity problems with a singular matrix that have a solution: many contacts on few bodies."""

from __future__ import annotations

import numpy as np

DIRECTIONS = 8


def make_pyramid_lcp(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Some thirty contacts between a few bodies of 1 g to 1 t, each with a pyramid of friction.

    M = [[P^T W P, 0 1], [mu -1, 0]] with W = J A^-1 J^T of low rank; it is copositive, and q = P^T J v, so that a
    solution exists.
    """
    rng = np.random.default_rng(seed)
    contacts = int(rng.integers(28, 42))
    bodies = contacts // int(rng.integers(3, 7))
    J = np.zeros((3 * contacts, 6 * bodies))
    for c in range(contacts):
        for sign in (1, -1)[: 1 if rng.random() < 0.4 else 2]:
            body = int(rng.integers(bodies))
            frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            x, y, z = rng.normal(size=3)
            arm = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
            J[3 * c : 3 * c + 3, 6 * body : 6 * body + 6] += sign * frame.T @ np.hstack([np.eye(3), arm])
    masses = np.repeat(10.0 ** rng.uniform(-3, 3, bodies), 6)
    angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    pushing = contacts * (1 + DIRECTIONS)
    P = np.zeros((3 * contacts, pushing))
    M = np.zeros((pushing + contacts, pushing + contacts))
    for c in range(contacts):
        ring = slice(contacts + DIRECTIONS * c, contacts + DIRECTIONS * (c + 1))
        P[3 * c, c] = 1.0
        P[3 * c + 1 : 3 * c + 3, ring] = np.cos(angles), np.sin(angles)
        M[pushing + c, c] = rng.uniform(0.1, 1.0)
        M[pushing + c, ring] = -1.0
        M[ring, pushing + c] = 1.0
    M[:pushing, :pushing] = P.T @ (J / masses) @ J.T @ P
    q = np.zeros(pushing + contacts)
    q[:pushing] = P.T @ J @ rng.normal(size=6 * bodies)
    return M, q
