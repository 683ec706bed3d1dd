"""A step that is computed but doubtful is tried in parts, and taken as it is only where these are doubtful too."""

from __future__ import annotations

import numpy as np
import pytest

import supple.core.stepper
from supple.core.clock import VAIN
from supple.core.schedule import Phase, System
from supple.errors import DoubtfulStepError, SimulationError
from toy_worlds import make_world


def make_doubtful(bears: float, at=(3,), fails: float = 1.0, systems=None, more=None):
    """A world whose steps are doubtful at these numbers if they are longer than `bears`, and fail beyond `fails`."""

    class Doubt(System):
        phase = Phase.ADVANCE
        reads = ("run.step", "toy.sum", "toy.longest")
        writes = ("toy.sum.next", "toy.longest.next")

        def bind(self, arrays):
            h, trusting = arrays.h, arrays.build.trusting
            number, total, longest = (arrays[name] for name in self.reads)
            total_next, longest_next = (arrays[name] for name in self.writes)

            def advance() -> None:
                total_next[0] = total[0] + h
                if int(number[0]) not in at:
                    return
                if h > fails:
                    raise SimulationError("it cannot be computed")
                if h > bears and not trusting:
                    raise DoubtfulStepError("it is doubtful")
                longest_next[0] = max(longest[0], h)

            return advance

    def declare(build) -> None:
        build.add_state("toy.sum", [0.0], unit="s", doc="Length of all steps.")
        build.add_state("toy.longest", [0.0], unit="s", doc="The longest of the doubtful ones.")
        if more is not None:
            more(build)

    return make_world({"toy.doubt": Doubt, **(systems or {})}, declare)


@pytest.mark.parametrize(("bears", "parts"), [(0.6, 2), (0.3, 4), (0.13, 8)])
def test_parts_that_are_not_doubtful_are_taken(bears, parts) -> None:
    world = make_doubtful(0.0)
    h = world.blueprint.run.step
    world = make_doubtful(bears * h)
    world.step(6)
    assert world.steps == 6
    assert world.array("toy.sum")[0] == pytest.approx(6 * h, rel=1e-12)
    assert world.array("toy.longest")[0] == pytest.approx(h / parts)
    assert world.array("run.halved")[0] == 1
    assert world.array(VAIN)[0] == 0


def test_a_step_whose_parts_are_no_better_is_what_it_was() -> None:
    plain, world = make_doubtful(1.0), make_doubtful(0.0)
    for each in (plain, world):
        each.step(6)
    assert world.array("toy.longest")[0] == world.blueprint.run.step
    assert world.array("toy.sum").tobytes() == plain.array("toy.sum").tobytes()
    assert world.array("run.halved")[0] == 0
    assert world.array(VAIN)[0] == 1


def test_a_step_that_fails_is_taken_in_doubtful_parts() -> None:
    h = make_doubtful(1.0).blueprint.run.step
    world = make_doubtful(0.0, fails=0.6 * h)
    world.step(6)
    assert world.array("toy.longest")[0] == pytest.approx(h / 2)


def test_a_step_in_parts_is_counted_once() -> None:
    class CountParts(System):
        phase = Phase.OBSERVE
        reads = ("toy.seen",)
        writes = ("toy.seen.next",)

        def bind(self, arrays):
            seen, seen_next = arrays["toy.seen"], arrays["toy.seen.next"]

            def count() -> None:
                seen_next[0] = seen[0] + 1.0

            return count

    def declare(build) -> None:
        build.add_state("toy.seen", [0.0], unit="1", doc="Steps that were seen.")
        build.step_counters.append("toy.seen")

    h = make_doubtful(1.0).blueprint.run.step
    world = make_doubtful(0.3 * h, systems={"toy.count": CountParts}, more=declare)
    world.step(6)
    assert world.array("run.halved")[0] == 1
    assert world.array("toy.seen")[0] == 6


def test_who_is_always_doubtful_is_divided_no_more() -> None:
    most, tried = supple.core.stepper.MOST_VAIN, []
    world = make_doubtful(0.0, at=range(100))
    divide = world._stepper.run_parts
    world._stepper.run_parts = lambda parts, **how: (tried.append(parts), divide(parts, **how))
    world.step(most + 20)
    assert world.array(VAIN)[0] == most
    assert tried.count(2) == most, "it costs several steps each time"
    state = world.snapshot()
    world.step(5)
    after = world.snapshot()
    other = make_doubtful(0.0, at=range(100))
    other.restore(state)
    other.step(5)
    for name, values in other.snapshot().items():
        assert np.array_equal(values, after[name]), name
