"""The checks that plugin authors have, held against supple's own mechanisms, and against broken ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from supple.core.build import Build
from supple.testing import audit_step, check_mechanism, check_memory, check_resume
from toy_worlds import make_system, make_world

SCENES = Path(__file__).resolve().parents[2] / "scenes"
CASES = {
    "first/stack.toml": ("", 60, ["rigid"]),
    "mechanics/ragdoll.toml": ("", 100, ["skeleton"]),
    "soft_contacts/coupled.toml": ("soft", 120, ["flesh", "skeleton"]),
    "contact_skinning/slide.toml": ("neighbours", 40, ["ghost", "rigid"]),
}


def load(scene: str):
    variant, steps, _ = CASES[scene]
    world = supple.load(SCENES / scene, variant=variant)
    world.step(steps)
    assert world.array("rows.count")[0] > 0
    return world


@pytest.mark.parametrize("scene", CASES)
def test_own_mechanisms_agree_with_themselves(scene: str) -> None:
    world = load(scene)
    assert sorted(each.name for each in world.members("mechanisms")) == CASES[scene][2]
    for name in CASES[scene][2]:
        check_mechanism(world, name)
    check_memory(world, 4)
    audit_step(world)


@pytest.mark.parametrize("scene", CASES)
def test_own_scenes_resume(scene: str) -> None:
    variant, steps, _ = CASES[scene]
    check_resume(SCENES / scene, steps=steps, more=4, variant=variant)


def test_checking_takes_no_step() -> None:
    world = load("first/stack.toml")
    before = world.snapshot()
    check_mechanism(world, "rigid")
    assert all(world.array(name).tobytes() == values.tobytes() for name, values in before.items())
    twin = supple.load(SCENES / "first" / "stack.toml")
    twin.step(60 + 5)
    world.step(5)
    assert world.array("rigid.x").tobytes() == twin.array("rigid.x").tobytes()


def test_a_wrong_inverse_is_found() -> None:
    world = load("first/stack.toml")
    (rigid,) = world.members("mechanisms")
    apply = rigid.apply_inverse

    def twice(x, out) -> None:
        apply(x, out)
        out *= 2.0

    rigid.apply_inverse = twice
    with pytest.raises(AssertionError, match=r"W of rigid and J A\^-1 J\^T differ by 0\.5"):
        check_mechanism(world, "rigid")


def test_a_response_to_another_column_is_found() -> None:
    world = load("first/stack.toml")
    (rigid,) = world.members("mechanisms")
    answer = rigid.response
    rigid.response = lambda columns, out: answer(columns[::-1].copy(), out)
    with pytest.raises(AssertionError, match=r"response of rigid and A\^-1 differ"):
        check_mechanism(world, "rigid")


def test_an_inverse_that_is_not_symmetric_is_found() -> None:
    world = load("first/stack.toml")
    (rigid,) = world.members("mechanisms")
    apply = rigid.apply_inverse

    def skew(x, out) -> None:
        apply(x, out)
        out[0, 0] += x[0, 1]

    rigid.apply_inverse = skew
    with pytest.raises(AssertionError, match="of rigid and its transpose differ"):
        check_mechanism(world, "rigid")


def test_a_step_that_ends_elsewhere_is_found() -> None:
    world = load("first/stack.toml")
    (rigid,) = world.members("mechanisms")
    rigid.v_free = "rigid.v"
    with pytest.raises(AssertionError, match="v_next of rigid and v_free"):
        check_mechanism(world, "rigid")


def declare(build: Build) -> None:
    build.add_state("toy.x", [0.0], unit="m", doc="A place.")


def test_memory_in_a_closure_is_found() -> None:
    class Counts(make_system(writes=["toy.x.next"])):
        def bind(self, arrays):
            x, seen = arrays["toy.x.next"], []

            def count() -> None:
                seen.append(1)
                x[0] = len(seen)

            return count

    world = make_world({"toy.count": Counts}, declare)
    with pytest.raises(AssertionError, match=r"toy\.x\[0\] differs after step 2 when all is bound anew"):
        check_memory(world)


def test_memory_in_a_system_is_found() -> None:
    class Counts(make_system(writes=["toy.x.next"])):
        seen = 0

        def bind(self, arrays):
            x = arrays["toy.x.next"]

            def count() -> None:
                self.seen += 1
                x[0] = self.seen

            return count

    with pytest.raises(AssertionError, match=r"toy\.x\[0\] differs after step 1"):
        check_memory(make_world({"toy.count": Counts}, declare))


def test_honest_systems_pass() -> None:
    def double(arrays) -> None:
        arrays["toy.x.next"][0] = 2 * arrays["toy.x"][0] + 1

    world = make_world(
        {"toy.double": make_system(reads=["toy.x"], writes=["toy.x.next"], act=double)}, declare
    )
    check_memory(world, 5)
    assert world.array("toy.x")[0] == np.float64(31)
