"""Queries about random skeletons against pinocchio and against the slow twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinocchio_peer import GRAVITY, Pinocchio
from supple_bones.layout import JOINTS
from supple_bones.sampling import sample_specs, sample_state
from supple_skeleton.oracle import evaluate
from supple_skeleton.sampling import make_dynamics

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
