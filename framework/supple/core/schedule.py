"""The order of systems, from what they declare to read and write.

Order: by phase, then by data flow, then by `after`, then by name; never by registration. Every array has one
writer, or any number of adders. What does not give one order is an error that names both systems and the
array.

A system that reads what it adds to sees the sum so far: it runs behind all other adders but those that say they come
`after` it. Of two such systems one must say so. Of those that add to one array in PLAN all but the first must read it:
a planner that counts on nobody else's plan is wrong as soon as there is one.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from supple.core.arrays import NEXT, Array, ArrayTable
from supple.errors import PluginError, Problem, ScheduleError, suggest

if TYPE_CHECKING:
    from supple.core.build import Build


class Phase(IntEnum):
    """The phases of a step, in their order."""

    DETECT = 0
    ACTUATE = 1
    FREE = 2
    ASSEMBLE = 3
    PLAN = 4
    SOLVE = 5
    ADVANCE = 6
    OBSERVE = 7


#: The solve that every scene has, and that members belong to unless they say otherwise.
ROWS: Final = "rows"


def solve_of(member: object) -> str:
    """The name of the solve that a member of a collection belongs to."""
    return str(getattr(member, "solve", ROWS))


@dataclass(frozen=True)
class Each:
    """The arrays that every member of a collection names in an attribute: `Each("mechanisms", "v_free")`.

    With `solve` only those of the members that belong to this solve.
    """

    collection: str
    attribute: str
    solve: str = ""


Access = str | Each


@dataclass(frozen=True, init=False)
class Call:
    """A kernel and the arguments that it is called with in every step.

    A system whose step is nothing but kernels returns such calls from `bind`: whoever runs the step then knows what is
    called, and can call it without coming back to Python.

    Where Python is needed now and then, the kernel returns a truth value, or an integer, and `otherwise` is what is
    called behind it when that is not 0: to raise an error, or to go on where the kernel could not.
    """

    kernel: Callable[..., Any]
    arguments: tuple[Any, ...]
    otherwise: Callable[[], Any] | None

    def __init__(
        self, kernel: Callable[..., Any], *arguments: Any, otherwise: Callable[[], Any] | None = None
    ) -> None:
        object.__setattr__(self, "kernel", kernel)
        object.__setattr__(self, "arguments", arguments)
        object.__setattr__(self, "otherwise", otherwise)


class MovedError(Exception):
    """Arrays that kernels are bound to were replaced by larger ones: all is bound anew, and the step begins again."""


#: What `System.bind` returns: a function of no arguments, a call of a kernel, or several of these in their order.
Work = Callable[[], Any] | Call | Sequence["Work"]


class System:
    """A piece of the step. Subclasses declare their accesses and bind their arrays once.

    A name ending in `.next` is the successor of a State array. `reads`, `writes` and `adds` may also be set
    in `__init__`, when they depend on the scene.
    """

    phase: ClassVar[Phase]
    reads: Sequence[Access] = ()
    writes: Sequence[Access] = ()
    adds: Sequence[Access] = ()
    after: Sequence[str] = ()
    rate: int = 1

    def __init__(self, build: Build) -> None:
        """Called once the scene is compiled; most systems need nothing here."""

    def bind(self, arrays: Bound) -> Work:
        """Look up the declared arrays once and return what runs in every step.

        It may be called again, with another `arrays.h`: keep nothing between steps but what follows from the arrays.
        """
        raise PluginError(
            Problem(None, type(self).__name__, "has no bind method", "define bind(self, arrays)")
        )


@dataclass(frozen=True)
class Entry:
    """A system in the schedule with its accesses expanded to names."""

    name: str
    system: System
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    adds: tuple[str, ...]
    plugin: str = "supple"

    @property
    def phase(self) -> Phase:
        """The phase that the system runs in."""
        return self.system.phase

    @property
    def touches(self) -> frozenset[str]:
        """All declared names."""
        return frozenset(self.reads) | frozenset(self.writes) | frozenset(self.adds)


Group = TypeVar("Group", bound=tuple[Any, ...])


class Bound:
    """The arrays that one system, or one member of a collection, has declared; nothing else is handed out.

    `h` [s] is the time that the one who is bound advances by: the step of the run times its rate.
    """

    def __init__(
        self, owner: str, allowed: frozenset[str], table: ArrayTable, build: Build, h: float
    ) -> None:
        self._owner, self._allowed, self._table = owner, allowed, table
        self.build, self.h = build, h

    def __getitem__(self, name: str) -> Array:
        self._check(name)
        return self._table[name]

    def take(self, group: type[Group], owner: str, **others: str) -> Group:
        """Arrays as a NamedTuple: the field `x` is the array `owner.x`, or the one that `others` names for it."""
        fields: tuple[str, ...] = group._fields  # type: ignore[attr-defined]
        return group(*(self[others.get(name, f"{owner}.{name}")] for name in fields))

    def record(self, name: str) -> Any:
        """A Step record (a small typed object) by name."""
        self._check(name)
        return self._table.records[name]

    def _check(self, name: str) -> None:
        if name not in self._allowed:
            what = f"{self._owner} takes {name} without declaring it"
            raise PluginError(Problem(None, self._owner, what, suggest(name, self._allowed, "it declares")))


def expand(accesses: Iterable[Access], collections: Mapping[str, Sequence[Any]]) -> tuple[str, ...]:
    """Array names of the accesses; a collection's members come in the order of their names."""
    names: list[str] = []
    for access in accesses:
        if isinstance(access, str):
            names.append(access)
            continue
        for member in collections.get(access.collection, ()):
            if access.solve and solve_of(member) != access.solve:
                continue
            value = getattr(member, access.attribute)
            names.extend((value,) if isinstance(value, str) else value)
    return tuple(dict.fromkeys(names))


