"""The systems of contact rows after the step: forces that one can read, and what the next step should know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import ROWS, Access, Bound, Each, Phase, System
from supple.mechanics.mechanism import Mechanism, contact_capacity
from supple.mechanics.warm_kernels import keep_values
from supple_contact.kernels import expect_gaps, find_deepest, find_forces
from supple_contact.rows import LAST, ContactRows

#: Overlaps [m] that nothing needs to be known about.
GRAZING = 1e-8


def find_rows(build: Build) -> ContactRows:
    """The source of the contact rows."""
    rows: ContactRows = next(source for source in build.members("row_sources") if source.name == "contact")
    return rows


class ObserveForces(System):
    """The force of every contact, in the world."""

    phase = Phase.OBSERVE
    reads = ("contacts.count", "contacts.normal", "rows.impulse")
    writes = ("contacts.force",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind contacts and impulses."""
        inputs, force = [arrays[name] for name in self.reads], arrays["contacts.force"]
        rows, h = find_rows(arrays.build), arrays.h
        return bind_kernel(find_forces, h, rows.first, *inputs, force)


class ExpectGaps(System):
    """The gaps that the velocities of this step lead to, while anything overlaps: README eq. (2)."""

    phase = Phase.OBSERVE
    reads: tuple[Access, ...] = (
        "contacts.count", "contacts.gap", "contacts.key", "rows.problem", Each("mechanisms", "v_next", ROWS)
    )  # fmt: skip
    writes = tuple(f"{name}.next" for name in LAST)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the contacts, and the velocities of all mechanisms."""
        count, gap, key = (arrays[name] for name in ("contacts.count", "contacts.gap", "contacts.key"))
        kept = [arrays[name] for name in self.writes]
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", ROWS)
        moved = [(one.jacobian, arrays[one.v_next].reshape(-1)) for one in mechanisms]
        problem, rows = arrays.record("rows.problem"), find_rows(arrays.build)
        velocity = np.zeros((problem.capacity, 3))
        expected = np.zeros((contact_capacity(arrays.build), 3))
        h = arrays.h
        deepest = bind_kernel(find_deepest, count, gap)

        def expect() -> None:
            kept[0][0] = 0
            if deepest() <= GRAZING:
                return
            velocity[: problem.count] = 0.0
            for jacobian, v_next in moved:
                jacobian.add_row_velocities(v_next, velocity)
            expect_gaps(h, rows.first, count, gap, velocity, expected)
            keep_values(count.item(0), key, expected, 0, *kept)

        return expect
