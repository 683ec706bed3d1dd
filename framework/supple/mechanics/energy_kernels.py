"""What the energy of a scene changed by, and which work explains it."""

from __future__ import annotations

from supple.core.jit import njit


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
    time, before, kinetic, potential, applied, initial, row_work, applied_work,
    work_inout, initial_out, row_work_out, applied_work_out, unaccounted_out,
):  # fmt: skip
    """Add the work of this step to the sums, and compare them with the change of energy since the start [J]."""
    start = before[0] if time[0] == 0.0 else initial[0]
    initial_out[0] = start
    row_work_out[0] = row_work[0] + work_inout[0]
    applied_work_out[0] = applied_work[0] + applied[0] + work_inout[1]
    unaccounted_out[0] = kinetic[0] + potential[0] - start - row_work_out[0] - applied_work_out[0]
    work_inout[0] = 0.0
    work_inout[1] = 0.0
