"""The tool that makes `.venv`: when it installs, when it starts anew, and what it says when it cannot."""

import ast
import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
PYPROJECT = """
[project]
name = "supple"
[project.optional-dependencies]
oracle = ["steady>=1", "rare>=2; sys_platform != 'win32'"]
"""


def load_tool(name: str, alias: str) -> ModuleType:
    """Import a file of the folder tools, which is no package."""
    spec = importlib.util.spec_from_file_location(alias, TOOLS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[alias] = module
    spec.loader.exec_module(module)
    return module


tool = load_tool("environment", "environment")
browser_tool = load_tool("browser", "browser")
test_tool = load_tool("test", "supple_test_tool")


class FakePip(tool.Environment):  # type: ignore[name-defined, misc]
    """An environment whose pip installs nothing real, remembers its calls and fails on command."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.calls: list[str] = []
        self.failing = ""
        self.answer = ""
        self.interrupted = False

    def make(self, reason: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "venv", "--clear", "--without-pip", str(self.folder)], check=True
        )
        (self.packages() / "pip.py").touch()
        self.calls.append("make")

    def packages(self) -> Path:
        return next(path for path in self.folder.rglob("site-packages") if path.is_dir())

    def pip(self, command: str, *arguments: str) -> tuple[int, str]:
        if command == "freeze":
            return 0, "WARNING: noise\nnumpy==2.0\n"
        if self.interrupted:
            raise KeyboardInterrupt
        self.calls.append(arguments[-1])
        if self.failing and self.failing in arguments[-1]:
            return 1, "trying\nno wheel for it\n"
        (self.packages() / "supple.py").touch()
        return 0, self.answer


@pytest.fixture
def environment(tmp_path: Path) -> FakePip:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    return FakePip(tmp_path)


def test_installs_once(environment: FakePip) -> None:
    environment.prepare()
    environment.prepare()
    assert environment.calls == ["make", "."]


def test_test_tools_are_added_and_then_serve_both(environment: FakePip) -> None:
    environment.prepare()
    environment.prepare("check", "oracle")
    assert environment.calls == ["make", ".", ".[check]", "steady>=1", "rare>=2; sys_platform != 'win32'"]
    environment.prepare()
    environment.prepare("check", "oracle")
    assert len(environment.calls) == 5


@pytest.mark.parametrize("package", ["framework/supple_more", "plugins/supple_new"])
def test_new_package_or_changed_project_is_installed_again(environment: FakePip, package: str) -> None:
    environment.prepare()
    (environment.root / package).mkdir(parents=True)
    (environment.root / package / "__init__.py").touch()
    environment.prepare()
    (environment.root / "pyproject.toml").write_text(PYPROJECT + "# changed\n")
    environment.prepare()
    assert environment.calls == ["make", ".", ".", "."]


def test_missing_oracle_is_named_every_time_and_breaks_nothing(
    environment: FakePip, capsys: pytest.CaptureFixture[str]
) -> None:
    environment.failing = "rare"
    environment.prepare("check", "oracle")
    first = capsys.readouterr().out
    environment.prepare("check", "oracle")
    second = capsys.readouterr().out
    assert [line for line in first.splitlines() if line.startswith("without")] == second.splitlines()
    assert second.startswith("without rare: its tests will be skipped")
    assert "steady" not in second


def test_oracle_that_excludes_this_platform_is_missing(environment: FakePip) -> None:
    environment.answer = "Looking in indexes: here\nIgnoring rare: markers don't match your environment\n"
    environment.prepare("check", "oracle")
    assert environment.read_stamp()["missing"] == ["rare"]


def test_failed_installation_shows_the_end_of_pip_and_is_tried_again(environment: FakePip) -> None:
    environment.failing = "."
    with pytest.raises(SystemExit) as failure:
        environment.prepare()
    assert str(failure.value).startswith("trying\nno wheel for it\ninstalling supple failed")
    environment.failing = ""
    environment.prepare()
    assert environment.calls == ["make", ".", "."]


def test_interrupted_installation_starts_anew(environment: FakePip) -> None:
    environment.interrupted = True
    with pytest.raises(SystemExit) as stop:
        environment.prepare()
    assert stop.value.code == 130
    assert environment.find_fault() == "its installation was interrupted"
    environment.interrupted = False
    environment.prepare()
    assert environment.calls == ["make", "make", "."]


def test_moved_environment_is_found_out(environment: FakePip, tmp_path: Path) -> None:
    environment.prepare()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment.folder.rename(elsewhere / ".venv")
    assert tool.Environment(elsewhere).find_fault() == "it was moved"


def test_damage_is_found_out(environment: FakePip, monkeypatch: pytest.MonkeyPatch) -> None:
    assert environment.find_fault() == "there is none"
    environment.prepare()
    assert environment.find_fault() == ""
    (environment.packages() / "supple.py").unlink()
    assert environment.find_fault() == "it has lost supple"
    with monkeypatch.context() as patch:
        patch.setattr(tool, "identify_python", lambda: ["3.99", "cpython", "abacus"])
        assert environment.find_fault() == "it belongs to another Python"
    Path(environment.program("python")).unlink()
    assert environment.find_fault() == "its Python cannot be started"


def test_environment_made_by_hand_is_kept(environment: FakePip) -> None:
    environment.make("")
    (environment.packages() / "own_package.py").touch()
    environment.prepare()
    assert environment.calls == ["make", "."]
    assert (environment.packages() / "own_package.py").exists()


def test_damaged_stamp_means_installing_again(environment: FakePip) -> None:
    environment.prepare()
    content = environment.stamp.read_text()
    assert json.loads(content)["folder"] == str(environment.folder)
    environment.stamp.write_text(content[: len(content) // 2])
    environment.prepare()
    assert environment.calls == ["make", ".", "."]


@pytest.mark.parametrize("leftover", ["file", "folder"])
def test_real_environment_is_made_over_anything(tmp_path: Path, leftover: str) -> None:
    environment = tool.Environment(tmp_path)
    if leftover == "file":
        environment.folder.write_text("not a folder")
    else:
        (environment.folder / "bin" / "python").mkdir(parents=True)
    assert environment.find_fault() != ""
    environment.make(environment.find_fault())
    assert environment.find_fault() == ""


def test_missing_venv_names_the_remedy(environment: FakePip, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit) as failure:
        tool.Environment.make(environment, "there is none")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"sudo apt install python{version}-venv" in str(failure.value)
    assert len(str(failure.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["run", "test"])
def test_old_python_gets_one_sentence(name: str) -> None:
    for file in (f"{name}.py", "environment.py"):
        ast.parse((TOOLS / file).read_text(encoding="utf-8"), feature_version=(3, 7))
    script = (
        "import runpy, sys; sys.version_info = (3, 9, 1); sys.path.insert(0, sys.argv[1]);"
        f"runpy.run_path(sys.argv[1] + '/{name}.py', run_name='__main__')"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, str(TOOLS)], capture_output=True, encoding="utf-8", check=False
    )
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.startswith("supple needs Python 3.11 or newer")
    assert len(result.stderr.splitlines()) == 1


def test_exit_code_is_passed_on() -> None:
    assert tool.run_visibly([sys.executable, "-c", "raise SystemExit(7)"]) == 7


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_death_by_signal_is_passed_on_as_by_a_shell() -> None:
    script = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert tool.run_visibly([sys.executable, "-c", script]) == 128 + 9


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
def test_interrupted_command_may_finish_its_work() -> None:
    saving = "import signal, time, sys; signal.signal(2, lambda *_: (time.sleep(0.6), sys.exit(5)));"
    command = [sys.executable, "-c", saving + "print(flush=True); time.sleep(30)"]
    script = f"import sys; sys.path.insert(0, {str(TOOLS)!r}); import environment;"
    script += f"sys.exit(environment.run_visibly({command!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the command has set its handler
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=20) == 5


def test_variables_of_the_caller_win(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "5")
    script = "import os; raise SystemExit(int(os.environ['MINE'] + os.environ['GIVEN']))"
    defaults = {"MINE": "1", "GIVEN": "3"}
    assert tool.run_visibly([sys.executable, "-c", script], defaults=defaults) == 53


@pytest.mark.parametrize(
    ("arguments", "workers"),
    [
        ([], 2),
        (["-k", "flesh"], 2),
        (["-x", "--color=no"], 2),
        (["tests/unit/test_a.py", "tests/unit/test_b.py"], 2),
        (["tests/unit/test_a.py::test_b"], 1),
        (["-n", "4"], 1),
        (["-n4"], 1),
        (["--numprocesses=4"], 1),
        (["-s"], 1),
        (["--pdb", "-k", "flesh"], 1),
        (["--collect-only"], 1),
    ],
)
def test_workers_follow_the_arguments(arguments: list[str], workers: int) -> None:
    assert test_tool.choose_workers(arguments, cores=2) == workers
    assert test_tool.choose_workers(arguments, cores=1) == 1


def test_workers_are_limited() -> None:
    assert test_tool.choose_workers([], cores=64) == test_tool.MOST_WORKERS


# The browser


@pytest.fixture
def without_browser(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """A machine without a browser, whose commands are noted and all succeed without doing anything."""
    commands: list[tuple[str, ...]] = []
    monkeypatch.setattr(
        browser_tool.shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None
    )
    monkeypatch.setattr(browser_tool, "run", lambda command, seconds: commands.append(command) or seconds > 0)
    return commands


@pytest.mark.parametrize(
    ("release", "user", "reason"),
    [
        ("ID=debian\n", 0, ""),
        ("ID=debian\n", 1000, "as root"),
        ("ID=ubuntu\nID_LIKE=debian\n", 0, "install Chromium or Chrome"),
        (None, 0, "install Chromium or Chrome"),
    ],
)
def test_browser_is_installed_by_root_on_debian_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_browser: list[tuple[str, ...]],
    release: str | None, user: int, reason: str,
) -> None:  # fmt: skip
    file = tmp_path / "os-release"
    if release is not None:
        file.write_text(release)
    monkeypatch.setattr(browser_tool.os, "geteuid", lambda: user, raising=False)
    said = browser_tool.find_hindrance(file)
    assert reason in said
    assert bool(reason) == bool(said)


def test_browser_that_cannot_be_installed_is_only_said(
    monkeypatch: pytest.MonkeyPatch,
    without_browser: list[tuple[str, ...]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(browser_tool, "find_hindrance", lambda: "")
    browser_tool.prepare_browser()
    assert "without Chromium (its packages could not be installed)" in capsys.readouterr().out
    assert [command[-1] for command in without_browser] == ["update", "chromium", "chromium"]
    # What is broken off by the clock must be harmless: first all is fetched, then installed without the network.
    assert "--download-only" in without_browser[1]
    assert "--no-download" in without_browser[2]


def test_browser_commands_that_hang_or_fail_are_given_up() -> None:
    waiting = (sys.executable, "-c", "import time; time.sleep(60)")
    assert not browser_tool.run(waiting, 1.0)
    assert not browser_tool.run((sys.executable, "-c", "raise SystemExit(3)"), 30.0)
    assert not browser_tool.run(("no-such-program-anywhere",), 30.0)
    assert browser_tool.run((sys.executable, "-c", "pass"), 30.0)
