"""What can be asked about bones and flesh as one system, at the state of the moment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.jit import bind_first_arguments, bind_kernel
from supple.mechanics.combined_dynamics import CombinedDynamics
from supple.mechanics.dynamics import (
    CENTRE,
    Arrays,
    Located,
    Movable,
    Place,
    hand_over,
    refuse_query,
)
from supple_bones.cut_tree import list_frames
from supple_bones.dynamics import TreeDynamics
from supple_bones.query_kernels import fill_jacobian, fill_motion
from supple_flesh.query_kernels import (
    Vertices,
    fill_coupled_bias,
    fill_coupled_gravity,
    fill_coupled_mass,
    fill_coupled_momenta,
    fill_coupled_whole,
    fill_vertex_jacobian,
    find_coupled_energy,
    find_vertex,
    follow_flesh,
)
from supple_skeleton.dynamics import FORCE
from supple_skeleton.dynamics import READS as BONES_READ

if TYPE_CHECKING:
    from supple_flesh.mechanism import FleshMechanism

READS = (
    *BONES_READ, "flesh.patch_bone", "flesh.patch_of", "flesh.mass", "flesh.rest", "flesh.x", "flesh.v",
    "flesh.active",
)  # fmt: skip
"""The arrays that queries look at; a system that asks must declare them."""


class FleshDynamics(TreeDynamics):
    """Queries about one skeleton and its active vertices: velocities (r, x') as in the README.

    The vertices are those with `flesh.active`, patch by patch, so the number of rates changes with the contacts; all
    others are rigid parts of their bones. tau contains springs and dampers of the flesh. The answers for the same bones
    with all flesh at rest are those of the skeleton.
    """

    varies = True

    def __init__(
        self,
        arrays: Arrays,
        mechanism: FleshMechanism,
        skeleton: str,
        build: Build | None = None,
        acts: bool = False,
    ) -> None:
        """`arrays` hands out the arrays of READS by name, and FORCE to whoever `acts`; `skeleton` is a path."""
        bones = mechanism.skeletons
        tree, self._mechanism = bones.forest.trees[bones.skeletons[skeleton]], mechanism
        frames = list_frames(tree)
        self._vertices = list_vertices(arrays, frames)
        base = arrays["skeleton.inertia"][frames]
        force = arrays[FORCE][tree.v] if acts else None
        super().__init__(
            arrays, "skeleton", tree, bones.bones, skeleton, build, base.copy(), arrays["skeleton.armature"][tree.v],
            force,
        )  # fmt: skip
        self.flesh = self._collect(arrays, frames, base)
        self._place_of = {int(i): k for k, i in enumerate(self.flesh.number)}
        self._resize(0)

    def _collect(self, arrays: Arrays, frames: IntArray, base: FloatArray) -> Vertices:
        number, count = self._vertices, len(self._vertices)
        local = {int(row): k for k, row in enumerate(frames)}
        patch_bone, patch_of = arrays["flesh.patch_bone"], arrays["flesh.patch_of"]
        return Vertices(
            number=number, bone=np.array([local[int(patch_bone[patch_of[i]])] for i in number], np.int64),
            mass=arrays["flesh.mass"][number], rest=arrays["flesh.rest"][number], x=arrays["flesh.x"],
            v=arrays["flesh.v"], active=arrays["flesh.active"], seen=np.zeros((count, 7)),
            chosen=np.zeros(count, np.int64), count=np.zeros(1, np.int64), base=base.copy(),
            rigid=np.zeros_like(base), rigid_own=np.zeros_like(base),
        )  # fmt: skip

    def _bind(self, rates: int) -> None:
        """Kernels are bound in `_resize`, which knows the number of active vertices."""
        self._motion, self._whole = np.zeros(19), np.zeros(15)

    def _resize(self, active: int) -> None:
        state, n = (self.tables, self.moved, self.flesh), len(self.v) + 3 * active
        self._active_count = active
        self._M, self._tau, self._values = np.zeros((n, n)), np.zeros(n), np.zeros(n)
        self._J, self._A = np.zeros((6, n)), np.zeros((6, n))
        bones, place = (self.tables.bone, self.tables.dof, self.moved), (0, 0.0, 0.0, 0.0)
        self._follow = bind_kernel(follow_flesh, *state)
        self._find_mass_matrix = bind_kernel(fill_coupled_mass, *state, self._J, self._M)
        self._find_bias = bind_kernel(fill_coupled_bias, *state, self._motion, self._tau)
        self._find_gravity = bind_kernel(fill_coupled_gravity, *state, self._tau)
        self._find_whole = bind_kernel(fill_coupled_whole, *state, self._motion, self._whole)
        self._find_momenta = bind_kernel(fill_coupled_momenta, *state, self._motion, self._whole, self._A)
        self._find_energy = bind_kernel(find_coupled_energy, *state, self._motion)
        self._find_bone_jacobian = bind_first_arguments(fill_jacobian, bones, (*place, self._J))
        self._find_bone_motion = bind_first_arguments(fill_motion, bones[::2], (*place, self._motion))
        self._find_vertex_jacobian = bind_first_arguments(fill_vertex_jacobian, state, (0, self._J))
        self._find_vertex_motion = bind_first_arguments(find_vertex, state, (0, self._motion))

    def _update(self) -> None:
        """Follow the state; arrays are made anew only when another number of vertices is active."""
        active = self._follow()
        if active != self._active_count:
            self._resize(active)

    # What it consists of

    @property
    def vertices(self) -> IntArray:
        """Numbers of the active vertices, in the order of their velocities."""
        self._update()
        numbers: IntArray = self.flesh.number[self.flesh.chosen[: self._active_count]]
        return numbers

    @property
    def size(self) -> int:
        """Number n of rates and velocities."""
        self._update()
        return len(self._tau)

    @property
    def rate_labels(self) -> Sequence[str]:
        """The bone of every rate; for vertices, the flesh."""
        return [*self._rate_labels, *(name for name in self._name_vertices() for _ in range(3))]

    @property
    def coordinate_labels(self) -> Sequence[str]:
        """The bone of every coordinate; for vertices, the flesh."""
        return [*self._coordinate_labels, *(name for name in self._name_vertices() for _ in range(3))]

    def rates(self, path: str) -> Place:
        """Of a bone or the skeleton the rates; of PATH.flesh the velocities of its active vertices."""
        if path not in self._mechanism.dynamics_keys:
            return super().rates(path)
        return self._place_vertices(path, "flesh.v", len(self.v))

    def coordinates(self, path: str) -> Place:
        """Of a bone or the skeleton the coordinates; of PATH.flesh the places of its active vertices."""
        if path not in self._mechanism.dynamics_keys:
            return super().coordinates(path)
        return self._place_vertices(path, "flesh.x", len(self.q))

    def fill_rate_values(self) -> FloatArray:
        """Rates, then velocities of the active vertices."""
        vertices, rates = self.vertices, len(self.v)
        self._values[:rates], self._values[rates:] = self.v, self.flesh.v[vertices].reshape(-1)
        return self._values

    def fill_coordinate_values(self) -> FloatArray:
        """Coordinates, then places of the active vertices in their bones."""
        return np.concatenate([self.q, self.flesh.x[self.vertices].reshape(-1)])

    def add_forces(self, tau: ArrayLike) -> None:
        """Add generalised forces of actuators; nothing acts on single vertices but contacts."""
        forces, rates = np.asarray(tau, float), len(self.v)
        if np.any(forces[rates:]):
            raise refuse_query(self.path, "vertices take no forces of actuators", "leave theirs zero")
        super().add_forces(forces[:rates])

    # Forces

    def fill_mass_matrix(self) -> FloatArray:
        """M [n, n], n being the rates and three velocities for every active vertex."""
        self._update()
        self._find_mass_matrix()
        return self._M

    def fill_bias(self) -> FloatArray:
        """Coriolis and centrifugal forces [n]."""
        self._update()
        self._find_bias()
        return self._tau

    def fill_gravity(self) -> FloatArray:
        """What must act to stand still against gravity [n]."""
        self._update()
        self._find_gravity()
        return self._tau

    def inverse_dynamics(self, acceleration: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """tau [n] that gives the velocities this acceleration [n]: M a + bias + gravity."""
        tau = self.fill_mass_matrix() @ np.asarray(acceleration, float)
        tau += self.fill_bias()
        tau += self.fill_gravity()
        return hand_over(tau, out)

    # Points

    def locate(self, entity: Movable) -> Located:
        """A bone, what it carries, or ("flesh", i): the vertex i of all flesh."""
        if isinstance(entity, tuple) and entity[0] == "flesh":
            if entity[1] not in self._place_of:
                raise refuse_query(f"vertex {entity[1]}", f"is none of {self.path}", "name one of its flesh")
            return Located(len(self.tables.bone) + self._place_of[entity[1]])
        return super().locate(entity)

    def fill_jacobian(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[6, n] of a point of a bone, or of a vertex, which does not turn."""
        self._update()
        vertex = frame - len(self.tables.bone)
        if vertex < 0:
            self._find_bone_jacobian(frame, px, py, pz, self._J)
        else:
            self._find_vertex_jacobian(vertex, self._J)
        return self._J

    def fill_motion(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[19] of a point of a bone, or of a vertex, whose axes are the world's."""
        self._update()
        vertex = frame - len(self.tables.bone)
        if vertex < 0:
            self._find_bone_motion(frame, px, py, pz, self._motion)
        else:
            self._find_vertex_motion(vertex, self._motion)
            self._motion[:3] += px, py, pz
        return self._motion

    # The whole

    def fill_whole(self) -> FloatArray:
        """Centre of mass, momenta and their drift."""
        self._update()
        return super().fill_whole()

    def fill_momentum_matrix(self) -> FloatArray:
        """[6, n]; rotors of the armature are not counted."""
        self._update()
        return super().fill_momentum_matrix()

    def kinetic_energy(self) -> float:
        """Of bones and vertices [J], with the armature."""
        self._update()
        return super().kinetic_energy()

    def potential_energy(self) -> float:
        """Of gravity [J], zero at the world's origin; springs are not counted."""
        return float(-self.mass * (self.moved.gravity @ self.fill_whole()[CENTRE]))

    # Within

    def _name_vertices(self) -> list[str]:
        parts = self._mechanism.pool.parts
        ends = np.array([part.vertices.stop for part in parts])
        return [f"{parts[k].entity.path}.flesh" for k in np.searchsorted(ends, self.vertices, side="right")]

    def _place_vertices(self, key: str, array: str, first: int) -> Place:
        mine = [k for k, name in enumerate(self._name_vertices()) if name == key]
        if not mine:
            return Place(slice(first, first), ())
        numbers = [int(i) for i in self.vertices[mine]]
        here = slice(first + 3 * mine[0], first + 3 * mine[-1] + 3)
        return Place(here, tuple((array, slice(3 * i, 3 * i + 3)) for i in numbers))


def list_vertices(arrays: Arrays, frames: IntArray) -> IntArray:
    """The vertices that hang on these rows of the skeletons, patch by patch."""
    patch_of = arrays["flesh.patch_of"]
    order = np.argsort(patch_of, kind="stable")
    mine = np.isin(arrays["flesh.patch_bone"][patch_of[order]], frames)
    return np.ascontiguousarray(order[mine])


class CoupledDynamics(CombinedDynamics):
    """Queries about all skeletons of a scene and all of their active vertices."""

    parts: tuple[FleshDynamics, ...]

    def __init__(self, arrays: Arrays, mechanism: FleshMechanism) -> None:
        """`arrays` hands out the arrays of READS by name."""
        skeletons = mechanism.skeletons.skeletons
        super().__init__([FleshDynamics(arrays, mechanism, path) for path in skeletons], {})

    @property
    def vertices(self) -> IntArray:
        """Numbers of the active vertices, skeleton by skeleton and patch by patch."""
        return np.concatenate([part.vertices for part in self.parts])

    @property
    def order(self) -> IntArray:
        """Where every rate and velocity is among all rates, followed by the velocities of `vertices`."""
        rates = sum(len(part.v) for part in self.parts)
        columns: list[int] = []
        moved = rates
        for part in self.parts:
            count = 3 * len(part.vertices)
            columns += [*range(part.tree.v.start, part.tree.v.stop), *range(moved, moved + count)]
            moved += count
        return np.array(columns, np.int64)