def order_systems(entries: Sequence[Entry], table: ArrayTable, accumulating: frozenset[str]) -> list[Entry]:
    """The one order in which the systems run. Raises ScheduleError with every problem found."""
    entries = sorted(entries, key=lambda entry: entry.name)
    problems = [problem for entry in entries for problem in _check_names(entry, table, accumulating)]
    writers, clashes = _find_writers(entries)
    problems += clashes
    problems += _check_readers(entries, table, writers, accumulating)
    problems += _check_rates(entries, table, writers)
    names = {entry.name for entry in entries}
    edges, more = _find_edges(entries, writers, names)
    if problems or more:
        raise ScheduleError([*problems, *more])
    ordered: list[Entry] = []
    for phase in Phase:
        ordered += _sort_phase([entry for entry in entries if entry.phase == phase], edges)
    conflicts = list(_find_planner_conflicts([entry for entry in ordered if entry.phase == Phase.PLAN]))
    if conflicts:
        raise ScheduleError(conflicts)
    return ordered


def _check_names(entry: Entry, table: ArrayTable, accumulating: frozenset[str]) -> Iterable[Problem]:
    known = set(table.names())
    for name in sorted(entry.touches - known):
        yield Problem(None, entry.name, f"declares unknown array {name}", suggest(name, known, "there are"))
    for name in entry.writes + entry.adds:
        kind = table.spec(name).kind if name.removesuffix(NEXT) in table.specs else "step"
        if kind == "model":
            yield Problem(
                None, entry.name, f"writes {name}, which is Model and constant", "use a State array"
            )
        elif kind == "state" and not name.endswith(NEXT):
            yield Problem(None, entry.name, f"writes the state {name} itself", f"write {name}{NEXT}")
        elif kind == "step" and name in known and (name in accumulating) != (name in entry.adds):
            remedy = "declare it under adds" if name in accumulating else "declare it under writes"
            yield Problem(None, entry.name, f"declares {name} under the wrong heading", remedy)


def _find_writers(entries: Sequence[Entry]) -> tuple[dict[str, list[Entry]], list[Problem]]:
    writers: dict[str, list[Entry]] = {}
    for entry in entries:
        for name in entry.writes:
            writers.setdefault(name, []).append(entry)
    problems = [
        Problem(
            None,
            name,
            f"written by both {both[0].name} and {both[1].name}",
            "one array has one writer; disable one system",
        )
        for name, both in sorted(writers.items())
        if len(both) > 1
    ]
    for entry in entries:
        for name in entry.adds:
            for writer in writers.get(name, ()):
                what = f"{writer.name} writes it while {entry.name} adds to it"
                problems.append(Problem(None, name, what, "let both add"))
    for entry in entries:
        for name in entry.adds:
            writers.setdefault(name, []).append(entry)
    return writers, problems


def _check_readers(
    entries: Sequence[Entry],
    table: ArrayTable,
    writers: Mapping[str, list[Entry]],
    accumulating: frozenset[str],
) -> Iterable[Problem]:
    for entry in entries:
        for name in entry.reads:
            spec = table.specs.get(name)
            written_each_step = name in table.records or (spec is not None and spec.kind == "step")
            if written_each_step and name not in writers and name not in accumulating:
                yield Problem(
                    None, entry.name, f"reads {name}, which nobody writes", "add the system that writes it"
                )
            for writer in writers.get(name, ()):
                if writer.phase > entry.phase:
                    what = f"reads {name} in {entry.phase.name} before {writer.name} makes it in {writer.phase.name}"
                    yield Problem(
                        None, entry.name, what, "move one of them, or keep last step's value as State"
                    )


