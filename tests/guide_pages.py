"""Runs a guide as a reader would: saves its files, applies its changes, types its commands, compares what is printed.

What a fenced block means is told by its language and its first line:

    toml, python   with `# NAME` first: a file to save; with `# NAME, continued` first: more of that file.
                   Other python is run at once, after the blocks before it; other toml is a fragment, which the
                   schema of scenes checks.
    diff           a change of the file that was saved or changed last
    sh             commands; `# exit code N` after one says how it ends, if not well
    text           what the block before printed: lines in their order, `...` for lines left out
"""

from __future__ import annotations

import importlib.util
import io
import itertools
import re
import runpy
import shlex
import shutil
import sys
import tomllib
from collections.abc import Collection
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from supple.run.cli import run_command

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "framework" / "docs"
LANGUAGES = {"toml", "python", "diff", "sh", "text"}
#: What a command needs besides supple itself.
EXTRAS = {"plot": "matplotlib"}
#: Columns of tables that hang on the last digits and on every change of a solver: held to a factor of two.
ROUGH = {"run.sweeps", "run.contacts", "run.penetration_worst", "run.residual_worst", "box9.creep"}
#: Options that name what a command writes.
WRITES = ("-o", "--output", "--record", "--html", "--checkpoint")

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"# ([\w-]+\.(?:toml|py))(, continued)?\n")
_NUMBER = re.compile(r"(?<![\w./])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w/])")
#: Figures of the machine and not of the scene.
_MEASURED = re.compile(r"[\d.e+-]+(?= ?(?:ms|kB|us)\b)|(?<=simulated in )[\d.e-]+|[\d.e+]+(?=x real time)")
_TIMING_ROW = re.compile(r"^([a-z]\w*\.[a-z]\w*) [\d.]+ [\d.]+$")


@dataclass(frozen=True)
class Block:
    """A fenced block: `where` is page and line of its first line of text."""

    where: str
    language: str
    text: str

    @property
    def file(self) -> tuple[str, bool] | None:
        """The name of the file that it is, and whether it continues it."""
        match = _FILE.match(self.text) if self.language in ("toml", "python") else None
        return (match[1], bool(match[2])) if match else None


def read_blocks(page: Path) -> list[Block]:
    """All fenced blocks in their order."""
    text = page.read_text(encoding="utf-8")
    blocks = []
    for match in _FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 2
        blocks.append(Block(f"{page.name}:{line}", match[1], match[2]))
    return blocks


@dataclass
class Reader:
    """Follows a page in a folder of its own, which must be the current one and has the project's scenes."""

    folder: Path
    site: Path
    files: dict[str, str] = field(default_factory=dict)
    last: str = ""
    output: str = ""
    left_out: list[str] = field(default_factory=list)
    names: dict[str, object] = field(default_factory=lambda: {"__name__": "__main__"})

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        assert block.language in LANGUAGES, f"{block.where}: nobody tests a block of {block.language!r}"
        if block.file is not None:
            name, continued = block.file
            self._save(name, f"{self.files[name]}\n{block.text}" if continued else block.text)
        elif block.language == "diff":
            self._change(block)
        elif block.language == "sh":
            self.output = "".join(self._type(line, block.where) for line in _lines_of(block.text))
        elif block.language == "python":
            self.output = _capture(lambda: exec(compile(block.text, block.where, "exec"), self.names))
        elif block.language == "text" and not self._lacks_output():
            compare(block, self.output)

    def _save(self, name: str, text: str) -> None:
        self.files[name], self.last = text, name
        (self.folder / name).write_text(text, encoding="utf-8")

    def _change(self, block: Block) -> None:
        lines = block.text.splitlines()
        assert all(line[:1] in "-+ " for line in lines), f"{block.where}: not a change"
        old = "".join(f"{line[1:]}\n" for line in lines if line[0] != "+")
        new = "".join(f"{line[1:]}\n" for line in lines if line[0] != "-")
        text = self.files[self.last]
        assert text.count(old) == 1, f"{block.where}: {self.last} has {text.count(old)} such places"
        self._save(self.last, text.replace(old, new))

    def _type(self, line: str, where: str) -> str:
        """What a command prints, after a look at how it ended and what it left behind."""
        command, _, remark = line.partition("  #")
        promised = re.search(r"exit code (\d+)", remark)
        words, _, target = command.partition(" > ")
        arguments = shlex.split(words)
        extra = EXTRAS.get(arguments[1]) if arguments[0] == "supple" else None
        if extra is not None and importlib.util.find_spec(extra) is None:
            self.left_out.append(f"{where}: '{command.strip()}' needs {extra}, which is not installed")
            return ""
        code, printed = self._run(arguments)
        assert code == int(promised[1] if promised else 0), f"{where}: {command}: {code}\n{printed}"
        if target:
            (self.folder / target.strip()).write_text(printed, encoding="utf-8")
            return ""
        for option, value in itertools.pairwise(arguments):
            assert option not in WRITES or (self.folder / value).exists(), f"{where}: no {value}"
        return printed

    def _run(self, arguments: list[str]) -> tuple[int, str]:
        codes = [0]
        if arguments[0] == "supple":
            if arguments[1] == "claims" and "--jobs" not in arguments:
                # Worker processes would load all kernels again; results do not depend on their number.
                arguments = [*arguments, "--jobs", "1"]
            printed = _capture(lambda: codes.append(run_command(arguments[1:])))
        elif arguments[:1] == ["python"] and arguments[1].endswith(".py"):
            with mock.patch.object(sys, "argv", arguments[1:]):
                printed = _capture(lambda: runpy.run_path(arguments[1], run_name="__main__"))
        elif arguments[:3] == ["pip", "install", "-e"]:
            printed = ""
            install(self.folder / arguments[3].partition("[")[0], self.site)
        else:
            raise AssertionError(f"nobody can test the command {arguments}")
        return codes[-1], printed

    def _lacks_output(self) -> bool:
        return bool(self.left_out) and not self.output


