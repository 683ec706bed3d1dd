"""The exact solution of one contact against closed forms and against enumeration of all solutions."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from supple.mechanics.cone_kernels import project_on_cone, solve_contact
from supple_solve_gauss_seidel import oracle


def solve(W, b, mu):
    return np.array(solve_contact(W[0, 0], W[0, 1], W[0, 2], W[1, 1], W[1, 2], W[2, 2], *map(float, b), mu))


def positive_definite(seed, spread=1.0):
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q @ np.diag(10.0 ** rng.uniform(-spread, spread, 3)) @ Q.T, rng


@pytest.mark.parametrize("mu", [0.0, 0.3, 2.0])
def test_a_contact_that_opens_gets_no_impulse(mu):
    W, _ = positive_definite(1)
    assert (solve(W, (0.1, -3.0, 2.0), mu) == 0.0).all()


def test_without_friction_the_normal_velocity_is_stopped():
    W, _ = positive_definite(2)
    np.testing.assert_allclose(solve(W, (-0.7, 5.0, 1.0), 0.0), [0.7 / W[0, 0], 0.0, 0.0], rtol=1e-15)


@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e4])
def test_block_on_a_floor_sticks_then_slides(mass):
    """A point mass: r_n = m |u_n|; it stops if m |u_T| <= mu r_n, else |r_T| = mu r_n against the motion."""
    W, mu, fall = np.eye(3) / mass, 0.5, 2.0
    sticking = solve(W, (-fall, 0.6, -0.7), mu)
    np.testing.assert_allclose(sticking, mass * np.array([fall, -0.6, 0.7]), rtol=1e-14)
    sliding = solve(W, (-fall, 3.0, -4.0), mu)
    np.testing.assert_allclose(sliding, mass * fall * np.array([1.0, -mu * 0.6, mu * 0.8]), rtol=1e-14)
    np.testing.assert_allclose(W @ sliding + [-fall, 3.0, -4.0], [0.0, 3.0 - 0.6, -4.0 + 0.8], atol=1e-14)


def test_a_rod_that_jams_needs_more_than_its_own_weight():
    """Coupled n and t in the plane: r_n = -b_n / (W_nn - mu W_nt) when it slides towards +t."""
    nn, nt, tt, mu = 2.0, 1.0, 3.0, 0.4
    W = np.array([[nn, nt, 0.0], [nt, tt, 0.0], [0.0, 0.0, 1.0]])
    r = solve(W, (-1.0, 5.0, 0.0), mu)
    normal = 1.0 / (nn - mu * nt)
    np.testing.assert_allclose(r, [normal, -mu * normal, 0.0], rtol=1e-14, atol=1e-15)


@given(st.integers(0, 10**6), st.floats(0.01, 1.5))
@settings(max_examples=100, deadline=None)
def test_the_solution_is_among_all_solutions_found_by_scanning(seed, mu):
    W, rng = positive_definite(seed)
    b = rng.normal(size=3) * 10.0 ** rng.uniform(-3, 3)
    candidates = oracle.find_contact_solutions(W, b, mu)
    r = solve(W, b, mu)
    assume(candidates)  # two solutions within one step of the scan hide each other
    distance = min(np.linalg.norm(r - other) for other in candidates)
    assert distance <= 1e-9 * max(np.linalg.norm(r), np.linalg.norm(b) / np.linalg.norm(W))


@given(st.integers(0, 10**6), st.just(0.0) | st.floats(1e-9, 3.0), st.sampled_from([0.0, 1.0, 4.0]))
@settings(max_examples=100, deadline=None)
def test_the_law_is_met_to_round_off(seed, mu, spread):
    W, rng = positive_definite(seed, spread)
    b = rng.normal(size=3)
    r = solve(W, b, mu)
    u = W @ r + b
    round_off = 1e-13 * (np.abs(W) @ np.abs(r) + np.abs(b)).max()
    assert r[0] >= 0.0
    assert np.hypot(r[1], r[2]) <= mu * r[0] * (1.0 + 1e-14)
    assert u[0] >= -round_off
    assert r[0] == 0.0 or abs(u[0]) <= round_off
    if r[0] > 0.0 and np.hypot(r[1], r[2]) < mu * r[0] * (1.0 - 1e-12):
        assert np.hypot(u[1], u[2]) <= round_off * max(1.0, 10.0**spread)
    if r[0] > 0.0:
        power = r[1] * u[1] + r[2] * u[2]
        bound = -np.hypot(r[1], r[2]) * np.hypot(u[1], u[2])
        assert power == pytest.approx(bound, abs=round_off * max(1.0, 10.0**spread) * (1.0 + r[0]))


@pytest.mark.parametrize("mu", [1e-308, 1e-161, 1e-100])
def test_friction_too_small_to_be_squared_does_no_harm(mu):
    r = solve(np.eye(3), (-1.0, 3.0, 4.0), mu)
    assert r[0] == 1.0
    assert np.hypot(r[1], r[2]) <= mu


@pytest.mark.parametrize("mu", [0.0, 0.5])
def test_a_direction_that_nothing_moves_takes_no_friction(mu):
    """A bead on a rail along t: nothing moves along s, and nothing must divide by zero."""
    W = np.diag([2.0, 1.0, 0.0])
    np.testing.assert_allclose(solve(W, (-1.0, 0.1, 0.0), mu), [0.5, -min(0.1, mu * 0.5), 0.0], rtol=1e-14)
    sliding = solve(W, (-1.0, 3.0, 0.0), mu)
    np.testing.assert_allclose(sliding, [0.5, -mu * 0.5, 0.0], rtol=1e-14)
    assert (solve(np.diag([0.0, 1.0, 1.0]), (-1.0, 1.0, 1.0), mu) == 0.0).all()
    assert (solve(np.zeros((3, 3)), (-1.0, 1.0, 1.0), mu) == 0.0).all()


def test_velocity_along_a_direction_that_nothing_moves_turns_the_friction():
    """W_ss = 0 but u_s = 2: friction is along -u, with u_t = 1 - r_t unknown, and |r_T| = mu r_n."""
    r = solve(np.diag([1.0, 1.0, 0.0]), (-1.0, 1.0, 2.0), 0.5)
    u = np.diag([1.0, 1.0, 0.0]) @ r + [-1.0, 1.0, 2.0]
    assert np.hypot(r[1], r[2]) == pytest.approx(0.5, rel=1e-14)
    assert r[1] * u[2] - r[2] * u[1] == pytest.approx(0.0, abs=1e-14)
    assert r[1] * u[1] + r[2] * u[2] < 0.0


@given(st.integers(0, 10**6), st.floats(0.0, 3.0))
@settings(max_examples=100, deadline=None)
def test_projection_is_the_nearest_point_of_the_cone(seed, mu):
    """Moreau: x - P(x) lies in the polar cone and is orthogonal to P(x)."""
    x = np.random.default_rng(seed).normal(size=3)
    p = np.array(project_on_cone(*map(float, x), mu))
    np.testing.assert_allclose(p, oracle.project_on_cone(x, mu), atol=1e-14)
    rest = x - p
    assert np.hypot(p[1], p[2]) <= mu * p[0] + 1e-14
    assert mu * np.hypot(rest[1], rest[2]) <= -rest[0] + 1e-14
    assert p @ rest == pytest.approx(0.0, abs=1e-13)
