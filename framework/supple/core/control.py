"""Control from Python: commands by name, forces on entities, callbacks between steps.

A command is a number of the State that nothing else writes, such as the target of a servo: it holds until it is
changed, and is part of every snapshot and checkpoint. Plugins offer commands with `Build.offer_command`; forces on
frames are a table of the plugin push. What was commanded when is handed to whoever records (`Control.take_log`), and
`Control.replay` repeats it without the code that decided it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from supple.core.arrays import Array, FloatArray
from supple.errors import Problem, UserError, suggest

if TYPE_CHECKING:
    from supple.core.world import World

#: State that is not 0 once forces or torques are given from Python: until then the systems that apply them have nothing
#: to run.
COMMANDED = "run.commanded"
#: State that is not 0 once `World.contacts` was asked for: from then on the contacts of a step are kept.
WATCHED = "run.watched"
#: Numbers of one command: force, torque, point, and the step until which they act.
WIDTH = 10
FORCE = "force"


@dataclass(frozen=True)
class Command:
    """Something that can be set by name: elements of a State array that nothing else writes.

    `wakes`: systems that read it run only once something was commanded.
    """

    array: str
    index: tuple[int | slice, ...]
    unit: str
    doc: str
    wakes: bool


class Given(NamedTuple):
    """One command as it was given: before which step, which (a number of `Control.labels`), and the values [WIDTH]."""

    step: int
    what: int
    values: tuple[float, ...]


class Pusher(Protocol):
    """Who keeps the table of forces from Python, and applies them; see `Build.accept_pushes`."""

    def place(self, world: World, path: str, point: FloatArray, *, in_world: bool) -> FloatArray:
        """The point [3] in the frame that moves an entity; raises where nothing does."""
        ...

    def write(self, world: World, path: str, values: FloatArray) -> None:
        """Enter force, torque, point and the step until which they act [WIDTH]."""
        ...


class Follower(Protocol):
    """Looks at the world after steps; see `Control.follow`."""

    def __call__(self) -> None:
        """Look."""


@dataclass
class _Callback:
    function: Callable[[World], Any]
    every: int


class Control:
    """What a world is told from outside between its steps."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._callbacks: list[_Callback] = []
        self._followers: list[tuple[Follower, int]] = []
        self._replayed: list[Given] = []
        self._next = 0
        self._hold = 1
        self._calling = False
        self._log: list[Given] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nothing has to be done between steps."""
        return not (self._callbacks or self._followers or self._replayed)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of all commands of the world, in the order in which logs count them."""
        build = self._world.build
        found = [f"{path}.{name}" for path, offered in build.commands.items() for name in offered]
        return tuple(sorted(found + [f"{entity.path} {FORCE}" for entity in build.graph]))

    # Commands

    def set(self, path: str, attribute: str, value: Any) -> None:
        """Set a command of an entity; it holds until it is set again."""
        command = self._world.build.commands[path][attribute]
        element = self._world.arrays[command.array][command.index]
        values = _read_numbers(f"{path}.{attribute}", value, np.shape(element))
        if command.wakes:
            self.wake(COMMANDED)
        self._world.arrays.set_state(command.array, command.index, values)
        self._note(f"{path}.{attribute}", values)

    def push(
        self, path: str, force: Any, torque: Any, point: Any, duration: float | None, *, in_world: bool
    ) -> None:
        """Let a force and a torque act on an entity, from now on for a while."""
        wrench = np.concatenate([_read_numbers(f"{path}: force", force, (3,)),
                                 _read_numbers(f"{path}: torque", torque, (3,))])  # fmt: skip
        where = np.zeros(3) if point is None else _read_numbers(f"{path}: point", point, (3,))
        steps = self._count_steps(path, duration)
        local = self._pusher(path).place(self._world, path, where, in_world=in_world and point is not None)
        values = np.concatenate([wrench, local, [self._world.steps + steps]])
        self._push(path, values)

    def _push(self, path: str, values: FloatArray) -> None:
        self.wake(COMMANDED)
        self._pusher(path).write(self._world, path, values)
        self._note(f"{path} {FORCE}", values)

    def _pusher(self, path: str) -> Pusher:
        pusher = self._world.build.pusher
        if pusher is None:
            raise _refuse(path, "nothing here applies forces", "leave the plugin push enabled")
        return pusher

    def wake(self, flag: str) -> None:
        """Bind the systems that have nothing to run until they are needed."""
        if not self._world.arrays[flag][0]:
            self._world.arrays.set_state(flag, (0,), np.array(1))
            self._world.rebind()

    def _count_steps(self, path: str, duration: float | None) -> float:
        if duration is None:
            return self._hold
        if not (isinstance(duration, int | float) and math.isfinite(duration) and duration > 0):
            raise _refuse(path, f"a force for {duration!r} s", "give a duration above 0 s, or none")
        return float(duration) / self._world.blueprint.run.step

    def _note(self, label: str, values: FloatArray) -> None:
        if self._log is not None:
            padded = np.zeros(WIDTH)
            padded[: values.size] = values.ravel()
            self._log.append(Given(self._world.steps, self._number_of(label), tuple(padded.tolist())))

    def _number_of(self, label: str) -> int:
        if not hasattr(self, "_numbers"):
            self._numbers = {name: number for number, name in enumerate(self.labels)}
        return self._numbers[label]

    # Logs

    def start_log(self) -> None:
        """Note all commands from now on; `take_log` hands them over."""
        if self._log is None:
            self._log = []

    def take_log(self) -> list[Given]:
        """The commands since the last call."""
        taken, self._log = self._log or [], None if self._log is None else []
        return taken

    def replay(self, labels: Sequence[str], given: Iterable[Given]) -> None:
        """Give these commands again, each before its step; `labels` are those of the world that they come from."""
        known = {name: number for number, name in enumerate(self.labels)}
        found = []
        for one in given:
            label = labels[one.what]
            if label not in known:
                raise _refuse(label, "the world has no such command", suggest(label, known, "it has"))
            found.append(one._replace(what=known[label]))
        self._replayed = sorted(found, key=lambda one: one.step)
        self.rewind()
        self._world.attend()

    def rewind(self) -> None:
        """The world is at another step than before: find the place in what is replayed."""
        now = self._world.steps
        self._next = sum(1 for one in self._replayed if one.step < now)
        if self._log:
            self._log = [one for one in self._log if one.step < now]

    def _give_again(self, one: Given) -> None:
        label, values = self.labels[one.what], np.array(one.values)
        if label.endswith(f" {FORCE}"):
            self._push(label.removesuffix(f" {FORCE}"), values)
            return
        path, _, attribute = label.rpartition(".")
        command = self._world.build.commands[path][attribute]
        shape = np.shape(self._world.arrays[command.array][command.index])
        self.set(path, attribute, values[: math.prod(shape)].reshape(shape))

    # Between steps

    def add_callback(self, function: Callable[[World], Any], rate: float | None) -> None:
        """Call a function before steps; see `World.on_step`."""
        self._callbacks.append(_Callback(function, count_interval(rate, self._world.blueprint.run.step)))
        self._world.attend()

    def remove_callback(self, function: Callable[[World], Any]) -> None:
        """Call a function no more."""
        kept = [each for each in self._callbacks if each.function is not function]
        if len(kept) == len(self._callbacks):
            raise _refuse("world.remove_callback", "this function is not called", "give one of on_step")
        self._callbacks = kept
        self._world.attend()

    def follow(self, follower: Follower, every: int = 1) -> Callable[[], None]:
        """Call a function after every n-th step of the run that was taken; returns what ends that."""
        entry = (follower, every)
        self._followers.append(entry)
        self._world.attend()

        def end() -> None:
            if entry in self._followers:
                self._followers.remove(entry)
                self._world.attend()

        return end

    def count_free_steps(self, most: int) -> int:
        """How many steps may be taken at once, from the one that has just begun, before somebody is called again."""
        now = self._world.steps
        for every in (*(each.every for each in self._callbacks), *(every for _, every in self._followers)):
            most = min(most, every - now % every)
        if self._next < len(self._replayed):
            most = min(most, max(1, self._replayed[self._next].step - now))
        return most

    def begin_step(self) -> None:
        """Give what is due before the step; if that raises, all is as it was."""
        now = self._world.steps
        while self._next < len(self._replayed) and self._replayed[self._next].step <= now:
            one = self._replayed[self._next]
            self._next += 1
            if one.step == now:
                self._give_again(one)
        for each in self._callbacks:
            if now % each.every == 0:
                self._call(each)

    def _call(self, each: _Callback) -> None:
        if self._calling:
            raise _refuse("world.step", "called from within a callback", "a callback looks and commands only")
        self._calling, self._hold = True, each.every
        try:
            each.function(self._world)
        finally:
            self._calling, self._hold = False, 1

    def end_step(self) -> None:
        """Let followers look at the step that was taken."""
        now = self._world.steps
        for follower, every in tuple(self._followers):
            if now % every == 0:
                follower()

    @property
    def is_calling(self) -> bool:
        """Whether a callback is at work."""
        return self._calling

    def keep(self) -> tuple[dict[str, Array], int, int | None] | None:
        """What a callback may change, to be put back if the step fails; None where nobody changes anything."""
        if not self._callbacks and self._next == len(self._replayed):
            return None
        arrays = self._world.arrays
        kept = {name: arrays[name].copy() for name in self._world.build.commanded_arrays()}
        return kept, self._next, None if self._log is None else len(self._log)

    def put_back(self, kept: tuple[dict[str, Array], int, int | None] | None) -> None:
        """Undo what callbacks did before a step that could not be taken."""
        if kept is None:
            return
        values, self._next, length = kept
        for name, old in values.items():
            self._world.arrays.set_state(name, (), old)
        if self._log is not None and length is not None:
            del self._log[length:]


