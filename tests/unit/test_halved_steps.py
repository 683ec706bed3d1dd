"""A step that cannot be computed is tried again in parts of half its length, a quarter, and so on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from solve_toys import BEADS, BODIES, HEAD, load_text
from supple.core.schedule import Phase
from supple.errors import SimulationError, UserError
from supple.run.closing import print_summary
from supple.run.simulate import RunOptions, simulate
from supple.testing import check_resume
from toy_worlds import make_system, make_world

ROOT = Path(__file__).resolve().parents[2]
H = 0.002


def fragile(**fields: object) -> str:
    values = ", ".join(f"{key} = {str(value).lower()}" for key, value in fields.items())
    return f'\n[[entity]]\nname = "glass"\nfragile = {{ {values} }}\n'


TWO_STEPS = {"at": 50 * H - 1e-6, "until": 52 * H - 1e-6}


@pytest.mark.parametrize(("bears", "parts"), [(0.0011, 2), (0.0006, 4), (0.0003, 8)])
@pytest.mark.parametrize("spoils", [False, True])
def test_a_step_that_is_too_long_is_taken_in_parts(tmp_path: Path, bears, parts, spoils) -> None:
    world = load_text(tmp_path, HEAD + fragile(bears=bears, spoils=spoils, **TWO_STEPS))
    for number in range(1, 101):
        world.step()
        assert (world.steps, world.time) == (number, number * H), "the clock knows of whole steps only"
        assert world.array("run.part")[0] == 0
    figures = world.metrics()
    assert figures["run.halved_steps"] == 2
    assert world.array("fragile.sum")[0] == pytest.approx(100 * H, rel=1e-12)
    assert figures["glass.latest"] == 100 * H
    ends = [H * (n + 1) for n in range(100)]
    for n in (50, 51):
        ends[n] = np.mean([H * (n + (p + 1) / parts) for p in range(parts)])
    assert figures["glass.mean_time"] == pytest.approx(np.mean(ends), rel=1e-12)


def test_a_hopeless_step_is_given_up_as_it_was(tmp_path: Path) -> None:
    world = load_text(tmp_path, HEAD + BODIES + fragile(bears=1e-5, at=30 * H - 1e-6))
    world.step(30)
    before = world.snapshot()
    message = (
        r"t = 0\.06 s \(step 30\): a step of 0\.002 s is too long \[system fragile\.break, entity glass\]"
    )
    with pytest.raises(SimulationError, match=message):
        world.step()
    after = world.snapshot()
    assert all(after[name].tobytes() == before[name].tobytes() for name in before)
    assert world.metrics()["run.halved_steps"] == 0


def test_halving_can_be_switched_off(tmp_path: Path) -> None:
    text = HEAD + fragile(bears=0.0011, **TWO_STEPS)
    with pytest.raises(SimulationError, match="step 50"):
        load_text(tmp_path, text, overrides=["run.halvings=0"]).step(100)
    load_text(tmp_path, text, overrides=["run.halvings=1"]).step(100)


def test_bodies_move_in_the_parts_and_go_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    text = HEAD + BODIES + fragile(bears=0.0011, **TWO_STEPS)
    world, whole = load_text(tmp_path, text), load_text(tmp_path, HEAD + BODIES, "whole")
    world.step(50)
    whole.step(50)
    assert world.array("rigid.x").tobytes() == whole.array("rigid.x").tobytes()
    world.step(2)
    whole.step(2)
    v = -9.81 * H
    # Four halves of a step in place of two: the sum of their velocities differs by a closed form.
    by_halves = sum(v * (50 + 0.5 * (k + 1)) * 0.5 * H for k in range(4))
    by_wholes = sum(v * (50 + k + 1) * H for k in range(2))
    apart = world["ball"].position[1] - whole["ball"].position[1]
    assert apart == pytest.approx(by_halves - by_wholes, rel=1e-8)
    fresh = load_text(tmp_path, text)
    fresh.restore(world.snapshot())
    for _ in range(100):
        world.step()
        fresh.step()
        assert world.array("rigid.x").tobytes() == fresh.array("rigid.x").tobytes()


def test_a_run_with_halved_steps_resumes_bit_for_bit(tmp_path: Path) -> None:
    load_text(tmp_path, HEAD + BODIES + BEADS + fragile(bears=0.0006, **TWO_STEPS))
    for steps in (49, 50, 51, 52):
        check_resume(tmp_path / "scene.toml", steps=steps, more=8, plugins=[tmp_path / "toys.py"])


def test_what_is_slow_runs_once_with_its_own_step(tmp_path: Path) -> None:
    slow = "[run.beads]\nrate = 4\n"
    halved = load_text(tmp_path, HEAD + slow + BEADS + fragile(bears=0.0006, at=0.001, until=0.2))
    whole = load_text(tmp_path, HEAD + slow + BEADS, "whole")
    halved.step(150)
    whole.step(150)
    assert halved.metrics()["run.halved_steps"] > 90
    for name in ("beads.x", "beads.v", "string.last_impulse", "string.row_work"):
        assert halved.array(name).tobytes() == whole.array(name).tobytes()
    assert halved.metrics()["run.contacts"] == pytest.approx(whole.metrics()["run.contacts"], rel=1e-12)


def test_the_first_step_may_be_halved(tmp_path: Path) -> None:
    text = HEAD + BODIES
    halved = load_text(tmp_path, text + fragile(bears=0.0006, at=0.0, until=0.001))
    whole = load_text(tmp_path, text, "whole")
    halved.step(10)
    whole.step(10)
    assert halved.metrics()["run.halved_steps"] == 1
    assert halved.metrics()["run.energy_initial"] == whole.metrics()["run.energy_initial"]


def test_the_impulse_of_a_push_does_not_depend_on_the_parts(tmp_path: Path) -> None:
    push = """
