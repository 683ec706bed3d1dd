"""Kernels around a solve: what it begins with, and what comes of it."""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.solution import BOUNCED, COUNTERS, HELD, ITERATIONS, RESCUED, SHORT
from supple.mechanics.warm_start_kernels import finish_rows, take_plan


@njit
def begin_impulse(plan, mechanism, planned_out, impulse_out):
    """The impulse of a mechanism begins with its plan, both flat; says whether there is any."""
    planned_out[mechanism] = take_plan(plan, impulse_out)


@njit
def begin_solve(outcome_out):
    """Nothing is found so far."""
    for k in range(COUNTERS):
        outcome_out.counters[k] = 0


@njit
def finish_solve(rows, blocks, key, start, outcome, exact, bound, kept_out, impulse_inout, books_out):
    """Hand over the impulses of a solve, and write its figures into its books; see `finish_rows`.

    Without rows there is nothing to hand over. A residual [m/s] above `bound` counts where the solve came short, and
    where it should be exact; returns whether it does.
    """
    counters, doubtful = outcome.counters, False
    books_out.iterations[0] = counters[ITERATIONS]
    finish_rows(rows, blocks, key, start, books_out.residual, kept_out, impulse_inout, outcome.impulse)
    count = rows.counts[0]
    if count == 0:
        return False
    short = counters[SHORT] != 0
    books_out.failures_next[0] = books_out.failures[0] + (1 if short else 0)
    if (short or exact) and not books_out.residual[0] <= bound:
        books_out.unsolved_next[0] = books_out.unsolved[0] + 1
        doubtful = True
    books_out.rescues_next[0] = books_out.rescues[0] + (1 if counters[RESCUED] != 0 else 0)
    if counters[BOUNCED] != 0:
        for i in range(count):
            for row in range(3):
                impulse_inout[i, row] += outcome.blow[i, row]
    return doubtful


@njit
def take_held(held, planned, counts, outcome_out):
    """Hand over what was found by holding; returns whether nothing was, or a plan came after."""
    if held.state[0] != HELD:
        return True
    for k in range(planned.shape[0]):
        if planned[k] != 0:
            return True
    for g in range(counts[0]):
        for row in range(3):
            outcome_out.impulse[g, row] = held.impulse[g, row]
    return False