def count_interval(rate: float | None, h: float) -> int:
    """The steps of `h` [s] from call to call at a rate [1/s]; a rate that needs parts of steps is refused."""
    if rate is None:
        return 1
    if not (isinstance(rate, int | float) and math.isfinite(rate) and rate > 0):
        raise _refuse("world.on_step", f"a rate of {rate!r}", "give calls per second, or None for every step")
    steps = 1.0 / (float(rate) * h)
    every = max(1, round(steps))
    if abs(steps - every) > 1e-6 * every:
        near = " or ".join(f"{1.0 / (n * h):g}" for n in sorted({max(1, int(steps)), int(steps) + 1}))
        what = f"{rate:g} calls a second are no whole number of steps of {h:g} s"
        raise _refuse("world.on_step", what, f"choose rate = {near}")
    return every


def _read_numbers(what: str, value: Any, shape: tuple[int, ...]) -> FloatArray:
    try:
        values = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise _refuse(what, f"{value!r} is no number", _say_shape(shape)) from None
    if shape == (1,) and values.shape == ():
        values = values.reshape(1)
    if values.shape != shape:
        raise _refuse(what, f"has the shape {values.shape}", _say_shape(shape))
    if not np.isfinite(values).all():
        raise _refuse(what, "is not finite", _say_shape(shape))
    return values


def _say_shape(shape: tuple[int, ...]) -> str:
    return "give one number" if shape == () else f"give {' x '.join(map(str, shape))} numbers"


def _refuse(path: str, what: str, remedy: str) -> UserError:
    return UserError(Problem(None, path, what, remedy))
