"""The seams between what moves, what touches, and what is solved.

Per step every mechanism m has  A_m v_m = b_m + J_m^T lambda  with the row impulses lambda [N s]. The objects
here stand in collections of the world; systems call them a few times per step, never per contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.schedule import ROWS, Bound, Work
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.points import SurfacePoints
from supple.mechanics.problem import ConstraintProblem


class Mechanism(Protocol):
    """Degrees of freedom with their own A. Collection `mechanisms`.

    `v`, `v_next` and `v_free` name its arrays of generalised velocities: now, after the step, and without rows
    and plans. `plan` names the accumulating array that controllers in PLAN add to: impulses on b [N s, N m s].
    `impulse` names the array of plan + J^T lambda, so that v_next = v_free + A^-1 impulse. `force` names the
    accumulating array that controllers in ACTUATE add to: a generalised force per rate [N, N m], which enters v_free as
    h A^-1 force. `unit_count` is the number of independent blocks of A. `solve` names the solve that it belongs to,
    if it is not that of all others. With `sums_only = True` it says that its part of W's diagonal is a sum of squares,
    which is small only where masses are large, and not a difference that may be round-off. Where
    velocities change without forces too, and without work, as spins do, `turned` may name an array with the shape of v:
    what impacts see beyond the mean of v and v_free, so that it is the velocity on which impulses do their work.
    """

    name: str
    jacobian: JacobianBlocks
    unit_count: int
    v: str
    v_next: str
    v_free: str
    plan: str
    impulse: str
    force: str
    solve: str = ROWS

    @property
    def reads(self) -> Sequence[str]:
        """The arrays that A depends on."""
        ...

    def bind(self, arrays: Bound) -> None:
        """Look up the declared arrays once."""
        ...

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += J A^-1 J^T over the blocks now in `jacobian`. `delassus.ColumnDelassus` does it for any `response`."""
        ...

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = A^-1 x, both with the shape of `v`."""
        ...

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = A^-1 columns[k] for many vectors at once, both [columns, rates] with the rates of `v` in one row."""
        ...


class PointArrays(NamedTuple):
    """The arrays of `PointRows` for kernels."""

    group: IntArray
    frame: IntArray
    sign: FloatArray
    point: FloatArray
    directions: FloatArray


@dataclass
class PointRows:
    """Points that move with frames of a carrier, and the directions along which their velocity makes rows.

    The rows of entry k belong to group[k]; they are sign[k] * directions[k] @ (velocity of the point), or of
    the frame's angular velocity in the world where rows of turning are asked for. A group of one row leaves
    directions[k, 1:] zero. `arrays` has all of them for kernels.
    """

    capacity: int
    counts: IntArray = field(init=False)  # [1] entries in use, also as `count`
    group: IntArray = field(init=False)  # [capacity] group of rows in the problem
    frame: IntArray = field(init=False)  # [capacity] row of the carrier's frames
    sign: FloatArray = field(init=False)  # [capacity] +1 for side A, -1 for side B
    point: FloatArray = field(init=False)  # [capacity, 3] in the world [m]
    directions: FloatArray = field(init=False)  # [capacity, 3, 3] unit vectors in the world, one a row

    def __post_init__(self) -> None:
        self.counts = np.zeros(1, np.int64)
        self.group, self.frame = np.zeros(self.capacity, np.int64), np.zeros(self.capacity, np.int64)
        self.sign, self.point = np.zeros(self.capacity), np.zeros((self.capacity, 3))
        self.directions = np.zeros((self.capacity, 3, 3))

    @property
    def count(self) -> int:
        """Entries in use."""
        return self.counts.item(0)

    @count.setter
    def count(self, count: int) -> None:
        self.counts[0] = count

    @cached_property
    def arrays(self) -> PointArrays:
        """What kernels fill."""
        return PointArrays(
            group=self.group, frame=self.frame, sign=self.sign, point=self.point, directions=self.directions
        )


class Carrier(Protocol):
    """Rigid frames that a mechanism moves: bodies, bones. Collection `carriers`.

    It names its arrays. The pose is State, written in ADVANCE: `position` [n, 3] in m, `rotation` [n, 4] quaternions,
    `twist` [n, 6] velocity of the frame's origin in the world and angular velocity in the frame. Who wants it as it is
    after the step reads these names with `.next`. `wrench` [n, 6] is force and torque in the world that others add
    [N, N m]. `layer` names the layer of the shapes on the frames: see `supple.core.drawing.LAYERS`.
    """

    name: str
    position: str
    rotation: str
    twist: str
    wrench: str
    layer: str
    solve: str = ROWS

    @property
    def reads(self) -> Sequence[str]:
        """The arrays that the Jacobian of a point depends on."""
        ...

    def bind(self, arrays: Bound) -> None:
        """Look up the declared arrays once."""
        ...

    def add_point_rows(self, rows: PointRows) -> None:
        """Append the Jacobian blocks of these points to the mechanism's."""
        ...

    def add_turn_rows(self, rows: PointRows) -> None:
        """Append the Jacobian blocks of the frames' angular velocities; the points do not matter."""
        ...


