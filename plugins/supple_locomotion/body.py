"""The body as its controller sees it: where its vertices are, and the rows that turn their velocities into rates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_qpcc.quantities import fit_rotation
from supple_qpcc.targets import turn_to


class Want(NamedTuple):
    """Rates of the body that are wanted: rows [k, 3 n] over all velocities, what they should give, and weights."""

    rows: FloatArray
    aim: FloatArray
    weight: FloatArray


class SoftBody:
    """One body among all tetrahedra; vertices are counted within it, rows reach over all."""

    def __init__(self, x: FloatArray, v: FloatArray, mass: FloatArray, rest: FloatArray, own: slice) -> None:
        self.total, self.first = len(x), own.start
        self.x, self.v, self.m, self.rest = x[own], v[own], mass[own], rest[own]
        self.mass = float(self.m.sum())
        self._all_v = v.reshape(-1)

    def find_centre(self) -> FloatArray:
        """Centre of mass [m]."""
        return np.asarray(self.m @ self.x / self.mass)

    def find_rates(self, rows: FloatArray) -> FloatArray:
        """Rows times the velocities at the start of the step."""
        return np.asarray(rows @ self._all_v)

    def make_rows(self, count: int) -> FloatArray:
        """Rows of zeros."""
        return np.zeros((count, 3 * self.total))

    def spread(self, rows: FloatArray) -> FloatArray:
        """A view [k, vertices of the body, 3] of rows."""
        own = slice(self.first, self.first + len(self.x))
        return rows.reshape(len(rows), self.total, 3)[:, own]

    def map_mean(self, which: IntArray) -> FloatArray:
        """Rows of the mean velocity of some vertices [m/s]."""
        rows = self.make_rows(3)
        view = self.spread(rows)
        for axis in range(3):
            view[axis, which, axis] = 1.0 / len(which)
        return rows

    def map_centre(self) -> FloatArray:
        """Rows of the velocity of the centre of mass [m/s]."""
        rows = self.make_rows(3)
        view = self.spread(rows)
        for axis in range(3):
            view[axis, :, axis] = self.m / self.mass
        return rows

    def fill_turn(self, which: IntArray, rows_out: FloatArray, axes: IntArray | slice = slice(None)) -> None:
        """rows_out: angular velocity of the rigid motion nearest to that of some vertices, about some axes [rad/s]."""
        arms = self.x[which]
        arms = arms - arms.mean(axis=0)
        inertia = (arms**2).sum() * np.eye(3) - arms.T @ arms
        inverse = np.linalg.inv(inertia)[axes]
        # a . (r x v) = v . (a x r)
        self.spread(rows_out)[:, which] = cross_rows(inverse, arms)

    def fill_angular_momentum(self, about: FloatArray, axes: FloatArray, rows_out: FloatArray) -> None:
        """rows_out [k, 3 n]: angular momentum about a point, along axes [k, 3] [kg m^2/s]."""
        self.spread(rows_out)[:] = cross_rows(axes, self.m[:, None] * (self.x - about))

    def find_turn(self, which: IntArray, heading: FloatArray | None = None) -> FloatArray:
        """Rotation vector [rad] from the shape at rest, turned by `heading`, to that of some vertices now."""
        rotation = fit_rotation(self.x[which], self.rest[which])
        target = np.eye(3) if heading is None else heading
        return -turn_to(rotation, target, 1.0)

    def find_fold(self, limb: IntArray, trunk: IntArray) -> float:
        """Angle [rad] by which a part is turned against another, from the shape at rest."""
        of_limb, of_trunk = (fit_rotation(self.x[which], self.rest[which]) for which in (limb, trunk))
        return float(np.linalg.norm(turn_to(of_limb, of_trunk, 1.0)))


def cross_rows(axes: FloatArray, arms: FloatArray) -> FloatArray:
    """a_k x r_i [k, n, 3] for axes [k, 3] and arms [n, 3]."""
    a0, a1, a2 = (axes[:, k : k + 1] for k in range(3))
    r0, r1, r2 = arms.T
    return np.stack([a1 * r2 - a2 * r1, a2 * r0 - a0 * r2, a0 * r1 - a1 * r0], axis=2)


def turn_about_y(angle: float) -> FloatArray:
    """Rotation [3, 3] about the vertical, to the left."""
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
