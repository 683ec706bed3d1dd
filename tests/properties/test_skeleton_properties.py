"""What holds for every skeleton: the Coriolis operators, energies, factors, and the Delassus operator."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.math.quaternion_kernels import find_rotation_vector
from supple.mechanics.block_matrix import BlockMatrix
from supple_bones.chain_kernels import factor_chain, multiply_chain, solve_chain
from supple_bones.coordinate_kernels import integrate_coordinates
from supple_bones.force_kernels import map_wrenches
from supple_bones.forest import BoneSpec, build_forest
from supple_bones.inertia_kernels import make_mass_matrix, spread_chain_matrix
from supple_bones.kinematics_kernels import follow_state, place_bones
from supple_bones.layout import DOF_PARENT, JOINTS, LAST_DOF, TREE, WINDOW
from supple_bones.sampling import sample_specs, sample_state
from supple_skeleton.mechanism import Skeletons
from supple_skeleton.sampling import make_dynamics

GRAVITY = np.array([0.7, -9.81, 1.3])


@st.composite
def samples(draw, most_bones=16):
    kinds = draw(st.lists(st.sampled_from(tuple(JOINTS)), min_size=1, max_size=most_bones))
    if not any(JOINTS[kind].v_count for kind in kinds):
        kinds[0] = "ball"
    climbs = draw(st.lists(st.integers(0, 4), min_size=len(kinds), max_size=len(kinds)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    specs = sample_specs(rng, kinds, climbs)
    return specs, *sample_state(rng, specs, speed=0.3), rng


def differentiate(function, step=0.02):
    """The derivative at 0 by central differences of eighth order."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w * (function(n * step) - function(-n * step)) for n, w in enumerate(weights, 1)) / step


@settings(max_examples=40, deadline=None)
@given(samples())
def test_mass_rate_minus_twice_coriolis_is_skew(sample) -> None:
    specs, q, v, _ = sample
    forest, dynamics = make_dynamics(specs, q.copy(), v, GRAVITY)
    C, M = dynamics.coriolis(), dynamics.mass_matrix()

    def moved(time):
        integrate_coordinates(time, forest.bone, q, v, dynamics.q)
        return dynamics.mass_matrix()

    rest = differentiate(moved) - 2 * C
    assert np.abs(rest + rest.T).max() < 1e-9 * np.abs(M).max()


@settings(max_examples=40, deadline=None)
@given(samples())
def test_symmetric_operator_is_half_the_derivative_of_the_bias(sample) -> None:
    specs, q, v, rng = sample
    _, dynamics = make_dynamics(specs, q, v.copy(), GRAVITY)
    a, b, c = rng.normal(size=(3, len(v)))
    forms = [np.abs(dynamics.bias_form(each, each)).max() for each in (a, b, c)]
    scale = max(*forms, np.abs(dynamics.mass_matrix()).max())  # a lone hinge has no bias at all
    assert np.abs(dynamics.bias_form(a, b) - dynamics.bias_form(b, a)).max() < 1e-13 * scale
    linear = dynamics.bias_form(a, 2.0 * b - c) - 2.0 * dynamics.bias_form(a, b) + dynamics.bias_form(a, c)
    assert np.abs(linear).max() < 1e-12 * scale
    bias, matrix = dynamics.bias(), dynamics.symmetric_coriolis()
    assert np.abs(dynamics.bias_form(v, v) - bias).max() < 1e-12 * scale
    assert np.abs(matrix @ v - bias).max() < 1e-12 * scale

    def bias_at(shift):
        dynamics.v[:] = v + shift * b
        return dynamics.bias()

    # The bias is quadratic in the rates, so one central difference is exact.
    derivative = (bias_at(1.0) - bias_at(-1.0)) / 2
    assert np.abs(2 * matrix @ b - derivative).max() < 1e-11 * scale


