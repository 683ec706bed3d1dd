"""Compiling: entities become arrays, once.

Every compile function of a plugin is called with one `Build` and declares there the arrays, metrics and
members of collections that its components need. Nothing here knows any particular component.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import Array, ArraySpec, ArrayTable, FloatArray, Kind
from supple.core.blueprint import Blueprint
from supple.core.component import Metric
from supple.core.control import Command, Pusher
from supple.core.drawing import Drawing
from supple.core.entity import Entity
from supple.core.fault import raise_fault
from supple.core.members import Member, Solve, find_faults
from supple.core.pose import relative_pose, world_pose
from supple.core.registry import Registry
from supple.core.schedule import ROWS, Entry, solve_of
from supple.errors import PluginError, Problem, SuppleError, UserError, suggest

#: An index into an array: of one element, or of a row that `world["path"].attribute` shows.
Index = int | tuple[int, ...]


@dataclass(frozen=True)
class BoundMetric:
    """A metric and the array element that holds its value at every step."""

    path: str
    metric: Metric
    array: str
    index: tuple[int, ...]

    @property
    def key(self) -> str:
        """The name in reports and expressions."""
        return f"{self.path}.{self.metric.name}"


#: The State array with the room that a world was built with.
ROOM = "run.room"


@dataclass(frozen=True)
class Frame:
    """A rigid frame that moves an entity: row `index` of the frames called `carrier`.

    Its axes are the entity's; its `origin` [m] is given in the entity's own frame (a centre of mass, say).
    """

    carrier: str
    index: int
    origin: FloatArray


class Build:
    """Collects what compile functions declare."""

    def __init__(
        self, blueprint: Blueprint, registry: Registry, room: int = 0, *, checks_members: bool = True
    ) -> None:
        """`room` is for how many contacts, joints and limits; 0 chooses by the scene.

        Members need no checks where a scene is compiled once more with other numbers.
        """
        self.room, self._checks_members = room, checks_members
        self.blueprint = blueprint
        self.registry = registry
        self.graph = blueprint.graph
        self.run = blueprint.run
        self.seed = blueprint.seed
        self.arrays = ArrayTable()
        self.accumulating: set[str] = set()
        #: Model arrays that nothing is derived from when systems are bound.
        self.plain: set[str] = set()
        #: What fills Step arrays once, by who does; see `fill_once`.
        self.fillers: dict[str, Callable[[], None]] = {}
        #: Whether systems are bound to take steps as they come out: parts of these were tried, and did no better.
        self.trusting = False
        #: Step arrays that are not 0 where what DETECT finds at the end of the step is to be judged, and who does: it
        #: returns what makes the step doubtful, or "".
        self.end_looks: list[tuple[str, Callable[[ArrayTable], str]]] = []
        #: State that counts steps: one that is taken in parts counts once, however many of them do.
        self.step_counters: list[str] = []
        #: State that a step which is run again starts with; see `find_out`.
        self.found_out: list[str] = []
        self.collections: dict[str, list[Any]] = {"solves": [Solve()]}
        self.plugin_of: dict[int, str] = {}
        self.metrics: list[BoundMetric] = []
        self.exposed: dict[str, dict[str, tuple[str, tuple[int | slice, ...]]]] = {}
        #: What can be set as `world[path].attribute`, and who applies forces from Python; see `supple.core.control`.
        self.commands: dict[str, dict[str, Command]] = {}
        self.pusher: Pusher | None = None
        self.pushed_arrays: tuple[str, ...] = ()
        #: What brings arrays up to date that follow from a State array, by the name of that one.
        self.followed: dict[str, Callable[[Any], None]] = {}
        self.frames: dict[str, Frame] = {}
        #: Frames (carrier, row) that pass through each other; see `supple.mechanics.filters`.
        self.ignored_pairs: set[tuple[tuple[str, int], tuple[str, int]]] = set()
        self.drawings: list[Drawing] = []
        #: The systems in their order, once all is compiled: who binds may ask who else looks at something.
        self.schedule: list[Entry] = []
        self._places: dict[str, tuple[Frame, FloatArray, FloatArray] | None] = {}
        self.compiler = ""
        self.providing: tuple[str, ...] = ()

    # Looking at the scene

    def having(self, *kinds: str) -> list[Entity]:
        """The entities with at least one of these components, sorted by path."""
        return self.graph.having(*kinds)

    def settings(self, name: str) -> Any:
        """The table `[run.NAME]` of a plugin, defaults filled in."""
        return self.blueprint.settings[name]

    def pose(self, path: str) -> tuple[FloatArray, FloatArray]:
        """Position [m] and rotation (w, x, y, z) of an entity in the world at the start."""
        return world_pose(self.graph, path)

    # Declaring arrays

    def add_model(
        self,
        name: str,
        values: ArrayLike,
        *,
        unit: str,
        doc: str,
        labels: Iterable[str] = (),
        record: bool = False,
        dtype: Any = np.float64,
        plain: bool = False,
    ) -> None:
        """Declare a constant array.

        `plain`: whoever reads it does so in every step, and derives nothing from it when it is bound. A world that is
        used for other numbers (`supple.core.mould`) need not be bound anew then.
        """
        values = np.array(values, dtype=dtype, order="C")
        self._declare("model", name, values, unit, doc, labels, record=record)
        if plain:
            self.plain.add(name)

    def derive_from(self, *names: str) -> None:
        """Say, when something is bound, that it derives numbers from these arrays, plain though they were declared."""
        self.plain.difference_update(names)

    def fill_once(self, name: str, fill: Callable[[], None]) -> None:
        """Fill Step arrays that no step fills, such as the places of what stands still.

        It is done now, when the system `name` is bound, and again when the world is used for other numbers.
        """
        fill()
        self.fillers[name] = fill

    def find_out(self, name: str) -> None:
        """What a step writes to this State array is there when `run.again` has it run again, unlike all other State.

        It is zero between steps: who writes it leaves zeros where it asks for nothing.
        """
        self.found_out.append(name)

    def add_state(
        self,
        name: str,
        initial: ArrayLike,
        *,
        unit: str,
        doc: str,
        labels: Iterable[str] = (),
        count: str = "",
        record: bool = False,
        dtype: Any = np.float64,
        bounds: tuple[int, int] | None = None,
    ) -> None:
        """Declare an array that is needed to resume, with its initial values; write it as `NAME.next`.

        Integers that choose a row of another array need `bounds`, the first and last row: a checkpoint may be wrong.
        """
        values = np.array(initial, dtype=dtype, order="C")
        self._declare("state", name, values, unit, doc, labels, count, record, bounds)

    def add_step(
        self,
        name: str,
        shape: tuple[int, ...],
        *,
        unit: str,
        doc: str,
        labels: Iterable[str] = (),
        count: str = "",
        record: bool = False,
        accumulates: bool = False,
        dtype: Any = np.float64,
    ) -> None:
        """Declare an array that lives one step. One that accumulates starts each step at zero and is added to."""
        self._declare("step", name, np.zeros(shape, dtype=dtype), unit, doc, labels, count, record)
        if accumulates:
            self.accumulating.add(name)

    def add_record(self, name: str, record: object) -> None:
        """Declare a small typed object that lives one step."""
        self.arrays.declare_record(name, record)

    # Declaring the rest

    def add_member(self, collection: str, member: Member) -> None:
        """Put an object into a collection that systems read (`mechanisms`, `surfaces`, `row_sources`, ...)."""
        if collection not in self.providing:
            what = f"puts {member.name} into {collection} without saying so"
            raise PluginError(
                Problem(None, self.compiler, what, f"register it with provides=['{collection}']")
            )
        plugin = self.plugin_of[id(member)] = self._plugin()
        if self._checks_members:
            self._check_member(collection, member, plugin)
        members = self.collections.setdefault(collection, [])
        if any(other.name == member.name for other in members):
            raise PluginError(
                Problem(None, member.name, f"is in {collection} twice", "give one another name")
            )
        members.append(member)
        members.sort(key=lambda other: str(other.name))

    def add_solve(self, name: str, rate: int = 1) -> None:
        """Have a constraint problem of its own, which is solved in every `rate`-th step.

        Members of `mechanisms`, `carriers`, `surfaces` and `row_sources` belong to it whose attribute `solve` is its
        name. The compiler must be registered with provides=['solves'].
        """
        if rate < 1:
            raise PluginError(Problem(None, name, f"a solve with the rate {rate}", "give 1 or more steps"))
        self.add_member("solves", Solve(name, rate))

    def members(self, collection: str, solve: str = "") -> list[Any]:
        """The members of a collection, sorted by name; with `solve` only those that belong to this one."""
        members = self.collections.get(collection, [])
        return [member for member in members if solve_of(member) == solve] if solve else members

    def longest_step(self, solve: str = ROWS) -> float:
        """The longest step [s] that members of this solve are ever bound to: for choices that shorter ones keep."""
        rates = {each.name: each.rate for each in self.members("solves")}
        return self.run.step * float(rates[solve])

    def carry(self, path: str, frame: Frame) -> None:
        """Say that this frame moves the entity and whatever hangs below it."""
        self.frames[path] = frame
        self._places.clear()

    def pose_in_frame(self, path: str) -> tuple[Frame, FloatArray, FloatArray] | None:
        """The frame that moves an entity, and the entity's pose in it; None if it stands in the world."""
        if path not in self._places:
            self._places[path] = self._find_place(path)
        place = self._places[path]
        return place and (place[0], place[1].copy(), place[2].copy())

    def _find_place(self, path: str) -> tuple[Frame, FloatArray, FloatArray] | None:
        for entity in self.graph.ancestors(path):
            if entity.path in self.frames:
                frame = self.frames[entity.path]
                position, rotation = relative_pose(self.pose(entity.path), self.pose(path))
                return frame, position - frame.origin, rotation
        return None

    def refuse(self, path: str, what: str, remedy: str) -> UserError:
        """The error for a scene that is well-formed but cannot be built; raise it.

        `path` is that of the entity, component or field to blame (`walker.body.mass`); whoever read the scene
        adds the line of the file.
        """
        return UserError(Problem(None, path, what, remedy))

    def bind_metric(self, path: str, metric: Metric, array: str, index: Index) -> None:
        """Say which array element holds a metric of an entity (or of "run")."""
        flat = (index,) if isinstance(index, int) else index
        self.metrics.append(BoundMetric(path, metric, array, flat))

    def bind_metrics(self, entity: Entity, kind: str, places: Mapping[str, tuple[str, Index]]) -> None:
        """Bind every metric that the component `kind` of this entity declares."""
        for metric in entity.components[kind].metrics:
            array, index = places[metric.name]
            self.bind_metric(entity.path, metric, array, index)

    def expose(self, path: str, attribute: str, array: str, index: Index | slice) -> None:
        """Make a row of an array, or some, readable as `world[path].attribute`."""
        flat = index if isinstance(index, tuple) else (index,)
        self.exposed.setdefault(path, {})[attribute] = (array, flat)

    def offer_command(
        self,
        path: str,
        attribute: str,
        array: str,
        index: int | slice | tuple[int | slice, ...],
        *,
        unit: str,
        doc: str,
        wakes: bool = False,
    ) -> None:
        """Make elements of a State array settable as `world[path].attribute = ...`, and readable by the same name.

        Nothing else may write the array. With `wakes` the first such command sets `run.commanded` and binds all systems
        anew: one that has nothing to do before returns [] from `bind` while that is 0.
        """
        flat = index if isinstance(index, tuple) else (index,)
        command = Command(array, flat, unit, doc, wakes)
        self.commands.setdefault(path, {})[attribute] = command
        self.exposed.setdefault(path, {})[attribute] = (array, flat)

    def accept_pushes(self, pusher: Pusher, arrays: Iterable[str]) -> None:
        """Say who applies forces that are given from Python, and in which State arrays it keeps them."""
        self.pusher, self.pushed_arrays = pusher, tuple(arrays)

    def commanded_arrays(self) -> list[str]:
        """The State arrays that commands write."""
        offered = {command.array for offers in self.commands.values() for command in offers.values()}
        return sorted(offered | set(self.pushed_arrays))

    def draw(self, drawing: Drawing) -> None:
        """Show something in pictures and viewers; the arrays that it names are recorded from now on."""
        for name in drawing.arrays:
            if name not in self.arrays.specs:
                what = f"draws the array {name}, which is not declared"
                raise PluginError(Problem(None, drawing.name, what, suggest(name, self.arrays.specs)))
            self.arrays.specs[name] = replace(self.arrays.specs[name], record=True)
        place = bisect.bisect_left(self.drawings, drawing.name, key=lambda other: other.name)
        if place < len(self.drawings) and self.drawings[place].name == drawing.name:
            raise PluginError(Problem(None, drawing.name, "is drawn twice", "give one another name"))
        self.drawings.insert(place, drawing)

    def _check_member(self, collection: str, member: Member, plugin: str) -> None:
        registered = self.registry.collections.get(collection)
        protocol = registered.choose_protocol(member) if registered else Member
        name = str(getattr(member, "name", type(member).__name__))
        problems = [
            Problem(
                None, f"plugin {plugin}: {name}", f"in {collection} {fault}, as a {protocol.__name__} has it",
                f"see {protocol.__module__}.{protocol.__name__}",
            )
            for fault in find_faults(member, protocol)
        ]  # fmt: skip
        if problems:
            raise PluginError(problems)

    def _plugin(self) -> str:
        """The plugin whose compile function is at work."""
        known = self.registry.compilers.get(self.compiler)
        return known.plugin if known else "supple"

    def _declare(
        self,
        kind: Kind,
        name: str,
        values: Array,
        unit: str,
        doc: str,
        labels: Iterable[str],
        count: str = "",
        record: bool = False,
        bounds: tuple[int, int] | None = None,
    ) -> None:
        spec = ArraySpec(
            name, kind, unit, doc, values.shape, values.dtype, tuple(labels), count, record, bounds
        )
        self.arrays.declare(spec, values)


