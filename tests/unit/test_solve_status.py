"""When a stored problem counts as solved: by the norm over all groups, whatever the solver says of single ones."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from supple.mechanics.solution import Solution
from supple.mechanics.stored_problems import read_arrays, read_problem
from supple.run.solve_stored import solve_stored


@pytest.mark.parametrize(("error", "status"), [(1e-10, "converged"), (1e-6, "stalled")])
def test_the_norm_over_all_groups_decides(tmp_path: Path, error: float, status: str) -> None:
    """Four balls on the floor, one of which is not quite solved, by a solver that calls itself stalled."""
    file, q = tmp_path / "balls.npz", np.tile([-1.0, 0.0, 0.0], 4)
    np.savez(file, W=np.eye(12), q=q, mu=np.full(4, 0.5))
    problem = read_problem(file, read_arrays(file), "")
    impulse = -q.reshape(4, 3).copy()
    impulse[2, 0] -= error
    solver = SimpleNamespace(solve=lambda problem, warm: Solution(impulse, "stalled", 7, error), rescue="")
    found = SimpleNamespace(
        load=lambda: lambda settings: solver, load_settings=lambda: lambda tolerance: None
    )
    registry = SimpleNamespace(solvers={}, find=lambda *names: found)
    answer = solve_stored(problem, registry, "stub", 1e-8)
    assert answer.status == status
    assert answer.residual == pytest.approx(error / 2.0, rel=1e-6)
