"""Forces of pushes at points of frames, for the part of a step in which they act."""

from __future__ import annotations

from supple.core.jit import njit
from supple.math.wrench_kernels import add_force_at_point


@njit
def find_effect(h, start, end, rise, time):
    """For how long [s] the full force would have to act in the step from `time` on: README eq. (1)."""
    first, last = max(start, time), min(end, time + h)
    if last <= first:
        return 0.0
    full = start + rise
    effect = max(last - max(first, full), 0.0)
    if first < full:
        until = min(last, full)
        effect += (until - first) * (0.5 * (until + first) - start) / rise
    return effect


@njit
def apply_forces(h, number, carrier, frame, point, force, start, end, rise, time, rotation, wrench_out):
    """Adds each force in proportion to its overlap with the step, so that its impulse does not depend on h."""
    for k in range(carrier.shape[0]):
        effect = find_effect(h, start[k], end[k], rise[k], time[0])
        if carrier[k] != number or effect <= 0.0:
            continue
        part = effect / h
        i = frame[k]
        fx, fy, fz = part * force[k, 0], part * force[k, 1], part * force[k, 2]
        add_force_at_point(rotation, i, point, k, fx, fy, fz, wrench_out)


@njit
def hold_points(h, element, start, end, time, held_out):
    """The triangle of every push that acts in this step, else -1."""
    for k in range(element.shape[0]):
        acts = min(end[k], time[0] + h) - max(start[k], time[0]) > 0.0
        held_out[k] = element[k] if acts else -1


@njit
def fill_pushes(h, number, surface, held, weights, force, start, end, rise, time, points_out, impulse_out):
    """The points on one surface that are pushed in this step, as `SurfacePoints`, and their impulses [N s].

    Push k is group k, with the axes of the world as directions.
    """
    found = 0
    for k in range(held.shape[0]):
        if surface[k] != number or held[k] < 0:
            continue
        effect = find_effect(h, start[k], end[k], rise[k], time[0])
        points_out.group[found] = k
        points_out.element[found] = held[k]
        points_out.sign[found] = 1.0
        for i in range(3):
            points_out.weights[found, i] = weights[k, i]
            impulse_out[k, i] = effect * force[k, i]
            for j in range(3):
                points_out.directions[found, i, j] = 1.0 if i == j else 0.0
        found += 1
    points_out.span[0] = 0
    points_out.span[1] = found
