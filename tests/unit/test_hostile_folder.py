"""Files beside a scene are not code: neither modules named as Python's, nor plugins that a results file names."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from run_toys import SCENE, Place
from supple.run.claim_pool import DIED, run_tasks
from supple.run.claim_runs import Setting
from supple.run.claims import list_tasks, make_plan

MODULES = ("numpy", "pickle", "struct", "h5py", "multiprocessing", "supple_view", "rich")
CLAIM = """
[sweep]
"swing.oscillator.start" = [1.0, 2.0, 3.0, 4.0]
[[claim]]
id = "swings"
says = "it swings"
holds = "max(swing.farthest) > 0"
"""


@pytest.fixture
def hostile(tmp_path: Path) -> Place:
    """A folder with a scene, a plugin, and modules that leave a mark when they are imported."""
    place = Place(tmp_path, SCENE + CLAIM)
    for name in MODULES:
        (tmp_path / f"{name}.py").write_text(
            "import pathlib\npathlib.Path('harmed').touch()\nraise ImportError\n"
        )
    return place


def test_commands_and_their_workers_import_nothing_from_the_current_folder(hostile: Place) -> None:
    for name, *more in (("run", "--quiet"), ("claims", "--jobs", "2", "-o", "result.json")):
        done = hostile.supple(name, hostile.scene, *more)
        assert done.returncode == 0, done.stderr
    assert not (hostile.folder / "harmed").exists()


def test_the_run_behind_a_viewer_imports_nothing_from_the_current_folder(
    hostile: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    from supple_view import live_run
    from supple_view.source import Source

    started: list[list[str]] = []
    monkeypatch.setattr(subprocess, "Popen", lambda words, **options: started.append(words))
    live_run._start(Source(hostile.scene), hostile.folder / "run.h5", quiet=True)
    assert started[0][:2] == [sys.executable, "-P"]


def test_a_report_runs_a_plugin_of_the_results_only_if_it_is_told_to(tmp_path: Path) -> None:
    place = Place(tmp_path, SCENE + CLAIM)
    assert place.supple("claims", place.scene, "-o", "result.json").returncode == 0
    words = [sys.executable, "-m", "supple", "report", "result.json", "-o", "page", "--run"]
    refused = subprocess.run(words, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert f"pass --plugin {place.plugin} if you trust it" in refused.stderr
    assert not (tmp_path / "page").exists()
    trusted = [*words, "--plugin", str(place.plugin)]
    done = subprocess.run(trusted, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def test_a_worker_that_dies_loses_only_its_own_run(tmp_path: Path) -> None:
    place = Place(tmp_path, SCENE + CLAIM)
    text = place.plugin.read_text()
    dying = text.replace(
        "number = int(step[0])", "number = int(step[0])\n            if part_dies(self): os._exit(9)"
    )
    head = "import os\n\n\ndef part_dies(system):\n    return any(part.start == 2.0 for _, part in system.parts)\n"
    place.plugin.write_text(dying.replace("import math\n", head + "import math\n", 1))
    setting = Setting((place.plugin,))
    tasks = list_tasks(make_plan([place.scene], setting, (), print))
    outcomes = [outcome for _, outcome in run_tasks(setting, tasks, 2)]
    assert sorted(outcome.error for outcome in outcomes) == ["", "", "", DIED]
    assert "PYTHONSAFEPATH" not in os.environ


def test_the_page_on_security_names_tests_that_exist() -> None:
    root = Path(__file__).parents[2]
    page = (root / "framework/docs/security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"tests/[\w/]+\.py", page))
    assert named
    assert [name for name in sorted(named) if not (root / name).is_file()] == []
