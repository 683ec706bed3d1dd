"""Kernels over the arrays of a constraint problem, bound to them as long as they stay the same ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from supple.core.jit import bind_first_arguments
from supple.mechanics.block_matrix import Blocks
from supple.mechanics.problem import ConstraintProblem, Rows


class ProblemCall:
    """A kernel that takes `problem.rows` and `problem.W.blocks`, then work arrays, then what changes from call to call.

    In a run it is the same problem in every step, and its arrays rarely move. Finding the types of all arguments takes
    longer than many a kernel, so this is done once; see `supple.core.jit.bind_kernel`. What changes must always be of
    the same types: numbers, and C-ordered arrays.
    """

    def __init__(self, kernel: Callable[..., Any], *work: Any) -> None:
        self._kernel, self._work = kernel, work
        self._rows: Rows | None = None
        self._blocks: Blocks | None = None
        self._call: Callable[..., Any] = kernel
        self._bound = False

    def __call__(self, problem: ConstraintProblem, *changing: Any) -> Any:
        """Call the kernel on this problem."""
        rows, blocks = problem.rows, problem.W.blocks
        if rows is not self._rows or blocks is not self._blocks:
            self._rows, self._blocks, self._bound = rows, blocks, False
            self._call = functools.partial(self._kernel, rows, blocks, *self._work)
        elif not self._bound:  # seen twice: worth it
            self._bound = True
            self._call = bind_first_arguments(self._kernel, (rows, blocks, *self._work), changing)
        return self._call(*changing)
