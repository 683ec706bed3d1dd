"""The same by other means: forward dynamics by one system, and levels by least squares in torques."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.core.arrays import FloatArray, IntArray

Level = tuple[FloatArray, FloatArray]
"""J [rows, n] and wanted [rows]."""


def find_response(
    M: FloatArray, h: FloatArray, L: FloatArray, drift: FloatArray, actuated: IntArray
) -> tuple[FloatArray, FloatArray]:
    """a0 [n] and G [n, m] of a = a0 + G tau, from M a - L^T λ = τ - h and L a = -drift."""
    n, rows = len(h), len(drift)
    system = np.block([[M, -L.T], [L, np.zeros((rows, rows))]])
    right = np.zeros((n + rows, 1 + len(actuated)))
    right[:n, 0], right[n:, 0] = -h, -drift
    right[actuated, 1 + np.arange(len(actuated))] = 1.0
    # Rows and columns are brought to one size: forces and accelerations differ by the masses.
    scale = 1.0 / np.sqrt(np.abs(system).max(axis=1))
    found = (
        scale[:, None]
        * np.linalg.lstsq(scale[:, None] * system * scale, scale[:, None] * right, rcond=1e-13)[0]
    )
    return found[:n, 0], found[:n, 1:]


def solve_levels(
    a0: FloatArray, G: FloatArray, levels: Sequence[Level], tolerance: float = 1e-9
) -> tuple[FloatArray, list[float]]:
    """The smallest torques [m] that do the best for every level in turn, and the residual of each level."""
    tau, basis = np.zeros(G.shape[1]), np.eye(G.shape[1])
    residuals = []
    for J, wanted in levels:
        A, scale = J @ G @ basis, max(np.abs(J @ G).max(initial=0.0), 1e-300)
        left, values, right = np.linalg.svd(A, full_matrices=True)
        rank = int((values > tolerance * scale).sum())
        miss = wanted - J @ (a0 + G @ tau)
        tau = tau + basis @ (right[:rank].T @ ((left[:, :rank].T @ miss) / values[:rank]))
        basis = basis @ right[rank:].T
        residuals.append(float(np.linalg.norm(wanted - J @ (a0 + G @ tau))))
    return tau, residuals
