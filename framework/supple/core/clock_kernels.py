"""Kernels of the clock."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def advance_clock(length, step, part, halved, step_out, time_out, part_out, halved_out):
    """A whole step of that length [s]."""
    step_out[0] = step[0] + 1
    time_out[0] = (step[0] + 1) * length


@njit
def advance_part(length, h, parts, step, part, halved, step_out, time_out, part_out, halved_out):
    """One of several parts of a step, of h [s] each."""
    done = part[0] + 1
    halved_out[0] = halved[0] + (1.0 if done == 1 else 0.0)
    part_out[0] = done % parts
    if done == parts:
        advance_clock(length, step, part, halved, step_out, time_out, part_out, halved_out)
    else:
        time_out[0] = step[0] * length + done * h
