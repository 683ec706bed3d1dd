"""Velocities after impulses, and what is observed of bodies."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tets.factor_kernels import solve_one
from supple_tets.tables import Factor, Moved, Observed


@njit
def advance(h, factor: Factor, x, v_free, impulse, held, scratch, x_out, v_out):
    """v' = v_free + A^-1 impulse, x' = x + h v'; in a step that is held v_free is v' already."""
    any_impulse = False
    for i in range(x.shape[0] if held[0] == 0 else 0):
        any_impulse = any_impulse or impulse[i, 0] != 0.0 or impulse[i, 1] != 0.0 or impulse[i, 2] != 0.0
    if any_impulse:
        solve_one(factor, impulse, scratch, v_out)
    for i in range(x.shape[0]):
        for axis in range(3):
            v_out[i, axis] = v_free[i, axis] + v_out[i, axis] if any_impulse else v_free[i, axis]
            x_out[i, axis] = x[i, axis] + h * v_out[i, axis]


@njit
def remember(h, v, v_before_out, last_step_out):
    """What the next step wants to know of this one."""
    last_step_out[0] = h
    for i in range(v.shape[0]):
        for axis in range(3):
            v_before_out[i, axis] = v[i, axis]


@njit
def observe_bodies(
    h, span, rest_volume, gravity, mass, rest, force, before: Moved, after: Moved, shape, seen: Observed
):
    """Metrics of every body in the order of `compile.OBSERVED`, and the energy before and after the step.

    Weights count where they were half a step ago, so that gravity works on the mean velocity as all impulses do.
    """
    for body in range(span.shape[0]):
        total, cx, cy, cz, px, py, pz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        fastest, sag, lowest, kinetic = 0.0, -math.inf, math.inf, 0.0
        for i in range(span[body, 0], span[body, 1]):
            x, y, z = after.x[i, 0], after.x[i, 1], after.x[i, 2]
            u, v, w = after.v[i, 0], after.v[i, 1], after.v[i, 2]
            m = mass[i]
            total += m
            cx, cy, cz = cx + m * x, cy + m * y, cz + m * z
            px, py, pz = px + m * u, py + m * v, pz + m * w
            square = u * u + v * v + w * w
            fastest, kinetic = max(fastest, square), kinetic + 0.5 * m * square
            sag, lowest = max(sag, rest[i, 1] - y), min(lowest, y)
            for axis in range(3):
                was, now = before.v[i, axis], after.v[i, axis]
                weight = m * gravity[axis]
                seen.before[0] += 0.5 * m * was * was - weight * (before.x[i, axis] - 0.5 * h * was)
                seen.potential[0] -= weight * (after.x[i, axis] - 0.5 * h * now)
                seen.applied[0] += 0.5 * h * force[i, axis] * (was + now)
        cx, cy, cz = cx / total, cy / total, cz / total
        lx, ly, lz = 0.0, 0.0, 0.0
        for i in range(span[body, 0], span[body, 1]):
            x, y, z, m = after.x[i, 0] - cx, after.x[i, 1] - cy, after.x[i, 2] - cz, mass[i]
            u, v, w = after.v[i, 0], after.v[i, 1], after.v[i, 2]
            lx, ly, lz = lx + m * (y * w - z * v), ly + m * (z * u - x * w), lz + m * (x * v - y * u)
        seen.before[0] += before.stored[body]
        seen.potential[0] += after.stored[body]
        seen.kinetic[0] += kinetic
        out = seen.observed
        out[body, 0] = abs(shape[body, 0] / rest_volume[body] - 1.0)
        out[body, 1], out[body, 2], out[body, 3] = shape[body, 1], shape[body, 2], shape[body, 3]
        out[body, 4], out[body, 5], out[body, 6], out[body, 7] = math.sqrt(fastest), cx, cy, cz
        out[body, 8] = math.sqrt(px * px + py * py + pz * pz)
        out[body, 9] = math.sqrt(lx * lx + ly * ly + lz * lz)
        out[body, 10], out[body, 11], out[body, 12] = after.stored[body], sag, lowest
