"""From links to rows: which direction obeys which law, with which figures."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from supple.mechanics.rows import BILATERAL, BOUNDED, COMPLIANT, UNILATERAL
from supple.mechanics.spring_tables import AUTOMATIC, read_implicitness
from supple_joints.codes import DRIVE, FREE, HINGE, LOCK, LOCKED, LOWER, SPRING, UPPER

COLUMNS = (
    ("link", "1", "Link of the row.", int),
    ("role", "1", "What the row is for; see codes.", int),
    ("motion", "1", "0 moves along a direction, 1 turns about it.", int),
    ("column", "1", "Which of the link's directions.", int),
    ("law", "1", "Law of the row.", int),
    ("target", "m, rad, m/s, rad/s", "Limit, rate or rest, by the role.", float),
    ("stiffness", "N/m, N m/rad", "Stiffness of a spring.", float),
    ("damping", "N s/m, N m s/rad", "Damping of a spring.", float),
    ("offset", "N, N m", "Force of a spring besides.", float),
    ("strongest", "N, N m", "Greatest force either way.", float),
    ("implicitness", "1", "Where in the step a spring is taken; 0: as the step demands.", float),
)


@dataclass
class RowTable:
    """Rows one after the other, each column a list."""

    columns: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name, *_ in COLUMNS})

    def __len__(self) -> int:
        return len(self.columns["link"])

    def add(self, link: int, role: int, law: int, direction: tuple[int, int], **figures: float) -> int:
        """Append a row along `direction` (motion, column); returns its number."""
        row = {
            "link": link, "role": role, "law": law, "motion": direction[0], "column": direction[1],
            "target": 0.0, "stiffness": 0.0, "damping": 0.0, "offset": 0.0, "strongest": math.inf,
            "implicitness": AUTOMATIC, **figures,
        }  # fmt: skip
        for name, column in self.columns.items():
            column.append(row[name])
        return len(self) - 1

    def add_locks(self, link: int, kind: int) -> None:
        """The rows of the locked directions."""
        for direction in LOCKED[kind]:
            self.add(link, LOCK, BILATERAL, direction)

    def add_joint(self, link: int, kind: int, joint: Any) -> None:
        """Locks, limits, friction and damping of a joint."""
        self.add_locks(link, kind)
        if kind not in FREE:
            return
        axis = FREE[kind][0]
        if joint.lower is not None:
            self.add(link, LOWER, UNILATERAL, axis, target=in_si(joint.lower, kind))
        if joint.upper is not None:
            self.add(link, UPPER, UNILATERAL, axis, target=in_si(joint.upper, kind))
        if joint.friction > 0.0:
            self.add(link, DRIVE, BOUNDED, axis, strongest=joint.friction)
        if joint.damping > 0.0:
            self.add(link, SPRING, COMPLIANT, axis, damping=joint.damping)

    def add_motor(self, link: int, kind: int, motor: Any) -> int:
        """The row of a motor on the free axis; returns its number."""
        return self.add(
            link, DRIVE, BOUNDED, FREE[kind][0], target=motor.speed, strongest=motor.strongest
        )  # fmt: skip

    def add_spring(self, link: int, kind: int, spring: Any, start: float) -> tuple[int, int]:
        """The rows of a spring; returns the first and how many. `start` is the rest if none is given."""
        rest = start if spring.rest is None else in_si(spring.rest, kind)
        strongest = math.inf if spring.strongest is None else spring.strongest
        first = len(self)
        for direction in FREE[kind]:
            self.add(
                link, SPRING, COMPLIANT, direction, target=rest, stiffness=spring.stiffness,
                damping=spring.damping, offset=spring.offset, strongest=strongest,
                implicitness=read_implicitness(spring.implicitness),
            )  # fmt: skip
        return first, len(FREE[kind])


def in_si(position: float, kind: int) -> float:
    """A position as the author writes it, in rad or m."""
    return math.radians(position) if kind == HINGE else position
