"""The world: compiled arrays, an ordered list of systems, and the step."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import NEXT, Array, ArrayTable
from supple.core.blueprint import Blueprint
from supple.core.build import ROOM, Build, run_compilers
from supple.core.clock import declare_clock
from supple.core.control import Control
from supple.core.dividing import divide_step
from supple.core.entity_view import EntityView
from supple.core.metrics import compile_metrics, forget_part, metric_times, metric_values
from supple.core.registry import Registry
from supple.core.schedule import Call, Entry, Phase
from supple.core.settings import MOST_ROOM
from supple.core.stepper import Stepper
from supple.core.timing import Timing
from supple.errors import CapacityError, PluginError, Problem, SimulationError, UserError, Where, suggest

if TYPE_CHECKING:
    from supple.mechanics.combined_dynamics import CombinedDynamics
    from supple.mechanics.world_contacts import WorldContact


#: Steps that may be taken before Python looks whether somebody wants to interrupt them.
AT_ONCE = 100


class World:
    """A scene that can be stepped.

        world = supple.load("scene.toml")
        world.step(100)
        world["walker/torso"].position

    The state only changes when a whole step succeeded; a failed step raises `SimulationError` and leaves
    it as it was.
    """

    _stepper: Stepper

    def __init__(self, blueprint: Blueprint, registry: Registry, room: int = 0) -> None:
        """`room` is for how many contacts, joints and limits; by default it is chosen by the scene."""
        self.blueprint = blueprint
        self.registry = registry
        #: Where `entity.component.field` was written; whoever read the scene knows.
        self.locate: Callable[[str], Where | None] = lambda path: None
        #: How often the arrays were replaced by larger ones; who keeps some must take them anew then.
        self.generation = 0
        self._warnings: list[Problem] | None = None
        self._build(room)
        self.control = Control(self)
        self._attended = False
        self._known_from = 0
        self._sealed = True

    def _build(self, room: int) -> None:
        """Make all arrays and systems, in the state of the start."""
        self.build = Build(self.blueprint, self.registry, room)
        declare_clock(self.build)
        run_compilers(self.build)
        compile_metrics(self.build)
        self.arrays = self.build.arrays
        self._stepper = Stepper(self.build, self.registry, self.__dict__.get("_stepper"))
        self._handed: set[str] = set()
        shown = {array for names in self.build.exposed.values() for array, _ in names.values()}
        self._shown_steps = [
            self.arrays[name] for name in sorted(shown) if self.arrays.spec(name).kind == "step"
        ]

    # Stepping

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.arrays["run.time"][0])

    @property
    def steps(self) -> int:
        """Steps taken since the start of the scene."""
        return int(self.arrays["run.step"][0])

    @property
    def schedule(self) -> list[Entry]:
        """The systems in the order of a step."""
        return self._stepper.schedule

    @property
    def timing(self) -> Timing:
        """How long every system took."""
        return self._stepper.timing

    @property
    def refused_kernel(self) -> str:
        """A kernel that is called from Python though it need not be, and why; empty if there is none so far."""
        return self._stepper.refused_kernel

    @property
    def patience(self) -> int | None:
        """After how many steps kernels are driven without Python; None for never. Results are the same to the bit."""
        return self._stepper.patience

    @patience.setter
    def patience(self, steps: int | None) -> None:
        self._stepper.patience = steps

    def step(self, count: int = 1) -> None:
        """Advance by `count` steps.

        A step that cannot be computed is taken again from the same state in two parts of half its length, then in
        four, and so on, `run.halvings` times; then it is given up, and the state stays as it was.

        A step with more contacts than there is room for is taken again with twice the room, unless the scene says
        how much there is. Arrays that were taken before are then those of the past: ask for them again.
        """
        try:
            count = operator.index(count)
        except TypeError:
            what = f"{str(count)[:60]} is no number of steps"
            raise UserError(Problem(None, "world.step", what, "give a whole one")) from None
        if count < 0:
            remedy = "keep a world.snapshot() and world.restore() it"
            raise UserError(
                Problem(None, "world.step", f"{count} steps: time does not run backwards", remedy)
            )
        for name in self._handed:
            # Nobody writes its successor: what was written to it by hand would be undone by the first step.
            self.arrays.set_state(name, (), self.arrays[name])
        if self._attended:
            self._step_attended(count)
            return
        while count:
            count -= self._take_steps(min(count, AT_ONCE))

    def _step_attended(self, count: int) -> None:
        """Advance with callbacks before steps and followers behind them; what lies between is taken at once."""
        control = self.control
        if control.is_calling:
            remedy = "a callback looks at the world and commands it"
            raise UserError(Problem(None, "world.step", "called from within a callback", remedy))
        while count:
            kept, before = control.keep(), self.steps
            try:
                control.begin_step()
                free = control.count_free_steps(count)
                count -= free
                while free:
                    free -= self._take_steps(min(free, AT_ONCE))
            except BaseException:
                if self.steps == before:  # else the commands were followed
                    control.put_back(kept)
                raise
            control.end_step()

    def attend(self) -> None:
        """See whether anything is to be done between steps; `Control` calls it."""
        self._attended = not self.control.is_idle

    def _take_steps(self, most: int) -> int:
        """Take steps, the last whole or in parts. Returns how many; 0 too for want of room that there is now."""
        before = self.timing.steps
        try:
            self._stepper.run(first=True, commit=True, times=most)
        except CapacityError as error:
            error.time, error.step = self.time, self.steps
            self.arrays.roll_back()
            self._make_room(error)
        except SimulationError as error:
            error.time, error.step = self.time, self.steps
            self.arrays.roll_back()
            cramped = divide_step(self._stepper, error)
            if cramped is not None:
                cramped.time, cramped.step = self.time, self.steps
                self._make_room(cramped)
        except BaseException:
            self.arrays.roll_back()
            raise
        return self.timing.steps - before

    def follow_steps(self, follower: Callable[[ArrayTable], Call] | None) -> None:
        """Have a call follow every step that was taken, without coming back to Python; None for no more.

        `follower` makes the call of the arrays, time and again when they are others. It must not change them. A step in
        parts is followed after each of these; `run.part` is 0 when it is over.
        """
        self._stepper.follower = follower
        self._stepper.bind()

    def compute_step(self) -> None:
        """Run all systems once without committing; most callers want `step`."""
        self._stepper.run(first=True, commit=False)

    def calls(self) -> list[tuple[Entry, Callable[[], None]]]:
        """The systems in their order, each with what it runs in a step; without those that have nothing to run."""
        return self._stepper.calls()

    def rebind(self, parts: int = 1) -> None:
        """Bind all members and systems anew, to steps of the run that are divided into so many parts."""
        self._stepper.bind(parts)

    def look_at_start(self, last: Phase = Phase.DETECT) -> None:
        """Run the systems of a step up to a phase and forget what they did to the State.

        Step arrays then hold what they found, such as the contacts at the start of the next step.
        """
        self._stepper.look_at_start(last)

    def _make_room(self, error: CapacityError) -> None:
        """Become the same world with twice the room, in the same state; raises the error where that is not wanted."""
        room = int(self.arrays[ROOM][0]) if ROOM in self.arrays.specs else MOST_ROOM
        if self.build.run.capacity.contacts or room >= MOST_ROOM:
            raise error
        self._change_room(2 * room, self.arrays.state_copy())

    def _change_room(self, room: int, state: Mapping[str, Array]) -> None:
        self._build(room)
        self._load({**self.arrays.resize_state(state), ROOM: np.array([room])})
        self.generation += 1

    def _load(self, state: Mapping[str, Array]) -> None:
        """Replace the State; systems that run only when they are needed are bound as it says."""
        self.arrays.load_state(state)
        self._stepper.bind_as_told()

    def rewind(self, kept: tuple[Array, Array]) -> None:
        """Be at the start of the run again, whose numbers are `kept` (`ArrayTable.keep`), as if nothing had been."""
        self.arrays.put_back(kept)
        for values in self._shown_steps:
            values.fill(0)
        self._known_from = 0
        self.control = Control(self)
        self._attended = False
        self._stepper.bind_as_told()

    def refill(self, build: Build) -> None:
        """Become the world of another build that differs in numbers only; `supple.core.mould` sees to that."""
        changed = self.arrays.refill(build.arrays)
        self.blueprint = self.build.blueprint = build.blueprint
        for name in ("graph", "run", "seed", "frames", "drawings"):
            setattr(self.build, name, getattr(build, name))
        self._warnings, self._known_from = None, 0
        self._handed.clear()
        self.control = Control(self)
        self._attended = False
        if changed <= self.build.plain:
            self._stepper.bind_as_told()
            for fill in self.build.fillers.values():
                fill()
        else:
            self._stepper.bind()
        self.timing.reset()

    # State

    def snapshot(self) -> dict[str, Array]:
        """A copy of everything that is needed to go on from here."""
        return self.arrays.state_copy()

    def restore(self, state: Mapping[str, Array], *, planned_steps: int | None = None) -> None:
        """Go back to a snapshot. `planned_steps` is the length of the run it was taken from."""
        copied = {name: np.array(values) for name, values in state.items()}
        told = copied.get(ROOM, np.zeros(0))
        room = int(told.item()) if told.size == 1 and told.dtype == np.int64 else 0
        if not 0 <= room <= 2 * MOST_ROOM:
            what = f"room for {room} contacts, more than any world makes"
            raise PluginError(Problem(None, ROOM, what, "use the state of the same scene"))
        if room and ROOM in self.arrays.specs and room != self.arrays[ROOM][0]:
            # It was taken when there was more room, or less.
            self._build(room)
            self.generation += 1
        self._load(copied)
        self._known_from = self.steps
        if self.steps == 0:
            # As in a world that was just built: nothing of an earlier run is seen.
            for values in self._shown_steps:
                values.fill(0)
        self.control.rewind()
        if planned_steps is not None and planned_steps != self.blueprint.run.steps:
            # Only now it is known that the state has what is to be forgotten.
            forget_part(self.build.metrics, self.blueprint.run, copied)
            self.arrays.load_state(copied)

    # Looking

    def __getitem__(self, path: str) -> EntityView:
        return EntityView(self, self.build.graph[path].path)

    def __setattr__(self, name: str, value: Any) -> None:
        """What belongs to the run, such as gravity, is refused: nothing would come of it."""
        if "_sealed" in self.__dict__ and name in type(self.blueprint.run).__dataclass_fields__:
            remedy = f'load the scene with overrides={{"run.{name}": ...}}'
            raise AttributeError(f"{name} of a world that is built cannot be set; {remedy}")
        object.__setattr__(self, name, value)

    def array(self, name: str) -> Array:
        """An array by name (`supple arrays` lists them); a view, so copy it to keep it.

        State may be written between steps; poses that follow from it are not brought up to date by that. Of Model and
        Step arrays nothing would come of it: they are handed out as read-only.
        """
        values = self.arrays[name]
        spec = self.arrays.specs.get(name)
        if spec is None or spec.kind != "state":
            values = values.view()
            values.flags.writeable = False
        elif name not in self._stepper.written:
            self._handed.add(name)
        return values

    def set_state(self, name: str, value: Any) -> None:
        """Set State as `world["path"].attribute` shows it, by `path.attribute`; poses of bones follow.

        A jump, not a motion: for states to start from. A command of that name is set as such.
        """
        path, _, attribute = name.rpartition(".")
        if attribute in self.build.commands.get(path, {}):
            self.control.set(path, attribute, value)
            return
        shown = self.build.exposed.get(self[path].path, {})
        if attribute not in shown or self.arrays.spec(shown[attribute][0]).kind != "state":
            states = [one for one, (array, _) in shown.items() if self.arrays.spec(array).kind == "state"]
            remedy = suggest(attribute, states, f"{path} has")
            raise UserError(Problem(None, name, "is not part of the state", remedy))
        array, index = shown[attribute]
        values, shape = np.asarray(value, np.float64), np.shape(self.arrays[array][index])
        if values.shape != shape or not np.isfinite(values).all():
            what, remedy = f"{value!r} does not fit", f"give finite numbers of the shape {shape}"
            raise UserError(Problem(None, name, what, remedy))
        self.arrays.set_state(array, index, values)
        if array in self.build.followed:
            self.build.followed[array](self.arrays)
            self.arrays.roll_back()

    def refuse_stale(self, name: str, what: str) -> None:
        """Raise where a Step array is asked for that still holds what was before the state was restored."""
        if self._known_from and self.steps == self._known_from and self.arrays.spec(name).kind == "step":
            remedy = "take a step, or look at the state"
            raise UserError(
                Problem(None, what, "is made by a step, and the state was restored since", remedy)
            )

    def labels(self, name: str) -> tuple[str, ...]:
        """What the rows of an array are called: `world.labels("skeleton.q")` names the bone of every coordinate."""
        if name.removesuffix(NEXT) not in self.arrays.specs:
            remedy = suggest(name, self.arrays.specs, "there are")
            raise UserError(Problem(None, name, "no such array", remedy))
        return self.arrays.spec(name).labels

    def contacts(self) -> list[WorldContact]:
        """The contacts of the last step: who touches whom, where, and the force between them.

            for contact in world.contacts():
                print(contact.a, contact.b, contact.point, contact.normal, contact.force)

        From the first call on they are kept in the State, so that a resumed run sees the same.
        """
        from supple.mechanics.world_contacts import list_contacts  # mechanics builds on core

        return list_contacts(self, since=self._known_from)

    # Control

    def on_step(self, callback: Callable[[World], Any] | None = None, *, rate: float | None = None) -> Any:
        """Call a function with the world before steps: `rate` times a second of the simulation, or before every one.

            @world.on_step(rate=100)
            def balance(world):
                world["cart"].apply_force([-40 * world["pole"].angle, 0, 0])

        It may look at the world and command it. Forces that it applies act until it is called again. A function that
        raises stops the run before the step. It is not part of snapshots and checkpoints; what it commands is.
        """
        if callback is None:
            return lambda function: self.on_step(function, rate=rate)
        self.control.add_callback(callback, rate)
        return callback

    def remove_callback(self, callback: Callable[[World], Any]) -> None:
        """Call a function of `on_step` no more."""
        self.control.remove_callback(callback)

    def metrics(self) -> dict[str, float]:
        """All metrics over the run so far, by `entity.metric`."""
        return metric_values(self.arrays, self.build.metrics)

    def metric_times(self) -> dict[str, float]:
        """When [s] every metric first had its figure of the run, by `entity.metric`; nan for means."""
        return metric_times(self.arrays, self.build.metrics)

    def warnings(self) -> list[Problem]:
        """What looks wrong with how the scene begins, each with path, what and remedy; see `supple.core.beginning`."""
        if self._warnings is None:
            from supple.core.beginning import find_warnings

            # Checks look at the start and leave traces in Step arrays; a world that went on is left alone.
            fresh = self if self.steps == 0 else World(self.blueprint, self.registry)
            found = find_warnings(fresh)
            self._warnings = [replace(each, where=each.where or self.locate(each.path)) for each in found]
        return list(self._warnings)

    def members(self, collection: str) -> list[Any]:
        """The members of a collection (mechanisms, surfaces, ...), sorted by name."""
        return self.build.members(collection)

    def dynamics(self, *paths: str) -> CombinedDynamics:
        """Queries about these entities together: masses, Jacobians, momenta, joints between them."""
        from supple.mechanics.combined_dynamics import ask_dynamics  # mechanics builds on core

        return ask_dynamics(self.build, *paths).bind(self.arrays)
