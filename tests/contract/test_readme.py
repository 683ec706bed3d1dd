"""The README is true: its scene runs and holds, its Python runs, its commands exist, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_scene_runs_and_its_expectation_holds(tmp_path) -> None:
    (scene,) = blocks("toml")
    file = tmp_path / "scene.toml"
    file.write_text(scene, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "supple", "run", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout


def test_the_python_example_runs(monkeypatch, capsys) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.startswith("1.0 ")


def test_every_command_exists() -> None:
    # Commands of plugins are listed with the plugins.
    help_text = "".join(
        subprocess.run(
            [sys.executable, "-m", "supple", *words], capture_output=True, text=True, check=True
        ).stdout
        for words in (["--help"], ["plugins", "--json"])
    )
    for name in set(re.findall(r"^\| `supple (\w+)", README, flags=re.MULTILINE)) | {"systems", "plugins"}:
        assert re.search(rf"\b{name}\b", help_text), name


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_links_lead_somewhere(link) -> None:
    assert (ROOT / link).exists()
