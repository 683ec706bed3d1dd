"""The warm start of contacts from their neighbourhood, when `run.warm_start` asks for it."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.contacts import LastContacts, PlacedContacts
from supple.mechanics.neighbour_kernels import carry_over, keep_contacts

CONTACTS = tuple(f"contacts.{name}" for name in PlacedContacts._fields)
LAST = tuple(f"contacts.{name}" for name in LastContacts._fields)


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

    def __init__(self, arrays: Bound, impulse: FloatArray) -> None:
        """`impulse` [groups, 3] N s is where the solve begins and ends."""
        contacts, last = arrays.take(PlacedContacts, "contacts"), arrays.take(LastContacts, "contacts")
        kept = LastContacts(**{name: arrays[f"contacts.{name}.next"] for name in LastContacts._fields})
        new, ended = np.zeros((2, len(contacts.key)), np.int64)
        self._carry_over = bind_kernel(carry_over, contacts, last, new, ended, impulse)
        self._keep = bind_kernel(keep_contacts, contacts, impulse, kept)

    def carry_over(self) -> None:
        """Complete the warm start."""
        self._carry_over()

    def keep(self) -> None:
        """Remember the contacts of this step and their impulses."""
        self._keep()
