"""Conditions as a kernel tests them, against the same read straight from what the author wrote."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_phases import conditions as written
from supple_phases.kernels import test_condition as holds_in_kernel
from supple_phases.layout import NOTHING, Chart, Seen
from supple_phases.program import CONTACT, PRESSED, Program

DURATION, PASSED, TIME = 2.0, 1.0, 5.0
METRICS, ENTITIES = ("a.height", "b.speed", "run.contacts"), ("foot", "hand")
numbers = st.sampled_from([0.0, 0.5, 1.0, 2.5, 6.0])


@st.composite
def leaves(draw: st.DrawFn) -> dict[str, object]:
    """The keys of one test."""
    kind = draw(
        st.sampled_from(["time", "share", "run_time", "touches", "apart", "gains", "loses", "load", "metric"])
    )
    if kind in ("time", "share", "run_time"):
        return {kind: draw(numbers)}
    if kind in ("touches", "apart", "gains", "loses"):
        return {kind: draw(st.sampled_from(ENTITIES))}
    bounds = draw(st.sampled_from([{"above": 1.0}, {"below": 1.0}, {"above": 0.5, "below": 2.5}]))
    return {kind: draw(st.sampled_from(ENTITIES if kind == "load" else METRICS)), **bounds}


@st.composite
def sample_conditions(draw: st.DrawFn) -> written.Condition:
    def inner() -> dict[str, object]:
        if draw(st.booleans()):
            return draw(leaves())
        many = draw(st.lists(leaves(), min_size=1, max_size=3))
        return {draw(st.sampled_from(["all", "any"])): tuple(written.Test(**each) for each in many)}

    if draw(st.booleans()):
        return written.Condition(**draw(leaves()))
    parts = tuple(written.Tests(**inner()) for _ in range(draw(st.integers(1, 3))))
    return written.Condition(**{draw(st.sampled_from(["all", "any"])): parts})


Numbers = dict[str, float]


def holds(condition: written.Test, now: Numbers, before: Numbers) -> bool:
    """The meaning of a condition; a name that is not in the tables was not seen."""
    if getattr(condition, "all", None) is not None:
        return all(holds(part, now, before) for part in condition.all)
    if getattr(condition, "any", None) is not None:
        return any(holds(part, now, before) for part in condition.any)
    for bound, reached in (
        (condition.time, PASSED),
        (condition.share, PASSED / DURATION),
        (condition.run_time, TIME),
    ):
        if bound is not None:
            return reached >= bound
    name = condition.load or condition.metric
    if name is not None:
        lower, upper = condition.above, condition.below
        value = now.get(name, math.nan)
        return (lower is None or value > lower) and (upper is None or value < upper) and not math.isnan(value)
    path = condition.touches or condition.apart or condition.gains or condition.loses
    touched, was = (numbers[path] > PRESSED if path in numbers else None for numbers in (now, before))
    wanted = {
        condition.touches: touched is True,
        condition.apart: touched is False,
        condition.gains: (was, touched) == (False, True),
        condition.loses: (was, touched) == (True, False),
    }
    return wanted[path]


def make_chart(program: Program) -> Chart:
    none = np.zeros(0, np.int64)
    return Chart(
        first=none, duration=np.zeros(0), waits=none, following=none, exit_first=none, exit_to=none,
        exit_node=np.array([0, len(program.nodes)]), node=np.array(program.nodes), bound=np.array(program.bounds),
    )  # fmt: skip


def make_seen(program: Program, now: Numbers, before: Numbers) -> Seen:
    names = [source.name for source in program.sources]
    tables = []
    for table in (now, before):
        tables += [np.array([table.get(name, 0.0) for name in names], float).reshape(-1)]
        tables += [np.array([int(name in table) for name in names], np.int64).reshape(-1)]
    return Seen(*tables)


tables = st.dictionaries(st.sampled_from(METRICS + ENTITIES), numbers)


@given(condition=sample_conditions(), now=tables, before=tables)
@settings(max_examples=300, deadline=None)
def test_the_kernel_tests_what_is_written(condition, now, before) -> None:
    program = Program()
    assert program.add(condition, "walker") == len(program.nodes) - 1
    assert program.nodes[-1][1] == NOTHING
    assert all(source.kind == CONTACT or "." in source.name for source in program.sources)
    truth = np.zeros(len(program.nodes), np.int64)
    chart, seen = make_chart(program), make_seen(program, now, before)
    found = holds_in_kernel(chart, seen, 0, DURATION, PASSED, TIME, 1e-9, truth)
    assert found == holds(condition, now, before)
