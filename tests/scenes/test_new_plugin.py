"""`supple new plugin` writes a package that works unchanged: its own tests pass, and it is tidy."""

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
from supple.scaffold.new_plugin import LONGEST_NAME, TEMPLATE, class_name_of, write_plugin

ROOT = Path(__file__).resolve().parents[2]
NAME = "trial_wind"


def run(home: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=home, env={**os.environ, **environment}, capture_output=True,
        encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip


def install(home: Path, site: Path) -> None:
    """What `pip install` leaves behind for Python to find, made from the package's own pyproject.toml."""
    project = tomllib.loads((home / "pyproject.toml").read_text(encoding="utf-8"))
    about = project["project"]
    for package in project["tool"]["setuptools"]["packages"]:
        shutil.copytree(home / package, site / package)
    info = site / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    )
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items())
             for group, points in about["entry-points"].items()]  # fmt: skip
    (info / "entry_points.txt").write_text("\n".join(lines))


def test_tests_of_a_new_plugin_pass(tmp_path: Path) -> None:
    write_plugin(NAME, tmp_path)
    home, site = tmp_path / f"supple_{NAME}", tmp_path / "site"
    install(home, site)
    # The package is imported from the site alone: its folder must not be needed on the path.
    shutil.rmtree(home / f"supple_{NAME}")
    result = run(home, "-m", "pytest", "-q", PYTHONPATH=str(site))
    assert result.returncode == 0, result.stdout + result.stderr
    assert "12 passed" in result.stdout
    script = "from supple.plugin import load_plugins; print(*(i.name for i in load_plugins().infos()))"
    listed = run(home, "-c", script, PYTHONPATH=str(site))
    assert NAME in listed.stdout.split(), listed.stderr


def test_its_tests_can_fail(tmp_path: Path) -> None:
    """A drag that pushes instead of resisting is noticed by the kernel's test and by the scene."""
    write_plugin(NAME, tmp_path)
    home, site = tmp_path / f"supple_{NAME}", tmp_path / "site"
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


@pytest.mark.parametrize("name", [NAME, "a2", "x" * LONGEST_NAME, "ab_cd_ef_gh_ij_kl_mn"])
def test_new_plugin_is_tidy(tmp_path: Path, name: str) -> None:
    files = write_plugin(name, tmp_path)
    assert len(files) == len([file for file in TEMPLATE.rglob("*") if file.is_file()])
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
    ],
)
def test_bad_name_is_refused(tmp_path: Path, name: str, what: str) -> None:
    with pytest.raises(UserError) as caught:
        write_plugin(name, tmp_path)
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    home = tmp_path / f"supple_{NAME}"
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
    (tmp_path / f"supple_{NAME}").write_text("mine")
    with pytest.raises(UserError, match="exists and is not a folder"):
        write_plugin(NAME, tmp_path)
    assert (tmp_path / f"supple_{NAME}").read_text() == "mine"


def test_folder_is_made_when_it_is_missing(tmp_path: Path) -> None:
    files = write_plugin(NAME, tmp_path / "deep" / "down")
    assert all(file.is_file() for file in files)
