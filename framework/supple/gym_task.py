"""Tasks to learn: what there is to see, to do and to reward in a scene, from a TOML file or made in Python.

Both are checked by the same tables, as scenes are; a complaint about a file names its line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from dataclasses import field as plain_field
from pathlib import Path
from typing import Any, Literal

from supple.core.component import component, field
from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError, Where
from supple.scene.checks import raise_problems
from supple.scene.include import SourceFile
from supple.scene.lines import read_toml
from supple.scene.overrides import Override, as_plain, read_overrides
from supple.scene.parts import Part
from supple.scene.wording import read_checked

MOST_ROWS = 10_000
"""More names or rows than any task has of one kind."""
LONGEST_NAME = 1000
"""More characters than any path of an entity has."""
SLOWEST = 1e-3
"""Fewer decisions a second than any agent takes [1/s]."""


@dataclass(frozen=True)
class Action:
    """A command of an entity that the agent gives, from -1 (`low`) to 1 (`high`)."""

    set: str
    low: float
    high: float


@dataclass(frozen=True)
class Term:
    """A part of the reward of a decision: `weight` times the numbers of `of`, each minus `aim`, in their `shape`."""

    of: str
    weight: float
    shape: str = "sum"
    aim: float = 0.0


@dataclass(frozen=True)
class Ending:
    """The episode ends where the first number of `of` is below or above a bound."""

    of: str
    below: float = -math.inf
    above: float = math.inf


@dataclass(frozen=True)
class Scatter:
    """A number of the start that is drawn anew at every reset, at most `by` beside that of the scene."""

    of: str
    by: float


@dataclass(frozen=True)
class Task:
    """What there is to do in a scene. Names are `entity.attribute`, as `world["entity"].attribute` shows them.

    `rate` are decisions a second of the simulation, `duration` [s] ends an episode (truncated), `alive` is the reward
    of every decision, `failed` that of a step which cannot be computed, which also ends the episode.
    """

    scene: Path
    observe: tuple[str, ...]
    actions: tuple[Action, ...]
    rate: float = 50.0
    duration: float = 10.0
    alive: float = 0.0
    failed: float = 0.0
    reward: tuple[Term, ...] = ()
    end: tuple[Ending, ...] = ()
    scatter: tuple[Scatter, ...] = ()
    overrides: Mapping[str, Any] = plain_field(default_factory=dict)
    variant: str = ""


# The same as TOML writes it, with the limits that hold for tasks from anywhere.

_SHOWN = 'as `world["entity"].attribute` shows it: "entity.attribute"'


def _name(doc: str) -> Any:
    return field(unit="", doc=doc, min_length=1, max_length=LONGEST_NAME)


@component
class ActionTable:
    """A command that the agent gives."""

    set: str = _name('The command, as "entity.command".')
    low: float = field(unit="SI", doc="What the action -1 means.")
    high: float = field(unit="SI", doc="What the action 1 means.")

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise ValueError(f"from {self.low:g} to {self.high:g}; give a low below the high")


@component
class TermTable:
    """A part of the reward."""

    of: str = _name(f"What is rewarded, {_SHOWN}.")
    weight: float = field(unit="1", doc="By how much it is multiplied.")
    shape: Literal["sum", "size", "square"] = field(
        default="sum", unit="", doc="What is made of its numbers: their sum, that of their sizes or squares."
    )
    aim: float = field(default=0.0, unit="SI", doc="What is taken from every number first.")


@component
class EndTable:
    """What ends an episode."""

    of: str = _name(f"What is looked at, {_SHOWN}.")
    below: float | None = field(default=None, unit="SI", doc="The episode ends where it is less.")
    above: float | None = field(default=None, unit="SI", doc="The episode ends where it is greater.")

    def __post_init__(self) -> None:
        if self.below is None and self.above is None:
            raise ValueError("neither below nor above; give the bound that ends the episode")
        if self.below is not None and self.above is not None and self.below > self.above:
            raise ValueError(f"below {self.below:g} or above {self.above:g} is everything; swap them")


@component
class ScatterTable:
    """What differs from episode to episode."""

    of: str = _name(f"A number of the start, {_SHOWN}.")
    by: float = field(unit="SI", doc="How far it is at most from that of the scene.", ge=0)


@component
class TaskTable:
    """A task file."""

    scene: str = field(unit="", doc="The scene, a file beside the task.", min_length=1)
    observe: tuple[str, ...] = field(
        unit="", doc=f"What the agent sees, each {_SHOWN}.", min_length=1, max_length=MOST_ROWS
    )
    actions: tuple[ActionTable, ...] = field(
        unit="", doc="What the agent does, [[actions]] each.", min_length=1, max_length=MOST_ROWS
    )
    rate: float = field(default=50.0, unit="1/s", doc="Decisions a second of the simulation.", ge=SLOWEST)
    duration: float = field(default=10.0, unit="s", doc="Length of an episode.", gt=0)
    alive: float = field(default=0.0, unit="1", doc="Reward of every decision.")
    failed: float = field(default=0.0, unit="1", doc="Reward of a step that cannot be computed.")
    reward: tuple[TermTable, ...] = field(
        default=(), unit="", doc="What is rewarded, [[reward]] each.", max_length=MOST_ROWS
    )
    end: tuple[EndTable, ...] = field(
        default=(), unit="", doc="What ends an episode, [[end]] each.", max_length=MOST_ROWS
    )
    scatter: tuple[ScatterTable, ...] = field(
        default=(), unit="", doc="What is drawn anew at a reset, [[scatter]] each.", max_length=MOST_ROWS
    )
    overrides: dict[str, Any] = field(
        default={}, unit="", doc='Other values of the scene: "ENTITY.KIND.KEY" = VALUE.'
    )
    variant: str = field(
        default="", unit="", doc="Which variant of the scene it is.", max_length=LONGEST_NAME
    )


@dataclass(frozen=True)
class Declared:
    """A task that was checked, and where everything in it was written."""

    task: Task
    part: Part
    overrides: tuple[Override, ...]

    def refuse(self, problems: Iterable[Problem]) -> None:
        """Raise all problems in the order of the lines; return if there are none."""
        raise_problems(problems, (self.part.where.source,))

    def refuse_as(self, key: str, error: UserError) -> None:
        """Raise what somebody else found wrong with the value of a key."""
        self.refuse(self.part.problem((key,), each.what, each.remedy) for each in error.problems)


def read_task(path: str | Path, *, allow_outside: bool = False) -> Task:
    """A task from a TOML file; its scene lies in the same folder or below, unless others are allowed."""
    return declare(path, allow_outside=allow_outside).task


def declare(task: Task | str | Path, *, allow_outside: bool = False) -> Declared:
    """A task with its places, from wherever it comes. Raises `SceneError` with everything that is wrong."""
    if isinstance(task, Task):
        part = Part("", _as_table(task), Where("Task"), {})
        _, overrides = _check(part)
        return Declared(task, part, overrides)
    path = Path(task)
    document, lines = read_toml(path)
    part = SourceFile(path, str(path), document, lines).part("", (), document)
    table, overrides = _check(part)
    declared = Declared(_as_task(table, path.parent / table.scene), part, overrides)
    files = SceneFiles(str(path), allow_outside, owner="task", permission="pass allow_outside=True")
    try:
        files.find(table.scene, "scene")
    except UserError as error:
        declared.refuse_as("scene", error)
    return declared


def _check(part: Part) -> tuple[TaskTable, tuple[Override, ...]]:
    """The table, and the overrides in it; everything that is wrong with them is raised."""
    table, complaints = read_checked(TaskTable, part.table)
    problems = part.problems(complaints)
    overrides: tuple[Override, ...] = ()
    if table is not None:
        # Of what Python gave, and not pydantic's copy of it.
        values = part.table.get("overrides", {})
        layer = Part("overrides", values, part.place(("overrides",)), part.places_below("overrides"))
        overrides = read_overrides(layer, problems)
        problems.extend(_check_rate(part, table))
    raise_problems(problems, (part.where.source,))
    assert table is not None, "a table that cannot be read is a problem"
    return table, overrides


def _check_rate(part: Part, table: TaskTable) -> Iterator[Problem]:
    if table.rate * table.duration < 1.0 - 1e-9:
        what = f"a decision takes {1.0 / table.rate:g} s, longer than the episode of {table.duration:g} s"
        key = "rate" if "rate" in part.table else "duration"
        yield part.problem((key,), what, "give a greater rate or a longer duration")


def _as_table(task: Task) -> dict[str, Any]:
    """A task as its file would have it; bounds that are infinite are none."""
    table: dict[str, Any] = as_plain(asdict(replace(task, scene=Path("."))))
    table["scene"] = str(task.scene)
    for row in table["end"] if isinstance(table["end"], list) else ():
        for key, none in (("below", -math.inf), ("above", math.inf)):
            if isinstance(row, dict) and row.get(key) == none:
                del row[key]
    return table


def _as_task(table: TaskTable, scene: Path) -> Task:
    return Task(
        scene=scene,
        observe=table.observe,
        actions=tuple(Action(row.set, row.low, row.high) for row in table.actions),
        rate=table.rate,
        duration=table.duration,
        alive=table.alive,
        failed=table.failed,
        reward=tuple(Term(row.of, row.weight, row.shape, row.aim) for row in table.reward),
        end=tuple(
            Ending(
                row.of,
                -math.inf if row.below is None else row.below,
                math.inf if row.above is None else row.above,
            )
            for row in table.end
        ),
        scatter=tuple(Scatter(row.of, row.by) for row in table.scatter),
        overrides=table.overrides,
        variant=table.variant,
    )
