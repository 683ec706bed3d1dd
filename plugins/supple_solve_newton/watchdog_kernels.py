"""The watchdog over Newton steps: full steps while they soon lead to something better, else shorter ones.

A search is kept in two points, `now` and the `best` so far (impulse and velocity, [n, 3] each), and in two arrays:

figures   tolerance [m/s]; floor, the share of each diagonal block that is added to it; residual [m/s] and merit
          [(m/s)^2] of now and of the best; effort so far and at most
counters  linear systems solved so far and at most; full steps since the last best point
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple_solve_newton.merit_kernels import try_step
from supple_solve_newton.small_step_kernels import SINGULAR, find_small_step

TOLERANCE, FLOOR, NOW_RESIDUAL, NOW_MERIT, BEST_RESIDUAL, BEST_MERIT, EFFORT, MAX_EFFORT = range(8)
STEPS, MAX_STEPS, WAITED = range(3)

# Full steps without a new best point before the search along the step from the best one. Contacts that open or
# begin to slip raise the merit for a step or two even on the way to the solution.
PATIENCE = 3
LEAST_FLOOR = 1e-10
DECREASE = 0.1  # of the merit per full step that counts as progress
SHORTEST = 0.05  # fraction of a step
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
def keep_best(now_impulse, now_velocity, best_impulse_out, best_velocity_out, figures_inout, counters_inout):
    """The point of now is the best one."""
    for i in range(now_impulse.shape[0]):
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
            now_impulse_inout, now_velocity_inout, best_impulse_inout, best_velocity_inout, figures_inout,
            counters_inout,
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
                now_impulse_inout, now_velocity_inout, best_impulse_inout, best_velocity_inout, figures_inout,
                counters_inout,
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
        now_impulse, now_velocity_out, best_impulse_out, best_velocity_out, figures_inout, counters_inout
    )


@njit
def improve_small(
    law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
    mode, first, left, right, shift, extra, right_side, part, matrix, order, vector, unknown, step,
    now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
):  # fmt: skip
    """Newton's method from now_impulse as long as the linear systems are small; False if one was not.

    The arrays from `mode` to `step` are those of `find_small_step`.
    """
    begin_search(
        law, friction, scale, lower, upper, compliance, free, indptr, indices, values, group_count, rho,
        now_impulse, now_velocity, best_impulse, best_velocity, figures, counters,
    )  # fmt: skip
    while not is_over(figures, counters):
        searches = wants_search(figures, counters)
        size = find_small_step(
            law, friction, scale, lower, upper, compliance, indptr, indices, values, group_count, figures[FLOOR],
            rho, best_impulse if searches else now_impulse, best_velocity if searches else now_velocity,
            mode, first, left, right, shift, extra, right_side, part, matrix, order, vector, unknown, step,
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