def run_compilers(build: Build) -> None:
    """Call the compile functions whose components the scene has, each after those it waits for."""
    kinds = {kind for entity in build.graph for kind in entity.components}
    for entry in build.registry.ordered_compilers:
        if not entry.components or kinds & set(entry.components):
            build.compiler, build.providing = entry.name, entry.provides
            try:
                entry.load()(build)
            except SuppleError:
                raise
            except Exception as error:
                raise_fault(error, build.registry, entry.plugin, f"compiler {entry.name}")
    _check_metrics(build)
    _check_solves(build)


def _check_solves(build: Build) -> None:
    """Every member must belong to a solve that exists."""
    known = [solve.name for solve in build.members("solves")]
    for collection in ("carriers", "mechanisms", "row_sources", "surfaces"):
        for member in build.members(collection):
            if solve_of(member) not in known:
                what = f"in {collection} belongs to the solve '{solve_of(member)}', which does not exist"
                plugin = build.plugin_of[id(member)]
                remedy = suggest(solve_of(member), known)
                raise PluginError(Problem(None, f"plugin {plugin}: {member.name}", what, remedy))


def _check_metrics(build: Build) -> None:
    """Every metric that a component declares must have been bound to an array."""
    bound = {metric.key for metric in build.metrics}
    for entity in build.graph:
        for kind, component in entity.components.items():
            for metric in component.metrics:
                if f"{entity.path}.{metric.name}" not in bound:
                    what = f"component {kind} declares the metric {metric.name} but its compile function binds none"
                    raise PluginError(Problem(None, entity.path, what, "call build.bind_metric"))
