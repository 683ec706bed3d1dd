"""Writing the constraint problems of a run, to solve them again alone with `supple solve`."""

from __future__ import annotations

from pathlib import Path

from supple.core.schedule import ROWS
from supple.core.world import World
from supple.errors import Problem, UserError, Where
from supple.mechanics.problem import ConstraintProblem
from supple.run.atomic import refuse_unwritable


class ProblemSaver:
    """Saves the problem of every step that has rows as `step000123.npz`; an observer of the run.

    Those of another solve than "rows" have its name too: `step000123.coupled.npz`.
    """

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
        for solve in world.members("solves"):
            problem = world.arrays.records[solve.array("problem")]
            assert isinstance(problem, ConstraintProblem)
            ran = world.timing.steps and (world.steps - 1) % solve.rate == 0
            if ran and problem.count:
                other = "" if solve.name == ROWS else f".{solve.name}"
                file = self.folder / f"step{world.steps:06}{other}.npz"
                try:
                    problem.save(file)
                except OSError as error:
                    raise refuse_unwritable(file, error) from error
        return world.steps + 1
