"""`supple run --save-problems` writes problems that `supple solve` solves again alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from supple.mechanics.problem import ConstraintProblem
from supple.run.cli import run_command

SCENE = Path(__file__).resolve().parents[2] / "scenes/first/stack.toml"


def test_saved_problems_can_be_solved_alone(tmp_path, capsys) -> None:
    folder = tmp_path / "problems"
    assert run_command(["run", str(SCENE), "--until", "0.02", "--save-problems", str(folder), "--quiet"]) == 0
    files = sorted(folder.glob("*.npz"))
    assert [file.name for file in files] == [f"step{number:06}.npz" for number in range(1, 6)]
    assert ConstraintProblem.load(files[0]).count == 40
    capsys.readouterr()
    out = tmp_path / "impulses.npy"
    assert run_command(["solve", str(files[-1]), "--tolerance", "1e-10", "--out", str(out), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "converged"
    assert answer["residual"] <= 1e-10
    # Four contacts below each of ten boxes of 18 kg: the lowest four carry all of them.
    weight = 10 * 18 * 9.81 * 0.004
    impulses = np.load(out).reshape(-1, 3)
    assert np.isclose(np.sort(impulses[:, 0].reshape(10, 4).sum(axis=1))[-1], weight, rtol=1e-6)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path, capsys) -> None:
    (tmp_path / "file").write_text("")
    assert run_command(["run", str(SCENE), "--save-problems", str(tmp_path / "file"), "--quiet"]) == 2
    assert "name a folder that can be written to" in capsys.readouterr().err
