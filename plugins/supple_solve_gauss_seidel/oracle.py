"""Slow numpy twins of the kernels, which reach the same results by other ways. For tests and probes."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from supple.core.arrays import FloatArray
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL

SCANNED_DIRECTIONS = 2000


def find_contact_solutions(W: FloatArray, b: FloatArray, mu: float) -> list[FloatArray]:
    """All impulses r that solve one contact u = W r + b exactly; W [3, 3] must be positive definite.

    Sliding along d means r = r_n (1, -mu d), with u_n = 0 fixing r_n. All directions are scanned for those in
    which the velocity that follows is parallel to d and not against it.
    """
    found: list[FloatArray] = [np.zeros(3)] if b[0] >= 0.0 else []
    stuck = np.asarray(-np.linalg.solve(W, b), np.float64)
    if stuck[0] >= 0.0 and np.hypot(stuck[1], stuck[2]) <= mu * stuck[0]:
        found.append(stuck)
    if mu == 0.0:
        return [*found, np.array([-b[0] / W[0, 0], 0.0, 0.0])] if b[0] < 0.0 else found

    def slide(angle: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        d = np.array([np.cos(angle), np.sin(angle)])
        ray = np.array([1.0, -mu * d[0], -mu * d[1]])
        r = ray * (-b[0] / (W[0] @ ray))
        return r, W @ r + b, d

    def misalignment(angle: float) -> float:
        """Of u times W_n ray, which has no pole where that vanishes."""
        d = np.array([np.cos(angle), np.sin(angle)])
        ray = np.array([1.0, -mu * d[0], -mu * d[1]])
        u = W @ ray * -b[0] + b * (W[0] @ ray)
        return float(u[1] * d[1] - u[2] * d[0])

    # Not from a multiple of pi, so that solutions along an axis do not fall on the ends of the scan.
    angles = 0.1234 + np.linspace(0.0, 2.0 * np.pi, SCANNED_DIRECTIONS + 1)
    values = [misalignment(angle) for angle in angles]
    for k in range(SCANNED_DIRECTIONS):
        if values[k] * values[k + 1] < 0.0:
            angle = brentq(misalignment, angles[k], angles[k + 1], xtol=1e-15, rtol=1e-15)
            r, u, d = slide(angle)
            if r[0] > 0.0 and u[1] * d[0] + u[2] * d[1] > 0.0:
                found.append(r)
    return found


def project_on_cone(x: FloatArray, mu: float) -> FloatArray:
    """Nearest point of |x_T| <= mu x_n, from the decomposition into the cone's own boundary ray."""
    length = float(np.hypot(x[1], x[2]))
    if length <= mu * x[0]:
        return x.copy()
    direction = x[1:] / length
    ray: FloatArray = np.array([1.0, *(mu * direction)]) / np.sqrt(1.0 + mu * mu)
    return max(0.0, float(ray @ x)) * ray


def natural_map(problem: ConstraintProblem, impulse: FloatArray) -> FloatArray:
    """|F| of every group [m/s], as `supple.mechanics.residual` defines it."""
    W, r, u = _dense(problem, impulse)
    start = np.concatenate([[0], np.cumsum(problem.size[: problem.count])])
    result = np.zeros(problem.count)
    for i in range(problem.count):
        rows = slice(start[i], start[i + 1])
        trace = np.trace(W[rows, rows])
        if trace == 0.0:
            continue
        rho = problem.size[i] / trace
        x, velocity = r[rows].copy(), u[rows].copy()
        if problem.law[i] == COULOMB:
            mu, D = problem.friction[i], problem.scale[i, 1:]
            x[1:] /= D
            velocity[1:] *= D
            velocity[0] += mu * np.linalg.norm(velocity[1:])
            allowed = project_on_cone(x - rho * velocity, mu)
        else:
            allowed = np.clip(x - rho * velocity, *_impulse_range(problem, i))
        result[i] = np.linalg.norm(x - allowed) / rho
    return result


def sweep(problem: ConstraintProblem, impulse: FloatArray) -> FloatArray:
    """One Gauss-Seidel sweep, each group solved by enumeration. Friction scales must be one."""
    W, r, _ = _dense(problem, impulse)
    free = _dense(problem, np.zeros_like(impulse))[2]
    start = np.concatenate([[0], np.cumsum(problem.size[: problem.count])])
    out = np.zeros_like(impulse)
    for i in range(problem.count):
        rows = slice(start[i], start[i + 1])
        own = W[rows, rows]
        b = W[rows] @ r + free[rows] - own @ r[rows]
        if problem.law[i] == COULOMB:
            (r[rows],) = find_contact_solutions(own, b, problem.friction[i])
        else:
            r[rows] = np.clip(-b / own[0, 0], *_impulse_range(problem, i))
        out[i, : problem.size[i]] = r[rows]
    return out


def _impulse_range(problem: ConstraintProblem, i: int) -> tuple[float, float]:
    if problem.law[i] == BILATERAL:
        return -np.inf, np.inf
    if problem.law[i] == UNILATERAL:
        return 0.0, np.inf
    return float(problem.lower[i, 0]), float(problem.upper[i, 0])


def _dense(problem: ConstraintProblem, impulse: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """W + E, the impulses and the row velocities over the rows in use."""
    n = problem.count
    used = np.arange(3)[None, :] < problem.size[:n, None]
    W = problem.W.to_dense(problem.size) + np.diag(problem.compliance[:n][used])
    r = impulse[:n][used]
    return W, r, W @ r + problem.free[:n][used]
