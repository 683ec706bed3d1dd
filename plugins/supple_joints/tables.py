"""The arrays of links and of their rows, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import NEXT, FloatArray, IntArray
from supple.core.build import Build
from supple.core.schedule import Bound


class Links(NamedTuple):
    """What every link ties together; see codes."""

    kind: IntArray  # [links]
    carrier: IntArray  # [links, 2] who moves either side
    frame: IntArray  # [links, 2] and by which of its frames


class Anchors(NamedTuple):
    """Poses of the anchors on both sides, in their frames or in the world."""

    x: FloatArray  # [links, 2, 3] m
    q: FloatArray  # [links, 2, 4]


class Frames(NamedTuple):
    """Poses of the frames of one carrier."""

    position: FloatArray
    rotation: FloatArray


class Grasps(NamedTuple):
    """The links that are grasps, their spans, and the step that begins now."""

    link: IntArray  # [grasps]
    first: IntArray  # [grasps] step in which it closes
    last: IntArray  # [grasps] step in which it is open again
    step: IntArray  # [1]


class Measured(NamedTuple):
    """Where links are and what is wrong with them: README eq. (3) to (8)."""

    axes: FloatArray  # [links, 2, 3, 3] directions n, t, s of moving and of turning
    error: FloatArray  # [links, 2, 3] along these [m, rad]
    point: FloatArray  # [links, 2, 3] where the link acts on its sides [m]
    coordinate: FloatArray  # [links] position on the free axis [rad, m]


class RowColumns(NamedTuple):
    """The columns of `RowTable`, each [rows]."""

    link: IntArray
    role: IntArray
    motion: IntArray
    column: IntArray
    law: IntArray
    target: FloatArray
    stiffness: FloatArray
    damping: FloatArray
    offset: FloatArray
    strongest: FloatArray
    implicitness: FloatArray


class LockedRows(NamedTuple):
    """Rows that are equations, each [rows]; links are counted among those that a `Dynamics` knows."""

    link: IntArray
    motion: IntArray
    column: IntArray


class LinkRates(NamedTuple):
    """How directions and points of links move."""

    axes: FloatArray  # [links, 2, 3, 3] 1/s
    point: FloatArray  # [links, 3] m/s


class ActiveRows(NamedTuple):
    """The rows of this step: those whose links hold."""

    number: IntArray  # [rows] which they are
    span: IntArray  # [2] their first group in the problem, and how many there are


class Held(NamedTuple):
    """Sides that are points of surfaces which bend, each [links, 2]; -1 where nothing is held."""

    surface: IntArray
    element: IntArray
    weights: FloatArray  # [links, 2, 3] of the triangle's corners


class Mesh(NamedTuple):
    """A surface that bends."""

    triangles: IntArray
    vertices: FloatArray  # [vertices, 3] m


class Springs(NamedTuple):
    """Link, first row and number of rows of every spring."""

    link: IntArray
    row: IntArray
    size: IntArray


class Forces(NamedTuple):
    """What rows and links pass on: README eq. (14)."""

    row_force: FloatArray  # [rows]
    row_effort: FloatArray  # [rows] their sizes
    force: FloatArray  # [links, 3] on side A
    torque: FloatArray  # [links, 3]


LINKS = tuple(f"joints.{name}" for name in Links._fields)
SPANS = ("grasps.first", "grasps.last")
MEASURED = tuple(f"joints.{name}" for name in Measured._fields)
ROWS = tuple(f"joints.row_{name}" for name in RowColumns._fields)
SPRINGS = tuple(f"springs.{name}" for name in Springs._fields)
FORCES = tuple(f"joints.{name}" for name in Forces._fields)


def take_anchors(arrays: Bound, end: str = "") -> Anchors:
    """The anchors in their frames; with `.next` those after the step."""
    return Anchors(x=arrays[f"joints.anchor_x{end}"], q=arrays[f"joints.anchor_q{end}"])


def name_grasps(build: Build) -> tuple[str, ...]:
    """The arrays of `Grasps`; where grasps follow phases, their spans are those that were decided in this step."""
    follow = build.arrays.spec(SPANS[0]).kind == "state"
    return ("grasps.link", *(name + NEXT if follow else name for name in SPANS), "run.step")


def take_grasps(arrays: Bound) -> Grasps:
    """All grasps, and the step."""
    link, first, last, step = (arrays[name] for name in name_grasps(arrays.build))
    return Grasps(link=link, first=first, last=last, step=step)


def take_rows(arrays: Bound) -> RowColumns:
    """All rows."""
    return RowColumns(**{name: arrays[f"joints.row_{name}"] for name in RowColumns._fields})


def make_anchors(links: int) -> Anchors:
    """Room for the anchors of so many links."""
    return Anchors(x=np.zeros((links, 2, 3)), q=np.zeros((links, 2, 4)))


def make_measured(links: int) -> Measured:
    """Room for what is measured of so many links."""
    return Measured(
        axes=np.zeros((links, 2, 3, 3)),
        error=np.zeros((links, 2, 3)),
        point=np.zeros((links, 2, 3)),
        coordinate=np.zeros(links),
    )
