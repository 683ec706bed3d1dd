"""Schedules of random systems: one order, whatever the order of registration, and every reader after its writers."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from supple.core.build import Build
from supple.core.schedule import Phase
from toy_worlds import make_system, make_world

ARRAYS = [f"toy.a{index}" for index in range(8)]


def declare(build: Build) -> None:
    for name in ARRAYS:
        build.add_step(name, (1,), unit="1", doc="A step value.")


@st.composite
def flows(draw):
    """Systems along a hidden order: each writes one array and reads only arrays of systems before it."""
    phases = sorted(draw(st.lists(st.sampled_from(list(Phase)), min_size=len(ARRAYS), max_size=len(ARRAYS))))
    labels = draw(st.permutations(range(len(ARRAYS))))
    systems = {}
    for place, (array, phase) in enumerate(zip(ARRAYS, phases, strict=True)):
        reads = draw(st.sets(st.sampled_from(ARRAYS[:place]))) if place else set()
        systems[f"toy.s{labels[place]}"] = make_system(phase, reads=sorted(reads), writes=[array])
    return systems


@settings(max_examples=60, deadline=None)
@given(flows(), st.randoms(use_true_random=False))
def test_order_does_not_depend_on_registration_and_respects_data_flow(systems, random) -> None:
    order = [entry.name for entry in make_world(systems, declare).schedule]
    shuffled = list(systems.items())
    random.shuffle(shuffled)
    entries = make_world(dict(shuffled), declare).schedule
    assert [entry.name for entry in entries] == order
    made: set[str] = set()
    for entry in entries:
        assert {name for name in entry.reads if name in ARRAYS} <= made
        made |= set(entry.writes)
    assert [entry.phase for entry in entries] == sorted(entry.phase for entry in entries)
