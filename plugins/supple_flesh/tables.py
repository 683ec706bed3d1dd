"""The arrays of flesh in groups, as kernels take them.

A field has the name of its array, `flesh.x` being `x`; where an array comes from elsewhere, or from the end of the
step, whoever fills the group says so. n is the number of vertices of all flesh, h the step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.math.strip_kernels import LANES

RIGID, ADAPTIVE, SOFT = range(3)
"""Values of `flesh.state`."""

RESTING, MOVING, CREEPING = range(3)
"""Values of `flesh.mask` and `flesh.active`: part of its bone, unknown of the step, or relaxing by itself."""


class Patches(NamedTuple):
    """The vertices at rest: which bones they hang on, what they weigh, and where they are in the bones' frames."""

    patch_bone: IntArray  # [patches] bone or follower
    patch_of: IntArray  # [n]
    mass: FloatArray  # [n] kg
    rest: FloatArray  # [n, 3] m


class Springs(NamedTuple):
    """What holds the vertices; the edges of vertex i are first[i] to first[i + 1] - 1."""

    vertex_stiffness: FloatArray  # [n] N/m
    damping: FloatArray  # [n] N s/m
    first: IntArray  # [n + 1]
    neighbour: IntArray  # [edges] the vertex across
    edge_stiffness: FloatArray  # [edges] N/m


class VertexMotion(NamedTuple):
    """Places and velocities of the vertices in the frames of their bones, [n, 3] each."""

    x: FloatArray
    v: FloatArray


class VertexState(NamedTuple):
    """The motion of the vertices before the step, which moved then, which move now, and what actuators do to them."""

    x: FloatArray
    v: FloatArray
    active: IntArray  # [n]
    mask: IntArray  # [n]
    applied: FloatArray  # [n, 3] N
    surge: FloatArray  # [patches, 6] accelerations of the bones in the last step, in their axes


class PlacedVertices(NamedTuple):
    """The vertices in the world, [n, 3] each."""

    position: FloatArray
    velocity: FloatArray


class BoneMotion(NamedTuple):
    """The bones of the skeletons in the free step; spatial velocities [bones, 6] are about O in world axes."""

    bone: IntArray
    x: FloatArray
    rotation: FloatArray
    spatial_velocity: FloatArray


class BoneAxes(NamedTuple):
    """The bones of the skeletons, and how their rates move them."""

    bone: IntArray
    dof: IntArray
    x: FloatArray
    rotation: FloatArray
    axis: FloatArray


class BoneFrames(NamedTuple):
    """The bones as carriers: twist [bones, 6] is the velocity of the origin in the world, and the spin in own axes."""

    x: FloatArray
    rotation: FloatArray
    twist: FloatArray


class ActiveVertices(NamedTuple):
    """The active vertices patch by patch, and the inverses of their matrices: see `multiply_kernels`."""

    vertex: IntArray  # [n]
    slot: IntArray  # [n]
    start: IntArray  # [patches + 1]
    inverse_start: IntArray  # [patches + 1]
    inverse: FloatArray


class Lag(NamedTuple):
    """What vertices are late by when their bones change velocity and spin; README eq. (4)."""

    lag: FloatArray  # [n]
    lag_moment: FloatArray  # [n, 3] m


class FreeFlesh(NamedTuple):
    """What the free step makes of flesh: lags, velocities, and what released vertices leave; README eq. (4) to (16)."""

    lag: FloatArray  # [n]
    lag_moment: FloatArray  # [n, 3] m
    twist: FloatArray  # [patches, 6] velocity and spin of the bones in their axes
    y: FloatArray  # [n, 3] m/s
    v_free: FloatArray  # [n, 3] m/s, y after the step
    creep: FloatArray  # [n, 3] m/s, change of the velocities of creeping vertices
    parting: FloatArray  # [patches, 6] N s, N m s
    loss_now: FloatArray  # [patches] J


class FreeMotion(NamedTuple):
    """What the free step says of velocities: of the bones at its start, of moving and of creeping vertices."""

    twist: FloatArray
    v_free: FloatArray
    creep: FloatArray


class FreeScratch(NamedTuple):
    """Work arrays of the free step. Arrays [3, n] are over the active vertices.

    `change` of y is without corrections, `latest` with those so far; `push` is what actuators add to it, if pushes[0]
    is not 0. `origin` has the accelerations of the bones, `change_twist` the change of their twists, both [patches, 6].
    """

    right: FloatArray
    product: FloatArray
    change: FloatArray
    latest: FloatArray
    push: FloatArray
    pushes: IntArray
    origin: FloatArray
    change_twist: FloatArray


class AdvancedVertices(NamedTuple):
    """The vertices after the step, and the twists of their bones with the new rates."""

    twist_next: FloatArray
    y_next: FloatArray
    x: FloatArray
    v: FloatArray
    active: IntArray
    surge: FloatArray


