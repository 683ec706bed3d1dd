"""What can go wrong, sorted by who can mend it.

`UserError` (exit code 2) is bad input: every problem is one line that says where, what and what would be
right. To it belong plugins from outside that are wrong or raise something. `SimulationError` (exit code 3) is a
step that cannot be computed. Anything else that escapes is a defect of supple itself (exit code 70).
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of every command."""

    FINE = 0
    DOES_NOT_HOLD = 1
    BAD_INPUT = 2
    SIMULATION_FAILED = 3
    DEFECT = 70
    INTERRUPTED = 130


@dataclass(frozen=True)
class Where:
    """A place in an author's input: a line of a file, or an option such as `--set a.b=1` (then no line)."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        return self.source if self.line is None else f"{self.source}:{self.line}"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where, the path of the key, what is wrong, and the remedy."""

    where: Where | None
    path: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        parts = [str(self.where) if self.where else "", self.path, self.what]
        line = ": ".join(part for part in parts if part)
        return f"{line}; {self.remedy}" if self.remedy else line


class SuppleError(Exception):
    """Base of all errors that supple raises on purpose."""

    exit_code = ExitCode.DEFECT


class UserError(SuppleError):
    """Bad input. Carries every problem found, in the order of the input."""

    exit_code = ExitCode.BAD_INPUT

    def __init__(self, problems: Problem | str | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(None, "", problems)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class SceneError(UserError):
    """A scene file, or an override of it, is wrong."""


class PluginError(UserError):
    """A plugin is wrong: a misspelt hook, a name registered twice, an array nobody writes."""


class PluginFaultError(PluginError):
    """A plugin that did not come with supple raised an exception, which is the cause of this one."""


class ScheduleError(UserError):
    """The declared accesses of the systems do not give one order."""


class SimulationError(SuppleError):
    """A step could not be computed. The state is still that of the last good step."""

    exit_code = ExitCode.SIMULATION_FAILED

    def __init__(self, what: str, *, system: str = "", entity: str = "", element: str = "") -> None:
        self.what = what
        self.system = system
        self.entity = entity
        self.element = element
        self.time: float | None = None
        self.step: int | None = None
        super().__init__(what)

    def __str__(self) -> str:
        when = "" if self.time is None else f"t = {self.time:.6g} s (step {self.step}): "
        named = [("system", self.system), ("entity", self.entity), ("element", self.element)]
        place = ", ".join(f"{key} {value}" for key, value in named if value)
        return f"{when}{self.what}" + (f" [{place}]" if place else "")


class DoubtfulStepError(SimulationError):
    """A step was computed that nobody should rely on; in parts it may come out right. If not, it is taken as it is.

    By `measure` of what is wrong it is seen whether parts do better; without one, shorter ones are tried anyway.
    """

    def __init__(self, what: str, measure: float = math.nan) -> None:
        self.measure = measure
        super().__init__(what)


class StrayedStepError(DoubtfulStepError):
    """All that is doubted of a step is its end: something is where no row of the start could see it go."""


class CapacityError(SimulationError):
    """There are more contacts, or rows, than there is room for. A world makes more, unless the scene said how much."""


def list_choices(choices: Iterable[str], limit: int = 12) -> str:
    """The choices in sorted order, shortened when there are many."""
    names = sorted(choices)
    if not names:
        return "nothing"
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def _end(path: str) -> str:
    return path.rpartition("/")[2]


def _same_end(word: str, names: Sequence[str]) -> list[str]:
    """The path that ends as the word does, if only one does: who writes man/knee means man/bones/.../knee."""
    if not any("/" in each for each in (word, *names)):
        return []
    found = [name for name in names if _end(name) == _end(word)]
    return found if len(found) == 1 else []


def _near_end(word: str, names: Sequence[str]) -> list[str]:
    """A path whose last part is nearly the word's."""
    ends: dict[str, str] = {}
    for name in names:
        if "/" in name:
            ends.setdefault(_end(name), name)
    return [ends[end] for end in difflib.get_close_matches(_end(word), list(ends), n=1)]


def suggest(word: str, choices: Sequence[str] | Iterable[str], noun: str = "choose from") -> str:
    """The remedy for an unknown word: what exists, and the nearest of it."""
    names = sorted(choices)
    remedy = f"{noun}: {list_choices(names)}"
    near = _same_end(word, names) or difflib.get_close_matches(word, names, n=1) or _near_end(word, names)
    return f"{remedy}. Did you mean '{near[0]}'?" if near else remedy
