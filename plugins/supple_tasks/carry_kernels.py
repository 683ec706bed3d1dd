"""Forces of joints and contacts that carry accelerations, within cones and strength: README eq. (13), (14)."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_tasks.factor_kernels import solve_forward, turn_back
from supple_tasks.mass_kernels import multiply_mass
from supple_tasks.records import Footholds
from supple_tasks.tables import Answer, Motion, Room

# Unit of forces in programs [N]: rates by kinetic energy are of the size of one.
FORCE_UNIT = 100.0
# A round cone holds a square one whose tangential forces are this part of it.
INSCRIBED = math.sqrt(0.5)
# Part of a cone or of a strength at which it counts as used up.
USED_UP = 0.999999


@njit
def is_too_much(
    motion: Motion, holds: Footholds, room: Room, strained_out, within_out, yielded_out, answer_out: Answer
):
    """Whether the smallest forces, and the torques that go with them, are not allowed; else the torques are by them."""
    within = carry_by_least_forces(motion, holds, room, answer_out)
    within_out[0] = within
    for i in range(strained_out.shape[0]):
        strained_out[i] = 0
    for i in range(yielded_out.shape[0]):
        yielded_out[i] = 0.0
    return not within


@njit
def carry_by_least_forces(motion: Motion, holds: Footholds, room: Room, answer_out: Answer):
    """Torques by the smallest forces that carry the passive rates, if these forces and torques are allowed.

    Passive rates that are supported have a triangle in room.P; if that are not all, accelerations see to the others.
    """
    n, rows, passive = motion.h.shape[0], motion.counts[0], motion.passive.shape[0]
    supported, W, force = answer_out.supported[0], room.W, room.z
    multiply_mass(room.w, room, 0)
    for k in range(n):
        W[0, k] += motion.h[k]
    for i in range(passive):
        room.x[i] = W[0, motion.passive[i]]
    for c in range(rows):
        force[c] = 0.0
    solve_forward(room.P, room.passive_order, supported, room.x, force)
    turn_back(room.U, supported, rows, force)
    if not are_in_cones(force, holds):
        return False
    for c in range(rows):
        value = force[c]
        for k in range(n):
            W[0, k] -= value * motion.L[c, k]
    for i in range(motion.actuated.shape[0]):
        value = W[0, motion.actuated[i]]
        if value < holds.lower[i] or value > holds.upper[i]:
            return False
    for k in range(n):
        answer_out.tau[k] = 0.0
    for i in range(motion.actuated.shape[0]):
        answer_out.tau[motion.actuated[i]] = W[0, motion.actuated[i]]
    return True


@njit
def are_in_cones(force, holds: Footholds):
    """Whether the forces of contacts, which follow those of joints, lie in their cones."""
    for k in range(holds.counts[1]):
        first = holds.counts[0] + 3 * k
        most = INSCRIBED * holds.friction[k] * force[first]
        if force[first] < 0.0 or abs(force[first + 1]) > most or abs(force[first + 2]) > most:
            return False
    return True


@njit
def find_force(motion: Motion, rate, a, n):
    """One number of M a + h."""
    force = motion.h[rate]
    for k in range(n):
        force += motion.M[rate, k] * a[k]
    return force


@njit
def take_forces(motion: Motion, holds: Footholds, force, answer_out: Answer):
    """Torques that go with accelerations and forces x; cut to the strength, for rounding may have left a little."""
    n = motion.h.shape[0]
    for k in range(n):
        answer_out.tau[k] = 0.0
    for i in range(motion.actuated.shape[0]):
        rate = motion.actuated[i]
        value = find_force(motion, rate, answer_out.a, n)
        for c in range(motion.counts[0]):
            value -= FORCE_UNIT * force[c] * motion.L[c, rate]
        answer_out.tau[rate] = min(max(value, holds.lower[i]), holds.upper[i])


@njit
def count_used_up(motion: Motion, holds: Footholds, force, tau, strained_out):
    """Which actuated rates give all they have; returns their number, and that of contacts at their cones' edges."""
    strained, slipping = 0, 0
    for i in range(motion.actuated.shape[0]):
        value = tau[motion.actuated[i]]
        strained_out[i] = value >= USED_UP * holds.upper[i] or value <= USED_UP * holds.lower[i]
        strained += strained_out[i]
    for k in range(holds.counts[1]):
        first = holds.counts[0] + 3 * k
        most = USED_UP * INSCRIBED * holds.friction[k] * force[first]
        if max(abs(force[first + 1]), abs(force[first + 2])) > most and most > 0.0:
            slipping += 1
    return strained, slipping
