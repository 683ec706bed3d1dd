"""`supple new scene`, and the wheel that carries the scenes."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from supple.errors import ExitCode
from supple.run.cli import run_command
from supple.scaffold.new_scene import list_scenes

ROOT = Path(__file__).resolve().parents[2]


def test_new_scene_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["new", "scene", "mine", "--folder", str(tmp_path)]) == ExitCode.FINE
    assert capsys.readouterr().out.splitlines() == [str(tmp_path / "mine.toml")]
    assert run_command(["run", str(tmp_path / "mine.toml")]) == ExitCode.FINE


@pytest.mark.parametrize("like", ["first/drop", "rigs/walker", "tracking/sway"])
def test_copy_of_a_scene_is_whole(like: str, tmp_path: Path) -> None:
    assert run_command(["new", "scene", "mine", "--like", like, "--folder", str(tmp_path)]) == ExitCode.FINE
    assert run_command(["check", str(tmp_path / "mine.toml")]) == ExitCode.FINE


def test_mistakes_get_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["new", "scene", "mine", "--like", "first/dorp"]) == ExitCode.BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert "Did you mean 'first/drop'?" in line
    (tmp_path / "mine.toml").write_text("mine")
    assert run_command(["new", "scene", "mine", "--folder", str(tmp_path)]) == ExitCode.BAD_INPUT
    assert (tmp_path / "mine.toml").read_text() == "mine"


def test_scenes_are_listed() -> None:
    assert {"first/drop", "robots/dog"} <= set(list_scenes())
    assert "claims" not in list_scenes()


@pytest.mark.wheel
def test_wheel_runs_a_shipped_scene_in_a_fresh_environment(tmp_path: Path) -> None:
    """Outside the repository, with nothing but what the wheel asks for."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "-q", "-w", str(tmp_path)], check=True
    )
    (wheel,) = tmp_path.glob("supple-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "supple/shipped_scenes/first/drop.toml" in names
    assert not [name for name in names if name.startswith(("tests/", "tools/"))]
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    folder = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([str(folder / "python"), "-m", "pip", "install", "-q", str(wheel)], check=True)
    away = tmp_path / "elsewhere"
    away.mkdir()
    for words in (["new", "scene", "mine", "--like", "first/drop"], ["run", "mine.toml"], ["plugins"]):
        done = subprocess.run(
            [str(folder / "supple"), *words], cwd=away, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
