"""What controllers ask about phases: the member of the collection `phases`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from supple.core.build import Build
from supple.core.schedule import Bound
from supple.errors import PluginError, Problem, UserError, suggest
from supple_phases.program import Source

Place = TypeVar("Place", int, slice)


class Machines:
    """All state machines of a scene: names of arrays, and where in them something stands.

    For a machine m = row(path), in the step that runs:

    current       [m] row of its phase, to compare with phase(path, name)
    previous      [m] row of the phase before; -1 if there was none
    time          [m] s since the phase began, at the start of the step
    share         [m] of the phase's duration, from 0 to 1; 0 if it has none
    changed       [m] transitions in this step
    active        [flags] 1 at flag(path, name) while that name is active
    value         [numbers] place(path, name): values at the end of the step
    rate          [numbers] their derivatives by time
    acceleration  [numbers] their second derivatives by time

    They are made in DETECT, so a system in DETECT or later reads them.
    """

    name = "phases"
    reads = ()
    current, previous = "phases.current.next", "phases.previous.next"
    time, share, changed, active = "phases.time", "phases.share", "phases.changed", "phases.active"
    value, rate, acceleration = "phases.value", "phases.rate", "phases.acceleration"

    def __init__(
        self,
        phases: Mapping[str, tuple[str, ...]],
        flags: Mapping[str, tuple[str, ...]],
        widths: Mapping[str, Mapping[str, int]],
    ) -> None:
        self._rows = {path: row for row, path in enumerate(phases)}
        self.labels = [f"{path}.{name}" for path, names in phases.items() for name in names]
        self._phases = _number(phases)
        self._flags = _number(flags)
        self._places: dict[str, dict[str, slice]] = {}
        #: What conditions look at besides time, in the order of phases.seen.
        self.sources: tuple[Source, ...] = ()
        first = 0
        for path, names in widths.items():
            places = self._places.setdefault(path, {})
            for name, width in names.items():
                places[name] = slice(first, first + width)
                first += width

    def bind(self, arrays: Bound) -> None:
        """Nothing is read here: systems read the arrays."""

    def row(self, path: str) -> int:
        """The machine of an entity."""
        return _look_up(self._rows, path, path, "phases", "phases have")

    def phase(self, path: str, name: str) -> int:
        """The row of a phase of an entity."""
        self.row(path)
        return _look_up(self._phases[path], name, path, f"phase '{name}'", "the phases are")

    def flag(self, path: str, name: str) -> int:
        """Where the array `active` says whether a name is active."""
        self.row(path)
        return _look_up(self._flags[path], name, path, f"active name '{name}'", "the names are")

    def holds(self, path: str, name: str) -> bool:
        """Whether the machine of an entity has a value of this name."""
        self.row(path)
        return name in self._places[path]

    def place(self, path: str, name: str) -> slice:
        """Where the arrays `value`, `rate` and `acceleration` hold a value."""
        self.row(path)
        return _look_up(self._places[path], name, path, f"value '{name}'", "the values are")


def find_machines(build: Build) -> Machines:
    """The state machines of the scene; call it in a compile function registered with `after=["phases"]`."""
    members: list[Machines] = build.members("phases")
    if not members:
        what = "asks for phases, and the scene has none"
        raise PluginError(
            Problem(None, build.compiler, what, "compile after=['phases'], and only where they are needed")
        )
    return members[0]


def _number(names: Mapping[str, tuple[str, ...]]) -> dict[str, dict[str, int]]:
    numbered, first = {}, 0
    for path, each in names.items():
        numbered[path] = {name: first + place for place, name in enumerate(each)}
        first += len(each)
    return numbered


def _look_up(table: Mapping[str, Place], key: str, path: str, what: str, noun: str) -> Place:
    if key not in table:
        raise UserError(Problem(None, path, f"has no {what}", suggest(key, table, noun)))
    return table[key]
