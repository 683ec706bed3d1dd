"""From the values of all metrics in a step to those of the run: last, extremes, means."""

from __future__ import annotations

import math

from supple.core.jit import njit

SOURCES = 8


@njit
def gather_values(a, b, c, d, e, f, g, h, places, now_out):
    """now_out[slot] = source[element] for places [n, 3] of source, element and slot.

    Eight flat arrays at once, SOURCES: a call costs more than what it does.
    """
    for k in range(places.shape[0]):
        source, element, slot = places[k, 0], places[k, 1], places[k, 2]
        if source == 0:
            now_out[slot] = a[element]
        elif source == 1:
            now_out[slot] = b[element]
        elif source == 2:
            now_out[slot] = c[element]
        elif source == 3:
            now_out[slot] = d[element]
        elif source == 4:
            now_out[slot] = e[element]
        elif source == 5:
            now_out[slot] = f[element]
        elif source == 6:
            now_out[slot] = g[element]
        else:
            now_out[slot] = h[element]


@njit
def reduce_values(weight, mode, start, step, time, now, total, samples, total_out, samples_out, when_out):
    """Reduce the values of this step into the totals: last, max, min or weighted sum; nan does not count.

    when_out is the time [s] at which the last, greatest or least was first seen.
    """
    for k in range(now.shape[0]):
        value = now[k]
        if step[0] < start[k] or math.isnan(value):
            continue
        if mode[k] == 3:
            value *= weight
        if samples[k] == 0.0 or mode[k] == 0:
            total_out[k] = value
            when_out[k] = time[0]
        elif mode[k] == 1:
            total_out[k] = max(total[k], value)
            if value > total[k]:
                when_out[k] = time[0]
        elif mode[k] == 2:
            total_out[k] = min(total[k], value)
            if value < total[k]:
                when_out[k] = time[0]
        else:
            total_out[k] = total[k] + value
        samples_out[k] = samples[k] + weight
