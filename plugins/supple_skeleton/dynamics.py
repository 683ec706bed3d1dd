"""What controllers ask of a skeleton, at the state that the world has now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import FloatArray
from supple.core.pose import rotate
from supple.errors import PluginError, Problem, suggest
from supple_bones.chain_kernels import multiply_chain
from supple_bones.force_kernels import differentiate_bias, find_gravity_force, find_inverse_dynamics
from supple_bones.forest import Tree, count_rows
from supple_bones.inertia_kernels import find_mass_matrix, make_mass_matrix
from supple_bones.kinematics_kernels import follow_state, move_bones
from supple_bones.point_kernels import (
    fill_centre_jacobian,
    fill_point_jacobian,
    fill_rotation_jacobian,
    find_drift,
    find_momentum,
)
from supple_skeleton.coriolis_kernels import fill_coriolis_matrix

READS = (
    "skeleton.bone", "skeleton.dof", "skeleton.frame", "skeleton.inertia", "skeleton.armature", "run.gravity",
    "skeleton.q", "skeleton.v",
)  # fmt: skip
"""The arrays that queries look at; a system that asks must declare them."""


class Dynamics:
    """Queries about one skeleton. All n rates are those of this skeleton, in the order of `skeleton.v`.

    The equation of motion is  M a + bias + gravity = tau  with the generalised forces tau [N, N m] of
    actuators and contacts. Rates: hinge, universal, slider and translation have theirs along the joint's axes;
    ball has the angular velocity relative to the parent, in the axes of the bone; free has the velocity of the
    bone's origin in the parent's frame (the world's for a root), then the angular velocity in the bone's axes.
    Nothing is kept between queries but what follows from the state, so they may be asked in any order.
    """

    def __init__(self, arrays: Any, tree: Tree, bones: Mapping[str, int]) -> None:
        """`arrays` hands out the arrays of READS by name; `bones` tells the row of every bone by its path."""
        self.bone, self.dof, self.frame, self.inertia, self.armature, self.gravity_vector, self.q, self.v = (
            arrays[name] for name in READS
        )
        self.tree, self.bones = tree, dict(bones)
        count, rates, rows = len(self.bone), len(self.dof), count_rows(self.bone, self.dof)
        self._seen: tuple[bytes, bytes] | None = None
        self._x, self._rotation = np.zeros((count, 3)), np.zeros((count, 4))
        self._axis, self._axis_rate = np.zeros((rows, 6)), np.zeros((rows, 6))
        self._twist, self._velocity, self._work = (
            np.zeros((count, 6)),
            np.zeros((count, 6)),
            np.zeros((2, count, 6)),
        )
        self._own, self._composite = np.zeros((count, 10)), np.zeros((count, 10))
        self._matrix = np.zeros(int(self.dof[:, 2].sum()) + rates)

    def mass_matrix(self) -> FloatArray:
        """M [n, n], with the armature of the joints on its diagonal."""
        dense = np.zeros((len(self.dof), len(self.dof)))
        find_mass_matrix(
            self.bone, self.dof, self.frame, self.inertia, self.armature, self.q,
            self._x, self._rotation, self._axis, self._own, self._composite, self._matrix, dense,
        )  # fmt: skip
        return self._cut(dense)

    def bias(self) -> FloatArray:
        """Coriolis and centrifugal forces [n]; without gravity."""
        self._follow()
        return self._inverse_dynamics(np.zeros(len(self.dof)), np.zeros(3))

    def gravity(self) -> FloatArray:
        """What actuators must give to stand still against gravity [n]."""
        self._follow()
        tau = np.zeros(len(self.dof))
        find_gravity_force(self.bone, self.gravity_vector, self._axis, self._composite, tau)
        return tau[self.tree.v]

    def inverse_dynamics(self, acceleration: ArrayLike) -> FloatArray:
        """tau [n] that gives the rates this acceleration [n]."""
        self._follow()
        whole = np.zeros(len(self.dof))
        whole[self.tree.v] = acceleration
        return self._inverse_dynamics(whole, self.gravity_vector)

    def coriolis(self) -> FloatArray:
        """C [n, n] with C v = bias and Mdot - 2 C skew-symmetric."""
        self._follow()
        dense = np.zeros((len(self.dof), len(self.dof)))
        fill_coriolis_matrix(
            self.bone, self.dof, self._axis, self._axis_rate, self._velocity, self._own, self._composite,
            np.zeros((len(self.bone), 6, 6)), dense,
        )  # fmt: skip
        return self._cut(dense)

    def bias_form(self, a: ArrayLike, b: ArrayLike) -> FloatArray:
        """B(a, b) [n]: bilinear, symmetric, and B(v, v) is the bias at rates v."""
        self._follow()
        rates = np.zeros((2, len(self.dof)))
        rates[0, self.tree.v], rates[1, self.tree.v] = a, b
        velocity, axis_rate = np.zeros((2, len(self.bone), 6)), np.zeros((2, len(self._axis), 6))
        for side in range(2):
            move_bones(self.bone, self.dof, self._axis, rates[side], velocity[side], axis_rate[side])
        tau = np.zeros(len(self.dof))
        differentiate_bias(
            self.bone, self._own, self._axis, axis_rate[0], velocity[0], rates[0],
            axis_rate[1], velocity[1], rates[1], self._work, tau,
        )  # fmt: skip
        return 0.5 * tau[self.tree.v]

    def symmetric_coriolis(self) -> FloatArray:
        """Half the derivative of the bias by the rates: the matrix [n, n] of b -> B(v, b)."""
        v = self.v[self.tree.v]
        return np.array([self.bias_form(v, unit) for unit in np.eye(len(v))]).T

    def point_jacobian(self, bone: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """[3, n]: velocity in the world of a point [m] given in the bone's frame."""
        self._follow()
        jacobian = np.zeros((3, len(self.dof)))
        i = self._find(bone)
        fill_point_jacobian(self.bone, self.dof, self._axis, self._x, i, *self._place(i, point), jacobian)
        return jacobian[:, self.tree.v]

    def rotation_jacobian(self, bone: str) -> FloatArray:
        """[3, n]: angular velocity of a bone, in the world."""
        self._follow()
        jacobian = np.zeros((3, len(self.dof)))
        fill_rotation_jacobian(self.bone, self.dof, self._axis, self._find(bone), jacobian)
        return jacobian[:, self.tree.v]

    def point_drift(self, bone: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> FloatArray:
        """Jdot v [3] of `point_jacobian`: the point's acceleration if no rate changes [m/s^2]."""
        return self._drift(bone, point)[:3]

    def rotation_drift(self, bone: str) -> FloatArray:
        """Jdot v [3] of `rotation_jacobian` [rad/s^2]."""
        return self._drift(bone, (0.0, 0.0, 0.0))[3:]

    def centre_of_mass(self) -> FloatArray:
        """[3] m, in the world."""
        whole = self._whole()
        return whole[1:4] / whole[0]

    def centre_jacobian(self) -> FloatArray:
        """[3, n]: velocity of the centre of mass."""
        jacobian = np.zeros((3, len(self.dof)))
        mass = self._whole()[0]
        for mine in (self.tree.bones, self.tree.followers):
            fill_centre_jacobian(
                mine.start, mine.stop, mass, self.bone, self._axis, self._composite, jacobian
            )
        return jacobian[:, self.tree.v]

    def momentum(self) -> tuple[FloatArray, FloatArray]:
        """Linear momentum [3] kg m/s, and angular momentum about the centre of mass [3] kg m^2/s."""
        whole = self._whole()
        return whole[4:7], whole[7:] - np.cross(whole[1:4] / whole[0], whole[4:7])

    def kinetic_energy(self) -> float:
        """v^T M v / 2 [J], with the armature."""
        self._follow()
        momentum = np.zeros(len(self.dof))
        multiply_chain(self.dof, self._matrix, self.v, momentum)
        return float(self.v[self.tree.v] @ momentum[self.tree.v]) / 2

    def potential_energy(self) -> float:
        """Of gravity [J], zero at the world's origin; joint springs are not counted."""
        return float(-self.gravity_vector @ self._whole()[1:4])

    def _follow(self) -> None:
        state = (self.q.tobytes(), self.v.tobytes())
        if state == self._seen:
            return
        follow_state(
            self.bone, self.dof, self.frame, self.q, self.v,
            self._x, self._rotation, self._twist, self._axis, self._axis_rate, self._velocity,
        )  # fmt: skip
        make_mass_matrix(
            self.bone, self.dof, self.inertia, self.armature, self._x, self._rotation, self._axis,
            self._own, self._composite, self._matrix,
        )  # fmt: skip
        self._seen = state

    def _inverse_dynamics(self, acceleration: FloatArray, gravity: FloatArray) -> FloatArray:
        tau = np.zeros(len(self.dof))
        find_inverse_dynamics(
            self.bone, self.armature, gravity, self._own, self._axis, self._axis_rate, self._velocity, self.v,
            acceleration, self._work, tau,
        )  # fmt: skip
        return tau[self.tree.v]

    def _drift(self, bone: str, point: ArrayLike) -> FloatArray:
        self._follow()
        drift, i = np.zeros(6), self._find(bone)
        motion = (self._axis_rate, self._velocity, self._x, self.v)
        find_drift(self.bone, self.dof, *motion, i, *self._place(i, point), drift)
        return drift

    def _whole(self) -> FloatArray:
        self._follow()
        whole = np.zeros(10)
        for mine in (self.tree.bones, self.tree.followers):
            find_momentum(mine.start, mine.stop, self.bone, self._own, self._x, self._velocity, whole)
        return whole

    def _place(self, i: int, point: ArrayLike) -> FloatArray:
        placed: FloatArray = self._x[i] + rotate(self._rotation[i], np.asarray(point, float))
        return placed

    def _find(self, bone: str) -> int:
        if bone not in self.bones:
            raise PluginError(Problem(None, bone, "no bone of this name", suggest(bone, self.bones)))
        return self.bones[bone]

    def _cut(self, dense: FloatArray) -> FloatArray:
        return dense[self.tree.v, self.tree.v].copy()
