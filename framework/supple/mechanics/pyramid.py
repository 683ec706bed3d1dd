"""A constraint problem as a linear complementarity problem: the friction cone becomes a pyramid.

Per contact, with d directions D_j on the unit circle (on the ellipse of the friction scales), 0 <= x perp y >= 0 for

    x = impulse r_n      y = u_n
    x = beta_j           y = D_j . u_T + slip          friction impulse = sum beta_j D_j
    x = slip             y = mu r_n - sum beta_j

so the pyramid is inscribed: friction reaches mu r_n in the d directions and less between them. A bounded row is
x = r - lower, y = u + s with x = s, y = upper - r. Rows without bounds are solved for first (Schur complement).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.mechanics.dense_kernels import expand_matrix
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL

# Share of the diagonal that is added to rows without bounds: contradictory or repeated joints are singular.
FREE_FLOOR: Final = 1e-13


@dataclass(frozen=True)
class Pyramid:
    """The problem w = M z + q, and the way back: impulse rows = basis z + offset.

    `z_unit` and `w_unit` turn the components of z and w into m/s.
    """

    M: FloatArray
    q: FloatArray
    basis: FloatArray  # [rows, n]
    offset: FloatArray  # [rows]
    z_unit: FloatArray
    w_unit: FloatArray
    row_of_group: IntArray  # [groups + 1] first row
    free_rows: IntArray
    matrix: FloatArray  # W + E over all rows
    free: FloatArray  # [rows]

    def impulses(self, z: FloatArray) -> FloatArray:
        """Impulses [groups, 3] N s that belong to z."""
        rows = self._rows(z)
        impulse = np.zeros((len(self.row_of_group) - 1, 3))
        used = np.arange(3)[None, :] < np.diff(self.row_of_group)[:, None]
        impulse[used] = rows
        return impulse

    def residual(self, z: FloatArray) -> float:
        """Worst violation of the laws, with the pyramid for the cone [m/s]."""
        w = self.M @ z + self.q
        worst = np.abs(np.minimum(self.z_unit * z, self.w_unit * w)).max(initial=0.0)
        if len(self.free_rows):
            velocity = self.matrix[self.free_rows] @ self._rows(z) + self.free[self.free_rows]
            worst = max(worst, np.abs(velocity).max())
        return float(worst)

    def _rows(self, z: FloatArray) -> FloatArray:
        rows = np.asarray(self.basis @ z + self.offset, np.float64)
        if len(self.free_rows):
            velocity = self.matrix[self.free_rows] @ rows + self.free[self.free_rows]
            rows[self.free_rows] = _solve_free(self.matrix, self.free_rows, -velocity)
        return rows


class _Builder:
    """Collects the variables of the groups one after the other."""

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.columns: list[tuple[list[int], list[float]]] = []  # rows and values of each column of the basis
        self.links: list[tuple[int, int, float]] = []  # entries of M besides those from the matrix
        self.constants: dict[int, float] = {}  # entries of q besides those from the velocities
        self.z_unit: list[float] = []
        self.w_unit: list[float] = []
        self.offset = np.zeros(rows)

    def add(self, rows: list[int], values: list[float], z_unit: float, w_unit: float) -> int:
        """A new variable; returns its number."""
        self.columns.append((rows, values))
        self.z_unit.append(z_unit)
        self.w_unit.append(w_unit)
        return len(self.columns) - 1

    def link(self, slack: int, variable: int, value: float) -> None:
        """w[slack] gains value * z[variable] (and, for a multiplier, its partner the opposite by another call)."""
        self.links.append((slack, variable, value))

    def basis(self) -> FloatArray:
        """[rows, n]."""
        basis = np.zeros((self.rows, len(self.columns)))
        for column, (rows, values) in enumerate(self.columns):
            basis[rows, column] = values
        return basis


def build_pyramid(problem: ConstraintProblem, directions: int) -> Pyramid:
    """The pyramid with an even number of directions around each contact. Dense: for hundreds of rows, not thousands."""
    n = problem.count
    start = np.concatenate([[0], np.cumsum(problem.size[:n])]).astype(np.int64)
    rows = int(start[-1])
    matrix = np.zeros((rows, rows))
    expand_matrix(problem.rows, problem.W.blocks, start, matrix)
    used = np.arange(3)[None, :] < problem.size[:n, None]
    free = np.ascontiguousarray(problem.free[:n][used])
    diagonal = np.diagonal(matrix)
    builder = _Builder(rows)
    free_rows: list[int] = []
    for i in range(n):
        mean = float(diagonal[start[i] : start[i + 1]].mean())
        if not mean > 0.0:
            continue
        if problem.law[i] == COULOMB:
            _add_contact(builder, problem, i, int(start[i]), mean, directions)
        elif not _add_row(builder, problem, i, int(start[i]), mean):
            free_rows.append(int(start[i]))
    chosen = np.array(free_rows, np.int64)
    return _assemble(builder, matrix, free, start, chosen)


def _add_contact(
    builder: _Builder, problem: ConstraintProblem, i: int, row: int, mean: float, directions: int
) -> None:
    mu, (_, scale_t, scale_s) = float(problem.friction[i]), problem.scale[i]
    normal = builder.add([row], [1.0], mean, 1.0)
    if mu == 0.0 or (scale_t == 0.0 and scale_s == 0.0):
        return
    angles = 2.0 * np.pi * np.arange(directions) / directions
    sides = [
        builder.add([row + 1, row + 2], [scale_t * np.cos(angle), scale_s * np.sin(angle)], mean, 1.0)
        for angle in angles
    ]
    slip = builder.add([], [], 1.0, mean)
    builder.link(slip, normal, mu)
    for side in sides:
        builder.link(side, slip, 1.0)
        builder.link(slip, side, -1.0)


def _add_row(builder: _Builder, problem: ConstraintProblem, i: int, row: int, mean: float) -> bool:
    """False for a row without bounds."""
    if problem.law[i] == BILATERAL:
        return False
    lower, upper = float(problem.lower[i, 0]), float(problem.upper[i, 0])
    if problem.law[i] == UNILATERAL:
        lower, upper = 0.0, np.inf
    if not np.isfinite(lower):
        if not np.isfinite(upper):
            return False
        builder.offset[row] = upper
        builder.add([row], [-1.0], mean, 1.0)
        return True
    builder.offset[row] = lower
    above = builder.add([row], [1.0], mean, 1.0)
    if np.isfinite(upper):
        limit = builder.add([], [], 1.0, mean)
        builder.link(above, limit, 1.0)
        builder.link(limit, above, -1.0)
        builder.constants[limit] = upper - lower
    return True


def _assemble(
    builder: _Builder, matrix: FloatArray, free: FloatArray, start: IntArray, free_rows: IntArray
) -> Pyramid:
    basis = builder.basis()
    response = matrix @ basis
    velocity = free + matrix @ builder.offset
    if len(free_rows):
        coupling = matrix[:, free_rows]
        response = response + coupling @ _solve_free(matrix, free_rows, -response[free_rows])
        velocity = velocity + coupling @ _solve_free(matrix, free_rows, -velocity[free_rows])
    M, q = basis.T @ response, basis.T @ velocity
    for slack, variable, value in builder.links:
        M[slack, variable] += value
    for variable, value in builder.constants.items():
        q[variable] += value
    units = np.array(builder.z_unit), np.array(builder.w_unit)
    return Pyramid(M, q, basis, builder.offset, *units, start, free_rows, matrix, free)


def _solve_free(matrix: FloatArray, rows: IntArray, right_side: FloatArray) -> FloatArray:
    part = matrix[np.ix_(rows, rows)]
    floor = FREE_FLOOR * float(np.trace(part)) / len(rows)
    return np.asarray(np.linalg.solve(part + floor * np.eye(len(rows)), right_side), np.float64)
