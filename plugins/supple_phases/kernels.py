"""From phase to phase, and what is seen of them; equations are numbered in README.md."""

from __future__ import annotations

import math

from supple.core.jit import njit
from supple.math.curve_kernels import sample_curve
from supple_phases.layout import (
    ALL,
    ANY,
    BETWEEN,
    GAINED,
    KIND,
    NOTHING,
    PARENT,
    RUN_TIME,
    SHARE,
    SOURCE,
    TIME,
)  # fmt: skip

SLACK = 1e-6
"""Part of a step by which a time may be missed and still counts as reached; sums of steps are not exact."""


@njit
def is_between(seen, known, source, lower, upper):
    """Whether what was seen lies between the bounds; what was not seen lies nowhere."""
    return known[source] == 1 and seen[source] > lower and seen[source] < upper


@njit
def test_node(chart, seen, n, duration, passed, time, slack):
    """Whether a single test holds: README eq. (1)."""
    kind, source = chart.node[n, KIND], chart.node[n, SOURCE]
    lower, upper = chart.bound[n, 0], chart.bound[n, 1]
    if kind == TIME:
        return passed + slack >= lower
    if kind == SHARE:
        return passed + slack >= lower * duration
    if kind == RUN_TIME:
        return time + slack >= lower
    now = is_between(seen.seen, seen.known, source, lower, upper)
    if kind == BETWEEN:
        return now
    before = is_between(seen.seen_before, seen.known_before, source, lower, upper)
    if kind == GAINED:
        return now and seen.known_before[source] == 1 and not before
    return before and seen.known[source] == 1 and not now


@njit
def test_condition(chart, seen, e, duration, passed, time, slack, truth_out):
    """Whether the condition of exit e holds. Parts come before what they are joined to: one pass is enough."""
    first, end = chart.exit_node[e], chart.exit_node[e + 1]
    for n in range(first, end):
        truth_out[n] = 1 if chart.node[n, KIND] == ALL else 0
    for n in range(first, end):
        kind, parent = chart.node[n, KIND], chart.node[n, PARENT]
        if kind != ALL and kind != ANY:
            truth_out[n] = 1 if test_node(chart, seen, n, duration, passed, time, slack) else 0
        if parent == NOTHING:
            continue
        if chart.node[parent, KIND] == ALL:
            truth_out[parent] = min(truth_out[parent], truth_out[n])
        else:
            truth_out[parent] = max(truth_out[parent], truth_out[n])
    return truth_out[end - 1] == 1


@njit
def find_exit(chart, seen, p, passed, time, slack, truth_out):
    """The phase that the first exit of p leads to whose condition holds, or NOTHING."""
    for e in range(chart.exit_first[p], chart.exit_first[p + 1]):
        if test_condition(chart, seen, e, chart.duration[p], passed, time, slack, truth_out):
            return chart.exit_to[e]
    return NOTHING


@njit
def copy_memory(memory, memory_out):
    """Nothing has happened yet."""
    for m in range(memory.current.shape[0]):
        memory_out.current[m] = memory.current[m]
        memory_out.previous[m] = memory.previous[m]
        memory_out.begun[m] = memory.begun[m]
        memory_out.transitions[m] = memory.transitions[m]
    for p in range(memory.entries.shape[0]):
        memory_out.entries[p] = memory.entries[p]
        memory_out.first_entry[p] = memory.first_entry[p]
        memory_out.last_entry[p] = memory.last_entry[p]


@njit
def enter_phase(m, p, begin, memory_out):
    """Machine m goes on with phase p, which began at `begin`."""
    memory_out.previous[m] = memory_out.current[m]
    memory_out.current[m] = p
    memory_out.begun[m] = begin
    memory_out.transitions[m] += 1
    if memory_out.entries[p] == 0:
        memory_out.first_entry[p] = begin
    memory_out.last_entry[p] = begin
    memory_out.entries[p] += 1


@njit
def pass_durations(chart, m, time, slack, memory_out):
    """Leaves every phase whose duration is over: README eq. (2). Returns the number of transitions.

    There is at most one more than the machine has phases. If time runs away all the same, the last phase begins now.
    """
    most = chart.first[m + 1] - chart.first[m] + 1
    for done in range(most):
        p = memory_out.current[m]
        over = memory_out.begun[m] + chart.duration[p]
        if chart.waits[p] == 1 or chart.duration[p] < 0.0 or time + slack < over:
            return done
        if abs(time - over) <= slack or done == most - 1:
            over = time
        enter_phase(m, chart.following[p], over, memory_out)
    return most


