"""A scene as an environment of Gymnasium: for learning and optimisation.

env = supple.gym.SceneEnv("scenes/control/balance.toml")       # a task: what is seen, done, rewarded, and when it ends
observation, info = env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

A task is a TOML file beside its scene, or a `Task` made in Python; framework/docs/learning.md says what it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from supple.core.arrays import Array, FloatArray
from supple.core.control import COMMANDED, count_interval
from supple.core.world import World
from supple.errors import Problem, SimulationError, UserError, Where, suggest
from supple.scene.lines import read_toml
from supple.scene.load import load

try:
    import gymnasium
except ImportError as error:
    raise UserError(
        Problem(None, "supple.gym", f"needs gymnasium ({error})", "pip install 'supple[gym]'")
    ) from error

SHAPES: dict[str, Callable[[FloatArray], float]] = {
    "sum": lambda values: float(values.sum()),
    "size": lambda values: float(np.abs(values).sum()),
    "square": lambda values: float(values @ values),
}
"""What a term of the reward makes of the numbers that it names."""


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
    overrides: Mapping[str, Any] = field(default_factory=dict)
    variant: str = ""


_TABLES: dict[str, type] = {"actions": Action, "reward": Term, "end": Ending, "scatter": Scatter}


def read_task(path: str | Path) -> Task:
    """A task from a TOML file; its scene lies beside it."""
    path = Path(path)
    table, _ = read_toml(path)
    known = list(Task.__dataclass_fields__)
    values: dict[str, Any] = {}
    for name, value in table.items():
        where = Where(str(path))
        if name not in known:
            raise UserError(Problem(where, name, "no such key of a task", suggest(name, known, "there are")))
        if name in _TABLES:
            values[name] = tuple(_read_row(where, name, row) for row in value)
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    for name in ("scene", "observe", "actions"):
        if name not in values:
            what = f"a task needs {name}"
            raise UserError(
                Problem(Where(str(path)), name, what, "framework/docs/learning.md has an example")
            )
    return Task(**{**values, "scene": path.parent / values["scene"]})


def _read_row(where: Where, name: str, row: Any) -> Any:
    kind = _TABLES[name]
    known = [each.name for each in fields(kind)]
    for key in row if isinstance(row, dict) else ():
        if key not in known:
            raise UserError(Problem(where, f"{name}.{key}", "no such key", suggest(key, known, "there are")))
    try:
        return kind(**row)
    except TypeError as error:
        raise UserError(Problem(where, name, str(error), f"give {', '.join(known)}")) from error


class SceneEnv(gymnasium.Env[FloatArray, FloatArray]):
    """An environment of any scene. A reset goes back to the start by a snapshot, and is decided by its seed.

    `reward` and `end` may be functions of the world instead of what the task declares.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        task: Task | str | Path,
        *,
        reward: Callable[[World], float] | None = None,
        end: Callable[[World], bool] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.task = task if isinstance(task, Task) else read_task(task)
        self.render_mode = render_mode
        told = self.task
        # Metrics know the length of the run; an episode is one.
        self.world = load(told.scene, variant=told.variant, overrides=told.overrides, until=told.duration)
        self._reward_of, self._ends = reward, end
        self._check_names()
        self.skip = count_interval(told.rate, self.world.blueprint.run.step)
        self.decisions = max(1, round(told.duration * told.rate))
        if any(self.world.build.commands[path][name].wakes for path, name in self._commands()):
            self.world.control.wake(COMMANDED)
        self._start = self.world.snapshot()
        self._bind()
        size = sum(view.size for view in self._observed)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (len(self._low),), np.float64)
        self._taken = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[FloatArray, dict[str, Any]]:
        """Go back to the start, scattered as the task says."""
        super().reset(seed=seed)
        self.world.restore(self._start)
        self._take_arrays()
        for each in self.task.scatter:
            path, _, name = each.of.rpartition(".")
            value = np.asarray(getattr(self.world[path], name))
            self.world.set_state(each.of, value + self.np_random.uniform(-each.by, each.by, value.shape))
        self._taken = 0
        return self._look(), {}

    def step(self, action: FloatArray) -> tuple[FloatArray, float, bool, bool, dict[str, Any]]:
        """Give the commands, and let the time of one decision pass."""
        # np.clip takes three times as long.
        told = np.minimum(np.maximum(np.asarray(action, np.float64), -1.0), 1.0)
        values = self._low + self._half * (told + 1.0)
        for now, following, part in self._targets:
            now[...] = following[...] = values[part]
        self._taken += 1
        late = self._taken >= self.decisions
        try:
            self.world.step(self.skip)
        except SimulationError as error:
            return self._look(), self.task.failed, True, late, {"error": str(error)}
        self._take_arrays()
        return self._look(), self._pay(), self._is_over(), late, {}

    def _look(self) -> FloatArray:
        return np.concatenate(self._observed)

    def _pay(self) -> float:
        if self._reward_of is not None:
            return float(self._reward_of(self.world))
        paid = self.task.alive
        for (weight, shape, aim), view in self._terms:
            paid += weight * shape(view - aim if aim else view)
        return paid

    def _is_over(self) -> bool:
        if self._ends is not None:
            return bool(self._ends(self.world))
        return any(not low <= view.item(0) <= high for view, low, high in self._bounds)

    # Names become views of arrays once, so that a decision costs little besides its steps.

    def _commands(self) -> list[tuple[str, str]]:
        return [(one.set.rpartition(".")[0], one.set.rpartition(".")[2]) for one in self.task.actions]

    def _bind(self) -> None:
        world, told = self.world, self.task
        self._generation = world.generation
        self._targets: list[tuple[Array, Array, slice]] = []
        low: list[float] = []
        high: list[float] = []
        for (path, name), action in zip(self._commands(), told.actions, strict=True):
            command = world.build.commands[path][name]
            index = _as_slice(command.index)
            now, following = (
                buffer.views[command.array][index] for buffer in (world.arrays.now, world.arrays.next)
            )
            if now.ndim != 1:
                raise UserError(Problem(None, action.set, "is no list of numbers", "choose another command"))
            self._targets.append((now, following, slice(len(low), len(low) + now.size)))
            low += [action.low] * now.size
            high += [action.high] * now.size
        self._low = np.array(low)
        self._half = 0.5 * (np.array(high) - self._low)
        self._observed = [self._view(name) for name in told.observe]
        self._terms = [
            ((each.weight, SHAPES[each.shape], each.aim), self._view(each.of)) for each in told.reward
        ]
        self._bounds = [(self._view(each.of), each.below, each.above) for each in told.end]

    def _take_arrays(self) -> None:
        """A world that has made room for more contacts has other arrays."""
        if self.world.generation != self._generation:
            self._bind()

    def _view(self, name: str) -> Array:
        path, _, attribute = name.rpartition(".")
        array, index = self.world.build.exposed[path][attribute]
        # Of a row it is a view as well; what is no row has one axis already.
        view: Array = self.world.arrays[array][_as_slice(index)].reshape(-1)
        return view

    def _check_names(self) -> None:
        told = self.task
        if not told.observe or not told.actions:
            raise UserError(Problem(None, "task", "has nothing to observe or to do", "give both"))
        for one in told.reward:
            if one.shape not in SHAPES:
                remedy = suggest(one.shape, SHAPES, "there are")
                raise UserError(Problem(None, f"reward of {one.of}", f"no shape '{one.shape}'", remedy))
        judged = [each.of for each in told.reward] + [each.of for each in told.end]
        for name in [*told.observe, *judged, *(each.of for each in told.scatter)]:
            self._check_name(name, self.world.build.exposed, "shows")
        for action in told.actions:
            self._check_name(action.set, self.world.build.commands, "can be told its")
            if not action.low < action.high:
                what = f"from {action.low:g} to {action.high:g}"
                raise UserError(Problem(None, f"action {action.set}", what, "give a low below the high"))

    def _check_name(self, name: str, known: Mapping[str, Mapping[str, Any]], verb: str) -> None:
        path, _, attribute = name.rpartition(".")
        found = known.get(self.world[path].path, {})
        if attribute not in found:
            remedy = suggest(attribute, found, f"{path} {verb}")
            raise UserError(Problem(None, f"{self.task.scene}: {name}", "is not known", remedy))
        if known is self.world.build.exposed:
            array = self.world.build.exposed[path][attribute][0]
            if self.world.arrays.spec(array).kind == "step":
                what = "is made by a step, and unknown at a reset"
                raise UserError(Problem(None, f"{self.task.scene}: {name}", what, "observe the state"))


def _as_slice(index: Sequence[Any]) -> tuple[Any, ...]:
    """The same elements of an array as a view, also where it is one number."""
    *before, last = index
    return (*before, slice(last, last + 1)) if isinstance(last, int) else tuple(index)


def vectorise(task: Task | str | Path, count: int, *, processes: bool = False, **options: Any) -> Any:
    """So many environments of a task as one, after each other or each in a process of its own."""
    told = task if isinstance(task, Task) else read_task(task)
    told = replace(told, scene=told.scene.resolve())
    make = [_Maker(told, options)] * count
    if processes:
        return gymnasium.vector.AsyncVectorEnv(make, context="spawn")
    return gymnasium.vector.SyncVectorEnv(make)


@dataclass(frozen=True)
class _Maker:
    """Makes an environment, here or in another process."""

    task: Task
    options: dict[str, Any]

    def __call__(self) -> SceneEnv:
        return SceneEnv(self.task, **self.options)