class AdvanceScratch(NamedTuple):
    """Work arrays: spatial velocities of the bones and rates of their axes; right sides and products [3, n]."""

    velocity: FloatArray
    axis_rate: FloatArray
    right: FloatArray
    product: FloatArray


class HungVertices(NamedTuple):
    """Vertices, the patches and bones that they hang on, and how far they follow a change of the bones' motion."""

    patch_bone: IntArray
    patch_of: IntArray
    triangles: IntArray
    rotation: FloatArray
    x: FloatArray
    mask: IntArray
    lag: FloatArray
    lag_moment: FloatArray


class WeightedSums(NamedTuple):
    """The arrays of `WeightedRows`."""

    group: IntArray
    frame: IntArray
    weight: FloatArray
    moment: FloatArray
    directions: FloatArray


class DelassusScratch(NamedTuple):
    """Runs of blocks: where in W the last block of each was, where they begin, and chains of those of every patch.

    cursor and following [blocks], start [blocks + 1], head [patches]; product [3, 3] is one block of W.
    """

    cursor: IntArray
    start: IntArray
    following: IntArray
    head: IntArray
    product: FloatArray


def make_delassus_scratch(blocks: int, patches: int) -> DelassusScratch:
    """For so many blocks of rows, and patches."""
    cursor, following = np.zeros((2, blocks), np.int64)
    start, head = np.zeros(blocks + 1, np.int64), np.zeros(patches, np.int64)
    return DelassusScratch(cursor, start, following, head, np.zeros((3, 3)))


class Skins(NamedTuple):
    """The surfaces of all flesh [parts]: their numbers among surfaces, and where their triangles begin."""

    number: IntArray
    first_triangle: IntArray


class Touches(NamedTuple):
    """Where contacts are; counts[0] is how many."""

    counts: IntArray
    surface: IntArray
    element: IntArray


class Softness(NamedTuple):
    """What may move, and how many rings around a contact do."""

    state: IntArray
    rings: IntArray
    rest: FloatArray
    mass: FloatArray


class EnergyState(NamedTuple):
    """Bones and vertices as their energy is taken: rotations of the bones, twists of the patches, and what moves."""

    rotation: FloatArray
    twist: FloatArray
    x: FloatArray
    v: FloatArray
    active: IntArray


class Parting(NamedTuple):
    """What released vertices leave to their bones, and the energy that they give up."""

    parting: FloatArray
    loss_now: FloatArray


class MadeSkin(NamedTuple):
    """The skin as it was made: what stretch and inverted triangles are measured against."""

    patch_bone: IntArray
    patch_of: IntArray
    patch_part: IntArray
    first: IntArray
    neighbour: IntArray
    edge_length: FloatArray  # [edges] m
    triangles: IntArray  # [nt, 3]
    corner_normal: FloatArray  # [nt, 3, 3] in the frames of the corners' bones


class Borders(NamedTuple):
    """Edges and triangles across bones, and the other triangles around every vertex.

    edge [edges across, 3]: two vertices and the number of the edge between them, each once. The triangles around
    vertex i, without those across bones, are around[around_first[i] : around_first[i + 1]].
    """

    edge: IntArray
    triangle: IntArray
    around_first: IntArray
    around: IntArray


class MovedSkin(NamedTuple):
    """The skin after the step: turns of the bones, places in them, which vertices moved, and places in the world."""

    rotation: FloatArray
    x: FloatArray
    mask: IntArray
    position: FloatArray


class LoadedContacts(NamedTuple):
    """Contacts, and the forces that they carry; counts[0] is how many."""

    counts: IntArray
    surface: IntArray
    element: IntArray
    weights: FloatArray
    point: FloatArray
    normal: FloatArray
    force: FloatArray


class FeltForces(NamedTuple):
    """Contact forces on vertices, regions and whole flesh, and the metrics.

    pressure [regions, 7] and whole [parts, 7]: force, centre of pressure (before, the sum of normal force * point), and
    normal force.
    """

    force: FloatArray
    pressure: FloatArray
    whole: FloatArray
    observed: FloatArray


def make_product(vertices: int) -> FloatArray:
    """For products of patches with so many vertices: [3, n], with room for what `strip_kernels` writes behind them."""
    return np.zeros((3, vertices + 2 * LANES))


def make_free_scratch(vertices: int, patches: int) -> FreeScratch:
    """For so many vertices and patches."""
    return FreeScratch(
        right=np.zeros((vertices, 3)),
        product=make_product(vertices),
        change=np.zeros((3, vertices)),
        latest=np.zeros((3, vertices)),
        push=make_product(vertices),
        pushes=np.zeros(1, np.int64),
        origin=np.zeros((patches, 6)),
        change_twist=np.zeros((patches, 6)),
    )


def make_advance_scratch(vertices: int, bones: int, rows: int) -> AdvanceScratch:
    """For so many vertices, bones with followers, and axes."""
    return AdvanceScratch(
        velocity=np.zeros((bones, 6)),
        axis_rate=np.zeros((rows, 6)),
        right=np.zeros((vertices, 3)),
        product=make_product(vertices),
    )
