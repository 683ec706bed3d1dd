"""Kernels over the arrays of a constraint problem, bound to them as long as they stay the same ones."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from supple.core.jit import bind_first_arguments
from supple.mechanics.problem import ConstraintProblem


class ProblemKernel:
    """A kernel that takes the arrays of a problem, then work arrays, then what changes from call to call.

    In a run it is the same problem in every step, and its arrays rarely move. Looking them up and finding their types
    takes longer than many a kernel, so this is done once; see `supple.core.jit.bind_kernel`. What changes must always
    be of the same types: numbers, and C-ordered arrays.
    """

    def __init__(self, kernel: Callable[..., Any], names: tuple[str, ...], *work: Any) -> None:
        """`names` are attributes of the problem, or with "W." in front of its matrix."""
        self._kernel, self._names, self._work = kernel, names, work
        self._problem: ConstraintProblem | None = None
        self._known: tuple[object, ...] = ()
        self._call: Callable[..., Any] = kernel
        self._bound = False

    def __call__(self, problem: ConstraintProblem, *changing: Any) -> Any:
        """Call the kernel on this problem."""
        W, known = problem.W, self._known
        if (
            problem is self._problem
            and W.values is known[0]
            and W.indptr is known[1]
            and W.diagonal is known[2]
            and problem.free is known[3]
            and problem.compliance is known[4]
            and problem.friction is known[5]
            and problem.scale is known[6]
            and problem.lower is known[7]
            and problem.upper is known[8]
            and problem.law is known[9]
        ):
            if not self._bound:  # seen twice: worth it
                self._bound = True
                self._call = bind_first_arguments(self._kernel, self._arguments(problem), changing)
        else:
            self._problem, self._bound = problem, False
            self._known = (
                W.values, W.indptr, W.diagonal, problem.free, problem.compliance,
                problem.friction, problem.scale, problem.lower, problem.upper, problem.law,
            )  # fmt: skip
            self._call = functools.partial(self._kernel, *self._arguments(problem))
        return self._call(*changing)

    def _arguments(self, problem: ConstraintProblem) -> tuple[Any, ...]:
        W = problem.W
        arrays = (
            getattr(W, name[2:]) if name.startswith("W.") else getattr(problem, name) for name in self._names
        )
        return (*arrays, *self._work)
