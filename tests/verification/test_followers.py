"""Followers against pinocchio, where each is a bone on joints of its own whose rates are tied to those that it follows.

With all rates u = G v, G constant, the tied system has the mass matrix G^T M G and the forces G^T f. G is not constant
for followers of ball joints: these are held against differences, and against the dense twin.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pinocchio_peer import GRAVITY, Pinocchio
from supple.math.quaternion_kernels import exponentiate_rotation_vector
from supple_bones.coordinate_kernels import integrate_coordinates
from supple_bones.forest import FollowerSpec
from supple_bones.layout import FOLLOWS, JOINTS
from supple_bones.sampling import sample_specs, sample_state
from supple_skeleton.oracle import evaluate
from supple_skeleton.sampling import make_dynamics

TOLERANCE = 1e-9
TURNING = ("hinge", "universal")


@st.composite
def samples(draw):
    """Bones, followers, the mass of each, and a state."""
    kinds = draw(st.lists(st.sampled_from(tuple(JOINTS)), min_size=1, max_size=9))
    kinds.append(draw(st.sampled_from(TURNING)))
    climbs = draw(st.lists(st.integers(0, 3), min_size=len(kinds), max_size=len(kinds)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    specs = sample_specs(rng, kinds, climbs)
    turning = [bone for bone, spec in enumerate(specs) if spec.joint in TURNING]
    shares = draw(st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=4))
    followers = [FollowerSpec(int(rng.choice(turning)), share) for share in shares]
    masses = sample_specs(rng, ["fixed"] * len(followers), [0] * len(followers))
    return specs, followers, masses, *sample_state(rng, specs), rng


def make(specs, followers, masses, q, v):
    """Our side, with the inertias of the followers put in."""
    weights, _ = make_dynamics(masses, np.zeros(0), np.zeros(0), GRAVITY)
    return make_dynamics(specs, q, v, GRAVITY, followers=followers, hanging=weights.inertia)


def tie(specs, followers, masses, q, v):
    """The peer with followers as bones of their own, G, and where the followers are among its bones.

    pinocchio wants the bones of a subtree next to each other, so a follower stands before the bone that it follows.
    """
    tied, coordinates, G, place, where = [], [], [], {-1: -1}, {}
    q_first = np.cumsum([0, *(JOINTS[spec.joint].q_count for spec in specs)])
    v_first = np.cumsum([0, *(JOINTS[spec.joint].v_count for spec in specs)])
    rows = np.eye(len(v))
    for bone, spec in enumerate(specs):
        own, rates = q[q_first[bone] : q_first[bone + 1]], rows[v_first[bone] : v_first[bone + 1]]
        here = replace(spec, parent=place[spec.parent])
        for n, (follower, mass) in enumerate(zip(followers, masses, strict=True)):
            if follower.follows == bone:
                where[n] = len(tied)
                tied.append(replace(here, mass=mass.mass, centre=mass.centre, inertia=mass.inertia))
                coordinates.append(follower.share * own)
                G.append(follower.share * rates)
        place[bone] = len(tied)
        tied.append(here)
        coordinates.append(own)
        G.append(rates)
    ratios = np.concatenate(G)
    return Pinocchio(tied, np.concatenate(coordinates), ratios @ v), ratios, where


@settings(max_examples=60, deadline=None)
@given(samples())
def test_dynamics_with_followers_agree_with_tied_joints_in_pinocchio(sample) -> None:
    specs, followers, masses, q, v, rng = sample
    _, dynamics = make(specs, followers, masses, q, v)
    peer, G, _ = tie(specs, followers, masses, q, v)
    a = rng.normal(size=len(v))
    M, weight = G.T @ peer.mass_matrix() @ G, G.T @ peer.gravity()
    force = G.T @ peer.inverse_dynamics(G @ a)
    scale = max(np.abs(force).max(), np.abs(M).max())
    assert np.abs(dynamics.mass_matrix() - M).max() < TOLERANCE * np.abs(M).max()
    assert np.abs(dynamics.gravity() - weight).max() < TOLERANCE * scale
    assert np.abs(dynamics.inverse_dynamics(a) - force).max() < TOLERANCE * scale
    assert np.abs(dynamics.coriolis() @ v - dynamics.bias()).max() < TOLERANCE * scale
    assert np.abs(dynamics.bias_form(v, v) - dynamics.bias()).max() < TOLERANCE * scale


@settings(max_examples=40, deadline=None)
@given(samples())
def test_jacobians_and_drift_on_followers_agree(sample) -> None:
    specs, followers, masses, q, v, rng = sample
    forest, dynamics = make(specs, followers, masses, q, v)
    peer, G, where = tie(specs, followers, masses, q, v)
    for n, bone in enumerate(np.flatnonzero(forest.bone[:, FOLLOWS] >= 0)):
        point, name = rng.normal(size=3), str(bone)
        theirs, drift = peer.jacobian(where[n], point)
        J = np.vstack([dynamics.point_jacobian(name, point), dynamics.rotation_jacobian(name)])
        np.testing.assert_allclose(J, theirs @ G, atol=TOLERANCE * (1 + np.abs(theirs).max()))
        mine = np.concatenate([dynamics.point_drift(name, point), dynamics.rotation_drift(name)])
        np.testing.assert_allclose(mine, drift, atol=TOLERANCE * (1 + np.abs(drift).max()))


@settings(max_examples=40, deadline=None)
@given(samples())
def test_the_twin_agrees_and_mass_rate_minus_twice_coriolis_is_skew(sample) -> None:
    specs, followers, masses, q, v, _ = sample
    forest, dynamics = make(specs, followers, masses, q.copy(), v)
    dense = evaluate(forest, q, v, GRAVITY)
    np.testing.assert_allclose(dynamics.centre_of_mass(), dense.centre_of_mass, atol=1e-12)
    mass = sum(spec.mass for spec in [*specs, *masses])
    np.testing.assert_allclose(dynamics.momentum()[0], dense.momentum, atol=1e-11 * mass)
    np.testing.assert_allclose(mass * dynamics.centre_jacobian() @ v, dense.momentum, atol=1e-11 * mass)
    scale = np.abs(dense.mass_matrix).max()
    np.testing.assert_allclose(dynamics.mass_matrix(), dense.mass_matrix, atol=1e-12 * scale)
    np.testing.assert_allclose(dynamics.bias(), dense.bias, atol=1e-11 * max(scale, np.abs(dense.bias).max()))
    assert np.isclose(dynamics.potential_energy(), dense.potential_energy)
    rest = dense.mass_rate - 2 * dynamics.coriolis()
    assert np.abs(rest + rest.T).max() < TOLERANCE * scale * max(1.0, np.abs(v).max())


def test_a_follower_turns_by_its_share_of_the_angles() -> None:
    rng = np.random.default_rng(3)
    specs = sample_specs(rng, ["free", "universal"], [0, 0])
    q, v = sample_state(rng, specs)
    _, dynamics = make_dynamics(specs, q, v, GRAVITY, followers=[FollowerSpec(1, 0.25)])
    shorter = q.copy()
    shorter[7:] *= 0.25
    _, other = make_dynamics(specs, shorter, v, GRAVITY)
    np.testing.assert_allclose(dynamics.position("2"), other.position("1"), atol=1e-15)
    np.testing.assert_allclose(dynamics.rotation("2"), other.rotation("1"), atol=1e-15)
    moved = q.copy()
    integrate_coordinates(0.1, dynamics.tables.bone, q, v, moved)
    np.testing.assert_allclose(moved[7:], q[7:] + 0.1 * v[6:])


@st.composite
def samples_on_balls(draw):
    """Bones of which some are ball joints, two followers of these, their masses, and a state; angles up to 3.1."""
    kinds = draw(st.lists(st.sampled_from(tuple(JOINTS)), min_size=1, max_size=5))
    kinds.append("ball")
    climbs = draw(st.lists(st.integers(0, 3), min_size=len(kinds), max_size=len(kinds)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    specs = sample_specs(rng, kinds, climbs)
    q, v = sample_state(rng, specs)
    first = np.cumsum([0, *(JOINTS[spec.joint].q_count for spec in specs)])[len(specs) - 1]
    vector = rng.normal(size=3)
    angle = draw(st.one_of(st.floats(0.0, 3.1), st.floats(0.0, 2e-3)))
    q[first : first + 4] = exponentiate_rotation_vector(*(angle * vector / np.linalg.norm(vector)))
    followers = [FollowerSpec(len(specs) - 1, draw(st.floats(0.0, 1.0))) for _ in range(2)]
    masses = sample_specs(rng, ["fixed"] * 2, [0] * 2)
    return specs, followers, masses, q, v, rng


@settings(max_examples=40, deadline=None)
@given(samples_on_balls())
def test_followers_of_balls_move_as_differences_say(sample) -> None:
    specs, followers, masses, q, v, rng = sample
    forest, dynamics = make(specs, followers, masses, q, v)
    step, point = 1e-5, rng.normal(size=3)
    sides = []
    for h in (step, -step):
        moved = q.copy()
        integrate_coordinates(h, dynamics.tables.bone, q, v, moved)
        sides.append(make(specs, followers, masses, moved, v)[1])
    for bone in np.flatnonzero(forest.bone[:, FOLLOWS] >= 0):
        name = str(bone)
        ahead, behind = (side.position(name, point) for side in sides)
        scale = 1 + np.abs(v).max() ** 3
        velocity = (ahead - behind) / (2 * step)
        np.testing.assert_allclose(dynamics.point_jacobian(name, point) @ v, velocity, atol=1e-7 * scale)
        for mine, of in ((dynamics.point_drift(name, point), 0), (dynamics.rotation_drift(name), 1)):
            jacobians = [
                (side.point_jacobian(name, point), side.rotation_jacobian(name))[of] @ v for side in sides
            ]
            np.testing.assert_allclose(mine, (jacobians[0] - jacobians[1]) / (2 * step), atol=1e-6 * scale)


@settings(max_examples=40, deadline=None)
@given(samples_on_balls())
def test_the_twin_agrees_on_followers_of_balls(sample) -> None:
    specs, followers, masses, q, v, _ = sample
    forest, dynamics = make(specs, followers, masses, q.copy(), v)
    dense = evaluate(forest, q, v, GRAVITY)
    scale = np.abs(dense.mass_matrix).max()
    # Below an angle of 1e-4 the kernels take series, which leave out its square.
    np.testing.assert_allclose(dynamics.mass_matrix(), dense.mass_matrix, atol=1e-11 * scale)
    np.testing.assert_allclose(dynamics.bias(), dense.bias, atol=1e-6 * max(scale, np.abs(dense.bias).max()))
    rest = dense.mass_rate - 2 * dynamics.coriolis()
    assert np.abs(rest + rest.T).max() < 1e-6 * scale * max(1.0, np.abs(v).max())


def test_a_follower_of_a_ball_turns_about_the_same_axis() -> None:
    rng = np.random.default_rng(4)
    specs = sample_specs(rng, ["free", "ball"], [0, 0])
    q, v = sample_state(rng, specs)
    vector = np.array([0.4, -1.1, 0.7])
    q[7:] = exponentiate_rotation_vector(*vector)
    _, dynamics = make_dynamics(specs, q, v, GRAVITY, followers=[FollowerSpec(1, 0.25)])
    shorter = q.copy()
    shorter[7:] = exponentiate_rotation_vector(*(0.25 * vector))
    _, other = make_dynamics(specs, shorter, v, GRAVITY)
    np.testing.assert_allclose(dynamics.rotation("2"), other.rotation("1"), atol=1e-15)