@settings(max_examples=40, deadline=None)
@given(samples())
def test_both_coriolis_operators_coincide_for_joints_without_quaternions(sample) -> None:
    specs, q, v, rng = sample
    plain = {"ball": "hinge", "free": "translation"}
    specs = [BoneSpec(**{**vars(spec), "joint": plain.get(spec.joint, spec.joint)}) for spec in specs]
    q, v = sample_state(rng, specs)
    if len(v) == 0:
        return
    _, dynamics = make_dynamics(specs, q, v, GRAVITY)
    C, symmetric = dynamics.coriolis(), dynamics.symmetric_coriolis()
    assert np.abs(C - symmetric).max() < 1e-12 * max(np.abs(C).max(), np.abs(dynamics.mass_matrix()).max())


@settings(max_examples=40, deadline=None)
@given(samples())
def test_energy_follows_from_the_mass_matrix_and_power_from_forces(sample) -> None:
    specs, q, v, _ = sample
    forest, dynamics = make_dynamics(specs, q.copy(), v, GRAVITY)
    energy = dynamics.kinetic_energy()
    assert np.isclose(energy, v @ dynamics.mass_matrix() @ v / 2, rtol=1e-13)
    weight = dynamics.gravity()

    def potential(time):
        integrate_coordinates(time, forest.bone, q, v, dynamics.q)
        return dynamics.potential_energy()

    power = differentiate(potential)
    assert abs(power - weight @ v) < 1e-9 * max(np.abs(weight).max(), 1.0)


@settings(max_examples=40, deadline=None)
@given(samples())
def test_jacobians_are_the_derivatives_of_poses(sample) -> None:
    specs, q, v, rng = sample
    forest, dynamics = make_dynamics(specs, q.copy(), v, GRAVITY)
    bone, point = int(rng.integers(len(specs))), rng.normal(size=3)
    J, drift = dynamics.point_jacobian(str(bone), point), dynamics.point_drift(str(bone), point)

    def velocity(time):
        integrate_coordinates(time, forest.bone, q, v, dynamics.q)
        return dynamics.point_jacobian(str(bone), point) @ v

    def place(time):
        moved, count = np.zeros_like(q), len(specs)
        x, rotation = np.zeros((count, 3)), np.zeros((count, 4))
        integrate_coordinates(time, forest.bone, q, v, moved)
        place_bones(forest.bone, forest.frame, moved, x, rotation, np.zeros((len(v), 6)))
        w, u = rotation[bone, 0], rotation[bone, 1:]
        return x[bone] + point + 2 * np.cross(u, np.cross(u, point) + w * point)

    assert np.abs(differentiate(place) - J @ v).max() < 1e-9
    assert np.abs(differentiate(velocity) - drift).max() < 1e-9


@settings(max_examples=40, deadline=None)
@given(samples())
def test_wrenches_do_the_work_of_their_points(sample) -> None:
    """A force at the origin of a bone acts through the transposed Jacobian of that point, a torque of its turn."""
    specs, q, v, rng = sample
    forest, dynamics = make_dynamics(specs, q, v, GRAVITY)
    dynamics.mass_matrix()  # brings the poses up to date
    wrench, tau = rng.normal(size=(len(specs), 6)), np.zeros(len(v))
    work = np.zeros((2, len(specs), 6))
    map_wrenches(forest.bone, dynamics.moved.axis, dynamics.moved.x, wrench, work, tau)
    exact = sum(
        dynamics.point_jacobian(str(i)).T @ row[:3] + dynamics.rotation_jacobian(str(i)).T @ row[3:]
        for i, row in enumerate(wrench)
    )
    assert np.abs(tau - exact).max() < 1e-12 * max(np.abs(exact).max(), 1.0) * len(specs)