def _check_rates(
    entries: Sequence[Entry], table: ArrayTable, writers: Mapping[str, list[Entry]]
) -> Iterable[Problem]:
    """Between the steps of a slow system its Step values are stale: only systems as slow may read them."""
    for entry in entries:
        for name in entry.reads:
            if name in table.records or (name in table.specs and table.specs[name].kind == "step"):
                for writer in writers.get(name, ()):
                    rate = writer.system.rate
                    if rate > 1 and rate != entry.system.rate:
                        what = (
                            f"runs every {rate} steps and writes the Step value {name}, which {entry.name} reads "
                            f"every {entry.system.rate}"
                        )
                        yield Problem(None, writer.name, what, "held outputs must be State")


def _find_edges(
    entries: Sequence[Entry], writers: Mapping[str, list[Entry]], names: set[str]
) -> tuple[dict[str, set[str]], list[Problem]]:
    """For every system the systems that must run before it."""
    before: dict[str, set[str]] = {entry.name: set() for entry in entries}
    follows = _find_followed(entries)
    problems: list[Problem] = []
    for entry in entries:
        for name in entry.reads:
            others = [writer for writer in writers.get(name, ()) if writer.name != entry.name]
            if name in entry.adds:  # the sum so far
                others = [other for other in others if entry.name not in follows[other.name]]
                problems += _find_unordered(entry, others, name, follows)
            before[entry.name] |= {other.name for other in others}
        for name in entry.adds:
            adders = [writer for writer in writers[name] if writer.phase == entry.phase]
            before[entry.name] |= {
                other.name
                for other in adders
                if other.name < entry.name
                and name not in other.reads
                and entry.name not in follows[other.name]
            }
        for wanted in entry.system.after:
            if wanted not in names:
                what = f"wants to run after {wanted}, which is not in this scene"
                problems.append(Problem(None, entry.name, what, suggest(wanted, names)))
            before[entry.name].add(wanted)
    return before, problems


def _find_followed(entries: Sequence[Entry]) -> dict[str, set[str]]:
    """For every system those that it comes after by its own word, or by theirs."""
    follows: dict[str, set[str]] = {entry.name: set(entry.system.after) for entry in entries}
    for _ in entries:
        for mine in follows.values():
            mine |= {further for other in mine for further in follows.get(other, ())}
    return follows


def _find_unordered(
    entry: Entry, others: Iterable[Entry], name: str, follows: Mapping[str, set[str]]
) -> Iterable[Problem]:
    """Systems that read and add to the same array as `entry` does, with nothing that says who comes first."""
    for other in others:
        both = name in other.reads and name in other.adds and other.phase == entry.phase
        if both and other.name not in follows[entry.name] and entry.name < other.name:
            what = f"{entry.name} and {other.name} both read what they add to it, and nothing says who comes first"
            yield Problem(
                None, name, what, f'give one of them after = ["{entry.name}"], or the other way round'
            )


def _find_planner_conflicts(planners: Sequence[Entry]) -> Iterable[Problem]:
    """Planners in their order that add to the plan of another without reading it."""
    for place, entry in enumerate(planners):
        for earlier in planners[:place]:
            unread = [name for name in entry.adds if name in earlier.adds and name not in entry.reads]
            if unread:
                what = f"adds to {unread[0]} as {earlier.name} does, and does not read what that one planned"
                remedy = f"let one of the two read {unread[0]}: it then runs behind and sees the sum so far"
                yield Problem(None, entry.name, what, remedy)


def _sort_phase(entries: Sequence[Entry], before: Mapping[str, set[str]]) -> list[Entry]:
    """Topological order, ties by name."""
    here = {entry.name: entry for entry in entries}
    waiting = {name: {other for other in before[name] if other in here} for name in here}
    ready = [name for name, others in waiting.items() if not others]
    heapq.heapify(ready)
    ordered = []
    while ready:
        name = heapq.heappop(ready)
        ordered.append(here[name])
        del waiting[name]
        for other, needs in waiting.items():
            if name in needs:
                needs.discard(name)
                if not needs:
                    heapq.heappush(ready, other)
    if waiting:
        circle = ", ".join(sorted(waiting))
        arrays = _shared_arrays([here[name] for name in sorted(waiting)])
        remedy = "break the circle: let one read the State of the step's start"
        raise ScheduleError(Problem(None, circle, f"each waits for another, through {arrays}", remedy))
    return ordered


def _shared_arrays(entries: Sequence[Entry]) -> str:
    made = {name for entry in entries for name in entry.writes + entry.adds}
    read = {name for entry in entries for name in entry.reads}
    return ", ".join(sorted(made & read)) or "their `after` lists"
