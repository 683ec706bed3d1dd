"""`supple new plugin` writes packages that work unchanged: their own tests pass from anywhere, and they are tidy."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from supple.core.component import kind_of
from supple.errors import UserError
from supple.run.cli import run_command
from supple.scaffold import KINDS
from supple.scaffold.new_plugin import LONGEST_NAME, TEMPLATE, class_name_of, write_plugin

ROOT = Path(__file__).resolve().parents[2]
NAME = "trial_wind"
HOME = "supple-trial-wind"


def run(home: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=home, env={**os.environ, **environment}, capture_output=True,
        encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip


#: As setuptools installs a package that stays editable: asked last, after the folders of the path.
EDITABLE = """
import sys
from importlib.util import spec_from_file_location

class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return spec_from_file_location(name, {file!r}) if name == {package!r} else None

sys.meta_path.append(Finder)
"""


def install(home: Path, site: Path, *, editable: bool = False) -> None:
    """What `pip install` leaves behind for Python to find, made from the package's own pyproject.toml."""
    project = tomllib.loads((home / "pyproject.toml").read_text(encoding="utf-8"))
    about = project["project"]
    for package in project["tool"]["setuptools"]["packages"]:
        if editable:
            site.mkdir(exist_ok=True)
            text = EDITABLE.format(package=package, file=str(home / package / "__init__.py"))
            (site / "sitecustomize.py").write_text(text, encoding="utf-8")
        else:
            shutil.copytree(home / package, site / package)
    info = site / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    )
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items())
             for group, points in about["entry-points"].items()]  # fmt: skip
    (info / "entry_points.txt").write_text("\n".join(lines))


@pytest.mark.parametrize(
    ("kind", "count"),
    [("system", 12), ("controller", 12), ("mechanism", 11), ("solver", 8), ("importer", 14)],
)
def test_tests_of_a_new_plugin_pass(tmp_path: Path, kind: str, count: int) -> None:
    """As the page has it: written, installed so that edits act, and tested from the folder beside it."""
    home, site = write_plugin(NAME, tmp_path, kind)[0].parent, tmp_path / "site"
    install(home, site, editable=True)
    result = run(tmp_path, "-m", "pytest", "-q", home.name, PYTHONPATH=str(site))
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{count} passed" in result.stdout
    script = "from supple.plugin import load_plugins; print(*(i.name for i in load_plugins().infos()))"
    for folder in (tmp_path, home):
        listed = run(folder, "-c", script, PYTHONPATH=str(site))
        assert NAME in listed.stdout.split(), listed.stderr


def test_tests_pass_without_the_source_and_from_within(tmp_path: Path) -> None:
    home, site = write_plugin(NAME, tmp_path)[0].parent, tmp_path / "site"
    install(home, site)
    # The package is imported from the site alone: its folder must not be needed on the path.
    shutil.rmtree(home / f"supple_{NAME}")
    result = run(home, "-m", "pytest", "-q", PYTHONPATH=str(site))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "12 passed" in result.stdout


def test_a_folder_that_hides_the_package_is_named(tmp_path: Path) -> None:
    """Python takes the outer folder for the package, where that is called like it; nobody could guess so."""
    home, site = write_plugin(NAME, tmp_path)[0].parent, tmp_path / "site"
    renamed = home.rename(tmp_path / f"supple_{NAME}")
    install(renamed, site, editable=True)
    # The command leaves the current folder out; a script of the user's does not.
    assert run(tmp_path, "-m", "supple", "plugins", PYTHONPATH=str(site)).returncode == 0
    script = "import sys; sys.argv = ['supple', 'plugins']; from supple.run.cli import main; main()"
    result = run(tmp_path, "-c", script, PYTHONPATH=str(site))
    assert result.returncode == 2
    assert f"plugin {NAME} (supple_{NAME}) is a folder without __init__.py" in result.stderr
    assert str(renamed) in result.stderr