@settings(max_examples=40, deadline=None)
@given(samples())
def test_factor_solves_like_a_dense_matrix(sample) -> None:
    specs, q, v, rng = sample
    forest = build_forest(specs)
    matrix, dense = mass_matrix(forest, q, v)
    x, y = rng.normal(size=len(v)), np.zeros(len(v))
    multiply_chain(forest.dof, matrix, x, y)
    assert np.allclose(y, dense @ x, rtol=1e-12, atol=1e-12 * np.abs(dense).max())
    assert factor_chain(forest.dof, matrix) == -1
    solve_chain(forest.dof, matrix, y)
    assert np.abs(y - x).max() < 1e-14 * np.linalg.cond(dense) * max(np.abs(x).max(), 1.0)


def mass_matrix(forest, q, v):
    bones, rates = len(forest.bone), len(forest.dof)
    x, rotation, axis = np.zeros((bones, 3)), np.zeros((bones, 4)), np.zeros((rates, 6))
    follow_state(
        forest.bone, forest.dof, forest.frame, q, v, x, rotation, np.zeros((bones, 6)), axis,
        np.zeros((rates, 6)), np.zeros((bones, 6)),
    )  # fmt: skip
    matrix, dense = np.zeros(forest.entries), np.zeros((rates, rates))
    make_mass_matrix(
        forest.bone, forest.dof, forest.inertia, np.zeros(rates), x, rotation, axis,
        np.zeros((bones, 10)), np.zeros((bones, 10)), matrix,
    )  # fmt: skip
    spread_chain_matrix(forest.dof, matrix, dense)
    return matrix, dense


@settings(max_examples=40, deadline=None)
@given(samples(8), samples(8), st.integers(1, 12))
def test_delassus_operator_is_that_of_dense_matrices(one, other, contacts) -> None:
    """Two skeletons of different size; groups with one or two blocks, on arbitrary chains."""
    rng, first = one[3], len(one[0])
    shifted = [
        BoneSpec(**{**vars(spec), "tree": 1, "parent": spec.parent + first if spec.parent >= 0 else -1})
        for spec in other[0]
    ]
    forest = build_forest([*one[0], *shifted])
    q, v = (np.concatenate([one[part], other[part]]) for part in (1, 2))
    mechanism = Skeletons(forest, {"a": 0, "b": 1}, {}, (), 2 * contacts)
    mechanism.dof = forest.dof
    mechanism.factor, dense = mass_matrix(forest, q, v)
    factor_chain(forest.dof, mechanism.factor)
    J, whole = mechanism.jacobian, np.zeros((3 * contacts, len(v)))
    for block in range(2 * contacts):
        group, bone = block // 2, int(rng.integers(len(forest.bone)))
        J.reserve(1)
        row = forest.bone[bone]
        J.group[block], J.unit[block], J.dof[block] = group, row[TREE], row[WINDOW]
        k = row[LAST_DOF]
        while k >= 0:
            entries = rng.normal(size=3)
            J.values[block, :, k - row[WINDOW]] = entries
            whole[3 * group : 3 * group + 3, k] += entries
            k = forest.dof[k, DOF_PARENT]
    W = BlockMatrix()
    W.set_pattern(J.group, J.unit, contacts, 2)
    mechanism.add_delassus(W)
    exact = whole @ np.linalg.solve(dense, whole.T)
    error = np.abs(W.to_dense(np.full(contacts, 3)) - exact).max()
    assert error <= (1e-15 * np.linalg.cond(dense) + 1e-12) * np.abs(exact).max()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3), st.floats(0, 3.1415))
def test_rotation_vectors_are_read_back(direction, angle) -> None:
    axis = np.array(direction)
    if np.linalg.norm(axis) < 1e-3:
        return
    vector = axis / np.linalg.norm(axis) * angle
    half = np.sin(angle / 2) * axis / np.linalg.norm(axis)
    for sign in (1.0, -1.0):
        found = np.array(find_rotation_vector(sign * np.cos(angle / 2), *(sign * half)))
        assert np.abs(found - vector).max() < 1e-12
