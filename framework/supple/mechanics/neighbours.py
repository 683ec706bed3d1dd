"""The warm start of contacts from their neighbourhood, when `run.warm_start` asks for it."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.schedule import Bound
from supple.mechanics import neighbour_kernels as kernels
from supple.mechanics.problem import ConstraintProblem

CONTACTS = ("contacts.count", "contacts.key", "contacts.point")
LAST = ("contacts.last_count", "contacts.last_key", "contacts.last_point", "contacts.last_impulse")


def declare_last_contacts(build: Build, capacity: int) -> None:
    """Declare what is kept of the contacts of a step for the next one."""
    build.add_state("contacts.last_count", [0], unit="1", doc="Contacts of the last step.", dtype=np.int64)
    for name, width, unit, doc, dtype in (
        ("key", 2, "1", "Their identities.", np.int64),
        ("point", 3, "m", "Where they were.", np.float64),
        ("impulse", 3, "N s", "Their impulses along n, t, s.", np.float64),
    ):
        build.add_state(
            f"contacts.last_{name}", np.zeros((capacity, width)), unit=unit, doc=doc, dtype=dtype,
            count="contacts.last_count",
        )  # fmt: skip


class Neighbourhood:
    """Carries impulses from contacts that ended to contacts that began beside them."""

    reads = (*CONTACTS, *LAST)
    writes = tuple(f"{name}.next" for name in LAST)

    def __init__(self, arrays: Bound) -> None:
        self._count, self._key, self._point = (arrays[name] for name in CONTACTS)
        self._last = tuple(arrays[name] for name in LAST)
        self._kept = tuple(arrays[name] for name in self.writes)
        self._new, self._ended = np.zeros((2, len(self._key)), np.int64)

    def carry_over(self, problem: ConstraintProblem, impulse: FloatArray) -> None:
        """Complete the warm start `impulse`, [groups, 3] N s."""
        first = kernels.find_first_contact(self._count, self._key, problem.count, problem.key)
        if first >= 0:
            count, key, point, old = self._last
            kernels.carry_over(
                first,
                self._count,
                self._key,
                self._point,
                count,
                key,
                point,
                old,
                self._new,
                self._ended,
                impulse,
            )

    def keep(self, problem: ConstraintProblem, impulse: FloatArray) -> None:
        """Remember the contacts of this step and their impulses."""
        first = kernels.find_first_contact(self._count, self._key, problem.count, problem.key)
        count, key, point, kept = self._kept
        kernels.keep_contacts(first, self._count, self._key, self._point, impulse, count, key, point, kept)
