"""The watchdog over Newton steps: full steps while they soon lead to something better, else shorter ones.

A `Search` (`search_state`) is two points, `now` and the `best` so far (impulse and velocity, [n, 3] each), and

figures   tolerance [m/s]; floor, the share of each diagonal block that is added to it; residual [m/s] and merit
          [(m/s)^2] of now and of the best; effort so far and at most; the part of the greatest friction from
          which on a contact slips in the first step, whatever its velocity, infinite for no such thing
counters  linear systems solved so far and at most; full steps since the last best point; how often the effect of
          the floor on a step is taken back
"""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.mechanics.norm_kernels import compute_rho
from supple.mechanics.problem import Rows
from supple.mechanics.sweep_kernels import is_near
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
def keep_best(group_count, search):
    """The point of now is the best one."""
    now_impulse, now_velocity = search.now_impulse, search.now_velocity
    best_impulse, best_velocity = search.best_impulse, search.best_velocity
    for i in range(group_count):
        for k in range(3):
            best_impulse[i, k] = now_impulse[i, k]
            best_velocity[i, k] = now_velocity[i, k]
    search.figures[BEST_RESIDUAL] = search.figures[NOW_RESIDUAL]
    search.figures[BEST_MERIT] = search.figures[NOW_MERIT]
    search.counters[WAITED] = 0


@njit
def go_full_step(rows, blocks, rho, step, search):
    """Take the step from now, and keep the point if it is the best."""
    figures = search.figures
    residual, merit = try_step(
        rows, blocks, rho, search.now_impulse, step, 1.0, search.now_impulse, search.now_velocity
    )
    figures[NOW_RESIDUAL], figures[NOW_MERIT] = residual, merit
    search.counters[WAITED] += 1
    if residual <= figures[TOLERANCE] or merit < (1.0 - DECREASE) * figures[BEST_MERIT]:
        keep_best(rows.counts[0], search)
        figures[FLOOR] = max(0.1 * figures[FLOOR], LEAST_FLOOR)


@njit
def search_along(rows, blocks, rho, step, search):
    """Take a part of the step from the best point that lowers the merit; False if there is none."""
    figures = search.figures
    fraction = 0.5
    while fraction >= SHORTEST:
        residual, merit = try_step(
            rows, blocks, rho, search.best_impulse, step, fraction, search.now_impulse, search.now_velocity
        )
        if merit < (1.0 - DECREASE * fraction) * figures[BEST_MERIT]:
            figures[NOW_RESIDUAL], figures[NOW_MERIT] = residual, merit
            keep_best(rows.counts[0], search)
            return True
        fraction *= 0.5
    return False


@njit
def begin_search(rows, blocks, rho, search):
    """Measure the point that the search begins with: it is the best so far."""
    now = search.now_impulse
    residual, merit = try_step(rows, blocks, rho, now, now, 0.0, now, search.now_velocity)
    search.figures[NOW_RESIDUAL], search.figures[NOW_MERIT] = residual, merit
    keep_best(rows.counts[0], search)


@njit
def step_on(rows, blocks, rho, linear, scratch, search):
    """Newton's method from where a search is, as long as the linear systems are small; False if one was not."""
    figures, counters = search.figures, search.counters
    while not is_over(figures, counters):
        searches = wants_search(figures, counters)
        impulse = search.best_impulse if searches else search.now_impulse
        velocity = search.best_velocity if searches else search.now_velocity
        edge = figures[EDGE] if counters[STEPS] == 0 else math.inf
        size = find_small_step(
            rows, blocks, rho, figures[FLOOR], counters[REFINEMENTS], edge, impulse, velocity, linear, scratch
        )
        if size == SINGULAR:
            return True
        if size > scratch.matrix.shape[0]:
            return False
        figures[EFFORT] += DENSE_EFFORT * size * size * size + ROW_EFFORT * size
        counters[STEPS] += 1
        if not searches:
            go_full_step(rows, blocks, rho, scratch.step, search)
        elif not search_along(rows, blocks, rho, scratch.step, search):
            return True
    return True


@njit
def improve_small(rows, blocks, rho, linear, scratch, search):
    """Begin a search at now, and step on."""
    begin_search(rows, blocks, rho, search)
    return step_on(rows, blocks, rho, linear, scratch, search)


@njit
def count_active_rows(rows: Rows, impulse):
    """The number of rows of groups with an impulse along their first row."""
    active = 0
    for i in range(rows.counts[0]):
        if impulse[i, 0] != 0.0:
            active += rows.size[i]
    return active


@njit
def improve_near(rows, blocks, rho_out, linear, scratch, search, warm, tolerance, few_active, max_steps):
    """Newton's method from `warm` if that is near the solution with at most `few_active` contacts at work; else False.

    A row of a joint counts for a third of a contact, for it is one unknown. The best residual is infinite where not
    even that was looked at.
    """
    group_count, figures, counters = rows.counts[0], search.figures, search.counters
    figures[BEST_RESIDUAL], counters[STEPS] = math.inf, 0
    if count_active_rows(rows, warm) > 3 * few_active:
        return False
    for i in range(group_count):
        for k in range(3):
            search.now_impulse[i, k] = warm[i, k]
    figures[TOLERANCE], figures[FLOOR], figures[EDGE] = tolerance, NEAR_FLOOR, NEAR_EDGE
    figures[EFFORT], figures[MAX_EFFORT] = 0.0, math.inf
    counters[MAX_STEPS], counters[REFINEMENTS] = max_steps, NEAR_REFINEMENTS
    compute_rho(rows, blocks, rho_out)
    begin_search(rows, blocks, rho_out, search)
    if not is_near(group_count, rows.free, search.now_impulse, figures[NOW_RESIDUAL]):
        return False
    step_on(rows, blocks, rho_out, linear, scratch, search)
    return True
