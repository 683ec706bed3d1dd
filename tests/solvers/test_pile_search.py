"""What piles are solved with: when a residual is enough, proximal problems, and W of bodies in any order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple_rigid.kernels as rigid
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.jacobian import Jacobian
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import natural_map_residual, row_velocities
from supple.mechanics.rows import COULOMB
from supple.mechanics.sweeps import Sweeper
from supple_rigid.layout import Chain, Response
from supple_solve_newton.linear_step import LinearStep
from supple_solve_newton.newton_method import Point
from supple_solve_newton.problem_search import ProblemSearch
from supple_solve_newton.proximal import make_proximal


def lone_contacts(n):
    """Contacts that do not feel each other: W = 1; each approaches with 1 m/s, so its impulse is 1 N s."""
    problem = ConstraintProblem(n)
    problem.reserve(n)
    problem.law[:], problem.size[:], problem.friction[:], problem.scale[:] = COULOMB, 3, 0.5, 1.0
    problem.free[:, 0] = -1.0
    problem.W = BlockMatrix.from_arrays(np.arange(n + 1), np.arange(n), np.tile(np.eye(3), (n, 1, 1)))
    return problem


@pytest.mark.parametrize(("wrong", "enough"), [(1, True), (25, False)])
def test_the_norm_over_all_groups_decides(wrong, enough):
    """Of a hundred contacts, `wrong` are three times as far off as each might be if all were."""
    n, relative = 100, 1e-3
    problem = lone_contacts(n)
    search = ProblemSearch(
        problem, relative, relative * np.linalg.norm(problem.free), Sweeper(), LinearStep(n), 1e9
    )
    impulse = np.zeros((n, 3))
    impulse[:, 0] = 1.0
    impulse[:wrong, 0] += 3e-3
    velocity = row_velocities(problem, impulse)
    worst, _ = natural_map_residual(problem, impulse)
    assert worst == pytest.approx(3e-3)
    search._keep(Point(impulse, velocity, worst, 0.0))
    assert search.done == enough


def test_a_better_point_is_judged_anew():
    """Nearer in its worst group, and yet not enough over all: what was enough before does not count."""
    n, relative = 100, 1e-3
    problem = lone_contacts(n)
    search = ProblemSearch(
        problem, relative, relative * np.linalg.norm(problem.free), Sweeper(), LinearStep(n), 1e9
    )
    for wrong, off, done in ((1, 3e-3, True), (100, 2e-3, False)):
        impulse = np.zeros((n, 3))
        impulse[:, 0] = 1.0
        impulse[:wrong, 0] += off
        search._keep(Point(impulse, row_velocities(problem, impulse), off, 0.0))
        assert search.done == done


def test_the_centre_of_a_proximal_problem_has_its_velocities():
    problem, random = lone_contacts(5), np.random.default_rng(1)
    centre = random.normal(size=(5, 3))
    near = make_proximal(problem, np.full(5, 0.7), centre, 1e-2)
    np.testing.assert_allclose(row_velocities(near, centre), row_velocities(problem, centre), atol=1e-15)
    away = centre + 1.0
    more = row_velocities(near, away) - row_velocities(problem, away)
    np.testing.assert_allclose(more, 1e-2 / 0.7, rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(1, 30))
def test_bodies_make_w_whatever_the_order_of_their_blocks(seed, bodies, groups):
    random = np.random.default_rng(seed)
    pairs = [
        (g, b) for g in range(groups) for b in random.choice(bodies, min(bodies, 1 + g % 2), replace=False)
    ]
    random.shuffle(pairs)
    group, unit = np.array(pairs, np.int64).T.copy()
    values = random.normal(size=(len(pairs), 3, 6))
    values[group % 3 == 0, 1:] = 0.0  # groups of one row
    mass, root = random.uniform(0.1, 10.0, bodies), random.normal(size=(bodies, 3, 3))
    inverse = root @ root.transpose(0, 2, 1) + np.eye(3)
    W = BlockMatrix()
    W.set_pattern(group, unit, groups, bodies)
    rigid.add_body_delassus(
        Response(mass, inverse), Jacobian(np.array([len(pairs)]), group, unit, 6 * unit, values),
        Chain(np.zeros(bodies, np.int64), *np.zeros((2, len(pairs)), np.int64)), np.zeros((len(pairs), 3, 6)), W.blocks,
    )  # fmt: skip
    J = np.zeros((3 * groups, 6 * bodies))
    M = np.zeros((6 * bodies, 6 * bodies))
    for (g, b), value in zip(pairs, values, strict=True):
        J[3 * g : 3 * g + 3, 6 * b : 6 * b + 6] += value
    for b in range(bodies):
        M[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = np.eye(3) / mass[b]
        M[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = inverse[b]
    np.testing.assert_allclose(W.to_dense(np.full(groups, 3)), J @ M @ J.T, rtol=1e-10, atol=1e-10)
