"""What controllers ask of free bodies, at the state that the world has now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.jit import bind_first_arguments, bind_kernel
from supple.core.schedule import Call
from supple.core.state_kernels import copy_matrix, copy_vector
from supple.errors import suggest
from supple.mechanics.dynamics import (
    CENTRE,
    MOTION_SIZE,
    WHOLE_SIZE,
    Arrays,
    Dynamics,
    FramePoint,
    Located,
    Movable,
    Place,
    Query,
    refuse_query,
)
from supple_rigid.frame_kernels import query_frames
from supple_rigid.query_kernels import (
    Bodies,
    add_gravity,
    add_wrenches,
    fill_bias,
    fill_gravity,
    fill_jacobian,
    fill_mass_matrix,
    fill_momentum_matrix,
    fill_motion,
    fill_whole,
    sum_kinetic_energy,
)

READS = ("run.gravity", "rigid.mass", "rigid.inertia", "rigid.x", "rigid.q", "rigid.v")
"""The arrays that queries look at."""
WRENCH = "rigid.wrench"
"""The array that `add_forces` adds to."""


class BodyDynamics(Dynamics):
    """Queries about free bodies, six rates each: velocity of the centre of mass in the world, spin in the body frame.

    Coordinates are the centre of mass and the rotation, seven a body. Nothing is remembered: all follows from a few
    numbers.
    """

    def __init__(
        self, arrays: Arrays, bodies: Mapping[str, int], paths: Sequence[str], build: Build | None, acts: bool
    ) -> None:
        """`bodies` tells the row of every body by its path, `paths` are those that are asked about.

        Without `build` nothing is known of entities on the bodies: points are then given from the centres of mass.
        """
        super().__init__()
        self.paths, self.build = tuple(paths), build
        rows = np.array([bodies[path] for path in paths], np.int64)
        self.bodies = Bodies(
            rows=rows, gravity=arrays["run.gravity"], mass=arrays["rigid.mass"], inertia=arrays["rigid.inertia"],
            x=arrays["rigid.x"], q=arrays["rigid.q"], v=arrays["rigid.v"],
        )  # fmt: skip
        self._local = {int(row): local for local, row in enumerate(rows)}
        self._wrench = arrays[WRENCH] if acts else None
        self.mass = float(self.bodies.mass[rows].sum())
        n = 6 * len(rows)
        self._v, self._q, self._tau = np.zeros((len(rows), 6)), np.zeros((len(rows), 7)), np.zeros(n)
        self._M, self._J, self._A = np.zeros((n, n)), np.zeros((6, n)), np.zeros((6, n))
        self._motion, self._whole = np.zeros(MOTION_SIZE), np.zeros(WHOLE_SIZE)
        bind_kernel(fill_mass_matrix, self.bodies, self._M)()
        self._find_bias = bind_kernel(fill_bias, self.bodies, self._tau)
        self._find_gravity = bind_kernel(fill_gravity, self.bodies, self._tau)
        place = (0, 0.0, 0.0, 0.0)
        self._find_jacobian = bind_first_arguments(fill_jacobian, (self.bodies, self._J), place)
        self._find_motion = bind_first_arguments(fill_motion, (self.bodies, self._motion), place)
        self._find_whole = bind_kernel(fill_whole, self.bodies, self._whole)
        self._find_momenta = bind_kernel(fill_momentum_matrix, self.bodies, self._whole, self._A)
        self._find_energy = bind_kernel(sum_kinetic_energy, self.bodies)

    # What it consists of

    @property
    def rate_labels(self) -> Sequence[str]:
        """Every body six times."""
        return [path for path in self.paths for _ in range(6)]

    @property
    def coordinate_labels(self) -> Sequence[str]:
        """Every body seven times."""
        return [path for path in self.paths for _ in range(7)]

    @property
    def size(self) -> int:
        """Number n of rates."""
        return 6 * len(self.paths)

    def rates(self, path: str) -> Place:
        """The six rates of a body."""
        local = self._find(path).frame
        row = int(self.bodies.rows[local])
        return Place(slice(6 * local, 6 * local + 6), (("rigid.v", slice(6 * row, 6 * row + 6)),))

    def coordinates(self, path: str) -> Place:
        """Centre and rotation of a body, which are in two arrays."""
        local = self._find(path).frame
        row = int(self.bodies.rows[local])
        arrays = (("rigid.x", slice(3 * row, 3 * row + 3)), ("rigid.q", slice(4 * row, 4 * row + 4)))
        return Place(slice(7 * local, 7 * local + 7), arrays)

    def fill_rate_values(self) -> FloatArray:
        """Rates now."""
        np.take(self.bodies.v, self.bodies.rows, axis=0, out=self._v)
        return self._v.reshape(-1)

    def fill_coordinate_values(self) -> FloatArray:
        """Coordinates now."""
        self._q[:, :3], self._q[:, 3:] = self.bodies.x[self.bodies.rows], self.bodies.q[self.bodies.rows]
        return self._q.reshape(-1)

    def add_forces(self, tau: ArrayLike) -> None:
        """Add forces at the centres, in the world, and torques in the frames of the bodies."""
        if self._wrench is None:
            what, remedy = "takes no forces here", "bind the request with acts=True, in a system of ACTUATE"
            raise refuse_query(self.paths[0], what, remedy)
        add_wrenches(self.bodies, np.ascontiguousarray(tau, float).reshape(-1, 6), self._wrench)

    # Forces

    def fill_mass_matrix(self) -> FloatArray:
        """M [n, n], which is constant."""
        return self._M

    def fill_bias(self) -> FloatArray:
        """Gyroscopic torques."""
        self._find_bias()
        return self._tau

    def fill_gravity(self) -> FloatArray:
        """The weights, upwards."""
        self._find_gravity()
        return self._tau

    # Points

    def locate(self, entity: Movable) -> Located:
        """The body of an entity: itself, or what carries it; a tuple counts rows of `rigid.x`."""
        if isinstance(entity, tuple):
            if entity[0] == "rigid" and entity[1] in self._local:
                return Located(self._local[entity[1]])
            raise refuse_query(f"row {entity[1]} of {entity[0]}", "is none of these bodies", "name a body")
        if self.build is None and entity in self.paths:
            return Located(self.paths.index(entity))
        place = None
        if self.build is not None and entity in self.build.graph:
            place = self.build.pose_in_frame(entity)
        if place is None or place[0].carrier != "rigid" or place[0].index not in self._local:
            raise refuse_query(entity, "no body of this name", suggest(entity, self.paths))
        frame, position, rotation = place
        x, y, z = (float(each) for each in position)
        qw, qx, qy, qz = (float(each) for each in rotation)
        return Located(self._local[frame.index], (x, y, z), (qw, qx, qy, qz))

    def fill_jacobian(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[6, n] of a point of a body, and of its rotation."""
        self._find_jacobian(frame, px, py, pz)
        return self._J

    def fill_motion(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[19] of a point of a body."""
        self._find_motion(frame, px, py, pz)
        return self._motion

    def bind_frame_work(
        self, places: Sequence[FramePoint], slots: Sequence[int], first: int, motion_out: FloatArray,
        jacobian_out: FloatArray,
    ) -> Call:  # fmt: skip
        """One kernel for all."""
        return Call(
            query_frames, self.bodies, np.array([place[0] for place in places], np.int64),
            np.array([place[1:] for place in places], float), np.array(slots, np.int64), first, motion_out,
            jacobian_out,
        )  # fmt: skip

    def bind_query(self, query: Query, out: FloatArray) -> list[Call]:
        """The kernel of the query, and a copy."""
        known: dict[str, tuple[list[tuple[Any, ...]], FloatArray]] = {
            "mass_matrix": ([], self._M),
            "bias": ([(fill_bias, self._tau)], self._tau),
            "gravity": ([(fill_gravity, self._tau)], self._tau),
            "bias_and_gravity": ([(fill_bias, self._tau), (add_gravity, self._tau)], self._tau),
            "whole": ([(fill_whole, self._whole)], self._whole),
            "momentum_matrix": ([(fill_momentum_matrix, self._whole, self._A)], self._A),
        }
        kernels, found = known[query]
        copy = copy_matrix if found.ndim == 2 else copy_vector
        return [*(Call(kernel, self.bodies, *filled) for kernel, *filled in kernels), Call(copy, found, out)]

    # The whole

    def fill_whole(self) -> FloatArray:
        """Centre of mass, momenta and their drift."""
        self._find_whole()
        return self._whole

    def fill_momentum_matrix(self) -> FloatArray:
        """[6, n]."""
        self._find_momenta()
        return self._A

    def kinetic_energy(self) -> float:
        """Of all bodies asked about [J]."""
        return float(self._find_energy())

    def potential_energy(self) -> float:
        """Of gravity [J], zero at the world's origin."""
        return float(-self.mass * (self.bodies.gravity @ self.fill_whole()[CENTRE]))
