"""Impacts of random bodies: no reflection gains energy, whatever strikes, rubs and is jointed."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.impacts import Impacts
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.rows import BILATERAL, COULOMB
from supple_solve_newton.components import NewtonSettings
from supple_solve_newton.solver import Newton

SLOW = 0.05


def make_bodies(rng, count):
    """M^-1 [6 n, 6 n] of bodies whose masses differ by a hundred."""
    inverse = np.zeros((6 * count, 6 * count))
    for b in range(count):
        mass, shape = 10 ** rng.uniform(-1, 1), rng.normal(size=(3, 3))
        inertia = 0.05 * mass * (shape @ shape.T + 0.2 * np.eye(3))
        at = slice(6 * b, 6 * b + 3), slice(6 * b + 3, 6 * b + 6)
        inverse[at[0], at[0]], inverse[at[1], at[1]] = np.eye(3) / mass, np.linalg.inv(inertia)
    return inverse


def make_rows(rng, bodies):
    """Three rows [3, 6 n] along random directions, of a point on one body against another one or the world."""
    rows, (first, second) = np.zeros((3, 6 * bodies)), (rng.integers(bodies), rng.integers(-1, bodies))
    frame, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    for body, sign in ((first, 1.0), (second, -1.0)):
        if body < 0 or (sign < 0 and first == second):
            continue
        arm = rng.normal(size=3) * 0.3
        rows[:, 6 * body : 6 * body + 3] = sign * frame
        rows[:, 6 * body + 3 : 6 * body + 6] = sign * np.cross(arm, frame)
    return rows


def make_problem(rng, bodies, contacts, joints, elastic, rough):
    """Contacts that touch, and joints of one row each that hold already; with J, M^-1 and the velocities before."""
    inverse = make_bodies(rng, bodies)
    n = contacts + joints
    J = np.concatenate([make_rows(rng, bodies) for _ in range(n)])
    for k in range(contacts, n):
        J[3 * k + 1 : 3 * k + 3] = 0.0
    v = rng.normal(size=6 * bodies)
    locked = J[3 * contacts :: 3]
    if joints:
        v -= inverse @ locked.T @ np.linalg.lstsq(locked @ inverse @ locked.T, locked @ v, rcond=None)[0]
    problem = ConstraintProblem(n, 0.004)
    problem.reserve(n)
    problem.law[:contacts], problem.law[contacts:] = COULOMB, BILATERAL
    problem.size[:contacts] = 3
    problem.friction[:contacts] = rng.uniform(0.0, 1.2, contacts) if rough else 0.0
    problem.restitution[:contacts] = elastic if elastic is not None else rng.uniform(0.3, 1.0, contacts)
    problem.key[:, 0] = np.arange(n)
    problem.u_now[:] = problem.free[:] = (J @ v).reshape(n, 3)
    W = (J @ inverse @ J.T).reshape(n, 3, n, 3).transpose(0, 2, 1, 3).reshape(-1, 3, 3)
    problem.W = BlockMatrix.from_arrays(
        np.arange(n + 1) * n, np.tile(np.arange(n), n), np.ascontiguousarray(W)
    )
    problem.bounce_speed = SLOW
    return problem, J, inverse, v


def strike(problem):
    """The impulses of all reflections."""
    impacts = Impacts(None, problem, [], [("newton", Newton(NewtonSettings()))])
    return impacts.impulse if impacts.reflect() else np.zeros((problem.count, 3))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 5), st.integers(0, 2))
def test_no_impact_gains_energy(seed, bodies, contacts, joints):
    rng = np.random.default_rng(seed)
    problem, J, inverse, v = make_problem(rng, bodies, contacts, joints, None, True)
    impulse = strike(problem)
    after = v + inverse @ J.T @ impulse.reshape(-1)
    mass = np.linalg.inv(inverse)
    before = v @ mass @ v
    assert after @ mass @ after <= before * (1 + 1e-9)
    rubbing = np.hypot(impulse[:contacts, 1], impulse[:contacts, 2])
    limit = problem.friction[:contacts] * impulse[:contacts, 0]
    assert (impulse[:contacts, 0] >= -1e-12).all()
    assert (
        rubbing <= limit * (1 + 1e-14) + 1e-9
    ).all()  # what is wedged is pressed by ten million times its momentum
    np.testing.assert_allclose(J[3 * contacts :: 3] @ after, 0.0, atol=1e-7)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(1, 4))
def test_perfect_bounces_without_friction_keep_energy_and_part(seed, bodies, contacts):
    rng = np.random.default_rng(seed)
    problem, J, inverse, v = make_problem(rng, bodies, contacts, 0, 1.0, False)
    after = v + inverse @ J.T @ strike(problem).reshape(-1)
    mass = np.linalg.inv(inverse)
    np.testing.assert_allclose(after @ mass @ after, v @ mass @ v, rtol=1e-8)
    moves = np.array([J[3 * k] @ inverse @ J[3 * k] for k in range(contacts)]) > 0
    assert ((J @ after)[::3][moves] > -SLOW - 1e-9).all()