def test_its_tests_can_fail(tmp_path: Path) -> None:
    """A drag that pushes instead of resisting is noticed by the kernel's test and by the scene."""
    home, site = write_plugin(NAME, tmp_path)[0].parent, tmp_path / "site"
    file = home / f"supple_{NAME}" / "kernels.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(
        text.replace("wrench_out[i, axis] += force", "wrench_out[i, axis] -= force"), encoding="utf-8"
    )
    assert file.read_text(encoding="utf-8") != text
    install(home, site)
    chosen = [
        "tests/test_kernels.py::test_kernel_agrees_with_oracle",
        "tests/test_scene.py::test_expectations_hold",
    ]
    result = run(home, "-m", "pytest", "-q", *chosen, PYTHONPATH=str(site))
    assert result.returncode == 1
    assert "2 failed" in result.stdout


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [NAME, "a2", "x" * LONGEST_NAME, "ab_cd_ef_gh_ij_kl_mn"])
def test_new_plugin_is_tidy(tmp_path: Path, name: str, kind: str) -> None:
    files = write_plugin(name, tmp_path, kind)
    sources = [file for part in ("common", kind) for file in (TEMPLATE / part).rglob("*") if file.is_file()]
    assert len(files) == len(sources)
    assert files == sorted(files)
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "<<" not in text
        assert max(map(len, text.splitlines())) <= 120, file
    kernels = run(tmp_path, str(ROOT / "tools" / "check_kernels.py"), str(tmp_path))
    assert kernels.returncode == 0, kernels.stdout
    if importlib.util.find_spec("ruff") is None:
        pytest.skip("ruff is not installed")
    checked = run(tmp_path, "-m", "ruff", "check", "--no-cache", str(tmp_path))
    assert checked.returncode == 0, checked.stdout
    formatted = run(tmp_path, "-m", "ruff", "format", "--no-cache", "--check", str(tmp_path))
    assert formatted.returncode == 0, formatted.stdout


def test_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["new", "plugin", NAME, "--folder", str(tmp_path)]) == 0
    printed = capsys.readouterr().out.split()
    assert sorted(printed) == sorted(str(file) for file in tmp_path.rglob("*") if file.is_file())
    assert run_command(["new", "plugin", NAME, "--folder", str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err


def test_command_writes_every_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind in KINDS:
        assert run_command(["new", "plugin", NAME, "--kind", kind, "--folder", str(tmp_path / kind)]) == 0
    assert "mechanism.py" in capsys.readouterr().out
    assert {folder.name for folder in TEMPLATE.iterdir()} == {*KINDS, "common"}
    assert run_command(["new", "plugin", NAME, "--kind", "sytem", "--folder", str(tmp_path)]) == 2
    with pytest.raises(UserError, match=r"kind 'sytem': is not a kind of plugin.*Did you mean 'system'"):
        write_plugin(NAME, tmp_path / "other", "sytem")


@pytest.mark.parametrize("name", ["wind", "side_wind", "drag2_of_air"])
def test_class_and_kind_are_the_same_name(name: str) -> None:
    assert kind_of(class_name_of(name)) == name


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("", "is not a name"),
        ("Wind", "is not a name"),
        ("2wind", "is not a name"),
        ("side-wind", "is not a name"),
        ("side__wind", "is not a name"),
        ("wind_", "is not a name"),
        ("x_ray", "is not a name"),
        ("../wind", "is not a name"),
        ("wind\n", "is not a name"),
        ("w" * (LONGEST_NAME + 1), "is not a name"),
        ("supple_wind", "write wind"),
        ("lambda", "means something else"),
        ("name", "means something else"),
        ("run", "means something else"),
        ("rigid", "there is a plugin of this name"),
        ("solve_gauss_seidel", "there is a plugin of this name"),
        ("sphere", "plugin collide has a component or event of this name"),
        ("pose", "plugin supple has a component or event of this name"),
        ("gauss_seidel", "plugin solve_gauss_seidel has a solver or settings of this name"),
    ],
)
def test_bad_name_is_refused(tmp_path: Path, name: str, what: str) -> None:
    with pytest.raises(UserError) as caught:
        write_plugin(name, tmp_path)
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    home = tmp_path / HOME
    home.mkdir()
    (home / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match="exists and is not empty, and nothing is overwritten"):
        write_plugin(NAME, tmp_path)
    assert [file.name for file in home.iterdir()] == ["mine.txt"]
    (home / "mine.txt").unlink()
    assert write_plugin(NAME, tmp_path)


def test_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UserError, match="file: exists and is not a folder"):
        write_plugin(NAME, tmp_path / "file")
    (tmp_path / HOME).write_text("mine")
    with pytest.raises(UserError, match="exists and is not a folder"):
        write_plugin(NAME, tmp_path)
    assert (tmp_path / HOME).read_text() == "mine"


def test_folder_is_made_when_it_is_missing(tmp_path: Path) -> None:
    files = write_plugin(NAME, tmp_path / "deep" / "down")
    assert all(file.is_file() for file in files)
