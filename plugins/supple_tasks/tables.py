"""What the kernels of prioritised tasks take and give: arrays bundled by what they belong to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.math.strip_kernels import LANES

#: How small singular values are treated.
DAMPED, TRUNCATED = 0, 1
INVERSES = {"damped": DAMPED, "truncated": TRUNCATED}
# What is left of a row when less than this part of it is, is round-off: the row depends on others.
ROUND_OFF = 1e-10


class Motion(NamedTuple):
    """The equation of motion M a + h = S^T tau + L^T lambda with L a + drift = 0."""

    M: FloatArray  # [n, n]
    h: FloatArray  # [n] bias and gravity, less what other known forces give
    L: FloatArray  # [rows, n]; the first counts[0] are in use
    drift: FloatArray  # [rows] Ldot v
    actuated: IntArray  # [m] rates with a torque
    passive: IntArray  # [n - m] rates without
    counts: IntArray  # [1] rows of L in use


class Wishes(NamedTuple):
    """What is asked of the accelerations: J a = wanted, level by level."""

    J: FloatArray  # [rows, n]
    wanted: FloatArray  # [rows] command less Jdot v
    end: (
        IntArray  # [levels] the row after the last of every level; levels come in the order of their priority
    )


class Bounds(NamedTuple):
    """Wishes that hold one way only: sum way_i a[rate + i] <= most. Rows of J are filled while they are needed."""

    row: IntArray  # [bounds] row of the wishes
    rate: IntArray  # [bounds] first rate
    count: IntArray  # type: ignore[assignment]  # [bounds] rates, 1 or 3
    way: FloatArray  # [bounds, 3]
    most: FloatArray  # [bounds] rad/s^2, m/s^2; infinite where nothing is near
    joined: IntArray  # [bounds] 1 where it is an equation in this step


class Limits(NamedTuple):
    """Tasks whose force is limited; `first` and `size` are rows of the wishes, `drift` is Jdot v of all rows.

    Where `load` is not zero it is the mass that the force acts on, and gravity with it; else all that moves along is.
    """

    first: IntArray  # [tasks]
    size: IntArray  # [tasks]
    strongest: FloatArray  # [tasks] N, N m; infinite where nothing limits
    drift: FloatArray  # [rows]
    force: FloatArray  # [tasks] size of the force after limiting
    share: FloatArray  # [tasks] 1 where nothing was taken off, else the part that is left
    alone: FloatArray  # [tasks] the same before higher levels are looked at
    load: FloatArray  # [tasks] kg
    axis: IntArray  # [rows] direction in the world of rows of loads
    gravity: FloatArray  # [3] m/s^2


class Choice(NamedTuple):
    """How small singular values are treated; one is small below `threshold` times the smallest row of its level.

    Rows are measured by kinetic energy, J M^-1 J^T, so a row is as large as what it moves is light.
    """

    inverse: IntArray  # [1] DAMPED or TRUNCATED
    threshold: FloatArray  # [1]


class Answer(NamedTuple):
    """Accelerations, torques and what is left of the wishes."""

    a: FloatArray  # [n]
    tau: FloatArray  # [n], zero for passive rates
    left: FloatArray  # [rows] wanted - J a
    softened: IntArray  # [levels] directions that were damped or left out
    spent: IntArray  # [levels + 1] freedoms that the equations, and these with every level so far, take
    supported: IntArray  # [1] passive rates that joints can support


class Room(NamedTuple):
    """Scratch of the kernels. What is reflected has LANES columns more than are in use."""

    F: FloatArray  # [n, n] M = F^T D F with 1 on the diagonal of F
    root: FloatArray  # [n] sqrt D
    chain: IntArray  # [n, n] columns of every row of F that are not zero, ahead of the diagonal
    length: IntArray  # [n] their number
    K: FloatArray  # [rows + passive, n] rows of the wishes by kinetic energy, then those of unsupported rates
    wanted: FloatArray  # [rows + passive] right sides
    wanted_alone: FloatArray  # [rows + passive] the same before higher levels are looked at
    pull: FloatArray  # [n] bias and gravity by kinetic energy
    size: FloatArray  # [rows + passive] squares of the rows of K
    w: FloatArray  # [n] accelerations by kinetic energy
    Z: FloatArray  # [n, n] orthonormal rows; those from `spent` on are free
    w_first: FloatArray  # [n] w and Z before the first level
    Z_first: FloatArray
    w_served: FloatArray  # [n] w after all levels, before bounds joined
    A: FloatArray  # [most, most]
    V: FloatArray  # [most, most] reflections
    T: FloatArray  # [most, most] triangles
    W: FloatArray  # [most, most]
    C: FloatArray  # [n, n] a basis as columns
    P: FloatArray  # [constraints, n] L with passive rates first, turned so that these are a triangle
    U: FloatArray  # [passive, constraints] its reflections
    order: IntArray  # [most]
    other: IntArray  # [most]
    passive_order: IntArray  # [passive]
    squares: FloatArray  # [most]
    sums: FloatArray  # [most]
    x: FloatArray  # [most]
    y: FloatArray  # [most]
    z: FloatArray  # [most]


def make_room(n: int, passive: int, rows: int, constraints: int) -> Room:
    """Scratch for n rates, of which some are passive, so many rows of wishes, and of constraints."""
    most = 1 + n + rows + constraints + passive + LANES
    return Room(
        F=np.zeros((n, n)),
        root=np.zeros(n),
        chain=np.zeros((n, n), np.int64),
        length=np.zeros(n, np.int64),
        K=np.zeros((rows + passive, n)),
        wanted=np.zeros(rows + passive),
        wanted_alone=np.zeros(rows + passive),
        pull=np.zeros(n),
        size=np.zeros(rows + passive),
        w=np.zeros(n),
        w_first=np.zeros(n),
        Z_first=np.zeros((n, n + LANES)),
        w_served=np.zeros(n),
        Z=np.zeros((n, n + LANES)),
        A=np.zeros((most, most)),
        V=np.zeros((most, most)),
        T=np.zeros((most, most)),
        W=np.zeros((most, most)),
        C=np.zeros((n, n + LANES)),
        P=np.zeros((constraints + 1, n + LANES)),
        U=np.zeros((passive + 1, constraints + 1)),
        order=np.zeros(most, np.int64),
        other=np.zeros(most, np.int64),
        passive_order=np.zeros(passive + 1, np.int64),
        squares=np.zeros(most),
        sums=np.zeros(most),
        x=np.zeros(most),
        y=np.zeros(most),
        z=np.zeros(most),
    )


def make_answer(n: int, rows: int, levels: int) -> Answer:
    """Room for an answer."""
    return Answer(
        a=np.zeros(n),
        tau=np.zeros(n),
        left=np.zeros(rows),
        softened=np.zeros(levels, np.int64),
        spent=np.zeros(levels + 1, np.int64),
        supported=np.zeros(1, np.int64),
    )


def make_bounds(count: int = 0) -> Bounds:
    """Room for so many bounds."""
    return Bounds(
        row=np.zeros(count, np.int64),
        rate=np.zeros(count, np.int64),
        count=np.ones(count, np.int64),
        way=np.repeat([[1.0, 0.0, 0.0]], count, axis=0),
        most=np.full(count, np.inf),
        joined=np.zeros(count, np.int64),
    )


def make_limits(rows: int, tasks: int = 0) -> Limits:
    """No limits for so many tasks."""
    return Limits(
        first=np.zeros(tasks, np.int64),
        size=np.zeros(tasks, np.int64),
        strongest=np.full(tasks, np.inf),
        drift=np.zeros(rows),
        force=np.zeros(tasks),
        share=np.ones(tasks),
        alone=np.ones(tasks),
        load=np.zeros(tasks),
        axis=np.zeros(rows, np.int64),
        gravity=np.zeros(3),
    )
