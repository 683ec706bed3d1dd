"""Kernels of the metrics."""

from __future__ import annotations

import math

from supple.core.jit import njit


@njit
def gather_values(source, index, slot, now_out):
    """now_out[slot] = source[index]."""
    for k in range(index.shape[0]):
        now_out[slot[k]] = source[index[k]]


@njit
def reduce_values(mode, start, step, now, total, samples, total_out, samples_out):
    """Reduce the values of this step into the totals: last, max, min or sum; nan does not count."""
    for k in range(now.shape[0]):
        value = now[k]
        if step[0] < start[k] or math.isnan(value):
            continue
        if samples[k] == 0.0 or mode[k] == 0:
            total_out[k] = value
        elif mode[k] == 1:
            total_out[k] = max(total[k], value)
        elif mode[k] == 2:
            total_out[k] = min(total[k], value)
        else:
            total_out[k] = total[k] + value
        samples_out[k] = samples[k] + 1.0
