"""A run whose steps are not solved says so everywhere, and does not end with 0."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

import supple
from supple.run.cli import run_command
from supple.run.closing import print_summary
from supple.run.gauge import Gauge
from supple.run.report import LiveDisplay
from supple.run.simulate import RunOptions, simulate

STACK = """
format = 1
[run]
step = 0.004
duration = 0.2
solver = "gauss_seidel"
[run.gauss_seidel]
max_sweeps = 2
[[entity]]
name = "floor"
plane = {}
""" + "".join(
    f"""
[[entity]]
name = "box{k}"
pose = {{ position = [0, {0.1 + 0.2 * k}, 0] }}
box = {{ size = [0.2, 0.2, 0.2] }}
body = {{ mass = {10.0**k} }}
"""
    for k in range(4)
)


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "stack.toml"
    path.write_text(STACK)
    return path


@pytest.fixture
def stalling(monkeypatch) -> None:
    """Sweeps that nobody rescues."""
    monkeypatch.setattr("supple_solve_gauss_seidel.solver.GaussSeidel.rescue", "")


def ask(capsys, *arguments: object) -> tuple[int, dict, str]:
    code = run_command(["run", *map(str, arguments), "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_unsolved_steps_fail_the_run(scene: Path, stalling, capsys) -> None:
    code, summary, err = ask(capsys, scene)
    count = summary["unsolved"]["steps"]
    assert code == 3
    assert 0 < count <= 50 == summary["steps"]
    assert summary["metrics"]["run.unsolved_steps"] == count
    assert summary["residual_worst"] > 1e-5 == summary["unsolved"]["residual_allowed"]
    assert f"{count} of 50 steps are unsolved, 0 allowed: residuals up to" in err
    assert "run.allowed_failures" in err
    assert summary["troubles"][0]["path"] == "run"
    assert "unsolved" in summary["troubles"][0]["what"]


def test_who_allows_them_gets_them(scene: Path, stalling, capsys) -> None:
    code, summary, err = ask(capsys, scene, "--set", "run.allowed_failures=50")
    assert code == 0
    assert summary["unsolved"]["steps"] > 0
    assert "steps are unsolved, 50 allowed" in err
    loose, summary, err = ask(capsys, scene, "--set", "run.allowed_residual=10")
    assert (loose, summary["unsolved"]["steps"], err) == (0, 0, "")
    assert summary["metrics"]["run.solver_failures"] > 0, "short of the tolerance, and near enough"


def test_a_run_that_is_solved_has_no_troubles(scene: Path, capsys) -> None:
    code, summary, err = ask(capsys, scene)
    assert (code, err) == (0, "")
    assert summary["troubles"] == summary["warnings"] == []
    assert summary["unsolved"] == {"steps": 0, "allowed": 0, "residual_allowed": 1e-5, "approximate": False}


def test_the_worst_residual_has_its_time(scene: Path, stalling) -> None:
    world = supple.load(scene)
    worst, when = -1.0, 0.0
    for _ in range(50):
        world.step()
        residual = world.array("rows.residual")[0]
        if residual > worst:
            worst, when = residual, world.time
    assert world.metrics()["run.residual_worst"] == worst
    assert world.metric_times()["run.residual_worst"] == when
    resumed = supple.load(scene)
    resumed.restore(world.snapshot())
    assert resumed.metric_times() == pytest.approx(world.metric_times(), nan_ok=True)


def test_tables_and_live_lines_say_so(scene: Path, stalling, capsys) -> None:
    result = simulate(RunOptions(scene))
    print_summary(result.summary, {})
    table = capsys.readouterr().out
    assert "UNSOLVED STEPS" in table
    assert f"m/s at {result.summary['residual_worst_at']:g} s" in table
    gauge = Gauge(result.world, 50)
    assert gauge.alarm() == f"{result.summary['unsolved']['steps']} UNSOLVED"


def test_what_is_unsolved_is_red(scene: Path, stalling, monkeypatch) -> None:
    console = Console(
        record=True, width=100, force_terminal=True, color_system="standard", file=io.StringIO()
    )
    monkeypatch.setattr("supple.run.report.make_console", lambda **_: console)
    print_summary(simulate(RunOptions(scene)).summary, {})
    line = next(each for each in console.export_text(styles=True).splitlines() if "UNSOLVED" in each)
    assert "\x1b[1;31m" in line
    display = LiveDisplay()
    monkeypatch.setattr("supple.run.report.Pace.look", lambda self: True)
    world = supple.load(scene)
    display.begin(world, 50)
    world.step(50)
    display.observe(world)
    display.end()
    assert "UNSOLVED steps" in console.export_text()


def test_an_approximate_law_is_told_apart_from_a_solve_that_failed(scene: Path, capsys) -> None:
    code, summary, err = ask(
        capsys,
        scene,
        "--set",
        "run.solver=penalty",
        "--set",
        "box3.body.mass=1",
        "--set",
        "run.allowed_failures=50",
    )
    assert summary["unsolved"]["approximate"] is True
    assert summary["residual_worst"] > 1e-5
    assert code == 0
    assert "the solver penalty approximates the laws of contact: residuals up to" in err


JOINTED = """
format = 1
[run]
step = 0.01
duration = 1
[[entity]]
name = "post"
box = { size = [0.1, 0.1, 0.1] }
[[entity]]
name = "bob"
pose = { position = [1, 0, 0] }
sphere = { radius = 0.1 }
body = { velocity = [0, 10, 0] }
[[entity]]
name = "pin"
joint = { kind = "ball", between = ["bob", "post"] }
[[entity]]
name = "idle"
pose = { position = [5, 0, 0] }
box = { size = [0.1, 0.1, 0.1] }
body = {}
[[entity]]
name = "fast"
pose = { position = [5, 0, 0] }
joint = { kind = "fixed", between = ["idle"] }
"""


def test_the_worst_joint_error_is_in_the_table(tmp_path: Path, capsys) -> None:
    path = tmp_path / "pendulum.toml"
    path.write_text(JOINTED)
    result = simulate(RunOptions(path))
    (headline,) = result.summary["headlines"]
    assert headline["title"] == "worst joint error"
    assert headline["path"] == "pin"
    assert (
        headline["value"] == result.summary["metrics"]["pin.error"] > result.summary["metrics"]["fast.error"]
    )
    assert 0 < headline["time"] <= 1
    print_summary(result.summary, {})
    assert "worst joint error" in capsys.readouterr().out


def test_claims_name_the_runs_that_are_not_to_be_trusted(scene: Path, capsys) -> None:
    scene.write_text(
        STACK.replace('solver = "gauss_seidel"', 'solver = "projected_gauss_seidel"\n').replace(
            "[run.gauss_seidel]\nmax_sweeps = 2", "[run.projected_gauss_seidel]\niterations = 1"
        )
        + '[variants]\nquick = {}\nmeant = { "run.allowed_failures" = 100, "box0.body.mass" = 2 }\n'
        + '[[claim]]\nid = "C"\nsays = "it is there"\n'
        + 'holds = "all(quick.box0.height > 0) and all(meant.box0.height > 0)"\n'
    )
    assert run_command(["claims", str(scene), "--jobs", "1"]) == 0
    err = " ".join(capsys.readouterr().err.split())
    assert "of 50 steps are unsolved, 0 allowed" in err
    assert "100 allowed" not in err, "50 steps are unsolved, and deep, at most"
