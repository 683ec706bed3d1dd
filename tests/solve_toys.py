"""A one-file plugin with a solve of its own, and with steps that fail when they are long."""

from __future__ import annotations

from pathlib import Path

import supple
from supple.core.world import World

PLUGIN = '''
"""Beads on a vertical rod that land on the ground, solved on their own; and a thing that bears short steps only."""

import numpy as np

from supple import Metric, Phase, System, component, field, hookimpl
from supple.errors import SimulationError
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.rows import BILATERAL, UNILATERAL

ENERGY = tuple(f"string.energy_{part}" for part in ("before", "kinetic", "potential", "applied"))


@component
class Bead:
    """A point mass that moves along y, tied to the bead below it."""

    mass: float = field(default=1.0, unit="kg", doc="Mass.", gt=0)
    height: float = field(default=1.0, unit="m", doc="Height at the start.", ge=0)
    metrics = (Metric("height", "m", "Height at the end.", "last"),)


@component
class BeadSettings:
    """How beads are solved."""

    rate: int = field(default=1, unit="1", doc="Steps of the run in one of theirs.", gt=0)


@component
class Fragile:
    """Something that cannot be computed from a time on with steps that are longer than it bears."""

    at: float = field(default=0.0, unit="s", doc="From when on.")
    until: float = field(default=1e9, unit="s", doc="Until when.")
    bears: float = field(default=1.0, unit="s", doc="Longest step.")
    spoils: bool = field(default=False, unit="", doc="Whether it gives nan instead of an error.")
    metrics = (
        Metric("mean_time", "s", "Time at the end of a step, on average.", "mean"),
        Metric("latest", "s", "Latest time.", "max"),
    )


def compile_beads(build):
    entities = build.having("bead")
    parts, labels = [e.components["bead"] for e in entities], [e.path for e in entities]
    count = len(parts)
    heights = [[part.height] for part in parts]
    build.add_solve("string", rate=build.settings("beads").rate)
    build.add_model("beads.mass", [[part.mass] for part in parts], unit="kg", doc="Masses.", labels=labels)
    build.add_model("beads.length", np.diff(heights, axis=0), unit="m", doc="Lengths of the rods.")
    build.add_state("beads.x", heights, unit="m", doc="Heights.", labels=labels, record=True)
    build.add_state("beads.v", np.zeros((count, 1)), unit="m/s", doc="Velocities.", labels=labels)
    for name in ("v_free", "impulse"):
        build.add_step(f"beads.{name}", (count, 1), unit="SI", doc="Of the mechanism.", labels=labels)
    build.add_step("beads.plan", (count, 1), unit="N s", doc="Planned impulses.", accumulates=True)
    build.add_step("beads.force", (count, 1), unit="N", doc="Forces of actuators.", accumulates=True)
    mechanism = Beads(count)
    build.add_member("mechanisms", mechanism)
    build.add_member("row_sources", BeadRows(mechanism))
    for row, entity in enumerate(entities):
        build.bind_metrics(entity, "bead", {"height": ("beads.x.next", (row, 0))})


class Beads:
    name, solve = "beads", "string"
    v, v_next, v_free = "beads.v", "beads.v.next", "beads.v_free"
    plan, impulse, force = "beads.plan", "beads.impulse", "beads.force"
    reads = ("beads.mass",)

    def __init__(self, count):
        self.unit_count = count
        self.jacobian = JacobianBlocks(4 * count, 1)

    def bind(self, arrays):
        self.mass = arrays["beads.mass"]

    def add_block(self, group, bead, value):
        J = self.jacobian
        k = J.reserve(1)
        J.group[k], J.unit[k], J.dof[k], J.values[k, 0, 0] = group, bead, bead, value

    def add_delassus(self, W):
        J = self.jacobian
        for a in range(J.count[0]):
            for b in range(J.count[0]):
                if J.unit[a] == J.unit[b]:
                    row = slice(W.indptr[J.group[a]], W.indptr[J.group[a] + 1])
                    place = row.start + np.flatnonzero(W.indices[row] == J.group[b])[0]
                    W.values[place] += J.values[a] @ J.values[b].T / self.mass[J.unit[a], 0]

    def apply_inverse(self, x, out):
        out[...] = x / self.mass

    def response(self, columns, out):
        out[...] = columns / self.mass.reshape(-1)


class BeadRows:
    name, solve = "rods", "string"
    reads = ("beads.x", "beads.length")

    def __init__(self, mechanism):
        self.mechanism = mechanism

    def bind(self, arrays):
        self.x, self.length = (arrays[name] for name in self.reads)

    def append(self, problem):
        beads, rods = len(self.x), len(self.length)
        self.first = problem.reserve(beads + rods)
        for i in range(beads):
            group = self.first + i
            problem.law[group], problem.gap[group], problem.key[group] = UNILATERAL, self.x[i, 0], (-2, i)
            self.mechanism.add_block(group, i, 1.0)
        for i in range(rods):
            group = self.first + beads + i
            problem.law[group], problem.key[group] = BILATERAL, (-3, i)
            problem.gap[group] = self.x[i + 1, 0] - self.x[i, 0] - self.length[i, 0]
            self.mechanism.add_block(group, i + 1, 1.0)
            self.mechanism.add_block(group, i, -1.0)

    def set_bias(self, problem):
        used = slice(self.first, self.first + len(self.x) + len(self.length))
        problem.bias[used, 0] = problem.gap[used] / problem.step


class BeadSystem(System):
    def __init__(self, build):
        self.rate = build.settings("beads").rate


class FreeBeads(BeadSystem):
    phase = Phase.FREE
    reads = ("beads.v", "run.gravity", "beads.force", "beads.mass")
    writes = ("beads.v_free",)

    def bind(self, arrays):
        v, gravity, force, mass = (arrays[name] for name in self.reads)
        free, h = arrays["beads.v_free"], arrays.h

        def fall():
            free[:] = v + h * (gravity[1] + force / mass)

        return fall


class AdvanceBeads(BeadSystem):
    phase = Phase.ADVANCE
    reads = ("beads.x", "beads.mass", "beads.v_free", "beads.impulse")
    writes = ("beads.x.next", "beads.v.next")

    def bind(self, arrays):
        x, mass, free, impulse = (arrays[name] for name in self.reads)
        x_next, v_next = (arrays[name] for name in self.writes)
        h = arrays.h

        def advance():
            v_next[:] = free + impulse / mass
            x_next[:] = x + h * v_next

        return advance


class WeighBeads(BeadSystem):
    phase = Phase.OBSERVE
    reads = ("beads.x", "beads.v", "beads.x.next", "beads.v.next", "beads.mass", "run.gravity")
    adds = ENERGY

    def bind(self, arrays):
        x, v, x_next, v_next, mass, gravity = (arrays[name] for name in self.reads)
        before, kinetic, potential, _ = (arrays[name] for name in self.adds)

        def weigh():
            before[0] += (0.5 * mass * v**2 - mass * gravity[1] * x).sum()
            kinetic[0] += (0.5 * mass * v_next**2).sum()
            potential[0] -= (mass * gravity[1] * x_next).sum()

        return weigh


def compile_fragile(build):
    entities = build.having("fragile")
    build.add_step("fragile.time", (1,), unit="s", doc="Time at the end of the step.")
    build.add_state("fragile.sum", [0.0], unit="s", doc="Length of all that was computed.")
    for entity in entities:
        build.bind_metrics(entity, "fragile", {m: ("fragile.time", 0) for m in ("mean_time", "latest")})


class Break(System):
    phase = Phase.ADVANCE
    reads = ("run.time", "run.time.next", "fragile.sum")
    writes = ("fragile.time", "fragile.sum.next")

    def __init__(self, build):
        self.parts = [(e.path, e.components["fragile"]) for e in build.having("fragile")]

    def bind(self, arrays):
        time, after, total = (arrays[name] for name in self.reads)
        shown, total_next = (arrays[name] for name in self.writes)
        h = arrays.h

        def advance():
            shown[0], total_next[0] = after[0], total[0] + h
            for path, part in self.parts:
                if part.at <= time[0] < part.until and h > part.bears:
                    if part.spoils:
                        total_next[0] = np.nan
                    else:
                        raise SimulationError(f"a step of {h:g} s is too long", entity=path)

        return advance


@hookimpl
def supple_register(registry):
    registry.add_component(Bead)
    registry.add_component(Fragile)
    registry.add_settings("beads", BeadSettings)
    registry.add_compiler(
        "beads", compile_beads, components=["bead"], provides=["mechanisms", "row_sources", "solves"]
    )
    registry.add_compiler("fragile", compile_fragile, components=["fragile"])
    for name, system in (("fall", FreeBeads), ("advance", AdvanceBeads), ("weigh", WeighBeads)):
        registry.add_system(f"beads.{name}", system, when=["bead"])
    registry.add_system("fragile.break", Break, when=["fragile"])
'''

HEAD = """\
format = 1
[run]
step = 0.002
duration = 1.0
"""
BODIES = """
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "ball"
pose = { position = [0, 0.3, 0] }
sphere = { radius = 0.1 }
body = {}
[[entity]]
name = "sunk"
pose = { position = [2, 0.08, 0] }
box = { size = [0.2, 0.2, 0.2] }
body = {}
[[entity]]
name = "slab"
pose = { position = [1, 0.25, 0], axis = [0, 0, 1], angle = 10 }
box = { size = [0.4, 0.2, 0.3] }
body = {}
"""
BEADS = """
[[entity]]
name = "low"
bead = { mass = 2.0, height = 0.4 }
[[entity]]
name = "upper"
bead = { mass = 0.5, height = 0.7 }
"""


def load_text(folder: Path, text: str, name: str = "scene", **options: object) -> World:
    """The world of a scene that uses the plugin."""
    plugin = folder / "toys.py"
    plugin.write_text(PLUGIN)
    scene = folder / f"{name}.toml"
    scene.write_text(text)
    return supple.load(scene, plugins=[plugin], **options)
