"""The scheduler: order from declared accesses, and errors that name both systems and the array."""

from __future__ import annotations

import pytest

from supple.core.build import Build
from supple.core.schedule import Phase
from supple.errors import PluginError, ScheduleError
from toy_worlds import make_system, make_world


def declare(build: Build) -> None:
    for name in ("toy.a", "toy.b", "toy.c"):
        build.add_step(name, (2,), unit="1", doc="A step value.")
    build.add_step("toy.sum", (2,), unit="1", doc="A sum.", accumulates=True)
    build.add_state("toy.state", [1.0, 2.0], unit="1", doc="A state.")
    build.add_model("toy.model", [1.0], unit="1", doc="A constant.")


def names(world) -> list[str]:
    return [entry.name for entry in world.schedule if entry.name != "run.advance_clock"]


def test_data_flow_orders_systems_against_their_names() -> None:
    systems = {
        "toy.a_last": make_system(reads=["toy.b"]),
        "toy.m_middle": make_system(reads=["toy.a"], writes=["toy.b"]),
        "toy.z_first": make_system(writes=["toy.a"]),
    }
    assert names(make_world(systems, declare)) == ["toy.z_first", "toy.m_middle", "toy.a_last"]


def test_phases_come_before_names() -> None:
    systems = {"toy.a": make_system(Phase.OBSERVE), "toy.b": make_system(Phase.DETECT)}
    assert names(make_world(systems, declare)) == ["toy.b", "toy.a"]


def test_after_orders_what_data_leaves_open() -> None:
    systems = {"toy.a": make_system(after=["toy.b"]), "toy.b": make_system()}
    assert names(make_world(systems, declare)) == ["toy.b", "toy.a"]


def test_adders_come_in_the_order_of_their_names_and_before_readers() -> None:
    systems = {
        "toy.a_reads": make_system(reads=["toy.sum"]),
        "toy.c_adds": make_system(adds=["toy.sum"]),
        "toy.b_adds": make_system(adds=["toy.sum"]),
    }
    assert names(make_world(systems, declare)) == ["toy.b_adds", "toy.c_adds", "toy.a_reads"]


def test_two_writers_are_named_with_the_array() -> None:
    systems = {"toy.one": make_system(writes=["toy.a"]), "toy.two": make_system(writes=["toy.a"])}
    with pytest.raises(ScheduleError, match=r"toy\.a: written by both toy\.one and toy\.two"):
        make_world(systems, declare)


def test_a_circle_is_named_with_its_arrays() -> None:
    systems = {
        "toy.one": make_system(reads=["toy.b"], writes=["toy.a"]),
        "toy.two": make_system(reads=["toy.a"], writes=["toy.b"]),
    }
    with pytest.raises(
        ScheduleError, match=r"toy\.one, toy\.two: each waits for another, through toy\.a, toy\.b"
    ):
        make_world(systems, declare)


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({"toy.one": make_system(reads=["toy.aa"])}, r"toy\.one: declares unknown array toy\.aa.*'toy\.a'"),
        ({"toy.one": make_system(reads=["toy.a"])}, r"toy\.one: reads toy\.a, which nobody writes"),
        ({"toy.one": make_system(writes=["toy.model"])}, "Model and constant"),
        ({"toy.one": make_system(writes=["toy.state"])}, r"write toy\.state\.next"),
        ({"toy.one": make_system(adds=["toy.a"])}, "declare it under writes"),
        ({"toy.one": make_system(writes=["toy.sum"])}, "declare it under adds"),
        (
            {"toy.one": make_system(writes=["toy.a"], rate=3), "toy.two": make_system(reads=["toy.a"])},
            r"toy\.one: runs every 3 steps and writes the Step value toy\.a, which toy\.two reads every 1; "
            "held outputs must be State",
        ),
        (
            {
                "toy.one": make_system(adds=["toy.sum"], rate=3),
                "toy.two": make_system(reads=["toy.sum"], rate=2),
            },
            r"which toy\.two reads every 2; held outputs must be State",
        ),
        (
            {"toy.one": make_system(after=["toy.two"])},
            r"wants to run after toy\.two, which is not in this scene",
        ),
        (
            {
                "toy.one": make_system(Phase.DETECT, reads=["toy.a"]),
                "toy.two": make_system(Phase.SOLVE, writes=["toy.a"]),
            },
            r"toy\.one: reads toy\.a in DETECT before toy\.two makes it in SOLVE",
        ),
    ],
)
def test_bad_declarations_say_what_is_wrong(systems, message) -> None:
    with pytest.raises(ScheduleError, match=message):
        make_world(systems, declare)


