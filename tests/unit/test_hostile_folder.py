"""Files beside a scene are not code: neither modules named as Python's, nor plugins that a results file names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from run_toys import SCENE, Place
from supple.run.claim_pool import DIED, run_tasks
from supple.run.claim_runs import Setting
from supple.run.claims import list_tasks, make_plan

MODULES = (
    "numpy", "pickle", "struct", "ctypes", "json", "tomllib", "zlib", "h5py", "multiprocessing", "supple_view", "rich",
    "mujoco", "trimesh", "matplotlib", "PIL", "sitecustomize", "usercustomize",
)  # fmt: skip
ROBOT = Path(__file__).parents[1] / "robots" / "arm.urdf"
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
        harm = f"open({str(tmp_path / 'harmed')!r}, 'w').close()\nraise ImportError\n"
        (tmp_path / f"{name}.py").write_text(harm)
    return place


def test_commands_and_their_workers_import_nothing_from_the_current_folder(hostile: Place) -> None:
    for name, *more in (("run", "--quiet"), ("claims", "--jobs", "2", "-o", "result.json")):
        done = hostile.supple(name, hostile.scene, *more)
        assert done.returncode == 0, done.stderr
    assert not (hostile.folder / "harmed").exists()


def test_no_command_imports_anything_from_the_current_folder(hostile: Place) -> None:
    """Also not in processes of others: glfw, which MuJoCo imports, tries its library in a Python of its own."""
    assert hostile.supple("run", hostile.scene, "--quiet", "--record", "run.h5").returncode == 0
    shutil.copy(ROBOT, hostile.folder)
    for line in (
        "export run.h5 --to csv -o tables",
        "plot run.h5 swing.farthest -o curve.svg",
        "import arm.urdf -o arm.toml",
        "check arm.toml",
        "picture arm.toml --size 40x30 -o arm.png",
    ):
        words = [sys.executable, "-m", "supple", *line.split()]
        done = subprocess.run(words, cwd=hostile.folder, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        assert not (hostile.folder / "harmed").exists(), line


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


def test_a_report_leaves_the_folders_of_scenes_only_if_it_is_told_to(tmp_path: Path) -> None:
    place = Place(tmp_path, SCENE + CLAIM)
    made = place.supple("claims", place.scene, "--allow-outside", "-o", "result.json")
    assert made.returncode == 0, made.stderr
    words = [sys.executable, "-m", "supple", "report", "result.json", "-o", "page", "--run"]
    words += ["--plugin", str(place.plugin)]
    refused = subprocess.run(words, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert refused.returncode == 2
    assert "pass --allow-outside if you trust it" in refused.stderr
    assert not (tmp_path / "page").exists()


def test_a_run_writes_nothing_that_it_was_not_told_to(tmp_path: Path) -> None:
    place = Place(tmp_path)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    for words in (("run", place.scene, "--quiet"), ("check", place.scene), ("schedule", place.scene)):
        assert place.supple(*words).returncode == 0
    after = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    assert after == before


def test_plugins_beside_a_scene_are_not_loaded(hostile: Place) -> None:
    harm = "import pathlib\npathlib.Path('harmed').touch()\n"
    for name in ("plugin.py", "supple_evil.py", "conftest.py"):
        (hostile.folder / name).write_text(harm)
    package = hostile.folder / "supple_more"
    package.mkdir()
    (package / "__init__.py").write_text(harm)
    metadata = hostile.folder / "supple_more-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: supple-more\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[supple]\nmore = supple_more\n")
    done = hostile.supple("plugins")
    assert done.returncode == 0, done.stderr
    assert "supple_more" not in done.stdout
    assert not (hostile.folder / "harmed").exists()


def test_a_scene_has_what_it_asks_for(tmp_path: Path) -> None:
    """Nothing is left out without a word, so that whoever asks for a million bodies has to wait for a million."""
    from supple.plugin import load_plugins
    from supple.scene.load import read_scene

    scene = tmp_path / "many.toml"
    scene.write_text(
        'format = 1\n[run]\nstep = 0.01\nduration = 1\n[[entity]]\nname = "ball"\n'
        "repeat = { count = 500, spacing = [1, 0, 0] }\nsphere = { radius = 0.1 }\nbody = {}\n"
    )
    assert len(read_scene(scene, load_plugins()).blueprint().graph.having("body")) == 500


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
