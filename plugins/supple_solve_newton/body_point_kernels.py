"""Proximal points in the space of the bodies.

In the scaled variables of `rows`, with B as in `body_kernels`, u = B z + free. The point that follows the impulses r_k
has the velocities z with

    g = z - B^T r = 0,    r = P(x),    x = (R r_k - u) / c,    c = R + E                     README eq. (9)

where P gives the impulse that the law allows: the nearest for a single row, and for a contact the normal impulse
max(x_n, 0) and the nearest friction within mu times that. R is the share of 1 / rho that keeps all this regular.
"""

from __future__ import annotations

import math

from supple.core.jit import njit, njit_inlined
from supple.mechanics.residual_kernels import evaluate_coulomb_group, evaluate_scalar_group
from supple.mechanics.rows import BILATERAL, COULOMB, UNILATERAL
from supple_solve_newton.body_kernels import gather_group, spread_group
from supple_solve_newton.body_state import Cones, Incidence, Middle, Motion


@njit
def begin_cones(rows, impulse, cones_out: Cones):
    """Scaled free velocities and impulses."""
    for i in range(rows.counts[0]):
        cones_out.free[i, 0], cones_out.impulse[i, 0] = rows.free[i, 0], impulse[i, 0]
        for k in range(1, 3):
            size = rows.scale[i, k] if rows.law[i] == COULOMB else 0.0
            cones_out.free[i, k] = size * rows.free[i, k]
            cones_out.impulse[i, k] = impulse[i, k] / size if size > 0.0 else 0.0


@njit
def end_cones(rows, cones: Cones, impulse_out):
    """Impulses as rows have them."""
    for i in range(rows.counts[0]):
        impulse_out[i, 0] = cones.impulse[i, 0]
        for k in range(1, 3):
            size = rows.scale[i, k] if rows.law[i] == COULOMB else 0.0
            impulse_out[i, k] = size * cones.impulse[i, k]


@njit
def spread_impulses(rows, incidence: Incidence, cones: Cones, z_out):
    """z_out = B^T r."""
    for k in range(z_out.shape[0]):
        z_out[k] = 0.0
    for i in range(rows.counts[0]):
        r0 = cones.impulse[i, 0]
        r1, r2 = rows.scale[i, 1] * cones.impulse[i, 1], rows.scale[i, 2] * cones.impulse[i, 2]
        spread_group(incidence, i, r0, r1, r2, z_out)


@njit
def find_body_velocities(rows, incidence: Incidence, z, velocity_out):
    """velocity_out = B z."""
    for i in range(rows.counts[0]):
        u0, u1, u2 = gather_group(incidence, i, z)
        velocity_out[i, 0] = u0
        velocity_out[i, 1], velocity_out[i, 2] = rows.scale[i, 1] * u1, rows.scale[i, 2] * u2


@njit_inlined
def soften(rows, i, k):
    """E of row k of a group, scaled."""
    return rows.compliance[i, k] * (rows.scale[i, k] ** 2 if k > 0 else 1.0)


@njit_inlined
def soften_most(rows, i):
    """The greatest E of a group, scaled."""
    most = soften(rows, i, 0)
    if rows.law[i] == COULOMB:
        most = max(most, soften(rows, i, 1), soften(rows, i, 2))
    return most


@njit
def begin_point(rows, rho, share, cones: Cones):
    """Set c and R r_k of the point that follows the impulses now."""
    for i in range(rows.counts[0]):
        if rho[i] == 0.0:
            continue
        c = share / rho[i] + soften_most(rows, i)
        cones.softness[i] = c
        for k in range(3):
            cones.pull[i, k] = (c - soften(rows, i, k)) * cones.impulse[i, k]


@njit_inlined
def bound_row(rows, i, x):
    """The allowed impulse of a group of one row that is nearest to x."""
    if rows.law[i] == BILATERAL:
        return x
    if rows.law[i] == UNILATERAL:
        return max(x, 0.0)
    return min(max(x, rows.lower[i, 0]), rows.upper[i, 0])


