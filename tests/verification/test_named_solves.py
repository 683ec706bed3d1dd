"""Two solves in one scene: each goes its own way at its own step, and the figures are those of both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple
from solve_toys import BEADS, BODIES, HEAD, PLUGIN, load_text
from supple.errors import PluginError, ScheduleError
from supple.testing import audit_step, check_mechanism, check_memory, check_resume

RATE = 4
SLOW = f"[run.beads]\nrate = {RATE}\n"


def state_of(world, owner: str) -> dict[str, bytes]:
    return {name: a.tobytes() for name, a in world.snapshot().items() if name.startswith(f"{owner}.")}


@pytest.fixture
def both(tmp_path: Path):
    return load_text(tmp_path, HEAD + SLOW + BODIES + BEADS, "both")


def test_each_solve_is_as_it_is_alone(tmp_path: Path, both) -> None:
    bodies = load_text(tmp_path, HEAD + BODIES, "bodies")
    slow_head = HEAD.replace("step = 0.002", f"step = {RATE * 0.002!r}")
    beads = load_text(tmp_path, slow_head + BEADS, "beads")
    landed = False
    for _ in range(100):
        both.step(RATE)
        bodies.step(RATE)
        beads.step()
        for owner in ("rigid", "rows", "contact", "energy"):
            assert state_of(both, owner) == state_of(bodies, owner)
        assert state_of(both, "beads") == state_of(beads, "beads")
        assert both.array("string.impulse")[:3].tobytes() == beads.array("string.impulse")[:3].tobytes()
        landed |= bool(both.array("beads.impulse").any())
    assert landed


def test_the_slow_solve_falls_and_lands_as_computed_by_hand(both) -> None:
    h, g = RATE * 0.002, 9.81
    for k in range(1, 20):
        both.step(RATE)
        np.testing.assert_allclose(both.array("beads.v"), -g * h * k, rtol=1e-12)
        fallen = 0.5 * g * h**2 * k * (k + 1)
        np.testing.assert_allclose(both.array("beads.x")[:, 0], np.array([0.4, 0.7]) - fallen, rtol=1e-12)
    both.step(RATE * 60)
    np.testing.assert_allclose(both.array("beads.x")[:, 0], [0.0, 0.3], atol=1e-12)
    np.testing.assert_allclose(both.array("beads.impulse")[:, 0], np.array([2.0, 0.5]) * g * h, rtol=1e-7)
    floor, rod = both.array("string.impulse")[[0, 2], 0]
    np.testing.assert_allclose([floor, rod], [2.5 * g * h, 0.5 * g * h], rtol=1e-7)


def test_figures_of_the_run_are_those_of_all_solves(both) -> None:
    both.step(400)
    figures = both.metrics()
    g, mass_beads = 9.81, np.array([2.0, 0.5])
    rows, beads = both.array("energy.row_work")[0], both.array("string.row_work")[0]
    assert figures["run.contact_work"] == rows + beads
    assert beads == pytest.approx(-g * 2.5 * 0.4, rel=0.1), "the fall of both beads ends on the ground"
    potential = g * (mass_beads @ both.array("beads.x")[:, 0])
    assert both.array("string.potential")[0] == pytest.approx(potential, rel=1e-12)
    assert (
        figures["run.potential_energy"]
        == both.array("energy.potential")[0] + both.array("string.potential")[0]
    )
    assert figures["run.energy_initial"] == pytest.approx(
        both.array("energy.initial")[0] + g * (mass_beads @ [0.4, 0.7]), rel=1e-12
    )
    assert figures["run.residual_worst"] >= both.array("string.residual")[0]
    assert figures["run.solver_failures"] == 0
    assert figures["run.contacts"] > 0


def test_two_solves_resume_remember_nothing_else_and_touch_what_they_declare(tmp_path: Path, both) -> None:
    for steps in (30, 147, 201):
        check_resume(tmp_path / "both.toml", steps=steps, more=9, plugins=[tmp_path / "toys.py"])
    both.step(202)
    check_memory(both, 6)
    for _ in range(RATE):
        audit_step(both)
    check_mechanism(both, "rigid")
    both.step(-both.steps % RATE)
    check_mechanism(both, "beads")


def load_changed(folder: Path, text: str, old: str, new: str):
    """The world of a scene with a plugin in which something was changed."""
    assert old in PLUGIN
    (folder / "toys.py").write_text(PLUGIN.replace(old, new))
    (folder / "scene.toml").write_text(text)
    return supple.load(folder / "scene.toml", plugins=[folder / "toys.py"])


def test_a_solve_that_does_not_exist_is_named(tmp_path: Path) -> None:
    message = "plugin toys: beads: in mechanisms belongs to the solve 'sting', .* Did you mean 'string'"
    with pytest.raises(PluginError, match=message):
        load_changed(
            tmp_path, HEAD + BEADS, 'name, solve = "beads", "string"', 'name, solve = "beads", "sting"'
        )


def test_a_row_of_another_solve_is_refused(tmp_path: Path) -> None:
    world = load_changed(tmp_path, HEAD + BEADS, 'name, solve = "rods", "string"', 'name = "rods"')
    with pytest.raises(
        PluginError, match="beads: belongs to the solve 'string', and a row of 'rows' acts on it"
    ):
        world.step()


def test_a_rate_below_one_and_a_name_twice_are_refused(tmp_path: Path) -> None:
    add = 'build.add_solve("string", rate=build.settings("beads").rate)'
    with pytest.raises(PluginError, match="string: a solve with the rate 0"):
        load_changed(tmp_path, HEAD + BEADS, add, 'build.add_solve("string", rate=0)')
    with pytest.raises(PluginError, match="rows: is in solves twice"):
        load_changed(tmp_path, HEAD + BEADS, add, 'build.add_solve("rows")')


def test_a_slow_step_value_is_not_read_by_the_fast(tmp_path: Path) -> None:
    old, new = "class WeighBeads(BeadSystem):", "class WeighBeads(System):"
    reads = 'reads = ("beads.x", "beads.v", "beads.x.next"'
    assert reads in PLUGIN
    message = r"string\.solve: runs every 4 steps and writes the Step value beads\.impulse, which beads\.weigh reads"
    spying = PLUGIN.replace(reads, reads.replace('"beads.v",', '"beads.v", "beads.impulse",'))
    (tmp_path / "scene.toml").write_text(HEAD + SLOW + BEADS)
    (tmp_path / "toys.py").write_text(spying.replace(old, new))
    with pytest.raises(ScheduleError, match=message):
        supple.load(tmp_path / "scene.toml", plugins=[tmp_path / "toys.py"])
