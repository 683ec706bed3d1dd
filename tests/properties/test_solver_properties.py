"""What every exact contact solution has in common, on random problems."""

from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.contact_problems import make_problem, random_pile, random_spheres, stack_of_boxes
from supple.mechanics.residual import natural_map_residual, row_velocities
from supple.mechanics.rows import COULOMB
from supple_solve_gauss_seidel.solver import GaussSeidel

seeds = st.integers(0, 10**6)
problems = st.one_of(
    seeds.map(lambda seed: random_pile(seed, count=5, contacts=9, mass_ratio=100.0, friction=0.3).problem()),
    seeds.map(lambda seed: random_stack(seed).problem()),
)

# With one solution only. A pushed stack has many: how four coplanar contacts share the weight is open, and
# decides how friction turns the box.
unique_problems = seeds.map(lambda seed: random_spheres(seed).problem())


def random_stack(seed):
    """Pushed stacks: every box has four coplanar contacts, so that W is singular."""
    rng = np.random.default_rng(seed)
    masses = 10.0 ** rng.uniform(-0.5, 0.5, 4)
    return stack_of_boxes(
        rng.integers(1, 4), rng.uniform(0.1, 0.6), masses.__getitem__, rng.normal(size=3) * [0.5, 0.1, 0.5]
    )


def solve(problem, tolerance=1e-11):
    solver = GaussSeidel(SimpleNamespace(tolerance=tolerance, max_sweeps=20000))
    solution = solver.solve(problem, np.zeros((problem.count, 3)))
    assert solution.status == "converged"
    return solution


def rebuilt(problem, transform, scale_W=1.0, scale_u=1.0, friction=None):
    """The problem with rows u' = scale_u T u and W' = scale_W T W T^t."""
    friction = problem.friction if friction is None else friction
    W = scale_W * (transform @ problem.W.to_dense(problem.size) @ transform.T)
    free = scale_u * (transform @ problem.free.ravel())
    return make_problem(W, free, [COULOMB] * problem.count, [{"friction": mu} for mu in friction])


@given(problems)
@settings(max_examples=40, deadline=None)
def test_the_laws_hold_one_by_one(problem):
    r = solve(problem).impulse
    u = row_velocities(problem, r)
    mu = problem.friction
    tangential, speed = np.hypot(r[:, 1], r[:, 2]), np.hypot(u[:, 1], u[:, 2])
    power = r[:, 1] * u[:, 1] + r[:, 2] * u[:, 2]
    assert (r[:, 0] >= 0.0).all()
    assert (tangential <= mu * r[:, 0] * (1.0 + 1e-13)).all()
    assert (u[:, 0] >= -1e-10).all()
    assert (np.abs(u[:, 0] * r[:, 0]) <= 1e-10 * (1.0 + r[:, 0])).all()
    # Friction takes all the power it can, mu r_n |u_T|, and so never gives any.
    assert (np.abs(power + mu * r[:, 0] * speed) <= 1e-10 * (1.0 + r[:, 0])).all()


@given(problems)
@settings(max_examples=40, deadline=None)
def test_contacts_never_add_energy(problem):
    """The kinetic energy of the row motion changes by r . (u + free) / 2, whatever the contacts do."""
    r = solve(problem).impulse
    u = row_velocities(problem, r)
    assert (r * (u + problem.free)).sum() / 2 <= 1e-9 * (1.0 + np.abs(r).sum())


@given(unique_problems, seeds)
@settings(max_examples=40, deadline=None)
def test_permuting_contacts_permutes_the_solution(problem, seed):
    order = np.random.default_rng(seed).permutation(problem.count)
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    permuted = rebuilt(problem, np.eye(3 * problem.count)[rows], friction=problem.friction[order])
    r, u = solve(problem).impulse, row_velocities(problem, solve(problem).impulse)
    other = solve(permuted).impulse
    np.testing.assert_allclose(row_velocities(permuted, other), u[order], atol=1e-8)
    np.testing.assert_allclose(other, r[order], atol=1e-6 * np.abs(r).max())


@given(problems, st.integers(-20, 20), st.integers(-20, 20))
@settings(max_examples=40, deadline=None)
def test_scaling_units_scales_impulses_exactly(problem, mass_exponent, speed_exponent):
    """With powers of two nothing is rounded differently: the same bits must come out."""
    scale_W, scale_u = 2.0**mass_exponent, 2.0**speed_exponent
    scaled = rebuilt(problem, np.eye(3 * problem.count), scale_W, scale_u)
    reference, other = solve(problem), solve(scaled, 1e-11 * scale_u)
    np.testing.assert_array_equal(other.impulse, reference.impulse * (scale_u / scale_W))
    assert other.iterations == reference.iterations


@given(problems, unique_problems, seeds)
@settings(max_examples=40, deadline=None)
def test_rotating_tangent_frames_rotates_the_solution(problem, unique, seed):
    turned, rotated, _ = turn_frames(problem, seed)
    assert natural_map_residual(turned, rotated)[0] <= 1e-10
    turned, rotated, u = turn_frames(unique, seed)
    other = solve(turned).impulse
    np.testing.assert_allclose(row_velocities(turned, other), u, atol=1e-8)
    np.testing.assert_allclose(other, rotated, atol=1e-6 * np.abs(rotated).max())


def turn_frames(problem, seed):
    """The problem in other tangent frames, and its old solution and row velocities seen from there."""
    angles = np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, problem.count)
    turn = np.zeros((3 * problem.count, 3 * problem.count))
    for i, angle in enumerate(angles):
        c, s = np.cos(angle), np.sin(angle)
        turn[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] = [[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]]
    impulse = solve(problem).impulse
    u = row_velocities(problem, impulse)
    return rebuilt(problem, turn), (turn @ impulse.ravel()).reshape(-1, 3), (turn @ u.ravel()).reshape(-1, 3)


@given(problems)
@settings(max_examples=40, deadline=None)
def test_frictionless_contacts_minimise_the_energy(problem):
    """Without friction the impulses minimise r W r / 2 + free . r over r_n >= 0: no feasible step improves."""
    problem.friction[:] = 0.0
    r = solve(problem).impulse
    assert not r[:, 1:].any()
    gradient = row_velocities(problem, r)[:, 0]
    steps = np.random.default_rng(0).normal(size=(20, problem.count))
    for step in steps:
        better = np.maximum(r[:, 0] + step, 0.0) - r[:, 0]
        assert gradient @ better >= -1e-9 * (1.0 + np.abs(better).sum())
