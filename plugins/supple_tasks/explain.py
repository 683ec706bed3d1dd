"""Which task goes short, and what stands in its way.

What is left of a task is a direction u of its rows. Its acceleration along u is decided by what comes before it:
joints, contacts, rates without torque, strength and friction that are used up, limits that are met, higher tasks, and
others of its own level. The row u^T K, by kinetic energy, is a sum of theirs, and the size of each one's part says how
much it stands in the way. Forces of joints and contacts are unknowns of these rows too. What is no such sum is near a
stretched pose: a small singular value was softened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray
from supple.errors import UserError, suggest
from supple_tasks import layout

if TYPE_CHECKING:
    from supple.core.world import World
    from supple_tasks.controller import Controller

# Parts smaller than this are not worth a word.
SMALL = 0.05
JOINTS, PASSIVE, STRETCHED = "joints and grasps", "joints without torque", "a stretched pose"
STANDS, FRICTION = "what it stands on", "the edge of a contact"


@dataclass(frozen=True)
class Shortfall:
    """A task that goes short in the last step, by how much [m/s^2, rad/s^2], and what is in its way, by its part."""

    task: str
    missed: float
    obstacles: tuple[tuple[str, float], ...]

    def __str__(self) -> str:
        named = ", ".join(f"{name} ({part:.0%})" for name, part in self.obstacles)
        return f"{self.task} misses {self.missed:.3g}; in its way: {named}"


def explain(world: World, path: str, tolerance: float = 1e-6) -> list[Shortfall]:
    """The tasks of an entity that went short in the last step, the more important ones first."""
    found = {
        each.entity.path: each
        for entry in world.schedule
        if entry.name == "tasks.control"
        for each in entry.system.controllers  # type: ignore[attr-defined]
    }
    if path not in found:
        raise UserError(f"explain: '{path}' has no tasks; {suggest(path, list(found), 'there are those of')}")
    return explain_controller(found[path], tolerance)


def explain_controller(controller: Controller, tolerance: float) -> list[Shortfall]:
    """The same for a controller after it acted."""
    answer, book, wishes = controller.answer, controller.book, controller.wishes
    root = np.linalg.inv(np.linalg.cholesky(controller.motion.M)).T
    shortfalls = []
    for t, (_, name, task) in enumerate(controller.tasks):
        first, count = int(book.task[t, layout.FIRST]), int(book.task[t, layout.ROWS])
        left = answer.left[first : first + count]
        missed = float(np.linalg.norm(left))
        if task.kind == "limits" or not missed > tolerance * (1.0 + np.abs(wishes.wanted).max()):
            continue
        row = left @ wishes.J[first : first + count] @ root / missed
        names, above = _list_above(controller, t, root)
        shortfalls.append(Shortfall(name, missed, _share_out(row, names, above)))
    return shortfalls


def _list_above(controller: Controller, t: int, root: FloatArray) -> tuple[list[str], FloatArray]:
    """Names and rows of all that comes before a task, and of its own level: by kinetic energy, then by forces."""
    motion, wishes, bounds = controller.motion, controller.wishes, controller.bounds
    forces = controller.honest.forces if controller.honest is not None else None
    rows = int(motion.counts[0])
    joints = rows if forces is None else int(forces.holds.counts[0])
    L = motion.L[:rows]
    names = [JOINTS] * joints + [STANDS] * (rows - joints) + [PASSIVE] * len(motion.passive)
    moved, forced = [L, motion.M[motion.passive]], [np.zeros((rows, rows)), -L[:, motion.passive].T]
    if forces is not None:
        strained = motion.actuated[forces.strained > 0]
        edges = forces.find_edges()
        names += [f"the strength of {_name_bone(controller, rate)}" for rate in strained] + [FRICTION] * len(
            edges
        )
        moved += [motion.M[strained], np.zeros((len(edges), len(motion.h)))]
        forced += [-L[:, strained].T, edges]
    level = controller.tasks[t][0]
    bound_of = {int(row): b for b, row in enumerate(bounds.row)}
    for other, (its, name, task) in enumerate(controller.tasks):
        if its > level or other == t:
            continue
        first, count = (int(controller.book.task[other, k]) for k in (layout.FIRST, layout.ROWS))
        for row in range(first, first + count):
            if not wishes.J[row].any():
                continue
            limited = task.kind == "limits"
            names.append(
                f"the limit of {_name_bone(controller, bounds.rate[bound_of[row]])}" if limited else name
            )
            moved.append(wishes.J[row : row + 1])
            forced.append(np.zeros((1, rows)))
    return names, np.hstack([np.concatenate(moved) @ root, np.concatenate(forced)])


def _name_bone(controller: Controller, rate: int) -> str:
    return controller.dynamics.rate_labels[rate].rpartition("/")[2]


def _share_out(row: FloatArray, names: list[str], above: FloatArray) -> tuple[tuple[str, float], ...]:
    """How large the part of every name is in the sum that makes the row, largest first."""
    parts: dict[str, float] = {}
    rest, n = row, len(row)
    if len(names):
        # Rows of one size each, for forces and accelerations have different units.
        sizes = np.linalg.norm(above, axis=1)
        rows = above / np.where(sizes > 0.0, sizes, 1.0)[:, None]
        weights = np.linalg.lstsq(rows.T, np.concatenate([row, np.zeros(above.shape[1] - n)]), rcond=1e-9)[0]
        for name in dict.fromkeys(names):
            mine = [k for k, each in enumerate(names) if each == name]
            parts[name] = float(np.linalg.norm(weights[mine] @ rows[mine, :n]))
        rest = row - weights @ rows[:, :n]
    parts[STRETCHED] = float(np.linalg.norm(rest))
    total = sum(parts.values()) or 1.0
    named = sorted(((name, part / total) for name, part in parts.items()), key=lambda each: -each[1])
    return tuple(each for each in named if each[1] >= SMALL)