@njit_inlined
def find_mode(rows, i, x0, x1, x2):
    """0 where x, or a positive multiple of it, is at the bound of what pushes, 1 where it slips, 2 otherwise."""
    if rows.law[i] != COULOMB:
        return 0 if rows.law[i] == UNILATERAL and x0 <= 0.0 else 2
    if x0 <= 0.0:
        return 0
    return 2 if math.sqrt(x1 * x1 + x2 * x2) <= rows.friction[i] * x0 else 1


@njit
def count_changes(rows, rho, share, cones: Cones):
    """Groups that would be in another mode if R were this share, and r_k and u what r and u are now."""
    changes, pull, r, u = 0, cones.pull, cones.impulse, cones.velocity
    for i in range(rows.counts[0]):
        if rho[i] == 0.0:
            continue
        now = find_mode(rows, i, pull[i, 0] - u[i, 0], pull[i, 1] - u[i, 1], pull[i, 2] - u[i, 2])
        c = share / rho[i] + soften_most(rows, i)
        x0, x1, x2 = (
            (c - soften(rows, i, 0)) * r[i, 0] - u[i, 0],
            (c - soften(rows, i, 1)) * r[i, 1] - u[i, 1],
            (c - soften(rows, i, 2)) * r[i, 2] - u[i, 2],
        )
        changes += now != find_mode(rows, i, x0, x1, x2)
    return changes


@njit_inlined
def project_group(rows, i, cones: Cones):
    """r of group i where the velocity is u."""
    c = cones.softness[i]
    x0 = (cones.pull[i, 0] - cones.velocity[i, 0]) / c
    if rows.law[i] != COULOMB:
        return bound_row(rows, i, x0), 0.0, 0.0
    if x0 <= 0.0:
        return 0.0, 0.0, 0.0
    x1 = (cones.pull[i, 1] - cones.velocity[i, 1]) / c
    x2 = (cones.pull[i, 2] - cones.velocity[i, 2]) / c
    length, most = math.sqrt(x1 * x1 + x2 * x2), rows.friction[i] * x0
    shrink = most / length if length > most else 1.0
    return x0, shrink * x1, shrink * x2


@njit
def find_gradient(rows, rho, incidence: Incidence, motion: Motion, cones: Cones):
    """r of u, and g = z - B^T r."""
    for i in range(rows.counts[0]):
        if rho[i] == 0.0:
            cones.impulse[i, 0] = cones.impulse[i, 1] = cones.impulse[i, 2] = 0.0
        else:
            r0, r1, r2 = project_group(rows, i, cones)
            cones.impulse[i, 0], cones.impulse[i, 1], cones.impulse[i, 2] = r0, r1, r2
    spread_impulses(rows, incidence, cones, motion.gradient)
    for k in range(motion.z.shape[0]):
        motion.gradient[k] = motion.z[k] - motion.gradient[k]


