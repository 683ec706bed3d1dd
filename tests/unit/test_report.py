"""What the runner tells: pace, gauge, tables, and how little it costs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from supple.core.world import World
from supple.run.gauge import Gauge
from supple.run.json_text import write_json
from supple.run.pace import Pace
from supple.run.report import PlainDisplay, print_table, say, say_bounds
from supple.run.runner import NEVER, Runner
from supple.run.stop import Stop
from toy_worlds import make_world


class Clock:
    """A clock that moves when told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize("seconds_per_step", [1e-6, 1e-3, 0.03])
def test_pace_looks_seldom_and_is_on_time(seconds_per_step: float) -> None:
    clock = Clock()
    pace = Pace(interval=1.0, first=1.0, clock=clock)
    looks, moments, steps, due = 0, [], 0, 1
    while clock.now < 30.0:
        jump = due - steps
        steps, clock.now = due, clock.now + jump * seconds_per_step
        looks += 1
        if pace.look():
            moments.append(clock.now)
        due = steps + pace.stride
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments)]
    assert 20 <= len(moments) <= 30
    assert all(1.0 - 1e-9 <= gap <= 1.6 for gap in gaps)
    # Four looks an interval, and some while it finds its stride.
    assert looks <= 4 * 30 + 40


def test_pace_notices_a_run_that_turns_slow() -> None:
    clock = Clock()
    pace = Pace(interval=1.0, first=1.0, clock=clock)
    for _ in range(40):
        clock.now += pace.stride * 1e-5
        pace.look()
    fast = pace.stride
    clock.now += fast * 1e-3
    pace.look()
    assert pace.stride < fast / 20


def test_pace_bears_looks_at_every_step() -> None:
    """A folder of claims has thousands of runs, each longer than half a look."""
    clock = Clock()
    pace = Pace(interval=1.0, first=1.0, clock=clock)
    said = 0
    for _ in range(3000):
        clock.now += 0.01
        said += pace.look()
    assert 28 <= said <= 30


class Counter:
    """An observer that notes when it is called and asks for a certain rhythm."""

    def __init__(self, every: int) -> None:
        self.every, self.calls = every, []

    def observe(self, world: World) -> int:
        self.calls.append(world.steps)
        return world.steps + self.every


def test_observers_are_called_when_they_ask() -> None:
    world = make_world({}, step=0.01)
    observers = [Counter(3), Counter(1), Counter(NEVER)]
    Runner(world, observers).advance(7)
    assert [one.calls for one in observers] == [[0, 3, 6], [0, 1, 2, 3, 4, 5, 6, 7], [0]]


def test_steps_that_nobody_looks_between_are_taken_together() -> None:
    world = make_world({}, step=0.01)
    step, counts = world.step, []
    world.__dict__["step"] = lambda count=1: (counts.append(count), step(count))
    Runner(world, [Counter(40)]).advance(100)
    assert world.steps == sum(counts) == 100
    assert len(counts) < 60
    assert {40, 80} <= set(np.cumsum(counts).tolist())


def test_observer_can_be_called_out_of_turn() -> None:
    world = make_world({}, step=0.01)
    late = Counter(NEVER)

    class Caller:
        def observe(self, world: World) -> int:
            if world.steps == 4:
                runner.call_soon(late)
            return world.steps + 1

    runner = Runner(world, [Caller(), late])
    runner.advance(9)
    assert late.calls == [0, 4]


def test_stop_ends_after_the_current_step() -> None:
    world, stop = make_world({}, step=0.01), Stop()

    class Stopper:
        def observe(self, world: World) -> int:
            stop.requested = world.steps >= 5
            return world.steps + 1

    Runner(world, [Stopper()], stop).advance(100)
    assert world.steps == 5


def test_gauge_tells_how_far_the_run_is() -> None:
    world = make_world({}, step=0.01, duration=2.0)
    gauge = Gauge(world, 200)
    world.step(50)
    assert gauge.fraction == 0.25
    # A world without mechanics has no contacts, residual or energy to speak of.
    assert gauge.describe().startswith("t = 0.50 of 2 s, ")
    assert "contacts" not in gauge.describe()


def test_short_run_prints_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    world, display = make_world({}, step=0.01), PlainDisplay()
    display.begin(world, 100)
    Runner(world, [display]).advance(100)
    display.end()
    assert capsys.readouterr().err == ""


def test_numbers_for_people() -> None:
    assert say(math.nan) == say(None) == "-"
    assert say(1.23456789e-7) == "1.23457e-07"
    assert say_bounds({"above": 1.0, "below": 2.5}) == "above 1, below 2.5"
    assert say_bounds({"equals": 0.1, "tolerance": 1e-7}) == "equals 0.1, within 1e-07"


def test_json_replaces_what_json_does_not_know() -> None:
    assert (
        write_json({"a": [math.nan, math.inf, 1.5], "b": (1,)}, indent=None)
        == '{"a": [null, null, 1.5], "b": [1]}'
    )


def test_table_shows_brackets_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("a", "b"), [("[bold]x[/bold]", "rows[3]")])
    assert "[bold]x[/bold]" in capsys.readouterr().out
