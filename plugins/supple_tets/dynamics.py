"""What controllers ask of a body of tetrahedra, at the state that the world has now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.pose import multiply, relative_pose
from supple.errors import suggest
from supple.mechanics.dynamics import (
    CENTRE,
    DRIFT,
    MOMENTUM,
    MOTION_SIZE,
    POSITION,
    ROTATION,
    SPIN,
    SPIN_DRIFT,
    VELOCITY,
    WHOLE_SIZE,
    Arrays,
    Dynamics,
    Located,
    Movable,
    Place,
    hand_over,
    refuse_query,
)
from supple_tets.mesh import find_gradients, find_tet

if TYPE_CHECKING:
    from supple_tets.compile import TetBody

WITHIN = -1
"""The frame of points anywhere in the body; other frames are single vertices."""


class TetDynamics(Dynamics):
    """Queries about one body: three rates a vertex, its velocity in the world. tau contains elastic forces and damping.

    A point is given in the frame of the body's entity at rest, and moves with the tetrahedron that it lies in; it
    turns as that does. So does an entity below the body. ("tets", i) is vertex i of all bodies, whose axes are the
    world's.
    """

    def __init__(self, arrays: Arrays, body: TetBody, build: Build, acts: bool) -> None:
        super().__init__()
        self.body, self.build = body, build
        own = body.vertices
        self._m = np.array(arrays["tets.mass"][own])
        self._x, self._v, self._gravity = arrays["tets.x"][own], arrays["tets.v"][own], arrays["run.gravity"]
        self._turn = arrays["tets.turn"][body.elements]
        self._force = arrays["tets.force"][own] if acts else None
        self.mass = float(self._m.sum())
        self._n = 3 * len(self._m)
        self._M: FloatArray | None = None
        self._J, self._A = np.zeros((6, self._n)), np.zeros((6, self._n))
        self._motion, self._whole, self._tau = np.zeros(MOTION_SIZE), np.zeros(WHOLE_SIZE), np.zeros(self._n)
        self._known: dict[tuple[float, float, float], tuple[int, FloatArray]] = {}

    # What it consists of

    @property
    def rate_labels(self) -> Sequence[str]:
        """The body, for every rate."""
        return [self.body.path] * self._n

    @property
    def coordinate_labels(self) -> Sequence[str]:
        """The body, for every coordinate."""
        return [self.body.path] * self._n

    @property
    def size(self) -> int:
        """Number n of rates."""
        return self._n

    def rates(self, path: str) -> Place:
        """All of them belong to the body."""
        return self._place_all("tets.v")

    def coordinates(self, path: str) -> Place:
        """All of them belong to the body."""
        return self._place_all("tets.x")

    def _place_all(self, array: str) -> Place:
        first = 3 * self.body.vertices.start
        return Place(slice(0, self._n), ((array, slice(first, first + self._n)),))

    def fill_rate_values(self) -> FloatArray:
        """Velocities of the vertices."""
        return np.asarray(self._v.reshape(-1), float)

    def fill_coordinate_values(self) -> FloatArray:
        """Places of the vertices."""
        return np.asarray(self._x.reshape(-1), float)

    def add_forces(self, tau: ArrayLike) -> None:
        """Add forces on the vertices, in the world."""
        if self._force is None:
            what, remedy = "takes no forces here", "bind the request with acts=True, in a system of ACTUATE"
            raise refuse_query(self.body.path, what, remedy)
        self._force += np.asarray(tau, float).reshape(-1, 3)

    # Forces

    def fill_mass_matrix(self) -> FloatArray:
        """M [n, n], diagonal and constant."""
        if self._M is None:
            self._M = np.diag(np.repeat(self._m, 3))
        return self._M

    def fill_bias(self) -> FloatArray:
        """None: rates are velocities in the world."""
        self._tau.fill(0.0)
        return self._tau

    def fill_gravity(self) -> FloatArray:
        """The weights, upwards."""
        self._tau[:] = np.outer(self._m, -self._gravity).reshape(-1)
        return self._tau

    def inverse_dynamics(self, acceleration: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """M is diagonal."""
        tau = np.repeat(self._m, 3) * np.asarray(acceleration, float)
        tau += self.fill_gravity()
        return hand_over(tau, out)

    # Points

    def locate(self, entity: Movable) -> Located:
        """The body, an entity below it, or a vertex."""
        if isinstance(entity, tuple):
            local = entity[1] - self.body.vertices.start
            if entity[0] == "tets" and 0 <= local < len(self._m):
                return Located(local)
            raise refuse_query(f"row {entity[1]} of {entity[0]}", "is no vertex of this body", "name one")
        if entity == self.body.path:
            return Located(WITHIN)
        if not entity.startswith(f"{self.body.path}/") or entity not in self.build.graph:
            raise refuse_query(entity, "no part of this body", suggest(entity, [self.body.path]))
        position, turn = relative_pose(self.build.pose(self.body.path), self.build.pose(entity))
        x, y, z = (float(each) for each in position)
        qw, qx, qy, qz = (float(each) for each in turn)
        return Located(WITHIN, (x, y, z), (qw, qx, qy, qz))

    def find_element(self, px: float, py: float, pz: float) -> tuple[int, FloatArray]:
        """The tetrahedron of a point of the entity's frame at rest, and the weights of its corners."""
        key = (px, py, pz)
        if key not in self._known:
            element, weights = find_tet(self.body.mesh, np.array([key]))
            self._known[key] = int(element[0]), weights[0]
        return self._known[key]

    def _find_gradients(self, element: int) -> tuple[IntArray, FloatArray]:
        corners = self.body.mesh.tets[element]
        return corners, find_gradients(self._x, corners[None])[0]

    def fill_jacobian(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[6, n] of a point, and of the rotation of its tetrahedron: half the curl of the velocity."""
        self._J.fill(0.0)
        if frame != WITHIN:
            self._J[:3, 3 * frame : 3 * frame + 3] = np.eye(3)
            return self._J
        element, weights = self.find_element(px, py, pz)
        corners, gradients = self._find_gradients(element)
        for corner, weight, gradient in zip(corners, weights, gradients, strict=True):
            here = slice(3 * corner, 3 * corner + 3)
            self._J[:3, here] = weight * np.eye(3)
            self._J[3:, here] = 0.5 * _cross(gradient)
        return self._J

    def fill_motion(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[19] of a point; points of a vertex are given in the axes of the world."""
        out = self._motion
        out.fill(0.0)
        if frame != WITHIN:
            out[POSITION], out[VELOCITY], out[ROTATION.start] = (
                self._x[frame] + (px, py, pz),
                self._v[frame],
                1.0,
            )
            return out
        element, weights = self.find_element(px, py, pz)
        corners, gradients = self._find_gradients(element)
        v = self._v[corners]
        out[POSITION], out[VELOCITY] = weights @ self._x[corners], weights @ v
        out[ROTATION] = self._turn_of(element)
        out[SPIN] = 0.5 * np.cross(gradients, v).sum(axis=0)
        # The gradients follow the shape: d/dt g = -(grad v)^T g.
        rate = -gradients @ (v.T @ gradients)
        out[SPIN_DRIFT] = 0.5 * np.cross(rate, v).sum(axis=0)
        out[DRIFT] = 0.0
        return out

    def _turn_of(self, element: int) -> FloatArray:
        """The tetrahedron's rotation from the entity's frame."""
        return multiply(self._turn[element], self.build.pose(self.body.path)[1])

    # The whole

    def fill_whole(self) -> FloatArray:
        """Centre of mass and momenta. While no velocity changes, neither momentum does."""
        centre = self._m @ self._x / self.mass
        momentum = self._m[:, None] * self._v
        self._whole[CENTRE] = centre
        self._whole[MOMENTUM] = (*momentum.sum(axis=0), *np.cross(self._x - centre, momentum).sum(axis=0))
        return self._whole

    def fill_momentum_matrix(self) -> FloatArray:
        """[6, n]."""
        arm = self._x - self._m @ self._x / self.mass
        for axis in range(3):
            self._A[axis, axis::3] = self._m
        m = self._m
        self._A[3, 1::3], self._A[3, 2::3] = -m * arm[:, 2], m * arm[:, 1]
        self._A[4, 0::3], self._A[4, 2::3] = m * arm[:, 2], -m * arm[:, 0]
        self._A[5, 0::3], self._A[5, 1::3] = -m * arm[:, 1], m * arm[:, 0]
        return self._A

    def kinetic_energy(self) -> float:
        """Of the body [J]."""
        return float(0.5 * self._m @ (self._v**2).sum(axis=1))

    def potential_energy(self) -> float:
        """Of gravity [J], zero at the world's origin; elastic energy is not counted."""
        return float(-self.mass * (self._gravity @ self.fill_whole()[CENTRE]))


def _cross(a: FloatArray) -> FloatArray:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