[[entity]]
name = "puck"
sphere = { radius = 0.1 }
body = { mass = 2.0 }
[[event]]
name = "kick"
at = 0.1003
push = { on = "puck", force = [10, 0, 0], duration = 0.0029 }
"""
    text = HEAD + "gravity = [0, 0, 0]\n" + push + fragile(bears=0.0006, **TWO_STEPS)
    world = load_text(tmp_path, text)
    world.step(100)
    assert world.metrics()["run.halved_steps"] == 2
    assert world["puck"].velocity[0] == pytest.approx(0.0145, rel=1e-12)


def test_targets_of_motions_follow_the_parts() -> None:
    world = supple.load(ROOT / "scenes" / "tracking" / "arm_reach.toml")
    world.step(5)
    start = world.snapshot()
    world.step()
    whole = world.array("skeleton.target").copy()
    world.restore(start)
    world.rebind(2)
    ends = []
    for first in (True, False):
        world._stepper.run(first, commit=False)
        ends.append((world.array("skeleton.target_now").copy(), world.array("skeleton.target").copy()))
        world.arrays.commit()
    assert ends[1][0].tobytes() == ends[0][1].tobytes(), "the second part starts where the first ended"
    assert ends[1][1].tobytes() == whole.tobytes(), "both end where the whole step ends"


def test_halved_steps_are_in_the_report(tmp_path: Path, capsys) -> None:
    load_text(tmp_path, HEAD.replace("duration = 1.0", "duration = 0.2") + fragile(bears=0.0011, **TWO_STEPS))
    result = simulate(RunOptions(tmp_path / "scene.toml", plugins=(tmp_path / "toys.py",)))
    assert result.failure is None
    assert result.summary["halved_steps"] == 2
    assert result.summary["metrics"]["run.halved_steps"] == 2
    print_summary(result.summary, {})
    assert "steps that had to be halved" in capsys.readouterr().out


def test_a_solver_that_bursts_is_halved_before_it_is_given_up() -> None:
    """Penalty forces of thin cards are far too stiff for the step: the first steps that fail can be divided."""

    def load(*overrides: str) -> supple.World:
        cards = ROOT / "scenes" / "mechanics" / "cards.toml"
        return supple.load(cards, overrides=["run.solver='penalty'", *overrides])

    with pytest.raises(SimulationError, match="run away") as caught:
        load("run.step=0.005", "run.halvings=0").step(200)
    world = load("run.step=0.005")
    world.step(caught.value.step + 1)
    assert world.metrics()["run.halved_steps"] >= 1
    with pytest.raises(SimulationError, match="run away"):
        load("run.step=0.008", "run.halvings=0").step(1000)


def test_steps_do_not_run_backwards() -> None:
    world = make_world({})
    world.step(0)
    with pytest.raises(UserError, match="time does not run backwards"):
        world.step(-1)
    assert world.steps == 0


@pytest.mark.parametrize("count", [1.5, 2.0, float("nan"), "2", None])
def test_steps_are_whole(count) -> None:
    world = make_world({})
    with pytest.raises(UserError, match="is no number of steps"):
        world.step(count)
    world.step(np.int64(2))
    assert world.steps == 2


def test_observers_never_see_a_number_that_is_not_finite() -> None:
    seen = []

    def declare(build) -> None:
        build.add_state("toy.x", [1.0], unit="m", doc="A place.")
        build.add_state("toy.y", [0.0], unit="m", doc="What is observed.")

    def spoil(arrays) -> None:
        arrays["toy.x.next"][0] = np.nan

    def observe(arrays) -> None:
        seen.append(float(arrays["toy.x.next"][0]))
        arrays["toy.y.next"][0] = np.inf

    look = make_system(Phase.OBSERVE, reads=["toy.x.next"], writes=["toy.y.next"], act=observe)
    advance = make_system(Phase.ADVANCE, writes=["toy.x.next"], act=spoil)
    world = make_world({"toy.spoil": advance, "toy.look": look}, declare)
    with pytest.raises(SimulationError, match=r"toy\.x\[0\] became nan \[system toy\.spoil"):
        world.step()
    assert seen == []
    calm = make_system(Phase.ADVANCE, writes=["toy.x.next"])
    world = make_world({"toy.calm": calm, "toy.look": look}, declare)
    with pytest.raises(SimulationError, match=r"toy\.y\[0\] became inf \[system toy\.look"):
        world.step()
    assert world.array("toy.y")[0] == 0.0
