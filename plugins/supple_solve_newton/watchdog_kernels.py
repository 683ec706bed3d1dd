"""The watchdog over Newton steps: full steps while they soon lead to something better, else shorter ones.

A search is kept in two points, `now` and the `best` so far (impulse and velocity, [n, 3] each), and in two arrays:

figures   tolerance [m/s]; floor, the share of each diagonal block that is added to it; residual [m/s] and merit
          [(m/s)^2] of now and of the best; effort so far and at most; the part of the greatest friction from
          which on a contact slips in the first step, whatever its velocity, infinite for no such thing
counters  linear systems solved so far and at most; full steps since the last best point; how often the effect of
          the floor on a step is taken back
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.measure_kernels import compute_rho
from supple.mechanics.sweep_kernels import count_active, is_near
from supple_solve_newton.merit_kernels import try_step
from supple_solve_newton.small_step_kernels import SINGULAR, find_small_step

FIGURES, COUNTERS = 9, 4
TOLERANCE, FLOOR, NOW_RESIDUAL, NOW_MERIT, BEST_RESIDUAL, BEST_MERIT, EFFORT, MAX_EFFORT, EDGE = range(
    FIGURES
)
STEPS, MAX_STEPS, WAITED, REFINEMENTS = range(COUNTERS)

# Full steps without a new best point before the search along the step from the best one. Contacts that open or
# begin to slip raise the merit for a step or two even on the way to the solution.
PATIENCE = 3
LEAST_FLOOR = 1e-10
DECREASE = 0.1  # of the merit per full step that counts as progress
SHORTEST = 0.05  # fraction of a step
# From a start near the solution: the first floor, how often its effect is taken back, README eq. (5), and the part
# of the greatest friction from which on a contact is taken to slip on, in the first step.
NEAR_FLOOR = 1e-4
NEAR_REFINEMENTS = 2
NEAR_EDGE = 0.9999
# Effort is counted, not timed, so that results repeat. The unit is about half a nanosecond of one core.
DENSE_EFFORT = 0.07  # per cube of the unknowns
ROW_EFFORT = 1000.0  # per unknown


@njit
def is_over(figures, counters):
    """Whether the best point is good enough, or enough was spent."""
    spent = counters[STEPS] >= counters[MAX_STEPS] or figures[EFFORT] >= figures[MAX_EFFORT]
    return spent or not figures[BEST_RESIDUAL] > figures[TOLERANCE]


@njit
def wants_search(figures, counters):
    """Whether full steps have led nowhere."""
    return counters[WAITED] > PATIENCE or not math.isfinite(figures[NOW_MERIT])


@njit
def keep_best(
    group_count, now_impulse, now_velocity, best_impulse_out, best_velocity_out, figures_inout, counters_inout
):
    """The point of now is the best one."""
    for i in range(group_count):
        for k in range(3):
            best_impulse_out[i, k] = now_impulse[i, k]
            best_velocity_out[i, k] = now_velocity[i, k]
    figures_inout[BEST_RESIDUAL] = figures_inout[NOW_RESIDUAL]
    figures_inout[BEST_MERIT] = figures_inout[NOW_MERIT]
    counters_inout[WAITED] = 0


@njit
def go_full_step(
    law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho, step,
    now_impulse_inout, now_velocity_inout, best_impulse_inout, best_velocity_inout, figures_inout, counters_inout,
):  # fmt: skip
    """Take the step from now, and keep the point if it is the best."""
    residual, merit = try_step(
        law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
        now_impulse_inout, step, 1.0, now_impulse_inout, now_velocity_inout,
    )  # fmt: skip
    figures_inout[NOW_RESIDUAL], figures_inout[NOW_MERIT] = residual, merit
    counters_inout[WAITED] += 1
    if residual <= figures_inout[TOLERANCE] or merit < (1.0 - DECREASE) * figures_inout[BEST_MERIT]:
        keep_best(
            group_count, now_impulse_inout, now_velocity_inout, best_impulse_inout, best_velocity_inout,
            figures_inout, counters_inout,
        )  # fmt: skip
        figures_inout[FLOOR] = max(0.1 * figures_inout[FLOOR], LEAST_FLOOR)


@njit
def search_along(
    law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho, step,
    now_impulse_inout, now_velocity_inout, best_impulse_inout, best_velocity_inout, figures_inout, counters_inout,
):  # fmt: skip
    """Take a part of the step from the best point that lowers the merit; False if there is none."""
    fraction = 0.5
    while fraction >= SHORTEST:
        residual, merit = try_step(
            law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
            best_impulse_inout, step, fraction, now_impulse_inout, now_velocity_inout,
        )  # fmt: skip
        if merit < (1.0 - DECREASE * fraction) * figures_inout[BEST_MERIT]:
            figures_inout[NOW_RESIDUAL], figures_inout[NOW_MERIT] = residual, merit
            keep_best(
                group_count, now_impulse_inout, now_velocity_inout, best_impulse_inout, best_velocity_inout,
                figures_inout, counters_inout,
            )  # fmt: skip
            return True
        fraction *= 0.5
    return False


@njit
def begin_search(
    law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
    now_impulse, now_velocity_out, best_impulse_out, best_velocity_out, figures_inout, counters_inout,
):  # fmt: skip
    """Measure the point that the search begins with: it is the best so far."""
    residual, merit = try_step(
        law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
        now_impulse, now_impulse, 0.0, now_impulse, now_velocity_out,
    )  # fmt: skip
    figures_inout[NOW_RESIDUAL], figures_inout[NOW_MERIT] = residual, merit
    keep_best(
        group_count, now_impulse, now_velocity_out, best_impulse_out, best_velocity_out, figures_inout,
        counters_inout,
    )  # fmt: skip


@njit
def step_on(
    law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
    mode, first, left, right, shift, extra, right_side, matrix, order, vector, unknown, floors, correction,
    step,
    now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
):  # fmt: skip
    """Newton's method from where a search is, as long as the linear systems are small; False if one was not.

    The arrays from `mode` to `step` are those of `find_small_step`.
    """
    while not is_over(figures, counters):
        searches = wants_search(figures, counters)
        impulse, velocity = (best_impulse, best_velocity) if searches else (now_impulse, now_velocity)
        edge = figures[EDGE] if counters[STEPS] == 0 else math.inf
        size = find_small_step(
            law, friction, scale, lower, upper, compliance, indptr, indices, values, group_count, figures[FLOOR],
            counters[REFINEMENTS], edge, rho, impulse, velocity,
            mode, first, left, right, shift, extra, right_side, matrix, order, vector, unknown, floors,
            correction, step,
        )  # fmt: skip
        if size == SINGULAR:
            return True
        if size > matrix.shape[0]:
            return False
        figures[EFFORT] += DENSE_EFFORT * size * size * size + ROW_EFFORT * size
        counters[STEPS] += 1
        if not searches:
            go_full_step(
                law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
                step, now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
            )  # fmt: skip
        elif not search_along(
            law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho, step,
            now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
        ):  # fmt: skip
            return True
    return True


@njit
def improve_small(
    law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
    mode, first, left, right, shift, extra, right_side, matrix, order, vector, unknown, floors, correction,
    step,
    now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
):  # fmt: skip
    """Begin a search at now_impulse, and step on."""
    begin_search(
        law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
        now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
    )  # fmt: skip
    return step_on(
        law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
        mode, first, left, right, shift, extra, right_side, matrix, order, vector, unknown, floors,
        correction, step,
        now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
    )  # fmt: skip


@njit
def improve_near(
    law, size, friction, scale, lower, upper, compliance, free, indptr, indices, diagonal, values, rho_out,
    mode, first, left, right, shift, extra, right_side, matrix, order, vector, unknown, floors, correction,
    step,
    now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
    warm, group_count, tolerance, few, max_steps,
):  # fmt: skip
    """Newton's method from `warm` if that is near the solution with at most `few` groups at work; False if it is not.

    The best residual is infinite where not even that was looked at.
    """
    figures[BEST_RESIDUAL], counters[STEPS] = math.inf, 0
    if count_active(group_count, warm) > few:
        return False
    for i in range(group_count):
        for k in range(3):
            now_impulse[i, k] = warm[i, k]
    figures[TOLERANCE], figures[FLOOR], figures[EDGE] = tolerance, NEAR_FLOOR, NEAR_EDGE
    figures[EFFORT], figures[MAX_EFFORT] = 0.0, math.inf
    counters[MAX_STEPS], counters[REFINEMENTS] = max_steps, NEAR_REFINEMENTS
    compute_rho(law, size, compliance, diagonal, values, group_count, rho_out)
    begin_search(
        law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho_out,
        now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
    )  # fmt: skip
    if not is_near(group_count, free, now_impulse, figures[NOW_RESIDUAL]):
        return False
    step_on(
        law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho_out,
        mode, first, left, right, shift, extra, right_side, matrix, order, vector, unknown, floors,
        correction, step,
        now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
    )  # fmt: skip
    return True
