"""Skeletons in pinocchio, for tests that hold ours against it."""

from __future__ import annotations

import numpy as np
import pytest

from supple_bones.layout import JOINTS
from supple_rigid.mass import turn_matrix

GRAVITY = np.array([0.7, -9.81, 1.3])


class Pinocchio:
    """The same skeleton in pinocchio, and its quantities in our coordinates.

    pinocchio measures the velocity of a free joint in the child's frame, ours is in the parent's: v_theirs =
    T v, so that M = T^T M_theirs T, forces are T^T f_theirs, and accelerations get the drift Tdot v.
    """

    def __init__(self, specs, q, v) -> None:
        self.pin = pin = pytest.importorskip("pinocchio")
        self.model, self.places = pin.Model(), []
        self.model.gravity.linear = GRAVITY
        self.T, self.drift = np.eye(len(v)), np.zeros(len(v))
        theirs, a, k = [], 0, 0
        for spec in specs:
            kind = JOINTS[spec.joint]
            self._add(spec)
            mine = q[a : a + kind.q_count]
            if kind.q_count in (4, 7):
                w, *xyz = mine[-4:]
                theirs += [*mine[:-4], *xyz, w]
            else:
                theirs += list(mine)
            if spec.joint == "free":
                back = turn_matrix(mine[3:]).T
                self.T[k : k + 3, k : k + 3] = back
                self.drift[k : k + 3] = -np.cross(v[k + 3 : k + 6], back @ v[k : k + 3])
            a, k = a + kind.q_count, k + kind.v_count
        self.data = self.model.createData()
        self.q, self.v = np.array(theirs), self.T @ v

    def _add(self, spec) -> None:
        pin = self.pin
        parent, place = self.places[spec.parent] if spec.parent >= 0 else (0, pin.SE3.Identity())
        place = place * pin.SE3(turn_matrix(spec.rotation), np.array(spec.position))
        inertia = pin.Inertia(spec.mass, spec.centre, spec.inertia)
        axes = [axis / np.linalg.norm(axis) for axis in (spec.axis, spec.second_axis)]
        joints = {
            "hinge": [lambda: pin.JointModelRevoluteUnaligned(axes[0])],
            "slider": [lambda: pin.JointModelPrismaticUnaligned(axes[0])],
            "universal": [lambda axis=axis: pin.JointModelRevoluteUnaligned(axis) for axis in axes],
            "ball": [pin.JointModelSpherical], "translation": [pin.JointModelTranslation],
            "free": [pin.JointModelFreeFlyer], "fixed": [],
        }[spec.joint]  # fmt: skip
        for make in joints:
            parent = self.model.addJoint(parent, make(), place, f"joint{self.model.njoints}")
            place = pin.SE3.Identity()
        self.model.appendBodyToJoint(parent, inertia, place)
        self.places.append((parent, place))

    def mass_matrix(self):
        M = self.pin.crba(self.model, self.data, self.q)
        return self.T.T @ (np.triu(M) + np.triu(M, 1).T) @ self.T

    def inverse_dynamics(self, a):
        theirs = self.T @ a + self.drift
        return self.T.T @ self.pin.rnea(self.model, self.data, self.q, self.v, theirs)

    def gravity(self):
        return self.T.T @ self.pin.computeGeneralizedGravity(self.model, self.data, self.q)

    def jacobian(self, bone, point):
        """Of a point of a bone and of its rotation, both in the world: [6, n], and Jdot v."""
        pin, (joint, place) = self.pin, self.places[bone]
        pin.computeJointJacobians(self.model, self.data, self.q)
        pin.forwardKinematics(self.model, self.data, self.q, self.v, self.drift)
        frame = pin.SE3(np.eye(3), place.act(point))
        turned = self.data.oMi[joint].rotation
        local = pin.getJointJacobian(self.model, self.data, joint, pin.ReferenceFrame.LOCAL).reshape(6, -1)
        local = frame.toActionMatrixInverse() @ local
        twist, rate = frame.actInv(self.data.v[joint]), frame.actInv(self.data.a[joint])
        classical = rate.linear + np.cross(twist.angular, twist.linear)
        J = np.vstack([turned @ local[:3], turned @ local[3:]]) @ self.T
        return J, np.concatenate([turned @ classical, turned @ rate.angular])