@njit
def differentiate_groups(rows, rho, cones: Cones, middle_out: Middle):
    """middle_out.product = -dr/du of all groups, unscaled; it is not symmetric where contacts slip."""
    P = middle_out.product
    for i in range(rows.counts[0]):
        cones.mode[i] = 0
        if rho[i] == 0.0:
            continue
        inverse = 1.0 / cones.softness[i]
        x0 = (cones.pull[i, 0] - cones.velocity[i, 0]) * inverse
        if rows.law[i] != COULOMB:
            cones.mode[i] = bound_row(rows, i, x0) == x0
        else:
            cones.mode[i] = x0 > 0.0
        if cones.mode[i] == 0:
            continue
        for a in range(3):
            for b in range(3):
                P[i, a, b] = 0.0
        P[i, 0, 0] = inverse
        if rows.law[i] != COULOMB:
            continue
        x1 = (cones.pull[i, 1] - cones.velocity[i, 1]) * inverse
        x2 = (cones.pull[i, 2] - cones.velocity[i, 2]) * inverse
        length, mu, st, ss = (
            math.sqrt(x1 * x1 + x2 * x2),
            rows.friction[i],
            rows.scale[i, 1],
            rows.scale[i, 2],
        )
        if length <= mu * x0:
            P[i, 1, 1], P[i, 2, 2] = st * st * inverse, ss * ss * inverse
        else:
            e1, e2, across = x1 / length, x2 / length, mu * x0 / length * inverse
            P[i, 1, 0], P[i, 2, 0] = st * mu * e1 * inverse, ss * mu * e2 * inverse
            P[i, 1, 1], P[i, 2, 2] = st * st * across * e2 * e2, ss * ss * across * e1 * e1
            P[i, 1, 2] = P[i, 2, 1] = -st * ss * across * e1 * e2


@njit
def judge_point(rows, rho, incidence: Incidence, motion: Motion, cones: Cones):
    """(worst |F|, sum of |F|^2, sum of |B g|^2) of the impulses, whose velocities are u - B g; B g is in `change`."""
    find_body_velocities(rows, incidence, motion.gradient, cones.change)
    worst, total, off, r = 0.0, 0.0, 0.0, cones.impulse
    for i in range(rows.counts[0]):
        if rho[i] == 0.0:
            continue
        u0, u1, u2 = cones.velocity[i, 0], cones.velocity[i, 1], cones.velocity[i, 2]
        d0, d1, d2 = cones.change[i, 0], cones.change[i, 1], cones.change[i, 2]
        off += d0 * d0 + d1 * d1 + d2 * d2
        u0 += soften(rows, i, 0) * r[i, 0] - d0
        if rows.law[i] == COULOMB:
            u1 += soften(rows, i, 1) * r[i, 1] - d1
            u2 += soften(rows, i, 2) * r[i, 2] - d2
            f = evaluate_coulomb_group(
                rows.friction[i], 1.0, 1.0, rho[i], r[i, 0], r[i, 1], r[i, 2], u0, u1, u2
            )
        else:
            f = evaluate_scalar_group(rows.law[i], rows.lower[i, 0], rows.upper[i, 0], rho[i], r[i, 0], u0)
        worst = max(worst, f) if math.isfinite(f) else math.inf
        total += f * f
    return worst, total, off


@njit
def measure_cones(rows, rho, incidence: Incidence, motion: Motion, cones: Cones):
    """u and z become those that belong to the impulses; returns the figures of `judge_point`."""
    spread_impulses(rows, incidence, cones, motion.z)
    find_body_velocities(rows, incidence, motion.z, cones.velocity)
    for i in range(rows.counts[0]):
        for k in range(3):
            cones.velocity[i, k] += cones.free[i, k]
    for k in range(motion.z.shape[0]):
        motion.gradient[k] = 0.0
    return judge_point(rows, rho, incidence, motion, cones)


@njit
def take_body_step(rows, rho, incidence: Incidence, motion: Motion, cones: Cones):
    """Go along the step; returns the figures of `judge_point` there."""
    find_body_velocities(rows, incidence, motion.step, cones.change)
    for k in range(motion.z.shape[0]):
        motion.z[k] += motion.step[k]
    for i in range(rows.counts[0]):
        for k in range(3):
            cones.velocity[i, k] += cones.change[i, k]
    find_gradient(rows, rho, incidence, motion, cones)
    return judge_point(rows, rho, incidence, motion, cones)


@njit
def accept_point(rows, motion: Motion, cones: Cones):
    """Make u and z those that belong to the impulses, after `judge_point`."""
    for k in range(motion.z.shape[0]):
        motion.z[k] -= motion.gradient[k]
    for i in range(rows.counts[0]):
        for k in range(3):
            cones.velocity[i, k] -= cones.change[i, k]
