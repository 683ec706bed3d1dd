"""The systems of contact rows after the step: forces that one can read, and what the next step should know."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.control import WATCHED
from supple.core.schedule import ROWS, Bound, Call, Each, Phase, System, Work
from supple.mechanics.contact_kernels import keep_contacts
from supple.mechanics.mechanism import Mechanism, contact_capacity
from supple.mechanics.owners import Owners
from supple.mechanics.warm_start_kernels import keep_values
from supple.mechanics.world_contacts import KEPT, KEPT_COUNT, READS
from supple_contact.kernels import expect_gaps, is_any_deeper
from supple_contact.patch_kernels import share_forces
from supple_contact.patches import SHARE, list_patched
from supple_contact.tables import LAST, RowContacts
from supple_contact.touch import Touch
from supple_contact.touch_kernels import add_up_touch, find_forces, observe_contacts

#: Overlaps [m] that nothing needs to be known about.
GRAZING = 1e-8


class ObserveForces(System):
    """The force of every contact, and what touches every entity; `Touch` says what is known of it."""

    phase = Phase.OBSERVE
    writes = ("contacts.force", *(f"touch.{name}.next" for name in Touch._fields))

    def __init__(self, build: Build) -> None:
        self.patched = bool(list_patched(build))
        self.reads = (
            *(f"owners.{name}" for name in Owners._fields), *(f"contacts.{name}" for name in RowContacts._fields),
            "rows.impulse", *((SHARE,) if self.patched else ()),
        )  # fmt: skip

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the table of owners, the contacts and their impulses."""
        touch = Touch(**{name: arrays[f"touch.{name}.next"] for name in Touch._fields})
        owners, contacts = arrays.take(Owners, "owners"), arrays.take(RowContacts, "contacts")
        impulse, force = arrays["rows.impulse"], arrays["contacts.force"]
        if not self.patched:
            return [Call(observe_contacts, arrays.h, owners, contacts, impulse, force, touch)]
        return [
            Call(find_forces, arrays.h, contacts.count, contacts.group, contacts.directions, impulse, force),
            Call(share_forces, contacts.count, arrays[SHARE], force),
            Call(add_up_touch, owners, contacts, force, touch),
        ]


class KeepContacts(System):
    """Keeps the contacts of the step as State, for `World.contacts`; until somebody asks there is nothing to do."""

    phase = Phase.OBSERVE
    reads = (*READS, WATCHED)
    writes = (f"{KEPT}.next", f"{KEPT_COUNT}.next")

    def bind(self, arrays: Bound) -> Work:
        """Bind the contacts, if they are wanted."""
        if not arrays[WATCHED][0]:
            return []
        return Call(keep_contacts, *(arrays[name] for name in (*READS, *self.writes)))


class ExpectGaps(System):
    """The gaps that the velocities of this step lead to, while anything overlaps: README eq. (2)."""

    phase = Phase.OBSERVE
    reads = (
        "contacts.count", "contacts.gap", "contacts.key", "contacts.group", "rows.problem",
        Each("mechanisms", "v_next", ROWS),
    )  # fmt: skip
    writes = tuple(f"{name}.next" for name in LAST)

    def bind(self, arrays: Bound) -> Call:
        """Bind the contacts, and the velocities of all mechanisms."""
        count, gap, key = (arrays[name] for name in ("contacts.count", "contacts.gap", "contacts.key"))
        last_count, last_key, last_expected = (arrays[f"{name}.next"] for name in LAST)
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", ROWS)
        moved = [(one.jacobian, arrays[one.v_next].reshape(-1)) for one in mechanisms]
        problem, group = arrays.record("rows.problem"), arrays["contacts.group"]
        velocity = np.zeros((problem.capacity, 3))
        expected = np.zeros((contact_capacity(arrays.build), 3))
        h = arrays.h

        def expect() -> None:
            velocity[: problem.count] = 0.0
            for jacobian, v_next in moved:
                jacobian.add_row_velocities(v_next, velocity)
            expect_gaps(h, group, count, gap, velocity, expected)
            keep_values(count.item(0), key, expected, 0, last_count, last_key, last_expected)

        return Call(is_any_deeper, count, gap, GRAZING, last_count, otherwise=expect)