class Surface(Protocol):
    """Geometry that touches. Collection `surfaces`; its place there is its number in `contacts.surface`.

    In the collection it is either an `ElementSurface` or a `DeformingSurface`.
    """

    name: str
    solve: str = ROWS

    @property
    def reads(self) -> Sequence[str]:
        """The arrays that it looks at when asked for rows."""
        ...

    def bind(self, arrays: Bound) -> None:
        """Look up the declared arrays once."""
        ...

    def add_rows(self, points: SurfacePoints) -> None:
        """Append the Jacobian blocks of these points on it to those of the mechanisms that move it."""
        ...


class RowMaker(Protocol):
    """What of a surface is asked for rows."""

    def add_rows(self, points: SurfacePoints) -> None:
        """Append the Jacobian blocks of these points on it to those of the mechanisms that move it."""
        ...


class ElementSurface(Surface, Protocol):
    """A surface of shapes or triangles that stand or are carried.

    `element_paths` are the entities of all elements that `contacts.element` counts.
    """

    element_paths: Sequence[str]


class RowSource(Protocol):
    """Whatever makes rows: contacts, joints, limits, motors, grasps. Collection `row_sources`.

    If its `append` fills arrays that others may read, it names them in `writes`; they are written in ASSEMBLE.
    `solve` names the solve that it makes rows for; all that it asks for rows must belong to the same.
    The groups that `append` reserves lie side by side. Which these are, everybody may know: `AssembledSource`.
    """

    name: str
    solve: str = ROWS

    @property
    def reads(self) -> Sequence[str]:
        """The arrays that the rows are made of."""
        ...

    def bind(self, arrays: Bound) -> None:
        """Look up the declared arrays once."""
        ...

    def append(self, problem: ConstraintProblem) -> None:
        """Reserve groups, fill in their laws, and append their Jacobian blocks."""
        ...

    def set_bias(self, problem: ConstraintProblem) -> None:
        """Set the bias of its groups, now that their velocities at the start of the step are known."""
        ...


class HastySource(RowSource, Protocol):
    """A source whose rows take errors back, as those of joints do. Fast recoveries may not add energy to a step."""

    def find_haste(self, problem: ConstraintProblem) -> float:
        """The greatest speed [m/s] at which one of its rows takes an error back in this step."""
        ...

    def list_recovering(self) -> IntArray:
        """The groups of all rows of which the bias is nothing but the recovery of an error."""
        ...


class AssembledSource(RowSource, Protocol):
    """A source as planners find it: whoever assembles the rows gives it `groups`, its row of `rows.groups`.

    After ASSEMBLE they are [2]: its first group in the problem of this step, and the number of its groups. A planner
    declares that it reads `rows.groups` and picks the rows of joints, limits or contacts by the name of their source.
    """

    groups: IntArray


def contact_capacity(build: Build) -> int:
    """Contact points there is room for."""
    return build.room or build.run.capacity.contacts or max(256, 32 * len(build.graph))


def bind_point_rows(carrier: Carrier, rows: PointRows) -> Work:
    """`Carrier.add_point_rows` of these very rows, for every step: calls, where the carrier has `bind_point_rows`."""
    bind = getattr(carrier, "bind_point_rows", None)
    if bind is not None:
        work: Work = bind(rows)
        return work

    def add() -> None:
        if rows.count:
            carrier.add_point_rows(rows)

    return add


def bind_turn_rows(carrier: Carrier, rows: PointRows) -> Work:
    """`Carrier.add_turn_rows` of these very rows, for every step: calls, where the carrier has `bind_turn_rows`."""
    bind = getattr(carrier, "bind_turn_rows", None)
    if bind is not None:
        work: Work = bind(rows)
        return work

    def add() -> None:
        if rows.count:
            carrier.add_turn_rows(rows)

    return add


def bind_surface_rows(surface: RowMaker, points: SurfacePoints) -> Work:
    """`Surface.add_rows` of these very points, for every step: calls, where the surface has `bind_rows`."""
    bind = getattr(surface, "bind_rows", None)
    if bind is not None:
        work: Work = bind(points)
        return work

    def add() -> None:
        if points.span.item(0) < points.span.item(1):
            surface.add_rows(points)

    return add


def bind_append(source: RowSource, problem: ConstraintProblem) -> Work:
    """`RowSource.append` for every step: calls, where the source has `bind_append`."""
    bind = getattr(source, "bind_append", None)
    work: Work = (lambda: source.append(problem)) if bind is None else bind(problem)
    return work


def bind_bias(source: RowSource, problem: ConstraintProblem) -> Work:
    """`RowSource.set_bias` for every step that has rows: calls, where the source has `bind_bias`."""
    bind = getattr(source, "bind_bias", None)
    if bind is not None:
        work: Work = bind(problem)
        return work

    def set_bias() -> None:
        if problem.count:
            source.set_bias(problem)

    return set_bias


def bind_delassus(mechanism: Mechanism, problem: ConstraintProblem) -> Work:
    """`Mechanism.add_delassus` for every step that has rows: calls, where the mechanism has `bind_delassus`."""
    bind = getattr(mechanism, "bind_delassus", None)
    if bind is not None:
        work: Work = bind(problem.W)
        return work

    def add() -> None:
        if problem.count:
            mechanism.add_delassus(problem.W)

    return add