def test_systems_of_one_rate_hand_step_values_to_each_other() -> None:
    systems = {
        "toy.one": make_system(writes=["toy.a"], adds=["toy.sum"], rate=3),
        "toy.two": make_system(reads=["toy.a", "toy.sum"], writes=["toy.state.next"], rate=3),
    }
    assert names(make_world(systems, declare)) == ["toy.one", "toy.two"]


def test_all_problems_are_reported_at_once() -> None:
    systems = {"toy.one": make_system(reads=["toy.aa"]), "toy.two": make_system(writes=["toy.model"])}
    with pytest.raises(ScheduleError) as caught:
        make_world(systems, declare)
    assert len(caught.value.problems) == 2


def test_a_system_gets_no_array_that_it_did_not_declare() -> None:
    class Greedy(make_system(reads=["toy.state"])):
        def bind(self, arrays):
            arrays["toy.model"]

    with pytest.raises(PluginError, match=r"toy\.greedy takes toy\.model without declaring it"):
        make_world({"toy.greedy": Greedy}, declare)


def plans(**more):
    """A planner that looks at what others planned."""
    return make_system(Phase.PLAN, reads=["toy.sum"], adds=["toy.sum"], **more)


def test_a_planner_that_looks_at_the_plan_comes_behind_one_that_does_not() -> None:
    systems = {"toy.a_looks": plans(), "toy.z_blind": make_system(Phase.PLAN, adds=["toy.sum"])}
    assert names(make_world(systems, declare)) == ["toy.z_blind", "toy.a_looks"]


@pytest.mark.parametrize(("first", "second"), [("toy.a", "toy.b"), ("toy.b", "toy.a")])
def test_two_planners_that_look_at_the_plan_are_ordered_by_their_word(first: str, second: str) -> None:
    world = make_world({first: plans(), second: plans(after=[first])}, declare)
    assert names(world) == [first, second]


def test_three_planners_may_be_ordered_in_a_chain() -> None:
    systems = {"toy.a": plans(after=["toy.b"]), "toy.b": plans(after=["toy.c"]), "toy.c": plans()}
    assert names(make_world(systems, declare)) == ["toy.c", "toy.b", "toy.a"]


def test_two_planners_without_an_order_are_named() -> None:
    with pytest.raises(
        ScheduleError, match=r"toy\.sum: toy\.a and toy\.b both read.*after = \[\"toy\.a\"\]"
    ) as e:
        make_world({"toy.a": plans(), "toy.b": plans()}, declare)
    assert len(e.value.problems) == 1


def test_two_planners_of_which_none_looks_at_the_plan_are_named() -> None:
    blind = make_system(Phase.PLAN, adds=["toy.sum"])
    with pytest.raises(
        ScheduleError,
        match=r"toy\.b: adds to toy\.sum as toy\.a does, and does not read what that one planned",
    ):
        make_world({"toy.a": blind, "toy.b": blind}, declare)


def test_actuators_need_not_look_at_each_other() -> None:
    adds = make_system(Phase.ACTUATE, adds=["toy.sum"])
    assert names(make_world({"toy.b": adds, "toy.a": adds}, declare)) == ["toy.a", "toy.b"]


def test_the_later_planner_sees_the_sum_so_far() -> None:
    def planner(value: float, seen: list, after: list[str]):
        class Planner(plans(after=after)):
            def bind(self, arrays):
                total = arrays["toy.sum"]

                def plan() -> None:
                    seen.append(total.copy())
                    total[:] += value

                return plan

        return Planner

    first, second = [], []
    systems = {"toy.a": planner(1.0, second, ["toy.z"]), "toy.z": planner(5.0, first, [])}
    world = make_world(systems, declare)
    world.step(2)
    assert [each.tolist() for each in first] == [[0.0, 0.0]] * 2
    assert [each.tolist() for each in second] == [[5.0, 5.0]] * 2
