"""The audited step catches systems that touch what they did not declare."""

from __future__ import annotations

import pytest

from supple.core.build import Build
from supple.testing import audit_step
from toy_worlds import make_system, make_world


def declare(build: Build) -> None:
    build.add_model("toy.model", [3.0], unit="1", doc="A constant.")
    build.add_state("toy.x", [1.0], unit="1", doc="A state.")
    build.add_state("toy.secret", [5.0], unit="1", doc="A state that nobody declares.")


def sneak(build_holder, action):
    """A system that declares to turn x into x.next, and does more behind the scheduler's back."""

    def act(arrays) -> None:
        action(build_holder[0].arrays, arrays)

    return make_system(reads=["toy.x", "toy.model"], writes=["toy.x.next"], act=act)


def world_with(action):
    holder = []

    def declare_and_keep(build: Build) -> None:
        holder.append(build)
        declare(build)

    return make_world({"toy.sneak": sneak(holder, action)}, declare_and_keep)


def test_an_honest_system_passes_and_the_step_counts() -> None:
    def honest(table, arrays) -> None:
        arrays["toy.x.next"][0] = arrays["toy.x"][0] + arrays["toy.model"][0]

    world = world_with(honest)
    audit_step(world)
    assert world.steps == 1
    assert world.array("toy.x")[0] == 4.0


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda table, arrays: table["toy.secret.next"].fill(2.0), r"toy\.sneak changes toy\.secret\.next"),
        (
            lambda table, arrays: table["toy.model"].fill(2.0),
            r"toy\.sneak changes toy\.model, which it reads",
        ),
        (
            lambda table, arrays: arrays["toy.x.next"].__setitem__(0, table["toy.secret"][0]),
            r"toy\.sneak makes toy\.x\.next from an array that it does not declare",
        ),
        (
            lambda table, arrays: arrays["toy.x.next"].__setitem__(0, [1.0][int(table["toy.secret"][0]) - 5]),
            r"toy\.sneak reads an array that it does not declare",
        ),
    ],
)
def test_undeclared_access_is_caught(action, message) -> None:
    with pytest.raises(AssertionError, match=message):
        audit_step(world_with(action))
