"""Makes and keeps the environment `.venv` in which the other tools run.

Needs the standard library only. The syntax is that of Python 3.6 (no walrus, no match, no future import), so
that an older Python gets as far as the sentence below and not to a syntax error.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"supple needs Python 3.11 or newer; this is Python {sys.version.split()[0]} ({sys.executable})")

import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

# Run by the environment's own Python: prints who it is, and which of the needed packages it finds.
PROBE = """
import importlib.util, platform, sys
found = [name for name in ("pip", "supple") if importlib.util.find_spec(name)]
print("%d.%d" % sys.version_info[:2], sys.implementation.name, platform.machine(), *found, sep="\\n")
"""


def say(line: str) -> None:
    """Print one line at once, so that it stands before the output of the commands that follow."""
    print(line, flush=True)


def identify_python() -> list[str]:
    """What an environment must share with this Python to be the same: version, implementation, machine."""
    return [f"{sys.version_info[0]}.{sys.version_info[1]}", sys.implementation.name, platform.machine()]


def read_tail(output: str, count: int = 20) -> str:
    """The last `count` lines that are not blank."""
    return "\n".join([line for line in output.splitlines() if line.strip()][-count:])


def run_quietly(command: Sequence[str], cwd: Path) -> tuple[int, str]:
    """Run a command; give its exit code and everything it printed."""
    finished = subprocess.run(
        command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    return finished.returncode, finished.stdout


def run_visibly(
    command: Sequence[str], cwd: Path | None = None, defaults: dict[str, str] | None = None
) -> int:
    """Run a command in the foreground and give its exit code, as a shell would give it.

    `defaults` are environment variables that the caller's own override. An interrupt reaches the command too,
    which may want time to save its work: so wait for it.
    """
    variables = {"PYTHONIOENCODING": "utf-8", **(defaults or {}), **os.environ}
    with subprocess.Popen(command, cwd=cwd, env=variables) as process:
        previous = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
        code = None
        while code is None:
            with contextlib.suppress(KeyboardInterrupt):
                code = process.wait()
        signal.signal(signal.SIGTERM, previous)
    return code if code >= 0 else 128 - code


class Environment:
    """The folder `.venv` of a project, with the project installed in it so that edits act at once."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.stamp = self.folder / "supple-installed.json"
        # Present only while something is being installed; found at the start, it tells of an interruption.
        self.unfinished = self.folder / "supple-installing"

    def program(self, name: str) -> str:
        """The path of a program of the environment, such as `python` or `supple`."""
        if os.name == "nt":
            return str(self.folder / "Scripts" / f"{name}.exe")
        return str(self.folder / "bin" / name)

    def prepare(self, extra: str = "", oracles: str = "") -> None:
        """Make the environment if need be and install the project with the optional group `extra`.

        The packages of the group `oracles` are wanted but not needed: one that cannot be installed is named.
        """
        wanted = {extra, oracles} - {""}
        try:
            fault = self.find_fault()
            if fault:
                self.make(fault)
            stamp = self.read_stamp()
            if stamp.get("project") != self.describe_project() or not wanted <= set(stamp.get("extras", [])):
                self.install(extra, oracles)
        except KeyboardInterrupt:
            say("interrupted; the next call makes .venv anew")
            sys.exit(130)
        for name in self.read_stamp().get("missing", []) if oracles else []:
            say(f"without {name}: its tests will be skipped (remove .venv to try the installation again)")

    def read_stamp(self) -> dict[str, Any]:
        """What was installed last, or nothing."""
        try:
            stamp = json.loads(self.stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) else {}

    def describe_project(self) -> str:
        """A hash of all that an installation depends on: pyproject.toml, the packages, this Python.

        The names of the packages count because an editable installation lists them when it is made.
        """
        digest = hashlib.sha256((self.root / "pyproject.toml").read_bytes())
        folders = (self.root / "framework", self.root / "plugins")
        packages = [path.parent.name for folder in folders for path in folder.glob("*/__init__.py")]
        digest.update("\n".join(sorted(packages) + identify_python()).encode())
        return digest.hexdigest()

    def find_fault(self) -> str:
        """Why the environment must be made anew; empty when it is sound."""
        if not self.folder.exists():
            return "there is none"
        if self.unfinished.exists():
            return "its installation was interrupted"
        stamp = self.read_stamp()
        if stamp and stamp.get("folder") != str(self.folder):
            return "it was moved"
        try:
            code, output = run_quietly([self.program("python"), "-c", PROBE], self.folder)
        except OSError:
            return "its Python cannot be started"
        if code != 0:
            return "its Python does not work"
        lines = output.split()
        if lines[:3] != identify_python():
            return "it belongs to another Python"
        missing = {"pip", *(["supple"] if stamp else [])} - set(lines[3:])
        return f"it has lost {' and '.join(sorted(missing))}" if missing else ""

    def make(self, reason: str) -> None:
        """Make an empty environment in place of whatever is there."""
        say("making .venv ..." if reason == "there is none" else f"making .venv anew, because {reason} ...")
        if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
            version = identify_python()[0]
            sys.exit(
                "this Python cannot make environments (it lacks venv or ensurepip); "
                f"on Debian and Ubuntu: sudo apt install python{version}-venv"
            )
        if not self.folder.is_dir():
            self.folder.unlink(missing_ok=True)  # a file, or a link to nowhere
        # The Python behind an activated environment: that environment may be the very one to be replaced.
        base = getattr(sys, "_base_executable", None) or sys.executable
        code, output = run_quietly([base, "-m", "venv", "--clear", str(self.folder)], self.root)
        if code != 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            sys.exit(f"{read_tail(output)}\nmaking .venv failed (above: what venv printed)")

    def install(self, extra: str, oracles: str) -> None:
        """Install the project, then its oracles one by one, and last of all write the stamp."""
        what = "supple and its test tools" if extra else "supple"
        say(f"installing {what} (about a minute) ...")
        self.stamp.unlink(missing_ok=True)
        self.unfinished.touch()
        code, output = self.pip("install", "--editable", f".[{extra}]" if extra else ".")
        if code != 0:
            self.unfinished.unlink()
            sys.exit(f"{read_tail(output)}\ninstalling {what} failed (above: the end of pip's output)")
        missing = self.install_oracles(oracles) if oracles else []
        self.unfinished.unlink()
        stamp = {
            "folder": str(self.folder),
            "project": self.describe_project(),
            "extras": [group for group in (extra, oracles) if group],
            "missing": missing,
        }
        scratch = self.stamp.with_suffix(".new")
        scratch.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
        os.replace(scratch, self.stamp)

    def install_oracles(self, group: str) -> list[str]:
        """Try each package of a group and give the names of those that cannot be had here.

        Wheels only, and what is installed already keeps its version: an oracle must not disturb the project.
        """
        with (self.root / "pyproject.toml").open("rb") as file:
            requirements = tomllib.load(file)["project"]["optional-dependencies"][group]
        _, frozen = self.pip("freeze", "--exclude-editable")
        constraints = self.folder / "supple-constraints.txt"
        pinned = [line for line in frozen.splitlines() if re.fullmatch(r"[\w.-]+==\S+", line)]
        constraints.write_text("\n".join(pinned), encoding="utf-8")
        missing = []
        for requirement in requirements:
            name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
            say(f"installing {name} for the tests ...")
            code, output = self.pip(
                "install", "--only-binary", ":all:", "--constraint", str(constraints), requirement
            )
            # pip succeeds without installing when the requirement excludes this platform.
            if code != 0 or f"Ignoring {name}:" in output:
                missing.append(name)
        return missing

    def pip(self, command: str, *arguments: str) -> tuple[int, str]:
        """Run pip of the environment without questions; give its exit code and its output."""
        options = ["--disable-pip-version-check", "--no-input"]
        return run_quietly([self.program("python"), "-m", "pip", command, *options, *arguments], self.root)
