"""Writing the constraint problems of a run, to solve them again alone with `supple solve`."""

from __future__ import annotations

from pathlib import Path

from supple.core.world import World
from supple.errors import Problem, UserError, Where
from supple.mechanics.problem import ConstraintProblem


class ProblemSaver:
    """Saves the problem of every step that has rows as `step000123.npz`; an observer of the run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            what = f"cannot be made: {error.strerror}"
            raise UserError(
                Problem(Where(str(folder)), "", what, "name a folder that can be written to")
            ) from None

    def observe(self, world: World) -> int:
        """Save what the last step solved; the start of a run has solved nothing yet."""
        problem = world.arrays.records["rows.problem"]
        assert isinstance(problem, ConstraintProblem)
        if world.timing.steps and problem.count:
            problem.save(self.folder / f"step{world.steps:06}.npz")
        return world.steps + 1
