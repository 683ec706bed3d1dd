"""Runs that end before their duration, by `run.ends`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from supple.core.settings import Ending
from supple.plugin import load_plugins
from supple.run.claim_runs import Setting, run_task
from supple.run.claims import list_tasks, make_plan
from supple.run.cli import run_command
from supple.run.simulate import RunOptions, simulate
from supple.scene.load import read_scene

SCENE = """format = 1
about = "A ball falls."
[run]
step = 0.01
duration = 2.0
ENDS
[[entity]]
name = "ball"
pose = { position = [0, 5, 0] }
sphere = { radius = 0.1 }
body = {}
[[claim]]
id = "low"
says = "it is low in the end"
holds = "max(base.ball.height) < 4.2"
[variants]
base = {}
"""
LOW = 'ends = { metric = "ball.height", below = 4.0 }'


def write(folder: Path, ends: str) -> Path:
    file = folder / "fall.toml"
    file.write_text(SCENE.replace("ENDS", ends), encoding="utf-8")
    return file


def test_a_run_ends_in_the_first_step_beyond_the_bound(tmp_path: Path) -> None:
    whole = simulate(RunOptions(write(tmp_path, "")))
    assert whole.summary["time"] == pytest.approx(2.0)
    assert whole.summary["ended_by"] is None
    result = simulate(RunOptions(write(tmp_path, LOW)))
    # 1 m of free fall takes sqrt(2 / 9.81) = 0.4515 s.
    assert result.summary["time"] == pytest.approx(0.4515, abs=0.011)
    assert result.summary["ended_by"] == "ball.height"
    assert 3.9 < result.summary["metrics"]["ball.height"] < 4.0
    assert result.exit_code == 0


def test_going_on_from_the_end_takes_no_step(tmp_path: Path) -> None:
    file, checkpoint = write(tmp_path, LOW), tmp_path / "fall.npz"
    ended = simulate(RunOptions(file, checkpoint=checkpoint))
    again = simulate(RunOptions(file, resume=checkpoint))
    assert again.summary["time"] == ended.summary["time"]
    # A later end goes on from it, as a longer duration does.
    later = simulate(RunOptions(write(tmp_path, LOW.replace("4.0", "3.0")), resume=checkpoint))
    assert later.summary["time"] == pytest.approx(np.sqrt(4 / 9.81), abs=0.011)


def test_claims_end_their_runs_and_know_where(tmp_path: Path) -> None:
    setting, tasks = Setting(), []
    for name, ends in (("one", LOW), ("two", LOW.replace("4.0", "4.5"))):
        (tmp_path / name).mkdir()
        (plan,) = make_plan([write(tmp_path / name, ends)], setting, [], lambda line: None)
        tasks += list_tasks([plan])
    # Results that were kept are not those of another end.
    assert tasks[0].key != tasks[1].key
    assert 4.4 < run_task(setting, tasks[1]).metrics["ball.height"] < 4.5


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ('ends = { metric = "ball.hight", below = 4.0 }', ["fall.toml:6", "ball.hight", "ball.height"]),
        ('ends = { metric = "ball.height" }', ["fall.toml:6", "neither above nor below"]),
        ("ends = 3", ["fall.toml:6", "run.ends"]),
    ],
)
def test_bad_ends_are_one_line(tmp_path, capsys, ends, words) -> None:
    assert run_command(["run", str(write(tmp_path, ends)), "--json"]) == 2
    told = capsys.readouterr().err.strip()
    assert len(told.splitlines()) == 1
    assert all(word in told for word in words), told


def test_what_was_not_measured_ends_nothing() -> None:
    ending = Ending(metric="a.b", above=1.0, below=0.0)
    assert not ending.is_met(np.nan)
    assert not ending.is_met(1.0)
    assert ending.is_met(1.1)
    assert ending.is_met(-0.1)


def test_check_knows_the_metrics(tmp_path: Path) -> None:
    (problem,) = read_scene(write(tmp_path, LOW.replace("height", "hight")), load_plugins()).check_builds()
    assert problem.where is not None
    assert problem.where.line == 6
    assert "no metric 'ball.hight'" in problem.what
    assert "ball.height" in problem.remedy
