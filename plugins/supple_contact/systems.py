"""The system that turns impulses of contact rows into forces one can read."""

from __future__ import annotations

from collections.abc import Callable

from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Phase, System
from supple_contact.kernels import find_forces
from supple_contact.rows import ContactRows


class ObserveForces(System):
    """The force of every contact, in the world."""

    phase = Phase.OBSERVE
    reads = ("contacts.count", "contacts.normal", "rows.impulse")
    writes = ("contacts.force",)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind contacts and impulses."""
        inputs, force = [arrays[name] for name in self.reads], arrays["contacts.force"]
        rows: ContactRows = next(
            source for source in arrays.build.members("row_sources") if source.name == "contact"
        )
        h = arrays.build.run.step
        return bind_kernel(find_forces, h, rows.first, *inputs, force)
