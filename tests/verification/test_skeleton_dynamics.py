"""Queries about random skeletons against pinocchio and against the slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple_rigid.mass import turn_matrix
from supple_skeleton.layout import JOINTS
from supple_skeleton.oracle import evaluate
from supple_skeleton.sampling import make_dynamics, sample_specs, sample_state

GRAVITY = np.array([0.7, -9.81, 1.3])
MOST_RATES = 60
TOLERANCE = 1e-9


@st.composite
def skeletons(draw, joints=tuple(JOINTS)):
    """Bones with joints of every kind, up to 60 rates, and a random state."""
    kinds = draw(st.lists(st.sampled_from(joints), min_size=1, max_size=30))
    while sum(JOINTS[kind].v_count for kind in kinds) > MOST_RATES:
        kinds.pop()
    if not any(JOINTS[kind].v_count for kind in kinds):
        kinds[0] = "ball"
    if kinds[0] == "fixed":  # a bone that nothing moves has no say in any of these quantities
        kinds[0] = "hinge"
    climbs = draw(st.lists(st.integers(0, 5), min_size=len(kinds), max_size=len(kinds)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    specs = sample_specs(rng, kinds, climbs)
    return specs, *sample_state(rng, specs), rng


def relative_error(value, exact) -> float:
    exact = np.asarray(exact)
    difference = np.abs(np.asarray(value) - exact).max(initial=0.0)
    return float(difference / max(np.abs(exact).max(initial=0.0), 1e-6))


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


@settings(max_examples=60, deadline=None)
@given(skeletons())
def test_forces_and_masses_agree_with_pinocchio(sample) -> None:
    specs, q, v, rng = sample
    _, dynamics = make_dynamics(specs, q, v, GRAVITY)
    peer = Pinocchio(specs, q, v)
    gravity, a = peer.gravity(), rng.normal(size=len(v))
    bias = peer.inverse_dynamics(np.zeros(len(v))) - gravity
    assert relative_error(dynamics.mass_matrix(), peer.mass_matrix()) < TOLERANCE
    assert relative_error(dynamics.gravity(), gravity) < TOLERANCE
    # The difference of two large forces is known to the last digits of the larger one only.
    scale = max(np.abs(bias).max(), 1e-3 * np.abs(gravity).max(), 1e-6)
    assert np.abs(dynamics.bias() - bias).max() < TOLERANCE * scale
    assert np.abs(dynamics.coriolis() @ v - bias).max() < TOLERANCE * scale
    assert relative_error(dynamics.inverse_dynamics(a), peer.inverse_dynamics(a)) < TOLERANCE


@settings(max_examples=60, deadline=None)
@given(skeletons())
def test_jacobians_and_drift_agree_with_pinocchio(sample) -> None:
    specs, q, v, rng = sample
    _, dynamics = make_dynamics(specs, q, v, GRAVITY)
    peer = Pinocchio(specs, q, v)
    bone, point = int(rng.integers(len(specs))), rng.normal(size=3)
    J, drift = peer.jacobian(bone, point)
    mine = np.vstack([dynamics.point_jacobian(str(bone), point), dynamics.rotation_jacobian(str(bone))])
    assert relative_error(mine, J) < TOLERANCE
    mine = np.concatenate([dynamics.point_drift(str(bone), point), dynamics.rotation_drift(str(bone))])
    assert relative_error(mine, drift) < TOLERANCE


@settings(max_examples=60, deadline=None)
@given(skeletons())
def test_whole_body_quantities_agree_with_pinocchio(sample) -> None:
    specs, q, v, _ = sample
    _, dynamics = make_dynamics(specs, q, v, GRAVITY)
    peer = Pinocchio(specs, q, v)
    pin = peer.pin
    momentum = pin.computeCentroidalMomentum(peer.model, peer.data, peer.q, peer.v)
    centre = pin.centerOfMass(peer.model, peer.data, peer.q, peer.v)
    J = pin.jacobianCenterOfMass(peer.model, peer.data, peer.q).reshape(3, -1) @ peer.T
    assert relative_error(dynamics.centre_of_mass(), centre) < TOLERANCE
    assert relative_error(dynamics.centre_jacobian(), J) < TOLERANCE
    linear, angular = dynamics.momentum()
    # As one vector, for the angular part of a skeleton that only slides is zero but for cancellation.
    assert relative_error([*linear, *angular], [*momentum.linear, *momentum.angular]) < TOLERANCE
    energy = pin.computeKineticEnergy(peer.model, peer.data, peer.q, peer.v)
    assert dynamics.kinetic_energy() == pytest.approx(energy, rel=TOLERANCE)
    energy = pin.computePotentialEnergy(peer.model, peer.data, peer.q)
    assert dynamics.potential_energy() == pytest.approx(energy, rel=TOLERANCE, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(skeletons())
def test_kernels_agree_with_the_slow_twin(sample) -> None:
    specs, q, v, rng = sample
    armature = rng.uniform(0, 0.1, len(v))
    forest, dynamics = make_dynamics(specs, q, v, GRAVITY, armature)
    twin = evaluate(forest, q, v, GRAVITY, armature)
    for name in ("mass_matrix", "bias", "gravity", "centre_of_mass"):
        assert relative_error(getattr(dynamics, name)(), getattr(twin, name)) < TOLERANCE, name
    linear, angular = dynamics.momentum()
    assert relative_error([*linear, *angular], [*twin.momentum, *twin.angular_momentum]) < TOLERANCE
    assert dynamics.kinetic_energy() == pytest.approx(twin.kinetic_energy, rel=TOLERANCE)
    assert dynamics.potential_energy() == pytest.approx(twin.potential_energy, rel=TOLERANCE, abs=1e-9)