def _lines_of(script: str) -> list[str]:
    joined = script.replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def _capture(act) -> str:
    stream = io.StringIO()
    with redirect_stdout(stream), redirect_stderr(stream):
        act()
    return stream.getvalue()


def install(home: Path, site: Path) -> None:
    """What `pip install -e` leaves behind for Python to find, made from the package's own pyproject.toml."""
    project = tomllib.loads((home / "pyproject.toml").read_text(encoding="utf-8"))
    about = project["project"]
    for package in project["tool"]["setuptools"]["packages"]:
        shutil.copytree(home / package, site / package)
    info = site / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
    )
    points = about["entry-points"]["supple"]
    (info / "entry_points.txt").write_text("[supple]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()))


def compare(block: Block, output: str) -> None:
    """Every line of the block is in the output, in this order; numbers to two per cent, round-off as round-off."""
    printed = iter([line for line in map(_tidy, output.splitlines()) if line])
    rough: set[int] = set()
    for line in map(_tidy, block.text.splitlines()):
        if line and line != "...":
            if line.endswith("CPU a step"):
                rough = {place for place, name in enumerate(line.split()) if name in ROUGH}
            seen: list[str] = []
            for candidate in printed:
                seen.append(candidate)
                if agree(line, candidate, rough):
                    break
            else:
                raise AssertionError(f"{block.where}: not printed here: {line!r}\n" + "\n".join(seen))


def _tidy(line: str) -> str:
    line = " ".join(line.split())
    return _TIMING_ROW.sub(r"\1 N N", _MEASURED.sub("N", line))


def agree(told: str, printed: str, rough: Collection[int] = ()) -> bool:
    """Whether two lines say the same; one that ends in ` ...` may go on. Words at the places `rough` are rough."""
    if told.endswith(" ..."):
        told = told.removesuffix(" ...")
        printed = printed[: _end_of_beginning(told, printed)]
    if _NUMBER.sub("#", told) != _NUMBER.sub("#", printed):
        return False
    for one, other in zip(_NUMBER.finditer(told), _NUMBER.finditer(printed), strict=True):
        place = told[: one.start()].count(" ")
        if not _close(float(one[0]), float(other[0]), 0.5 if place in rough else 0.02):
            return False
    return True


def _end_of_beginning(told: str, printed: str) -> int:
    """Where the words of `printed` end that stand for those of `told`."""
    words = list(re.finditer(r"\S+", printed))
    count = len(told.split())
    return words[count - 1].end() if count <= len(words) else len(printed)


def _close(a: float, b: float, share: float) -> bool:
    return abs(a - b) <= share * max(abs(a), abs(b)) or max(abs(a), abs(b)) < 2e-6
