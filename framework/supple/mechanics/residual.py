"""The neutral judge: how far impulses are from the laws, whatever solver they come from."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import TypedKernel
from supple.mechanics import residual_kernels as kernels
from supple.mechanics.problem import ConstraintProblem

compute_row_velocities = TypedKernel(kernels.compute_row_velocities)
find_worst_group = TypedKernel(kernels.find_worst_group)


def row_velocities(problem: ConstraintProblem, impulse: FloatArray) -> FloatArray:
    """u = W r + E r + free, [n, 3] m/s. `impulse` is [n, 3] N s or longer."""
    velocity = np.empty((problem.count, 3))
    impulse = np.ascontiguousarray(impulse, np.float64)
    compute_row_velocities(problem.rows, problem.W.blocks, impulse, velocity)
    return velocity


def natural_map_residual(problem: ConstraintProblem, impulse: FloatArray) -> tuple[float, int]:
    """The worst |F| of all groups in m/s, and the index of that group (-1 where all are exact).

    F = (r - P(r - rho u)) / rho with rho = rows / trace(W_ii + E_ii) and P the projection onto the impulses
    that the law allows; for Coulomb, u_n + mu |u_T| stands for u_n. F is zero exactly where the law is met.
    The residual is nan where something is not finite; then the index names the first such group.
    """
    impulse = np.ascontiguousarray(impulse, np.float64)
    velocity = row_velocities(problem, impulse)
    worst, group = find_worst_group(problem.rows, problem.W.blocks, impulse, velocity)
    return float(worst), int(group)
