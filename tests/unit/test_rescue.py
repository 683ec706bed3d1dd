"""A solve that falls short is passed on to the next better solver, and the report counts it."""

from __future__ import annotations

import numpy as np
import pytest

from solvers.contact_problems import random_spheres
from supple.errors import SimulationError
from supple.mechanics.coupled import MOST_ROUNDS, MOST_STALLED, solve_coupled
from supple.mechanics.problem import Coupled
from supple.mechanics.rescue import refuse_speeds, solve_with_rescue
from supple.mechanics.solution import Solution


class Fixed:
    """Gives the same answer whatever the problem."""

    def __init__(self, status, impulse=0.0):
        self.status, self.impulse, self.calls = status, impulse, 0

    def solve(self, problem, warm):
        self.calls += 1
        return Solution(np.full((problem.count, 3), self.impulse), self.status, 7, 1.0)


@pytest.fixture
def problem():
    return random_spheres(3).problem()


def test_the_first_that_converges_is_taken(problem) -> None:
    solvers = [("a", Fixed("stalled")), ("b", Fixed("converged", 2.0)), ("c", Fixed("converged"))]
    solution, tries = solve_with_rescue(solvers, problem, np.zeros((problem.count, 3)))
    assert tries == 2
    assert solution.impulse[0, 0] == 2.0
    assert solvers[2][1].calls == 0


def test_if_none_converges_the_best_residual_wins(problem) -> None:
    solvers = [("a", Fixed("stalled", 1e6)), ("b", Fixed("stalled", 0.0)), ("c", Fixed("failed"))]
    solution, _ = solve_with_rescue(solvers, problem, np.zeros((problem.count, 3)))
    assert solution.impulse[0, 0] == 0.0
    assert solution.status == "stalled"


def test_if_all_fail_the_step_fails_and_names_them(problem) -> None:
    with pytest.raises(SimulationError, match="tried a, b"):
        solve_with_rescue(
            [("a", Fixed("failed")), ("b", Fixed("failed"))], problem, np.zeros((problem.count, 3))
        )


class Wandering(Fixed):
    """Every solve stalls at other impulses, with the residual that comes next, so that limits never settle."""

    def __init__(self, residuals) -> None:
        super().__init__("stalled")
        self.residuals = residuals

    def solve(self, problem, warm):
        self.calls += 1
        return Solution(
            np.full((problem.count, 3), float(self.calls)), self.status, 7, self.residuals[self.calls - 1]
        )


@pytest.mark.parametrize(
    ("residuals", "calls"), [([1.0] * 60, 1 + MOST_STALLED), ([0.4**k for k in range(60)], MOST_ROUNDS)]
)
def test_rounds_that_follow_contacts_end_where_solves_get_no_better(problem, residuals, calls) -> None:
    problem.coupled = Coupled(np.array([1]), np.array([0]), np.array([1]), np.array([0.1]))
    solver = Wandering(residuals)
    solution, _ = solve_coupled([("a", solver)], problem, np.zeros((problem.count, 3)), None)
    assert solver.calls == calls
    assert solution.status == "stalled"


def test_speeds_beyond_that_of_light_are_refused_before_anything_is_tried(problem) -> None:
    refuse_speeds(problem)
    problem.free[1, 0] = -7e73
    with pytest.raises(SimulationError, match="7e\\+73 m/s, faster than light"):
        refuse_speeds(problem)


def test_a_scene_counts_rescues(load_text) -> None:
    text = """
    format = 1
    [run]
    step = 0.004
    duration = 0.1
    solver = "gauss_seidel"
    [run.gauss_seidel]
    max_sweeps = 1
    [[entity]]
    name = "floor"
    plane = {}
    [[entity]]
    name = "tower"
    stack = { boxes = 4, size = [0.3, 0.2, 0.3] }
    """
    world = load_text(text)
    world.step(5)
    figures = world.metrics()
    assert figures["run.solver_rescues"] >= 1
    assert figures["run.solver_failures"] == 0
    assert figures["run.residual_worst"] < 1e-9
