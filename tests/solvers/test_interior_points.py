"""Interior points: a step meets the linearised laws, and packed contacts are solved whatever their order."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.rows import COULOMB
from supple_solve_newton import interior_kernels as kernels
from supple_solve_newton.components import NewtonSettings
from supple_solve_newton.interior_state import make_interior
from supple_solve_newton.linear_step import LinearStep
from supple_solve_newton.solver import Newton

MU = 0.5
seeds = st.integers(0, 10_000)


def pack(seed, bodies, contacts):
    """Contacts between few free bodies, more than their freedoms can tell apart; nobody overlaps, all are pulled."""
    random = np.random.default_rng(seed)
    B = np.zeros((3 * contacts, 6 * bodies))
    for k in range(contacts):
        for b in random.choice(bodies, 1 + k % 2, replace=False):
            B[3 * k : 3 * k + 3, 6 * b : 6 * b + 6] = random.normal(size=(3, 6))
    free = (B @ random.normal(size=6 * bodies)).reshape(-1, 3)
    free[:, 0] += np.where(random.random(contacts) < 0.5, 0.0, random.random(contacts))
    return B @ B.T, free


def state_problem(W, free):
    n = len(free)
    problem = ConstraintProblem(n)
    problem.reserve(n)
    problem.law[:], problem.size[:], problem.friction[:], problem.scale[:] = COULOMB, 3, MU, 1.0
    problem.free[:] = free
    blocks = np.ascontiguousarray(W.reshape(n, 3, n, 3).transpose(0, 2, 1, 3).reshape(n * n, 3, 3))
    problem.W = BlockMatrix.from_arrays(n * np.arange(n + 1), np.tile(np.arange(n), n), blocks)
    return problem


def measure_law(W, free, impulse):
    """The worst distance of a contact from Coulomb's law, by the projection on its cone [m/s]."""
    u, worst = (W @ impulse.ravel()).reshape(-1, 3) + free, 0.0
    for k, (r, v) in enumerate(zip(impulse, u, strict=True)):
        rho = 3.0 / np.trace(W[3 * k : 3 * k + 3, 3 * k : 3 * k + 3])
        x = r - rho * (v + np.array([MU * np.hypot(v[1], v[2]), 0.0, 0.0]))
        length = np.hypot(x[1], x[2])
        if MU * length <= -x[0]:
            x[:] = 0.0
        elif length > MU * x[0]:
            height = (x[0] + MU * length) / (1.0 + MU * MU)
            x = np.array([height, *(MU * height / length * x[1:])])
        worst = max(worst, float(np.linalg.norm(r - x)) / rho)
    return worst


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(2, 5), st.floats(-6.0, 0.0))
def test_a_step_meets_the_linearised_laws(seed, bodies, size):
    W, free = pack(seed, bodies, 4 * bodies)
    problem, n, centre = state_problem(W, free), 4 * bodies, 10.0**size
    linear, random = LinearStep(n), np.random.default_rng(seed)
    kernels.choose_kinds(problem.rows, np.ones(n), linear.linear)
    state = make_interior(n)
    for cone in (state.x, state.y):
        cone[:, 1:] = random.normal(size=(n, 2))
        cone[:, 0] = np.hypot(cone[:, 1], cone[:, 2]) * (1.0 + random.random(n))
    state.normal[:, 0] = random.random(n) + 0.1
    impulse = state.x / [MU, 1.0, 1.0]
    velocity = (W @ impulse.ravel()).reshape(-1, 3) + free
    kernels.scale_groups(problem.rows, linear.linear, velocity, state, linear.added)
    unknown = np.zeros(3 * n)
    kernels.list_right_side(problem.rows, linear.linear, centre, 0, state, unknown)
    matrix = W.copy()
    for k in range(n):
        matrix[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] += linear.added[k]
    unknown = np.linalg.solve(matrix, unknown)
    kernels.find_steps(problem.rows, linear.linear, unknown, state)

    x, y, dx, dy, (v, dv) = state.x, state.y, state.dx, state.dy, state.normal[:, :2].T
    led_to = velocity + (W @ unknown).reshape(-1, 3)
    scale = 1e-9 * np.abs(np.concatenate([dx.ravel(), dy.ravel(), dv, [1.0]])).max()
    close = {"rtol": 0.0, "atol": scale * max(1.0, np.abs(x).max(), np.abs(y).max())}
    np.testing.assert_allclose(dx, unknown.reshape(-1, 3) * [MU, 1.0, 1.0], **close)
    np.testing.assert_allclose(v + dv, led_to[:, 0], **close)
    np.testing.assert_allclose((y + dy)[:, 1:], led_to[:, 1:], **close)
    np.testing.assert_allclose((x * y + dx * y + x * dy).sum(1), centre, **close)
    np.testing.assert_allclose((x[:, 0] * (v + dv) + dx[:, 0] * v) / MU, centre, **close)


@settings(max_examples=15, deadline=None)
@given(seeds, st.integers(3, 8))
def test_packed_contacts_are_solved_in_any_order(seed, bodies):
    W, free = pack(seed, bodies, 5 * bodies)
    order = np.random.default_rng(seed).permutation(len(free))
    rows = (3 * order[:, None] + np.arange(3)).ravel()
    for matrix, start in ((W, free), (W[np.ix_(rows, rows)], free[order])):
        solver = Newton(NewtonSettings(tolerance=1e-10))
        found = solver.solve(state_problem(matrix, start), np.zeros((len(free), 3)))
        assert found.status == "converged"
        assert measure_law(matrix, start, found.impulse) <= 2e-10
