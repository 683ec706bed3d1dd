"""The order of compile functions: each comes after those that it waits for, and else by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from supple.errors import PluginError, Problem, suggest

if TYPE_CHECKING:
    from supple.core.registry import Registered

#: What compile functions may put objects into for others: frames that move, what moves, what touches, what
#: makes rows, who holds points of surfaces, what is solved on its own; for controllers the state machines, and
#: where things should be.
COLLECTIONS = (
    "carriers", "mechanisms", "phases", "point_holders", "row_sources", "solves", "surfaces", "targets",
)  # fmt: skip


def order_compilers(compilers: Mapping[str, Registered]) -> list[Registered]:
    """All compile functions in the order in which they run."""
    ordered: dict[str, Registered] = {}

    def place(entry: Registered, above: tuple[str, ...]) -> None:
        if entry.name in above:
            what = f"compilers wait for each other: {' -> '.join([*above, entry.name])}"
            raise PluginError(Problem(None, entry.name, what, "drop one `after`"))
        if entry.name in ordered:
            return
        for other in _waits_for(entry, compilers):
            place(other, (*above, entry.name))
        ordered[entry.name] = entry

    for name in sorted(compilers):
        place(compilers[name], ())
    return list(ordered.values())


def _waits_for(entry: Registered, compilers: Mapping[str, Registered]) -> list[Registered]:
    """The compilers that `after` names, directly or by the collection that they provide for."""
    found = []
    provided = {name for other in compilers.values() for name in other.provides}
    for name in entry.after:
        if name in COLLECTIONS or name in provided:
            found += [other for other in compilers.values() if name in other.provides and other is not entry]
        elif name in compilers:
            found.append(compilers[name])
        else:
            what = f"wants to compile after {name}, which does not exist"
            raise PluginError(Problem(None, entry.name, what, suggest(name, [*compilers, *COLLECTIONS])))
    return sorted(found, key=lambda other: other.name)