@njit
def advance_machines(h, chart, seen, time, memory, memory_out, shown_out, truth_out):
    """Every machine looks at the conditions of its phase once, then at durations: README eq. (1) and (2)."""
    now, slack = time[0], SLACK * h
    copy_memory(memory, memory_out)
    for m in range(memory.current.shape[0]):
        p = memory.current[m]
        to = find_exit(chart, seen, p, now - memory.begun[m], now, slack, truth_out)
        changed = 0
        if to != NOTHING:
            enter_phase(m, to, now, memory_out)
            changed = 1
        changed += pass_durations(chart, m, now, slack, memory_out)
        shown_out.changed[m] = changed
        show_machine(chart, m, now, memory_out, shown_out)


@njit
def show_machine(chart, m, now, memory, shown_out):
    """Time and share of the phase, and the figures: README eq. (3)."""
    p = memory.current[m]
    passed = max(now - memory.begun[m], 0.0)
    shown_out.time[m] = passed
    shown_out.share[m] = min(passed / chart.duration[p], 1.0) if chart.duration[p] > 0.0 else 0.0
    often = chart.first[m]
    for other in range(chart.first[m], chart.first[m + 1]):
        if memory.entries[other] > memory.entries[often]:
            often = other
    shown_out.figures[m, 0] = p - chart.first[m]
    shown_out.figures[m, 1] = memory.transitions[m]
    shown_out.figures[m, 2] = math.nan
    if memory.entries[often] > 1:
        span = memory.last_entry[often] - memory.first_entry[often]
        shown_out.figures[m, 2] = span / (memory.entries[often] - 1)


@njit
def show_active(flag_machine, flag_of_phase, current, active_out):
    """1 for every name that is active in the phase of its machine."""
    for n in range(flag_machine.shape[0]):
        active_out[n] = flag_of_phase[current[flag_machine[n]], n]


@njit
def sample_values(h, curves, duration, current, time, value_out, rate_out, acceleration_out):
    """Values at the end of the step, if the phase lasts so long, and their derivatives by time: README eq. (4)."""
    for c in range(curves.channel_machine.shape[0]):
        m = curves.channel_machine[c]
        p = current[m]
        k = curves.channel_curve[p, c]
        scale = 1.0 / duration[p] if curves.curve_by_share[k] == 1 else 1.0
        value, rate, acceleration = sample_curve(
            curves.curve_shape[k], curves.curve_first[k], curves.curve_count[k], curves.segment,
            (time[m] + h) * scale,
        )  # fmt: skip
        value_out[c] = value
        rate_out[c] = rate * scale
        acceleration_out[c] = acceleration * scale * scale


@njit
def add_normal_forces(first, row_of_element, count, surface, element, normal, force, force_out):
    """force_out[row] = normal forces on all elements of a row [N], by what is not of the row itself.

    row_of_element [elements, rows] has ones.
    """
    for row in range(force_out.shape[0]):
        force_out[row] = 0.0
    for c in range(count[0]):
        along = force[c, 0] * normal[c, 0] + force[c, 1] * normal[c, 1] + force[c, 2] * normal[c, 2]
        a, b = first[surface[c, 0]] + element[c, 0], first[surface[c, 1]] + element[c, 1]
        for row in range(force_out.shape[0]):
            if row_of_element[a, row] != row_of_element[b, row]:
                force_out[row] += along


@njit
def take_values(source, elements, slots, measured_out):
    """measured_out[slot] = source[element] of a flat array."""
    for k in range(elements.shape[0]):
        measured_out[slots[k]] = source[elements[k]]


@njit
def remember_values(measured, seen, known, seen_out, known_out, before_out, known_before_out):
    """What was measured is seen in the next step; what is no number is not."""
    for k in range(measured.shape[0]):
        before_out[k] = seen[k]
        known_before_out[k] = known[k]
        known_out[k] = 1 if math.isfinite(measured[k]) else 0
        seen_out[k] = measured[k] if known_out[k] == 1 else 0.0
