"""What can be asked about bones and flesh as one system, at the state of the moment."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple_bones.force_kernels import gather_forces, set_inertial_forces
from supple_bones.forest import count_rows
from supple_bones.inertia_kernels import carry_inertias, make_mass_matrix, spread_chain_matrix
from supple_bones.kinematics_kernels import follow_state
from supple_bones.point_kernels import fill_point_jacobian
from supple_flesh.load import MODEL
from supple_flesh.load_kernels import (
    add_patch_inertias,
    add_vertex_forces,
    set_origin_accelerations,
    set_twists,
)
from supple_flesh.mechanism import FleshMechanism
from supple_skeleton.dynamics import READS as BONES_READ

READS = (*BONES_READ, *MODEL, "flesh.x", "flesh.v", "flesh.active")
"""The arrays that queries look at; a system that asks must declare them."""


class CoupledDynamics:
    """Queries about all skeletons and their active vertices: velocities (r, x') as in the README.

    The vertices are those with `flesh.active`, in the order of `vertices`; all others are rigid parts of their
    bones. The equation of motion is  M a + bias + gravity = tau, tau with springs, dampers, actuators and contacts.
    `Skeletons.dynamics` answers for the same bones with all flesh at rest.
    """

    def __init__(self, arrays: Any, mechanism: FleshMechanism) -> None:
        """`arrays` hands out the arrays of READS by name."""
        (
            self.bone,
            self.dof,
            self.frame,
            self.inertia,
            self.armature,
            self.gravity_vector,
            self.q,
            self.v,
        ) = (arrays[name] for name in BONES_READ)
        self.model = {name: arrays[name] for name in MODEL}
        self.local, self.relative, self.active = (arrays[f"flesh.{name}"] for name in ("x", "v", "active"))
        self.pool = mechanism.pool

    @property
    def vertices(self) -> IntArray:
        """Numbers of the active vertices, patch by patch."""
        order = np.argsort(self.model["flesh.patch_of"], kind="stable")
        return order[self.active[order] != 0]

    def mass_matrix(self) -> FloatArray:
        """M [n, n], n being the rates and three velocities for every active vertex."""
        place = self._place()
        vertices, rates = self.vertices, len(self.dof)
        rigid, whole = self._inertias(vertices)
        chain = np.zeros(int(self.dof[:, 2].sum()) + rates)
        M = np.zeros((rates + 3 * len(vertices),) * 2)
        make_mass_matrix(
            self.bone, self.dof, whole, self.armature, *place[:2], place[3], rigid.copy(), rigid.copy(), chain
        )
        dense = np.zeros((rates, rates))
        spread_chain_matrix(self.dof, chain, dense)
        M[:rates, :rates] = dense
        for k, vertex in enumerate(vertices):
            mine = slice(rates + 3 * k, rates + 3 * k + 3)
            coupling = (
                self.model["flesh.mass"][vertex] * self._turn(vertex, place).T @ self._point(vertex, place)
            )
            M[mine, :rates], M[:rates, mine] = coupling, coupling.T
            M[mine, mine] = self.model["flesh.mass"][vertex] * np.eye(3)
        return M

    def bias(self) -> FloatArray:
        """Coriolis and centrifugal forces [n]; without gravity."""
        return self._inertial_forces(np.zeros(3), self.v, self.relative)

    def gravity(self) -> FloatArray:
        """What must act to stand still against gravity [n]."""
        return self._inertial_forces(
            np.array(self.gravity_vector), np.zeros_like(self.v), np.zeros_like(self.relative)
        )

    def _place(self, v: FloatArray | None = None) -> tuple[FloatArray, ...]:
        count, rows = len(self.bone), count_rows(self.bone, self.dof)
        place = (
            np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 6)), np.zeros((rows, 6)),
            np.zeros((rows, 6)), np.zeros((count, 6)),
        )  # fmt: skip
        follow_state(self.bone, self.dof, self.frame, self.q, self.v if v is None else v, *place)
        return place

    def _inertias(self, vertices: IntArray) -> tuple[FloatArray, FloatArray]:
        """Inertias of the bones without the active vertices, and with these where they are."""
        n, (patch_bone, patch_of, mass, rest) = len(vertices), (self.model[name] for name in MODEL[:4])
        rigid, whole = self.inertia.copy(), self.inertia.copy()
        add_patch_inertias(
            patch_bone, patch_of, mass, rest, self.local, vertices, n, np.zeros(len(mass)),
            np.zeros((len(mass), 3)), rigid, whole,
        )  # fmt: skip
        return rigid, whole

    def _inertial_forces(self, gravity: FloatArray, v: FloatArray, relative: FloatArray) -> FloatArray:
        """M 0 + bias(v, relative) + gravity force, by the kernels of the step with all springs cut."""
        patch_bone, patch_of, mass, rest, *springs = (self.model[name] for name in MODEL)
        x, rotation, _, axis, axis_rate, velocity = self._place(v)
        vertices, rates, count = self.vertices, len(self.dof), len(self.bone)
        n, patches = len(vertices), len(patch_bone)
        rigid, _ = self._inertias(vertices)
        own, work, tau = np.zeros((count, 10)), np.zeros((2, count, 6)), np.zeros(rates + 3 * n)
        carry_inertias(self.bone, rigid, x, rotation, own)
        set_inertial_forces(self.bone, gravity, own, axis, axis_rate, velocity, v, np.zeros(rates), work)
        twist, origin = np.zeros((patches, 6)), np.zeros((patches, 6))
        set_twists(patch_bone, self.bone, x, rotation, velocity, twist)
        set_origin_accelerations(patch_bone, self.bone, x, rotation, velocity, velocity, work[0], 0.5, origin)
        stiffness, damping, first, neighbour, edges = springs
        right, unused = np.zeros((3, len(mass))), np.zeros((3, len(mass)))
        # One list without inverses: as if all vertices were in no patch that has to be solved with.
        start, inverse = np.array([0, n]), np.zeros(n * n)
        add_vertex_forces(
            1.0, 0.0, patch_bone, patch_of, mass, np.zeros_like(stiffness), np.zeros_like(damping), first, neighbour,
            np.zeros_like(edges), rest, self.bone, x, rotation, self.local, relative, vertices,
            np.full(len(mass), -1), start, np.array([0, n * n]), inverse, np.zeros(len(mass)),
            np.zeros((len(mass), 3)), twist, origin, right, unused, unused.copy(), work[1],
        )  # fmt: skip
        bones = np.zeros(rates)
        gather_forces(self.bone, axis, work, bones)
        tau[:rates], tau[rates:] = bones, -right[:, :n].T.reshape(-1)
        return tau

    def _turn(self, vertex: int, place: tuple[FloatArray, ...]) -> FloatArray:
        from supple.core.pose import rotate

        bone = self.model["flesh.patch_bone"][self.model["flesh.patch_of"][vertex]]
        return np.stack([rotate(place[1][bone], unit) for unit in np.eye(3)], axis=1)

    def _point(self, vertex: int, place: tuple[FloatArray, ...]) -> FloatArray:
        """Jacobian [3, rates] of the point of the bone where a vertex is."""
        bone = self.model["flesh.patch_bone"][self.model["flesh.patch_of"][vertex]]
        point = place[0][bone] + self._turn(vertex, place) @ self.local[vertex]
        jacobian = np.zeros((3, len(self.dof)))
        fill_point_jacobian(self.bone, self.dof, place[3], place[0], bone, *point, jacobian)
        return jacobian
