"""The contacts of the last step by the names of what touches, for whoever looks at a world from Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.control import WATCHED
from supple.errors import Problem, UserError
from supple.mechanics.owners import NOBODY, list_owners

if TYPE_CHECKING:
    from supple.core.world import World

#: State with the contacts of the last step, kept while somebody asks for them, and their number.
KEPT, KEPT_COUNT = "contacts.kept", "contacts.kept_count"
#: Its columns: elements of A and B in the table of owners, point, normal, force, gap.
KEPT_WIDTH = 12


@dataclass(frozen=True, eq=False)
class WorldContact:
    """One contact point of the last step.

    `a` and `b` are the paths of the entities that touch (a shape, a flesh, a skin), `body_a` and `body_b` those of the
    frames that move them ("" for what stands still). `point` [m] lies half-way between the two at the step's start,
    `normal` points from b to a, `force` [N] acts on a, `gap` [m] is their distance at the step's start.
    """

    a: str
    b: str
    body_a: str
    body_b: str
    point: FloatArray
    normal: FloatArray
    force: FloatArray
    gap: float


def list_contacts(world: World, since: int) -> list[WorldContact]:
    """The contacts of the last step, in their order; `since` is the step that the world was set to."""
    arrays = world.arrays
    if KEPT not in arrays.specs:
        return []  # nothing in this scene can touch
    if arrays[WATCHED][0]:
        rows = arrays[KEPT][: arrays[KEPT_COUNT][0]]
    elif world.steps == 0:
        rows = np.zeros((0, KEPT_WIDTH))
    elif world.steps == since:
        what = "the contacts of a restored state are not known: nobody had asked for them when it was made"
        remedy = "call world.contacts() once before the snapshot or checkpoint is made, or take a step"
        raise UserError(Problem(None, "world.contacts", what, remedy))
    else:
        rows = _gather(world)
    if not arrays[WATCHED][0]:
        arrays.set_state(KEPT, (slice(0, len(rows)),), rows)
        arrays.set_state(KEPT_COUNT, (0,), np.array(len(rows)))
        world.control.wake(WATCHED)
    return [_name(world, row) for row in rows]


def _gather(world: World) -> FloatArray:
    """What the system that keeps contacts would have kept of the last step."""
    from supple.mechanics.contact_kernels import keep_contacts

    rows, count = np.zeros_like(world.arrays[KEPT]), np.zeros(1, np.int64)
    arguments = [*(world.arrays[name] for name in READS), rows, count]
    keep_contacts(*arguments)
    return rows[: count[0]]


READS = (
    "owners.first", "contacts.count", "contacts.surface", "contacts.element", "contacts.point",
    "contacts.normal", "contacts.force", "contacts.gap",
)  # fmt: skip


def _name(world: World, row: FloatArray) -> WorldContact:
    paths, arrays = list_owners(world.build), world.arrays

    def find(table: str, side: int) -> str:
        owner = int(arrays[table][int(row[side])])
        return paths[owner] if owner != NOBODY else ""

    return WorldContact(
        a=find("owners.entity", 0),
        b=find("owners.entity", 1),
        body_a=find("owners.body", 0),
        body_b=find("owners.body", 1),
        point=row[2:5].copy(),
        normal=row[5:8].copy(),
        force=row[8:11].copy(),
        gap=float(row[11]),
    )
