"""A scene as an environment of Gymnasium: for learning and optimisation.

env = supple.gym.SceneEnv("scenes/control/balance.toml")       # a task: what is seen, done, rewarded, and when it ends
observation, info = env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

A task is a TOML file beside its scene, or a `Task` made in Python; framework/docs/learning.md says what it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from supple.core.arrays import Array, FloatArray
from supple.core.control import COMMANDED, count_interval
from supple.core.world import World
from supple.errors import Problem, SimulationError, UserError, suggest
from supple.gym_task import Action, Declared, Ending, Scatter, Task, Term, declare, read_task
from supple.plugin import load_plugins
from supple.scene.load import build_world, read_scene
from supple.scene.toml_scanner import KeyPath, one_line

try:
    import gymnasium
except ImportError as error:
    raise UserError(
        Problem(None, "supple.gym", f"needs gymnasium ({error})", "pip install 'supple[gym]'")
    ) from error

__all__ = ["Action", "Ending", "Scatter", "SceneEnv", "Task", "Term", "read_task", "vectorise"]

SHAPES: dict[str, Callable[[FloatArray], float]] = {
    "sum": lambda values: float(values.sum()),
    "size": lambda values: float(np.abs(values).sum()),
    "square": lambda values: float(values @ values),
}
"""What a term of the reward makes of the numbers that it names."""


MOST_STEPS = 100_000
"""More steps than a decision may take: what takes longer is a run."""


class SceneEnv(gymnasium.Env[FloatArray, FloatArray]):
    """An environment of any scene. A reset goes back to the start by a snapshot, and is decided by its seed.

    `reward` and `end` may be functions of the world instead of what the task declares. Files outside the folder of
    the task, and of its scene, are opened with `allow_outside` only.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        task: Task | str | Path,
        *,
        reward: Callable[[World], float] | None = None,
        end: Callable[[World], bool] | None = None,
        render_mode: str | None = None,
        allow_outside: bool = False,
    ) -> None:
        declared = declare(task, allow_outside=allow_outside)
        self.task = told = declared.task
        self.render_mode = render_mode
        self.world = _load_world(declared, allow_outside)
        self._reward_of, self._ends = reward, end
        declared.refuse(_Names(declared, self.world).judge())
        self.skip = _count_steps(declared, self.world.blueprint.run.step)
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


def _load_world(declared: Declared, allow_outside: bool) -> World:
    told = declared.task
    plugins = load_plugins()
    scene = read_scene(told.scene, plugins, allow_outside=allow_outside)
    if told.variant and told.variant not in scene.variants:
        what = f"there is no variant '{one_line(told.variant)}'"
        remedy = suggest(told.variant, scene.variants) if scene.variants else "the scene has no variants"
        declared.refuse([declared.part.problem(("variant",), what, remedy)])
    # Metrics know the length of the run; an episode is one.
    blueprint = scene.blueprint(variant=told.variant, overrides=declared.overrides, until=told.duration)
    return build_world(scene, blueprint, plugins)


def _count_steps(declared: Declared, h: float) -> int:
    """The steps of `h` [s] that a decision takes."""
    try:
        steps = count_interval(declared.task.rate, h)
    except UserError as error:
        declared.refuse_as("rate", error)
        raise
    if steps > MOST_STEPS:
        what = f"a decision takes {steps:.3g} steps of {h:g} s, more than {MOST_STEPS}"
        remedy = f"give a rate of at least {1.0 / (MOST_STEPS * h):g}"
        declared.refuse([declared.part.problem(("rate",), what, remedy)])
    return steps


class _Names:
    """Looks up what a task names in its world."""

    def __init__(self, declared: Declared, world: World) -> None:
        self.told, self.part, self.world = declared.task, declared.part, world

    def judge(self) -> Iterator[Problem]:
        """What is wrong with them."""
        told = self.told
        for number, name in enumerate(told.observe):
            yield from self._judge_shown(("observe", number), name)
        judged: dict[str, Sequence[Term | Ending | Scatter]] = {
            "reward": told.reward,
            "end": told.end,
            "scatter": told.scatter,
        }
        for key, rows in judged.items():
            for number, row in enumerate(rows):
                yield from self._judge_shown((key, number, "of"), row.of, changes=key == "scatter")
        for number, action in enumerate(told.actions):
            yield from self._judge_command(("actions", number, "set"), action.set)

    def _judge_shown(self, keys: KeyPath, name: str, *, changes: bool = False) -> Iterator[Problem]:
        """A name of what is looked at, or set at a reset."""
        world, (path, _, attribute) = self.world, name.rpartition(".")
        wrong = self._judge_name(keys, name, world.build.exposed, "shows")
        if wrong is not None:
            yield wrong
            return
        array, index = world.build.exposed[path][attribute]
        kind = world.arrays.spec(array).kind
        if kind == "step":
            what = f"'{name}' is made by a step, and unknown at a reset"
            yield self.part.problem(keys, what, "observe the state")
        elif world.arrays[array][_as_slice(index)].size == 0:
            yield self.part.problem(keys, f"'{name}' has no numbers", "choose another")
        elif changes and kind != "state" and attribute not in world.build.commands.get(path, {}):
            yield self.part.problem(keys, f"'{name}' is not part of the state", "scatter what a step changes")

    def _judge_command(self, keys: KeyPath, name: str) -> Iterator[Problem]:
        """A name of what the agent sets."""
        world, (path, _, attribute) = self.world, name.rpartition(".")
        wrong = self._judge_name(keys, name, world.build.commands, "can be told its")
        if wrong is not None:
            yield wrong
            return
        command = world.build.commands[path][attribute]
        if world.arrays[command.array][_as_slice(command.index)].ndim != 1:
            yield self.part.problem(keys, f"'{name}' is no list of numbers", "choose another command")

    def _judge_name(
        self, keys: KeyPath, name: str, known: Mapping[str, Mapping[str, Any]], verb: str
    ) -> Problem | None:
        path, dot, attribute = name.rpartition(".")
        graph = self.world.build.graph
        if not dot:
            return self.part.problem(keys, f"'{one_line(name)}' names no number", "write entity.attribute")
        if path not in graph:
            remedy = suggest(path, [entity.path for entity in graph], "the scene has")
            return self.part.problem(keys, f"there is no entity '{one_line(path)}'", remedy)
        found = known.get(path, {})
        if attribute not in found:
            remedy = suggest(attribute, found, f"{path} {verb}")
            return self.part.problem(keys, f"'{one_line(name)}' is not known", remedy)
        return None


def _as_slice(index: Sequence[Any]) -> tuple[Any, ...]:
    """The same elements of an array as a view, also where it is one number."""
    *before, last = index
    return (*before, slice(last, last + 1)) if isinstance(last, int) else tuple(index)


def vectorise(task: Task | str | Path, count: int, *, processes: bool = False, **options: Any) -> Any:
    """So many environments of a task as one, after each other or each in a process of its own."""
    told: Task | Path
    if isinstance(task, Task):
        told = replace(task, scene=task.scene.resolve())
    else:
        # Each reads the file itself, so that its complaints name lines; what is wrong with it is told here already.
        read_task(task, allow_outside=bool(options.get("allow_outside")))
        told = Path(task).absolute()
    make = [_Maker(told, options)] * count
    if processes:
        return gymnasium.vector.AsyncVectorEnv(make, context="spawn")
    return gymnasium.vector.SyncVectorEnv(make)


@dataclass(frozen=True)
class _Maker:
    """Makes an environment, here or in another process."""

    task: Task | Path
    options: dict[str, Any]

    def __call__(self) -> SceneEnv:
        return SceneEnv(self.task, **self.options)
