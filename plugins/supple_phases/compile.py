"""From phases to tables, the memory of the machines, and what controllers read."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from supple.core.build import Build, Index
from supple.core.curves import Curve, as_numbers, read_curve, shape_of
from supple.math.curve_layout import SEGMENT_COLUMNS
from supple_phases.components import Phase, PhaseCurve, Phases, Value, width_of
from supple_phases.layout import FIGURES, NOTHING
from supple_phases.member import Machines
from supple_phases.mirror import resolve_phases
from supple_phases.program import CONTACT, Program


@dataclass(frozen=True)
class Machine:
    """The phases of one entity, mirrored ones written out."""

    path: str
    told: Phases
    phases: dict[str, Phase]

    @property
    def flags(self) -> tuple[str, ...]:
        """Names that are active in some phase."""
        return tuple(sorted({name for phase in self.phases.values() for name in phase.active}))

    @property
    def widths(self) -> dict[str, int]:
        """How many numbers each value has."""
        found = {name: width_of(value) for name, value in self.told.values.items()}
        for phase in self.phases.values():
            found |= {name: width_of(value) for name, value in phase.values.items()}
        return dict(sorted(found.items()))

    def value(self, phase: str, name: str) -> Value:
        """A value in a phase."""
        return self.phases[phase].values.get(name, self.told.values.get(name, 0.0))


def compile_phases(build: Build) -> None:
    """Declare all machines, and the member that knows where each of them stands."""
    machines = []
    for entity in build.having("phases"):
        told = entity.components["phases"]
        machines.append(Machine(entity.path, told, resolve_phases(told)))
    member = Machines(
        {each.path: tuple(each.phases) for each in machines},
        {each.path: each.flags for each in machines},
        {each.path: each.widths for each in machines},
    )
    build.add_member("phases", member)
    program = _declare_chart(build, machines, member)
    member.sources = tuple(program.sources)
    _declare_seen(build, program)
    _declare_memory(build, machines, member)
    _declare_active(build, machines)
    _declare_curves(build, machines)
    for row, entity in enumerate(build.having("phases")):
        places: dict[str, tuple[str, Index]] = {
            name: ("phases.figures", (row, column)) for column, name in enumerate(FIGURES)
        }
        build.bind_metrics(entity, "phases", places)


def _declare_chart(build: Build, machines: list[Machine], member: Machines) -> Program:
    """The fields of layout.Chart."""
    program = Program()
    duration, waits, following = [], [], []
    exit_first, exit_to, exit_node = [0], [], [0]
    for machine in machines:
        for phase in machine.phases.values():
            duration.append(NOTHING if phase.duration is None else phase.duration)
            waits.append(int(phase.waits))
            following.append(member.phase(machine.path, phase.next) if phase.next else NOTHING)
            exits = [(each.when, each.next) for each in phase.exits]
            exits += [(phase.until, phase.next)] if phase.until is not None else []
            for condition, to in exits:
                program.add(condition, machine.path)
                exit_node.append(len(program.nodes))
                exit_to.append(member.phase(machine.path, to))
            exit_first.append(len(exit_to))
    first = [0, *itertools.accumulate(len(machine.phases) for machine in machines)]
    for name, values, labels, doc in (
        ("first", first, (), "First phase of every machine."),
        ("waits", waits, member.labels, "1: goes on after its duration."),
        ("following", following, member.labels, "Phase that follows after the duration."),
        ("exit_first", exit_first, (), "First exit of every phase."),
        ("exit_to", exit_to, (), "Phase that an exit leads to."),
        ("exit_node", exit_node, (), "First node of the condition of an exit."),
        ("node", np.array(program.nodes).reshape(-1, 3), (), "Nodes of conditions; columns in layout.py."),
    ):
        build.add_model(f"phases.{name}", values, unit="1", doc=doc, labels=labels, dtype=np.int64)
    doc = "How long it lasts; negative: not told."
    build.add_model("phases.duration", duration, unit="s", doc=doc, labels=member.labels)
    bounds = np.array(program.bounds).reshape(-1, 2)
    build.add_model("phases.bound", bounds, unit="SI", doc="Lower and upper bounds of nodes.")
    build.add_step(
        "phases.truth", (len(bounds),), unit="1", doc="1 for nodes that held when last asked.", dtype=np.int64
    )
    return program


def _declare_seen(build: Build, program: Program) -> None:
    """What conditions look at besides time: as it was after the last two steps."""
    labels = [f"{source.kind} {source.name}" for source in program.sources]
    count = len(labels)
    paths = [source.name for source in program.sources if source.kind == CONTACT]
    build.add_step("phases.measured", (count,), unit="SI", doc="Measured after this step.", labels=labels)
    build.add_step(
        "phases.normal_force", (len(paths),), unit="N", doc="On the entities asked for.", labels=paths
    )
    for name, doc in (("seen", "after the last step"), ("seen_before", "after the step before that")):
        build.add_state(f"phases.{name}", np.zeros(count), unit="SI", doc=f"Measured {doc}.", labels=labels)
    for name, doc in (("known", "after the last step"), ("known_before", "after the step before that")):
        doc = f"1: there was a number {doc}."
        build.add_state(f"phases.{name}", [0] * count, unit="1", doc=doc, labels=labels, dtype=np.int64)


def _declare_memory(build: Build, machines: list[Machine], member: Machines) -> None:
    """The fields of layout.Memory and layout.Shown."""
    paths = [machine.path for machine in machines]
    start = [member.phase(machine.path, machine.told.start) for machine in machines]
    entries = np.zeros(len(member.labels), np.int64)
    entries[start] = 1
    last = len(member.labels) - 1
    for name, values, labels, doc, bounds in (
        ("current", start, paths, "Row of the phase.", (0, last)),
        ("previous", [NOTHING] * len(paths), paths, "Row of the phase before it, or -1.", (NOTHING, last)),
        ("transitions", [0] * len(paths), paths, "How often one phase followed another.", None),
        ("entries", entries, member.labels, "How often the phase began.", None),
    ):
        record = name == "current"
        build.add_state(
            f"phases.{name}",
            values,
            unit="1",
            doc=doc,
            labels=labels,
            record=record,
            dtype=np.int64,
            bounds=bounds,
        )
    for name, labels, doc in (
        ("begun", paths, "When the phase began."),
        ("first_entry", member.labels, "When the phase began for the first time."),
        ("last_entry", member.labels, "When it began for the last time."),
    ):
        build.add_state(f"phases.{name}", np.zeros(len(labels)), unit="s", doc=doc, labels=labels)
    for name, unit, doc in (
        ("time", "s", "Since the phase began, at the step's start."),
        ("share", "1", "Share of the phase's duration that has passed."),
    ):
        build.add_step(f"phases.{name}", (len(paths),), unit=unit, doc=doc, labels=paths)
    doc = "Transitions in this step."
    build.add_step("phases.changed", (len(paths),), unit="1", doc=doc, labels=paths, dtype=np.int64)
    shape = (len(paths), len(FIGURES))
    build.add_step("phases.figures", shape, unit="SI", doc="Values of the metrics.", labels=paths)


def _declare_active(build: Build, machines: list[Machine]) -> None:
    """For every name of every machine, in which phases it is active."""
    names = [(machine, name) for machine in machines for name in machine.flags]
    rows = [
        [int(machine is owner and name in phase.active) for owner, name in names]
        for machine in machines
        for phase in machine.phases.values()
    ]
    labels = [f"{machine.path}.{name}" for machine, name in names]
    owners = [machines.index(machine) for machine, _ in names]
    for name, values, doc in (
        ("flag_machine", owners, "Machine that a name belongs to."),
        (
            "flag_of_phase",
            np.array(rows).reshape(len(rows), len(names)),
            "1 where a name is active in a phase.",
        ),
    ):
        build.add_model(f"phases.{name}", values, unit="1", doc=doc, dtype=np.int64)
    doc = "1 for names that are active."
    build.add_step("phases.active", (len(names),), unit="1", doc=doc, labels=labels, dtype=np.int64)


def _declare_curves(build: Build, machines: list[Machine]) -> None:
    """The fields of layout.Curves, and the values themselves."""
    widths = [(machine, name, width) for machine in machines for name, width in machine.widths.items()]
    labels = [f"{machine.path}.{name}" for machine, name, width in widths for _ in range(width)]
    owners = [machines.index(machine) for machine, _, width in widths for _ in range(width)]
    rows = [(machine, phase) for machine in machines for phase in machine.phases]
    table = np.full((len(rows), len(labels)), NOTHING, np.int64)
    curves: list[tuple[int, int, int, int]] = []
    segments, used = [np.zeros((0, SEGMENT_COLUMNS))], 0
    for row, (machine, phase) in enumerate(rows):
        channel = 0
        for owner, name, width in widths:
            if owner is machine:
                curve = _as_curve(machine.value(phase, name))
                for local, made in enumerate(read_curve(curve)):
                    table[row, channel + local] = len(curves)
                    by_share = int(curve.over == "share")
                    curves.append((shape_of(curve.interpolation), used, len(made), by_share))
                    segments.append(made)
                    used += len(made)
            channel += width
    columns = np.array(curves, np.int64).reshape(-1, 4).T
    for name, values, doc in (
        ("channel_machine", owners, "Machine that a number belongs to."),
        ("channel_curve", table, "Curve of a number in a phase, or -1."),
        ("curve_shape", columns[0], "How a curve goes from knot to knot."),
        ("curve_first", columns[1], "First segment of a curve."),
        ("curve_count", columns[2], "Number of its segments."),
        ("curve_by_share", columns[3], "1: over the share of the phase, 0: over its time."),
    ):
        build.add_model(f"phases.{name}", values, unit="1", doc=doc, dtype=np.int64)
    doc = "From knot to knot; columns in supple.math.curve_layout."
    build.add_model("phases.segment", np.concatenate(segments), unit="s, SI", doc=doc)
    for name, doc in (
        ("value", "Values at the step's end."),
        ("rate", "Their derivatives by time."),
        ("acceleration", "Their second derivatives by time."),
    ):
        build.add_step(f"phases.{name}", (len(labels),), unit="SI", doc=doc, labels=labels)


def _as_curve(value: Value) -> PhaseCurve:
    if isinstance(value, Curve):
        return value
    return PhaseCurve(keys=((0.0, *as_numbers(value)),), over="time")
