"""The reference says what the code says, its examples run, and the site is built without a warning."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from supple.errors import ExitCode
from supple.plugin import load_plugins
from supple.run.cli import run_command
from supple.scene.reference import describe_components
from supple.scene.tables import describe_tables

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "framework" / "docs" / "reference"


def run_tool(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "tools" / words[0]), *words[1:]]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


def test_reference_is_what_the_code_says() -> None:
    done = run_tool("reference.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_reference_has_every_kind_and_key() -> None:
    page = (REFERENCE / "format.md").read_text(encoding="utf-8")
    for one in [*describe_components(load_plugins().registry), *describe_tables()]:
        _, found, rest = page.partition(f"\n### `{one['kind']}`\n")
        assert found, one["kind"]
        section = rest.partition("\n### ")[0]
        for each in one["fields"]:
            assert f"| `{each['name']}` |" in section, f"{one['kind']}.{each['name']}"


def test_examples_of_tables_make_a_scene(tmp_path: Path) -> None:
    """All examples together are a scene that is fine; included files are empty ones."""
    by_kind = {one["kind"]: one["example"] for one in describe_tables()}
    order = ("scene", "include", "entity", "repeat", "event", "expect", "claim", "set", "variants", "sweep")
    assert set(order) == set(by_kind)
    text = "\n".join(by_kind[kind] for kind in order)
    man = '[[entity]]\nname = "man"\nfigure = {}\n'
    (tmp_path / "floor.toml").write_text('format = 1\n[[entity]]\nname = "floor"\nplane = {}\n')
    (tmp_path / "man.toml").write_text(f"format = 1\n[run]\nstep = 0.01\nduration = 3.0\n{man}")
    (tmp_path / "scene.toml").write_text(text)
    assert run_command(["check", str(tmp_path / "scene.toml")]) == ExitCode.FINE


@pytest.mark.parametrize("kind", ["sweep", "set", "event", "expect", "claim", "include", "repeat", "variants"])
def test_components_shows_tables(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["components", kind]) == ExitCode.FINE
    assert f"{kind} (table of supple)" in capsys.readouterr().out


def test_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("myst_parser", reason="the extra supple[docs] is not installed")
    done = run_tool("site.py", "-o", str(tmp_path / "site"))
    assert done.returncode == 0, done.stdout + done.stderr
    for page in ("index", "api", "framework/docs/reference/format", "plugins/supple_flesh/README", "README"):
        assert (tmp_path / "site" / f"{page}.html").is_file()


def test_link_that_leads_nowhere_is_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("myst_parser", reason="the extra supple[docs] is not installed")
    spec = importlib.util.spec_from_file_location("supple_site", ROOT / "tools" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    site = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(site)
    (tmp_path / "conf.py").write_text(site.CONF)
    (tmp_path / "index.md").write_text("# A page\n\n[a link](nowhere.md)\n")
    words = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(tmp_path), str(tmp_path / "out")]
    assert subprocess.run(words, capture_output=True, check=False).returncode != 0
