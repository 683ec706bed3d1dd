"""`repeat` of an entity: rows and grids of like entities, with everything below them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from supple.core.component import Vector, component, field
from supple.errors import Problem
from supple.scene.parts import Part
from supple.scene.wording import read_checked

KEY = "repeat"
MOST = 10_000


@component
class Repeat:
    """Copies of an entity and of all below it: NAME0, NAME1, ..., along x first, then along y, then along z."""

    count: int | tuple[int, int, int] = field(
        unit="1", ge=1, le=MOST, doc="How many along `spacing`, or how many along x, y and z."
    )
    spacing: Vector = field(
        default=(0.0, 0.0, 0.0), unit="m",
        doc="From one to the next in the parent's frame: of a row as a whole, of a grid along x, y and z each.",
    )  # fmt: skip

    def shifts(self) -> list[tuple[float, float, float]]:
        """What each copy is displaced by."""
        x, y, z = self.spacing
        if isinstance(self.count, int):
            return [(k * x, k * y, k * z) for k in range(self.count)]
        across, up, deep = self.count
        return [(i * x, j * y, k * z) for k, j, i in itertools.product(range(deep), range(up), range(across))]


def repeat_entities(parts: Mapping[str, Part], problems: list[Problem]) -> dict[str, Part]:
    """All entities, with copies in place of those that have `repeat`; the outer ones first."""
    found = dict(parts)
    while True:
        path = next((path for path in sorted(found) if KEY in found[path].table), None)
        if path is None:
            return found
        part = found.pop(path)
        below = {other: found.pop(other) for other in list(found) if other.startswith(f"{path}/")}
        made, complaints = read_checked(Repeat, part.table[KEY])
        if made is None or complaints:
            problems.extend(part.problems(complaints, (KEY,)))
            found |= {path: part.without(KEY), **below}
            continue
        shifts = made.shifts()
        if len(shifts) * (1 + len(below)) + len(found) > MOST:
            what = f"makes {len(shifts) * (1 + len(below))} entities, and a scene has at most {MOST}"
            problems.append(part.problem((KEY,), what, "repeat it less often"))
            found |= {path: part.without(KEY), **below}
            continue
        for number, shift in enumerate(shifts):
            copy = f"{path}{number}"
            if copy in found:
                what = f"makes an entity '{copy}', but {found[copy].place(('name',))} has one already"
                problems.append(part.problem((KEY,), what, "rename one of them"))
                continue
            found[copy] = _move(Part(copy, part.without(KEY).table, part.where, part.places), shift)
            for other, inner in below.items():
                name = f"{copy}{other.removeprefix(path)}"
                found[name] = Part(name, inner.table, inner.where, inner.places)


def _move(part: Part, shift: tuple[float, float, float]) -> Part:
    """Displaced; a pose that is wrong is left for whoever reads it."""
    pose: Any = part.table.get("pose", {})
    place = pose.get("position", [0.0, 0.0, 0.0]) if isinstance(pose, Mapping) else None
    sound = isinstance(place, list) and len(place) == 3 and all(type(each) in (int, float) for each in place)
    if not sound:
        return part
    moved = [each + more for each, more in zip(place or (), shift, strict=True)]
    where = part.place(("pose", "position")) if "pose" in part.table else part.place((KEY,))
    return part.with_value(("pose", "position"), moved, where)
