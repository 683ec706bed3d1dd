"""The penalty model: its equations, joints beside it, and statuses."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solvers.contact_problems import STEP, contacts_only, hanging_chain, make_problem
from supple.mechanics.problem import ConstraintProblem
from supple.mechanics.residual import row_velocities
from supple.mechanics.rows import BILATERAL, COULOMB
from supple_solve_penalty.solver import Penalty

K, C, SLOPE = 1e5, 1e4, 0.1


def solve(problem, max_sweeps=2000):
    chosen = SimpleNamespace(stiffness=K, damping=C, slope=SLOPE, tolerance=1e-10, max_sweeps=max_sweeps)
    return Penalty(chosen).solve(problem, np.zeros((problem.count, 3)))


def one_contact(gap, u_now, friction=0.5, scale=(1.0, 1.0, 1.0)):
    problem = make_problem(np.eye(3), np.zeros(3), [COULOMB], [{"friction": friction, "scale": scale}])
    problem.gap[0], problem.u_now[0] = gap, u_now
    return problem


def test_depth_and_approach_give_the_normal_impulse():
    """f = (k + c d') d over one step, d = 2 mm, approaching with 0.3 m/s."""
    solution = solve(one_contact(-0.002, (-0.3, 0.0, 0.0)))
    assert solution.status == "converged"
    np.testing.assert_allclose(solution.impulse[0], [STEP * (K + C * 0.3) * 0.002, 0.0, 0.0], rtol=1e-14)


@settings(max_examples=60, deadline=None)
@given(
    gap=st.floats(-0.1, 0.1),
    u=st.tuples(*[st.floats(-30.0, 30.0)] * 3),
    friction=st.floats(0.0, 1.0),
)
def test_it_never_pulls_and_friction_always_brakes_within_the_cone(gap, u, friction):
    n, t, s = solve(one_contact(gap, u, friction)).impulse[0]
    assert n >= 0.0
    assert n == 0.0 or gap < 0.0
    assert math.hypot(t, s) <= friction * n * (1.0 + 1e-12)
    assert t * u[1] + s * u[2] <= 0.0
    assert t * u[2] - s * u[1] == pytest.approx(0.0, abs=1e-9 * (1.0 + n) * 30.0)


def test_friction_is_full_from_the_slip_speed_on_and_linear_below():
    full = STEP / SLOPE
    normal = STEP * K * 0.001
    for speed, share in ((10.0 * full, 1.0), (full, 1.0), (0.25 * full, 0.25)):
        t = solve(one_contact(-0.001, (0.0, speed, 0.0), friction=0.4)).impulse[0, 1]
        assert t == pytest.approx(-0.4 * normal * share, rel=1e-12)


def test_a_direction_without_friction_stays_free():
    impulse = solve(one_contact(-0.001, (0.0, 1.0, 1.0), scale=(1.0, 1.0, 0.0))).impulse[0]
    assert impulse[1] < 0.0
    assert impulse[2] == 0.0


def test_joints_hold_while_contacts_yield():
    problem = hanging_chain(5).problem()
    problem.gap[-1] = -0.001
    solution = solve(problem)
    assert solution.status == "converged"
    assert solution.impulse[-1, 0] > 0.0
    u = row_velocities(problem, solution.impulse)
    assert np.abs(u[problem.law == BILATERAL, 0]).max() <= 1e-10
    problem.gap[-1] = 0.001
    assert solve(problem).impulse[-1].tolist() == [0.0, 0.0, 0.0]


def test_statuses_are_those_of_the_other_rows():
    problem = hanging_chain(20).problem()
    few = solve(problem, max_sweeps=2)
    assert (few.status, few.iterations) == ("stalled", 2)
    assert few.residual > 1e-10
    problem.free[3, 0] = np.nan
    assert solve(problem).status == "failed"
    broken = contacts_only(np.eye(3), np.zeros(3), [0.5])
    broken.gap[0] = -np.inf
    failed = solve(broken)
    assert (failed.status, failed.residual) == ("failed", math.inf)
    assert solve(ConstraintProblem(4)).status == "converged"
