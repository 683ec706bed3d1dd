"""The world: compiled arrays, an ordered list of systems, and the step."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import NEXT, Array
from supple.core.blueprint import Blueprint
from supple.core.build import ROOM, Build, run_compilers
from supple.core.control import COMMANDED, WATCHED, Control
from supple.core.entity_view import EntityView
from supple.core.fault import naming_fault, raise_fault
from supple.core.metrics import compile_metrics, forget_part, metric_times, metric_values
from supple.core.program import Part, Program, System, list_parts
from supple.core.registry import Registered, Registry
from supple.core.runaway import Runaways
from supple.core.schedule import Bound, Call, Entry, MovedError, Phase, expand, order_systems, solve_of
from supple.core.settings import MOST_ROOM
from supple.core.timing import Timing
from supple.errors import (
    CapacityError,
    PluginError,
    Problem,
    SimulationError,
    SuppleError,
    UserError,
    Where,
    suggest,
)

if TYPE_CHECKING:
    from supple.mechanics.combined_dynamics import CombinedDynamics
    from supple.mechanics.world_contacts import WorldContact


#: Steps from Python before stretches of kernels are driven without it (`supple.core.driver`): that takes as long to
#: prepare as some hundred steps save. Doubled whenever it was in vain.
PATIENCE = 200
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

    timing: Timing
    _program: Program

    def __init__(self, blueprint: Blueprint, registry: Registry, room: int = 0) -> None:
        """`room` is for how many contacts, joints and limits; by default it is chosen by the scene."""
        self.blueprint = blueprint
        self.registry = registry
        #: Where `entity.component.field` was written; whoever read the scene knows.
        self.locate: Callable[[str], Where | None] = lambda path: None
        #: How often the arrays were replaced by larger ones; who keeps some must take them anew then.
        self.generation = 0
        #: After how many steps kernels are driven without Python; None for never. Results are the same to the bit.
        self.patience: int | None = PATIENCE
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
        self.schedule: list[Entry] = self._make_schedule()
        self._moving_count = sum(entry.phase < Phase.OBSERVE for entry in self.schedule)
        observing = self.schedule[self._moving_count :]
        self.arrays.freeze({name.removesuffix(NEXT) for entry in observing for name in entry.writes})
        self._written = {name.removesuffix(NEXT) for entry in self.schedule for name in entry.writes}
        self._handed: set[str] = set()
        self._cleared = self.arrays.join(sorted(self.build.accumulating))
        shown = {array for names in self.build.exposed.values() for array, _ in names.values()}
        self._shown_steps = [
            self.arrays[name] for name in sorted(shown) if self.arrays.spec(name).kind == "step"
        ]
        self._number, self._again = self.arrays["run.step"], self.arrays["run.again"]
        self._runaways = Runaways(self.build)
        names = [entry.name for entry in self.schedule]
        if "timing" not in self.__dict__ or self.timing.names != names:
            self.timing = Timing(names)
        self.rebind()

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
    def refused_kernel(self) -> str:
        """A kernel that is called from Python though it need not be, and why; empty if there is none so far."""
        return self._program.refused

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
            self._run_systems(first=True, commit=True, times=most)
        except CapacityError as error:
            error.time, error.step = self.time, self.steps
            self.arrays.roll_back()
            self._make_room(error)
        except SimulationError as error:
            error.time, error.step = self.time, self.steps
            self.arrays.roll_back()
            self._divide_step(error)
        except BaseException:
            self.arrays.roll_back()
            raise
        return self.timing.steps - before

    def compute_step(self) -> None:
        """Run all systems once without committing; most callers want `step`."""
        self._run_systems(first=True, commit=False)

    def _run_systems(self, first: bool, commit: bool, times: int = 1) -> None:
        """Run all systems, at most so many times. Slow ones do nothing but in the first part of their steps."""
        self._first, program = first, self._program
        try:
            self._run(program, first, commit, times)
        except MovedError:
            self._forget_found()
            self.arrays.roll_back()
            self.rebind(self._parts)
            self._run_systems(first, commit)
        except BaseException:
            self._forget_found()
            raise
        finally:
            if self._parts == 1:  # several count as one
                self.timing.steps += program.done

    def _forget_found(self) -> None:
        for name in self.build.found_out:
            self.arrays[name].fill(0)

    def _run(self, program: Program, first: bool, commit: bool, times: int = 1) -> None:
        """Run a program; errors say which system they are from."""
        try:
            program.run(self._number.item(0), first, commit, times)
        except SimulationError as error:
            if program.system < len(self.schedule):
                error.system = error.system or self.schedule[program.system].name
            raise
        except (SuppleError, MovedError):
            raise
        except Exception as error:
            if program.system >= len(self.schedule):
                raise
            entry = self.schedule[program.system]
            raise_fault(error, self.registry, entry.plugin, f"system {entry.name}")

    def _move_again(self) -> None:
        """Run what moves from the same state, but for what was found out meanwhile, while a system asks for it."""
        while self._again.item(0):
            self.arrays.start_again(self.build.found_out)
            self._run(self._moving, self._first, False)

    def _divide_step(self, error: SimulationError) -> bool:
        """Take the step in ever more parts; give it up with the error that it had as a whole.

        False if it was not taken, for want of room that there is now.
        """
        kept, done, cramped = self.arrays.keep(), False, None
        try:
            for level in range(1, self.build.run.halvings + 1):
                try:
                    self._take_parts(2**level)
                except CapacityError as want:
                    cramped = want
                    break
                except SimulationError:
                    self.arrays.put_back(kept)
                else:
                    done = True
                    return True
        finally:
            if not done:
                self.arrays.put_back(kept)
            if self.build.run.halvings:
                self.rebind()
        if cramped is None:
            raise error
        cramped.time, cramped.step = self.time, self.steps
        self._make_room(cramped)
        return False

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
        if [bool(self.arrays[name][0]) for name in (COMMANDED, WATCHED)] != self._bound_flags:
            self.rebind()

    def look_at_start(self, last: Phase = Phase.DETECT) -> None:
        """Run the systems of a step up to a phase and forget what they did to the State.

        Step arrays then hold what they found, such as the contacts at the start of the next step.
        """
        for array in self._cleared:
            array.fill(0)
        try:
            for entry, call in self.calls():
                if entry.phase <= last:
                    call()
        except MovedError:
            self.arrays.roll_back()
            self.rebind()
            self.look_at_start(last)
        finally:
            self.arrays.roll_back()

    def _take_parts(self, parts: int) -> None:
        self.rebind(parts)
        for part in range(parts):
            self._run_systems(first=part == 0, commit=True)
        self.timing.steps += 1

    def calls(self) -> list[tuple[Entry, Callable[[], None]]]:
        """The systems in their order, each with what it runs in a step; without those that have nothing to run."""
        return [
            (self.schedule[place], call)
            for place, call, _ in self._program.singles
            if place < len(self.schedule)
        ]

    def rewind(self, kept: tuple[Array, Array]) -> None:
        """Be at the start of the run again, whose numbers are `kept` (`ArrayTable.keep`), as if nothing had been."""
        self.arrays.put_back(kept)
        for values in self._shown_steps:
            values.fill(0)
        self._known_from = 0
        self.control = Control(self)
        self._attended = False
        if [bool(self.arrays[name][0]) for name in (COMMANDED, WATCHED)] != self._bound_flags:
            self.rebind()

    def refill(self, build: Build) -> None:
        """Become the world of another build that differs in numbers only; `supple.core.mould` sees to that."""
        changed = self.arrays.refill(build.arrays)
        self.blueprint = self.build.blueprint = build.blueprint
        for name in ("graph", "run", "frames", "drawings"):
            setattr(self.build, name, getattr(build, name))
        self._warnings, self._known_from = None, 0
        self._handed.clear()
        self.control = Control(self)
        self._attended = False
        flags = [bool(self.arrays[name][0]) for name in (COMMANDED, WATCHED)]
        if not changed <= self.build.plain or flags != self._bound_flags:
            self.rebind()
        self.timing.reset()

    def rebind(self, parts: int = 1) -> None:
        """Bind all members and systems anew, to steps of the run that are divided into so many parts.

        What is bound anew goes on as before: nothing may be kept but in arrays. Slow ones keep their own step.
        """
        self._bound_flags = [bool(self.arrays[name][0]) for name in (COMMANDED, WATCHED)]
        rates = {solve.name: solve.rate for solve in self.build.members("solves")}
        for members in self.build.collections.values():
            for member in members:
                self._bind_member(member, rates.get(solve_of(member), 1), parts)
        bound: list[System] = [
            (place, self._bind(entry, parts), entry.system.rate) for place, entry in enumerate(self.schedule)
        ]
        self._parts = parts
        self._assemble(bound[: self._moving_count], bound[self._moving_count :])

    def _assemble(self, moving: list[System], observing: list[System]) -> None:
        """Make one program of the systems and what is done before, between and behind them."""
        from supple.core.state_kernels import clear, is_set  # numba takes a second to import

        around = len(self.schedule)  # the place of what belongs to no system

        def look(observed: bool) -> list[Call]:
            return [
                Call(*each, otherwise=lambda: self._name_nonfinite(observed))
                for each in self.arrays.looks[observed]
            ]

        start = [Call(clear, values) for values in (self._again, *self._cleared)]
        moving = [(around, start, 1), *moving, (around, look(False), 1)]
        again: list[Part] = [Call(is_set, self._again, otherwise=self._move_again)]
        end = [*look(True), *self._runaways.list_looks()]
        closing = [(around, [Call(*each) for each in self.arrays.copies], 1)]
        whole = [*moving, (around, again, 1), *observing, (around, end, 1)]
        if "_program" in self.__dict__ and self._program.is_driven and self.patience is not None:
            self.patience *= 2
        self._program = Program(whole, closing, self.timing, self.patience)
        self._moving = Program(moving, [], self.timing)

    def _name_nonfinite(self, observing: bool) -> None:
        """Stop at the first number that is not finite and say whose it is."""
        count = self._moving_count
        for entry in self.schedule[count:] if observing else self.schedule[:count]:
            for name in (*entry.writes, *entry.adds):
                if name not in self.arrays.records:
                    self._refuse_nonfinite(entry, name)

    def _refuse_nonfinite(self, entry: Entry, name: str) -> None:
        values, spec = self.arrays[name], self.arrays.spec(name)
        used = int(self.arrays.successor(spec.count)[0]) if spec.count else len(values)
        bad = np.argwhere(~np.isfinite(values[:used]))
        if len(bad):
            index = tuple(int(i) for i in bad[0])
            entity = spec.labels[index[0]] if spec.labels else ""
            element = f"{name.removesuffix(NEXT)}[{', '.join(map(str, index))}]"
            what = f"{element} became {values[index]}"
            raise SimulationError(what, system=entry.name, entity=entity, element=element)

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
        elif name not in self._written:
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

    # Building

    def _make_schedule(self) -> list[Entry]:
        kinds = {kind for entity in self.build.graph for kind in entity.components}
        entries = []
        for name, registered in self.registry.systems.items():
            if registered.when and not kinds & set(registered.when):
                continue
            if not registered.each:
                entries.append(self._make_entry(name, registered, self.build))
            for member in self.build.members(registered.each):
                entries.append(self._make_entry(f"{member.name}.{name}", registered, self.build, member))
        return order_systems(entries, self.arrays, frozenset(self.build.accumulating))

    def _make_entry(self, name: str, registered: Registered, *arguments: Any) -> Entry:
        with naming_fault(self.registry, registered.plugin, f"system {name}"):
            system = registered.load()(*arguments)
        reads, writes, adds = (
            expand(accesses, self.build.collections)
            for accesses in (system.reads, system.writes, system.adds)
        )
        return Entry(name, system, reads, writes, adds, registered.plugin)

    def _bind(self, entry: Entry, parts: int) -> list[Part]:
        h = self._length(entry.system.rate, parts)
        with naming_fault(self.registry, entry.plugin, f"system {entry.name}"):
            return list(
                list_parts(entry.system.bind(Bound(entry.name, entry.touches, self.arrays, self.build, h)))
            )

    def _bind_member(self, member: Any, rate: int, parts: int) -> None:
        h = self._length(rate, parts)
        with naming_fault(
            self.registry, self.build.plugin_of.get(id(member), "supple"), f"member {member.name}"
        ):
            allowed = frozenset((*member.reads, *getattr(member, "writes", ())))
            member.bind(Bound(member.name, allowed, self.arrays, self.build, h))

    def _length(self, rate: int, parts: int) -> float:
        """The step [s] of what runs in every `rate`-th step of the run."""
        return self.build.run.step * rate if rate > 1 else self.build.run.step / parts


def declare_clock(build: Build) -> None:
    """Declare what every world has: time, and what it was told."""
    build.add_state("run.time", [0.0], unit="s", doc="Simulated time.")
    build.add_state("run.step", [0], unit="1", doc="Number of the step.", dtype=np.int64)
    doc = "Parts that are done of a step that is taken in parts; 0 between steps."
    build.add_state("run.part", [0], unit="1", doc=doc, dtype=np.int64)
    build.add_state("run.halved", [0.0], unit="1", doc="Steps that had to be taken in parts so far.")
    doc = "Not 0 where the step is to be run again from its start, with what was found out."
    build.add_step("run.again", (1,), unit="1", doc=doc, dtype=np.int64)
    doc = "Not 0 once a force or torque was given from Python."
    build.add_state(COMMANDED, [0], unit="1", doc=doc, dtype=np.int64, bounds=(0, 1))
    doc = "Not 0 once contacts were asked for from Python."
    build.add_state(WATCHED, [0], unit="1", doc=doc, dtype=np.int64, bounds=(0, 1))
    build.add_model("run.gravity", build.run.gravity, unit="m/s^2", doc="Acceleration of free fall.")
