"""Things that come deep into each other within a run are told of at its end, and the run does not end with 0."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.run.cli import run_command
from supple.testing import check_resume

RODS = """
format = 1
[run]
step = 0.008
duration = 0.2
gravity = [0, 0, 0]
halvings = 0
[[entity]]
name = "post"
pose = { position = [0, 0, 0] }
box = { size = [0.02, 2, 0.02] }
[[entity]]
name = "rod"
pose = { position = [0.5, 0, 0.15] }
box = { size = [0.02, 0.02, 0.6] }
body = { mass = 1, velocity = [-20, 0, 0], spin = [0, SPIN, 0] }
"""

PRESSED = """
format = 1
[run]
step = 0.004
duration = 0.2
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "box"
pose = { position = [0, 0.01, 0] }
box = { size = [0.2, 0.2, 0.2] }
body = { mass = 1 }
"""


def write_crossing(seed: int, shape: str) -> str:
    """Four rods, 2 cm thick, that fly at each other with 20 m/s and turn."""
    rng = np.random.default_rng(seed)
    text = "format = 1\n[run]\nstep = 0.008\nduration = 0.2\ngravity = [0, 0, 0]\n"
    for k in range(4):
        way, off, axis = rng.normal(size=3), 0.05 * rng.normal(size=3), rng.normal(size=3)
        way /= np.linalg.norm(way)
        position, velocity, spin = 0.45 * (1 + 0.1 * k) * way + off, -20 * way, 30 * rng.normal(size=3)
        text += f"""
            [[entity]]
            name = "r{k}"
            pose = {{ position = {position.tolist()}, axis = {axis.tolist()}, angle = {rng.uniform(0, 360)} }}
            {shape}
            body = {{ mass = 1, velocity = {velocity.tolist()}, spin = {spin.tolist()} }}
        """
    return text


BOX, CAPSULE = "box = { size = [0.02, 0.02, 0.6] }", "capsule = { radius = 0.01, length = 0.58 }"


def write(folder: Path, text: str) -> Path:
    file = folder / "scene.toml"
    file.write_text(text)
    return file


def ask(capsys, *arguments: object) -> tuple[int, dict, str]:
    code = run_command(["run", *map(str, arguments), "--json"])
    out, err = capsys.readouterr()
    return code, json.loads(out), err


def test_a_rod_that_turns_into_a_post_is_told_of(tmp_path, capsys) -> None:
    file = write(tmp_path, RODS.replace("SPIN", "60"))
    code, summary, err = ask(capsys, file)
    assert code == 3
    assert summary["deep_steps"] == summary["metrics"]["run.deep_steps"] > 0
    assert summary["penetration_worst"] > 0.01
    (trouble,) = [each for each in summary["troubles"] if "deep into" in each["what"]]
    assert {trouble["path"], trouble["what"].split("deep into ")[1].split(" ")[0]} == {"rod", "post"}
    assert f"at t = {summary['penetration_worst_at'] - 0.008:g} s" in trouble["what"]
    assert trouble["remedy"].startswith("make run.step shorter than")
    assert "may have passed through" in err
    assert run_command(["run", str(file)]) == 3
    captured = capsys.readouterr()
    assert "may have passed through" in " ".join((captured.out + captured.err).split())


def test_in_parts_it_does_not_come_deep(tmp_path, capsys) -> None:
    file = write(tmp_path, RODS.replace("SPIN", "60"))
    code, summary, err = ask(capsys, file, "--set", "run.halvings=3")
    assert code == 0
    assert summary["deep_steps"] == 0 < summary["halved_steps"]
    assert summary["penetration_worst"] < 0.01
    assert "were taken in parts" in err


@pytest.mark.parametrize(("seed", "shape"), [(10, BOX), (32, BOX), (51, CAPSULE), (54, CAPSULE)])
def test_rods_that_cross_do_not_come_deep(load_text, seed, shape) -> None:
    """In eighths of the step, which nobody looked at, they were 50 to 75 % of their thickness in each other."""
    world = load_text(write_crossing(seed, shape))
    world.step(25)
    assert world.array("run.deep")[0] == 0
    assert world.array("run.halved")[0] > 0
    world = load_text(write_crossing(seed, shape), overrides=["run.halvings=0"])
    world.step(25)
    assert world.array("run.deep")[0] > 0


def test_who_allows_it_gets_it(tmp_path, capsys) -> None:
    file = write(tmp_path, RODS.replace("SPIN", "60"))
    code, summary, err = ask(capsys, file, "--set", "run.allowed_failures=25")
    assert code == 0
    assert "may have passed through" in err
    assert summary["deep_steps"] <= 25


@pytest.mark.parametrize("text", [RODS.replace("SPIN", "0"), PRESSED])
def test_what_does_not_stray_or_begins_so_is_not(tmp_path, capsys, text) -> None:
    """The box begins 9 cm deep in the floor, which is told of at the start; it leaves."""
    code, summary, err = ask(capsys, write(tmp_path, text))
    assert code == 0
    assert summary["deep_steps"] == 0
    assert summary["troubles"] == []
    assert "may have passed through" not in err


def test_a_resumed_run_knows(tmp_path) -> None:
    file = write(tmp_path, RODS.replace("SPIN", "60"))
    check_resume(file, steps=8, more=10)
    world = supple.load(file)
    world.step(25)
    assert world.array("collide.worst")[0] > 0.5
