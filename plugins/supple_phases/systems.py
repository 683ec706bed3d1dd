"""The systems of phases: go from phase to phase, and look at what conditions ask for."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System, Work
from supple_phases import kernels
from supple_phases.layout import Chart, Curves, Memory, Seen, Shown
from supple_phases.member import find_machines
from supple_phases.sources import Place, find_place, number_elements, read_at_end, refuse_untouchable

FLAGS = ("phases.flag_machine", "phases.flag_of_phase")
CONTACTS = ("contacts.count", "contacts.surface", "contacts.element", "contacts.normal", "contacts.force")
VALUES = ("phases.value", "phases.rate", "phases.acceleration")


def _names(group: type) -> tuple[str, ...]:
    """The arrays of a NamedTuple."""
    return tuple(f"phases.{name}" for name in group._fields)  # type: ignore[attr-defined]


NEXT_MEMORY = tuple(f"{name}.next" for name in _names(Memory))


class Advance(System):
    """Decides once a step which phase lasts, from what was seen after the last step."""

    phase = Phase.DETECT
    reads = ("run.time", *_names(Chart), *_names(Seen), *_names(Memory), *FLAGS, *_names(Curves))
    writes = (*NEXT_MEMORY, *_names(Shown), "phases.truth", "phases.active", *VALUES)

    def bind(self, arrays: Bound) -> Work:
        """Bind machines, memory and values."""
        h, chart = arrays.h, arrays.take(Chart, "phases")
        memory, shown = arrays.take(Memory, "phases"), arrays.take(Shown, "phases")
        after = arrays.take(Memory, "phases", **{name: f"phases.{name}.next" for name in Memory._fields})
        flags, values = [arrays[name] for name in FLAGS], [arrays[name] for name in VALUES]
        seen, time, truth = arrays.take(Seen, "phases"), arrays["run.time"], arrays["phases.truth"]
        curves, active = arrays.take(Curves, "phases"), arrays["phases.active"]
        return [
            Call(kernels.advance_machines, h, chart, seen, time, memory, after, shown, truth),
            Call(kernels.show_active, *flags, after.current, active),
            Call(kernels.sample_values, h, curves, chart.duration, after.current, shown.time, *values),
        ]


class WeighContacts(System):
    """Normal forces on the entities whose contact conditions ask for."""

    phase = Phase.OBSERVE

    def __init__(self, build: Build) -> None:
        self.paths = build.arrays.specs["phases.normal_force"].labels
        if self.paths:
            self.reads = CONTACTS
            self.writes = ("phases.normal_force",)
            self.owners = number_elements(build, self.paths)
            refuse_untouchable(build, find_machines(build).sources, self.owners[1])

    def bind(self, arrays: Bound) -> Work:
        """Bind the contacts."""
        if not self.paths:
            return []
        contacts = [arrays[name] for name in CONTACTS]
        return Call(kernels.add_normal_forces, *self.owners, *contacts, arrays["phases.normal_force"])


class Remember(System):
    """Keeps what conditions ask for, for the next step."""

    phase = Phase.OBSERVE
    writes = (
        "phases.measured", "phases.seen.next", "phases.known.next", "phases.seen_before.next",
        "phases.known_before.next",
    )  # fmt: skip

    def __init__(self, build: Build) -> None:
        self.places: dict[str, list[tuple[int, Place]]] = {}
        for slot, source in enumerate(find_machines(build).sources):
            place = find_place(build, source)
            self.places.setdefault(read_at_end(build, place[0]), []).append((slot, place))
        self.reads = (*self.places, "phases.seen", "phases.known")

    def bind(self, arrays: Bound) -> Work:
        """Bind one call for every array that something is taken from."""
        measured, *outputs = (arrays[name] for name in self.writes)
        calls = []
        for name, found in self.places.items():
            elements = np.array([place[1] for _, place in found], np.int64)
            slots = np.array([slot for slot, _ in found], np.int64)
            calls.append(Call(kernels.take_values, arrays[name].reshape(-1), elements, slots, measured))
        seen, known = arrays["phases.seen"], arrays["phases.known"]
        return [*calls, Call(kernels.remember_values, measured, seen, known, *outputs)]
