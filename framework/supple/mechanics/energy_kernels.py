"""What the energy of a scene changed by, and which work explains it."""

from __future__ import annotations

from supple.core.jit import njit
from supple.mechanics.energy_tables import EnergyBooks, EnergySums


@njit
def add_work(v, v_next, plan, impulse, work_out):
    """work_out [2] += work of the rows and of the plan on one mechanism [J]; the arrays are flat.

    The impulse changes the kinetic energy by impulse . (v + v') / 2, exactly.
    """
    rows = 0.0
    planned = 0.0
    for k in range(v.shape[0]):
        mean = 0.5 * (v[k] + v_next[k])
        rows += mean * (impulse[k] - plan[k])
        planned += mean * plan[k]
    work_out[0] += rows
    work_out[1] += planned


@njit
def add_force_work(h, force, v, v_next, work_out):
    """work_out += work of a generalised force in a step [J]; the arrays are flat."""
    work = 0.0
    for k in range(v.shape[0]):
        work += force[k] * (v[k] + v_next[k])
    work_out[0] += 0.5 * h * work


@njit
def balance_energy(
    time, sums: EnergySums, books: EnergyBooks, work_inout, books_out: EnergyBooks, unaccounted_out
):
    """Add the work of this step to the sums, and compare them with the change of energy since the start [J].

    What springs gave from their store is no work of rows: it is in the potential energy, or lost.
    """
    start = sums.before[0] if time[0] == 0.0 else books.initial[0]
    books_out.initial[0] = start
    books_out.row_work[0] = books.row_work[0] + (work_inout[0] + sums.late[0] - sums.given[0])
    books_out.applied_work[0] = books.applied_work[0] + sums.applied[0] + work_inout[1]
    books_out.numerical_loss[0] = books.numerical_loss[0] + sums.numerical[0]
    now = sums.kinetic[0] + sums.potential[0]
    unaccounted_out[0] = (
        now - start - books_out.row_work[0] - books_out.applied_work[0] + books_out.numerical_loss[0]
    )
    work_inout[0] = 0.0
    work_inout[1] = 0.0


@njit
def hold(value, value_out):
    """value_out[0] = value[0]."""
    value_out[0] = value[0]
