"""The world: state is read as of the start of a step and committed whole at its end."""

from __future__ import annotations

import numpy as np
import pytest

from supple.core.build import Build
from supple.core.schedule import Phase
from supple.errors import SimulationError
from toy_worlds import make_system, make_world


def declare(build: Build) -> None:
    build.add_state("toy.x", [1.0, 1.0], unit="m", doc="A place.", labels=["left", "right"])
    build.add_state("toy.y", [0.0], unit="m", doc="Another.")
    build.add_state("toy.count", [0], unit="1", doc="A number.", dtype=np.int64)
    build.add_step("toy.sum", (1,), unit="m", doc="A sum.", accumulates=True)


def double(arrays) -> None:
    arrays["toy.x.next"][:] = 2 * arrays["toy.x"]


def copy_x(arrays) -> None:
    arrays["toy.y.next"][0] = arrays["toy.x"][0]


def test_systems_read_the_state_of_the_start_of_the_step() -> None:
    systems = {
        "toy.a_double": make_system(reads=["toy.x"], writes=["toy.x.next"], act=double),
        "toy.b_copy": make_system(reads=["toy.x"], writes=["toy.y.next"], act=copy_x),
    }
    world = make_world(systems, declare)
    world.step(3)
    assert world.array("toy.x")[0] == 8.0
    assert world.array("toy.y")[0] == 4.0, "the copy must see the value before this step's doubling"


def test_a_reader_of_the_next_state_runs_after_its_writer() -> None:
    def copy_next(arrays) -> None:
        arrays["toy.y.next"][0] = arrays["toy.x.next"][0]

    systems = {
        "toy.a_copy": make_system(reads=["toy.x.next"], writes=["toy.y.next"], act=copy_next),
        "toy.b_double": make_system(reads=["toy.x"], writes=["toy.x.next"], act=double),
    }
    world = make_world(systems, declare)
    world.step()
    assert world.array("toy.y")[0] == 2.0


def test_a_failed_step_changes_nothing_and_names_the_system() -> None:
    def fail(arrays) -> None:
        raise SimulationError("it is too heavy")

    systems = {
        "toy.double": make_system(reads=["toy.x"], writes=["toy.x.next"], act=double),
        "toy.fail": make_system(Phase.OBSERVE, act=fail),
    }
    world = make_world(systems, declare)
    with pytest.raises(SimulationError, match=r"t = 0 s \(step 0\): it is too heavy \[system toy\.fail\]"):
        world.step()
    assert world.steps == 0
    assert (world.array("toy.x") == 1.0).all()
    assert (world.array("toy.x.next") == 1.0).all(), "the next step starts from the state"


def test_the_guard_names_system_entity_and_element() -> None:
    def spoil(arrays) -> None:
        arrays["toy.x.next"][1] = np.nan

    world = make_world({"toy.spoil": make_system(writes=["toy.x.next"], act=spoil)}, declare)
    with pytest.raises(SimulationError, match=r"toy\.x\[1\] became nan \[system toy\.spoil, entity right"):
        world.step()
    assert np.isfinite(world.array("toy.x")).all()


def test_a_system_without_work_is_not_called_and_blames_nobody_else() -> None:
    class Idle(make_system()):
        def bind(self, arrays):
            return []

    def fail(arrays) -> None:
        raise SimulationError("it cannot be done")

    world = make_world({"toy.a": Idle, "toy.b": make_system(act=fail)})
    assert [entry.name for entry, _ in world.calls()] == ["run.advance_clock", "toy.b"]
    assert [each.name for each in world.timing.table()] == ["run.advance_clock", "toy.a", "toy.b"]
    with pytest.raises(SimulationError) as caught:
        world.step()
    assert caught.value.system == "toy.b"


def test_sums_start_every_step_at_zero() -> None:
    def add(arrays) -> None:
        arrays["toy.sum"][0] += 1.0

    def keep(arrays) -> None:
        arrays["toy.y.next"][0] = arrays["toy.sum"][0]

    systems = {
        "toy.add_one": make_system(adds=["toy.sum"], act=add),
        "toy.add_two": make_system(adds=["toy.sum"], act=add),
        "toy.keep": make_system(reads=["toy.sum"], writes=["toy.y.next"], act=keep),
    }
    world = make_world(systems, declare)
    world.step(5)
    assert world.array("toy.y")[0] == 2.0


def test_a_rate_holds_the_output_between() -> None:
    def count(arrays) -> None:
        arrays["toy.count.next"][0] = arrays["toy.count"][0] + 1

    world = make_world(
        {"toy.count": make_system(reads=["toy.count"], writes=["toy.count.next"], rate=3, act=count)}, declare
    )
    seen = []
    for _ in range(7):
        world.step()
        seen.append(int(world.array("toy.count")[0]))
    assert seen == [1, 1, 1, 2, 2, 2, 3]


def test_restoring_a_snapshot_repeats_the_run() -> None:
    systems = {"toy.double": make_system(reads=["toy.x"], writes=["toy.x.next"], act=double)}
    world = make_world(systems, declare)
    world.step(2)
    kept = world.snapshot()
    world.step(3)
    end = world.snapshot()
    world.restore(kept)
    assert world.steps == 2
    world.step(3)
    assert all((world.snapshot()[name] == end[name]).all() for name in end)


def test_time_does_not_drift() -> None:
    world = make_world({}, declare, step=0.1)
    world.step(1000)
    assert world.time == 1000 * 0.1


def declare_list(build: Build) -> None:
    """A state of which only the first `list.count` rows are in use."""
    build.add_state("list.count", [0], unit="1", doc="Rows in use.", dtype=np.int64)
    build.add_state("list.rows", np.zeros((6, 2)), unit="1", doc="Rows.", count="list.count")


def test_rows_in_use_are_committed_and_guarded_and_others_are_left_alone() -> None:
    def grow_and_shrink(arrays: dict[str, np.ndarray]) -> None:
        count = (0, 4, 2, 3)[int(arrays["run.step"][0]) % 4]
        arrays["list.count.next"][0] = count
        arrays["list.rows.next"][:count] = 10 * arrays["run.step"][0] + np.arange(2 * count).reshape(-1, 2)

    writer = make_system(
        reads=["run.step"], writes=["list.count.next", "list.rows.next"], act=grow_and_shrink
    )
    world = make_world({"list.fill": writer}, declare_list)
    for step, count in enumerate((0, 4, 2, 3)):
        world.step()
        assert world.array("list.count")[0] == count
        expected = 10 * step + np.arange(2.0 * count).reshape(-1, 2)
        np.testing.assert_array_equal(world.array("list.rows")[:count], expected)
        # What is not in use is the same in both, so that a resumed run repeats an uninterrupted one.
        np.testing.assert_array_equal(world.array("list.rows"), world.array("list.rows.next"))


@pytest.mark.parametrize(("row", "stops"), [(0, True), (5, False)])
def test_the_guard_looks_at_rows_in_use_only(row: int, stops: bool) -> None:
    def spoil(arrays: dict[str, np.ndarray]) -> None:
        arrays["list.count.next"][0] = 2
        arrays["list.rows.next"][row, 1] = np.nan

    writer = make_system(writes=["list.count.next", "list.rows.next"], act=spoil)
    world = make_world({"list.spoil": writer}, declare_list)
    if stops:
        with pytest.raises(SimulationError, match="became nan"):
            world.step()
    else:
        world.step()
