"""How deep things came into each other in a run, measured by the thinner of two: the worst of it, and how often.

Rows are planes of the start of a step. What is thin and turns fast may go where no row of the step forbids it; such
steps are looked at when they are over, and taken in parts if something came deep.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import NEXT, ArrayTable, FloatArray, IntArray
from supple.core.build import Build
from supple.core.schedule import Bound, Call, Phase, System
from supple.errors import Problem
from supple.mechanics.mechanism import Carrier
from supple.mechanics.owners import list_element_paths
from supple_collide.beginning import list_things
from supple_collide.depth_kernels import DEPTH, SHARE, TIME, find_deepest, find_turns, is_far, watch_depth
from supple_collide.finders import find_surface
from supple_collide.kernel_arrays import Mounts, name_arrays

if TYPE_CHECKING:
    from supple.core.world import World

#: Part of the thinner of two by which they may overlap: from there on centres pass each other, and the way out that
#: contacts find may be the far side.
DEEP = 0.5
#: The same part, beyond which a step is doubtful that brought things so deep by itself; and the part of it that what
#: touches must turn through for anybody to look.
STRAYED, TURNS = 0.25, 0.25
CONTACTS = tuple(f"contacts.{name}" for name in ("count", "surface", "element", "gap"))
FIRST, THICKNESS, SHARE_NOW, FAR = (f"collide.{name}" for name in ("first", "thickness", "share", "far"))
WORST, PAIR, START = "collide.worst", "collide.worst_pair", "collide.worst_start"
BOOKS = (WORST, PAIR, START, "run.deep")


def compile_depth(build: Build) -> None:
    """Declare what is known of the deepest overlap so far, and have steps judged that may have come deep."""
    first, thickness = list_thicknesses(build)
    doc = "First element of every surface among those of all."
    build.add_model(FIRST, first, unit="1", doc=doc, dtype=np.int64)
    build.add_model(
        THICKNESS,
        thickness,
        unit="m",
        doc="Of every element what it belongs to; infinite if it bends.",
        plain=True,
    )
    build.add_step(
        SHARE_NOW, (1,), unit="1", doc="Deepest overlap at the start of the step, by the thinner of two."
    )
    doc = "Not 0 where something that touches turned so far that it may be deep in something else after the step."
    build.add_step(FAR, (1,), unit="1", doc=doc, dtype=np.int64)
    build.end_looks.append((FAR, judge_end))
    doc = "Deepest overlap so far: part of the thinner of the two, depth, and when it was."
    build.add_state(WORST, [0.0, 0.0, 0.0], unit="1, m, s", doc=doc)
    doc = "Its surfaces and elements: of A, then of B."
    build.add_state(PAIR, [0, 0, 0, 0], unit="1", doc=doc, dtype=np.int64)
    build.add_state(START, [0.0], unit="1", doc="The same part where things were when the run began.")


class WatchDepth(System):
    """Keeps the deepest overlap of the run, and counts steps in which something is deep that did not begin so."""

    phase = Phase.OBSERVE
    reads = (*CONTACTS, FIRST, THICKNESS, "run.step", "run.part", "run.time", *BOOKS)
    writes: tuple[str, ...] = (SHARE_NOW, *(f"{name}{NEXT}" for name in BOOKS))

    def bind(self, arrays: Bound) -> Call:
        """Bind the contacts and the books."""
        contacts, sizes = (tuple(arrays[name] for name in names) for names in (CONTACTS, (FIRST, THICKNESS)))
        now = tuple(arrays[name] for name in ("run.step", "run.part", "run.time"))
        books = tuple(arrays[name] for name in BOOKS)
        return Call(watch_depth, DEEP, sizes, contacts, now, books, *(arrays[name] for name in self.writes))


def judge_end(arrays: ArrayTable) -> str:
    """What is wrong with the contacts at the end of a step."""
    sizes, contacts = (tuple(arrays[name] for name in names) for names in ((FIRST, THICKNESS), CONTACTS))
    share, _ = find_deepest(sizes, contacts)
    if share <= max(STRAYED, arrays[SHARE_NOW].item(0)):
        return ""
    return f"what turns came into what it touches by {100 * share:.0f} % of the thinner of the two"


class WatchTurns(System):
    """Says where primitives that touch turn so far that rows may have misjudged where they go."""

    phase = Phase.OBSERVE

    def __init__(self, build: Build) -> None:
        carriers: list[Carrier] = build.members("carriers")
        self.twists = [f"{each.twist}{NEXT}" for each in carriers]
        self.reads = (
            *CONTACTS, FIRST, THICKNESS, *name_arrays("collide", Mounts), "collide.size", "collide.kind", *self.twists
        )  # fmt: skip
        self.writes = (FAR,)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the contacts of primitives, and the spins after the step."""
        mounts, kind, size = arrays.take(Mounts, "collide"), arrays["collide.kind"], arrays["collide.size"]
        way = np.zeros(len(kind))
        finding = []
        for number, twist in enumerate(self.twists):
            rows = np.flatnonzero(mounts.carrier == number)
            if len(rows):
                mine = (rows, mounts.frame[rows], mounts.extent, kind, size)
                finding.append(Call(find_turns, arrays.h, *mine, arrays[twist], way))
        contacts, sizes = (tuple(arrays[name] for name in names) for names in (CONTACTS, (FIRST, THICKNESS)))
        surface = find_surface(arrays, "primitives")
        return [*finding, Call(is_far, TURNS * STRAYED, surface, sizes, way, contacts, arrays[FAR])]


def list_thicknesses(build: Build) -> tuple[IntArray, FloatArray]:
    """Thickness [m] of every element of all surfaces, and where those of each begin; infinite of what bends."""
    known: dict[str, float] = {}
    for thing in list_things(build):
        known[thing.path] = max(thing.solid, known.get(thing.path, 0.0))
    first: list[int] = []
    found: list[float] = []
    for surface in build.members("surfaces"):
        first.append(len(found))
        bends = hasattr(surface, "triangles")
        found += [math.inf if bends else known.get(path, math.inf) for path in list_element_paths(surface)]
    return np.array(first, np.int64), np.array(found, np.float64)


def warn_of_overlap(world: World) -> Iterator[Problem]:
    """The pair that came deepest into each other, if that was too deep."""
    share, depth, time = (float(world.arrays[WORST][k]) for k in (SHARE, DEPTH, TIME))
    count = int(world.arrays["run.deep"][0])
    surfaces: list[Any] = world.members("surfaces")
    paths = [list_element_paths(surface) for surface in surfaces]
    a, i, b, j = world.arrays[PAIR].tolist()
    # A checkpoint may say anything.
    known = all(0 <= s < len(paths) and 0 <= e < len(paths[s]) for s, e in ((a, i), (b, j)))
    if not count or not share > 0.0 or not known:
        return
    one, other = paths[a][i], paths[b][j]
    what = (
        f"came {depth:.2g} m deep into {other} at t = {time:g} s, {100 * share:.0f} % of the thinner of the two, "
        f"and may have passed through; in {count} steps something was as deep as {100 * DEEP:.0f} %"
    )
    step = world.blueprint.run.step
    yield Problem(None, one, what, f"make run.step shorter than {step * min(0.5, DEEP / share):.1e} s")
