"""Steps that are run again because something was found out."""

import numpy as np
import pytest

from supple.core.schedule import Phase
from supple.errors import SimulationError
from toy_worlds import make_system, make_world


def declare(build):
    build.add_state("toy.hint", [0.0], unit="1", doc="What an earlier run of the step found.")
    build.add_state("toy.x", [0.0], unit="1", doc="Something that goes on.")
    build.add_step("toy.sum", (1,), unit="1", doc="Something that adds up.", accumulates=True)
    build.find_out("toy.hint")


def make_toy(seen, runs=3, fails=-1):
    """A world whose every step is run so many times; in the run `fails` of a step it fails."""

    def add(arrays):
        arrays["toy.sum"][0] += 1.0

    def go(arrays):
        seen.append((arrays["toy.hint"][0], arrays["toy.sum"][0]))
        if arrays["toy.hint"][0] == fails:
            raise SimulationError("as it should")
        arrays["toy.x.next"][0] = arrays["toy.x"][0] + 1.0
        again = arrays["toy.hint"][0] < runs - 1
        arrays["run.again"][0] = again
        arrays["toy.hint.next"][0] = arrays["toy.hint"][0] + 1 if again else 0.0

    systems = {
        "toy.add": make_system(Phase.ACTUATE, adds=["toy.sum"], act=add),
        "toy.go": make_system(
            Phase.ADVANCE,
            ["toy.hint", "toy.x", "toy.sum"],
            ["toy.x.next", "toy.hint.next", "run.again"],
            act=go,
        ),
    }
    return make_world(systems, declare, halvings=0)


def test_a_step_starts_with_what_was_found_out_and_nothing_else():
    seen = []
    world = make_toy(seen)
    world.step(2)
    assert seen == [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0)] * 2
    assert world.array("toy.x")[0] == 2.0
    assert world.array("toy.hint")[0] == 0.0
    assert world.steps == 2


def test_a_step_that_fails_when_it_is_run_again_leaves_the_state_as_it_was():
    world = make_toy([], fails=1)
    before = world.snapshot()
    with pytest.raises(SimulationError, match="as it should"):
        world.step()
    for name, values in world.snapshot().items():
        np.testing.assert_array_equal(values, before[name])
