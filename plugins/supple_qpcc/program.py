"""The quadratic program of a piece, by daqp: one factorisation for all pieces of a problem.

The pieces differ in which a or e is zero, that is in bounds only. A row of C or E with a single entry bounds a
variable and is no row. Which constraints bound the solution of a neighbour is where the next one starts.

If P = diag(p) + B'B, then with U = B diag(p)^-1/2 and the eigenvalues s and unit vectors Z (as rows) of U'U

    x = T w,    T = diag(p)^-1/2 (1 - Z' diag(1 - (1 + s)^-1/2) Z)                            (1)

makes the Hessian one. That takes n^2 r operations, where a factorisation takes n^3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import daqp
import numpy as np
from scipy.optimize import linprog

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple_qpcc.pieces import A_ZERO, E_ZERO
from supple_qpcc.problem import Qpcc

INFINITE: Final = 1e30
PRIMAL_TOLERANCE: Final = 1e-10
#: Tried when a program has no solution.
LOOSE_TOLERANCES: Final = (1e-8, 1e-6)
#: By what share a bound may be missed then.
MET: Final = 1e-8
ITERATIONS: Final = 2000
#: Bounds that cross by less, of 1 + their size, are equal.
CROSSED: Final = 1e-10
#: Where P is singular: weight of the distance to the last iterate, and the step at which to stop.
PROXIMAL: Final = {"eps_prox": 1e-3, "eta_prox": 1e-12}
SINGULAR: Final = 1e-9
#: Marks of daqp.
ABOVE: Final = 1
BELOW: Final = 3
EQUAL: Final = 5
SOLVED: Final = 1
INFEASIBLE: Final = -1
UNBOUNDED: Final = -3
#: Of linprog.
EMPTY: Final = 2
DECIDED: Final = (SOLVED, INFEASIBLE, UNBOUNDED)


@dataclass(frozen=True)
class Answer:
    """The minimiser on a piece (or on a relaxation) and which constraints bound it.

    value   objective without c0; infinite if there is no point, minus infinity if it is unbounded or was not solved
    force   [variables + rows] multipliers: positive where a larger upper bound would lower the objective, negative
            where a smaller lower bound would
    """

    x: FloatArray
    value: float
    force: FloatArray
    code: int

    @property
    def active(self) -> IntArray:
        """The constraints that bind, in the form of `Start.active`."""
        marks: IntArray = np.where(self.force > 0.0, ABOVE, np.where(self.force < 0.0, BELOW, 0))
        return marks


class Program:
    """The programs of all pieces of one problem, and how many were solved."""

    def __init__(self, problem: Qpcc, confirm: bool = False, precise: bool = True) -> None:
        self.problem, self._confirm = problem, confirm
        self._precise = precise
        self._tolerances = (PRIMAL_TOLERANCE, *LOOSE_TOLERANCES) if precise else LOOSE_TOLERANCES[-1:]
        n, pairs = problem.size, problem.pairs
        lower, upper = np.clip(problem.lb, -INFINITE, INFINITE), np.clip(problem.ub, -INFINITE, INFINITE)
        matrix, constant = np.concatenate([problem.C, problem.E]), np.concatenate([problem.d, problem.f])
        single = np.count_nonzero(matrix, axis=1) == 1
        factor, column = _read_single(matrix, single)
        bound = -constant / factor + 0.0
        np.maximum.at(lower, column[single & (factor > 0.0)], bound[single & (factor > 0.0)])
        np.minimum.at(upper, column[single & (factor < 0.0)], bound[single & (factor < 0.0)])
        #: For all a, then all e: the constraint, and its bound where they are zero.
        self.place: IntArray = np.where(single, column, n - 1 + np.cumsum(~single))
        self.zero = bound
        rows = np.concatenate([matrix[~single], problem.G, problem.A])
        count = int((~single).sum())
        self.lower = np.concatenate([lower, bound[~single], np.full(problem.h.size, -INFINITE), problem.b])
        self.upper = np.concatenate([upper, np.full(count, INFINITE), problem.h, problem.b])
        self._pairs = pairs
        self._marks = np.where(self.lower == self.upper, EQUAL, 0).astype(np.int32)
        # daqp keeps pointers to what it is given.
        self._low, self._high, self._sense = self.lower.copy(), self.upper.copy(), self._marks.copy()
        self._map: FloatArray | None = None
        self._H, self._c, self._rows = problem.P, problem.c, np.ascontiguousarray(rows)
        self._plain = self._rows
        if problem.factor is not None:
            self._make_round(*problem.factor)
        self._proximal = {} if self._map is not None or _is_definite(problem.P) else PROXIMAL
        self._models: dict[float, Any] = {}
        self.solved = self.infeasible = self.failed = 0

    def _make_round(self, diagonal: FloatArray, low_rank: FloatArray) -> None:
        """Eq. (1): daqp sees a Hessian of one, and bounds of variables as rows."""
        scale = 1.0 / np.sqrt(diagonal)
        U = low_rank * scale
        sizes, vectors = np.linalg.eigh(U @ U.T)
        kept = sizes > 1e-14 * max(1.0, float(sizes.max(initial=0.0)))
        sizes = sizes[kept]
        Z = (vectors[:, kept] / np.sqrt(sizes)).T @ U
        shrink = 1.0 - 1.0 / np.sqrt(1.0 + sizes)
        T = -((scale[:, None] * Z.T) * shrink) @ Z
        T[np.diag_indices(len(scale))] += scale
        rows = self._rows * scale
        self._rows = np.concatenate([T, rows - ((rows @ Z.T) * shrink) @ Z])
        self._map, self._H, self._c = T, np.eye(len(scale)), T.T @ self.problem.c

    def solve(self, sides: IntArray, active: IntArray | None = None) -> Answer:
        """Minimise with the given sides at zero, starting from the constraints of `active`."""
        low, high, sense = self._low, self._high, self._sense
        low[:], high[:], sense[:] = self.lower, self.upper, self._marks
        if active is not None and len(active) == len(sense):
            np.copyto(sense, active, where=sense == 0, casting="unsafe")
        zero = np.flatnonzero(np.concatenate([sides == A_ZERO, sides == E_ZERO]))
        places = self.place[zero]
        np.maximum.at(low, places, self.zero[zero])
        np.minimum.at(high, places, self.zero[zero])
        sense[places] = EQUAL
        self.solved += 1
        if not _close_bounds(low, high):
            self.infeasible += 1
            return self._fail(INFEASIBLE)
        answer = self._run(self._tolerances[0])
        for tolerance in self._tolerances[1:]:
            # Where rows nearly depend on each other, what daqp calls empty may be so to the last digits only.
            if answer.code == INFEASIBLE:
                answer = self._run(tolerance)
                if answer.code == SOLVED and self._precise and not self._is_met(answer.x):
                    answer = self._fail(INFEASIBLE)
        if answer.code not in DECIDED:
            answer = self._try_again(places)
        if answer.code == SOLVED:
            return answer
        if answer.code == INFEASIBLE and self._confirm and not self._is_empty():
            answer = self._fail(0)
        self.infeasible += answer.code == INFEASIBLE
        self.failed += answer.code not in DECIDED
        return self._fail(answer.code)

    def _run(self, tolerance: float = PRIMAL_TOLERANCE) -> Answer:
        # Equalities that depend on each other must not meet the setup: it would leave nothing to go on with.
        model = self._models.get(tolerance)
        if model is None:
            model = daqp.Model()
            self._neutral = np.zeros_like(self._sense)
            model.settings = {"primal_tol": tolerance, "iter_limit": ITERATIONS, **self._proximal}
            code, _ = model.setup(self._H, self._c, self._rows, self.upper, self.lower, self._neutral)
            if code < 0:
                return self._fail(code)
            self._models[tolerance] = model
        code = model.update(bupper=self._high, blower=self._low, sense=self._sense)
        if code < 0:
            del self._models[tolerance]
            return self._fail(code)
        x, value, code, info = model.solve()
        force = info["lam"]
        if self._map is not None:
            x = self._map @ x
        self._touch_bounds(x, force)
        # daqp's own value lacks digits where P is singular.
        exact = float(0.5 * x @ (self.problem.P @ x) + self.problem.c @ x) if self._proximal else float(value)
        return Answer(x, exact, force, int(code))

    def _is_met(self, x: FloatArray) -> bool:
        """Does x keep to all bounds, as shares of 1 + the size of their terms."""
        size = np.abs(x)
        values = np.concatenate([x, self._plain @ x])
        terms = 1.0 + np.concatenate([size, np.abs(self._plain) @ size])
        return bool((np.maximum(self._low - values, values - self._high) <= MET * terms).all())

    def _touch_bounds(self, x: FloatArray, force: FloatArray) -> None:
        """What rests on a bound does so to the bit."""
        n = len(x)
        at_upper: BoolArray = (force[:n] > 0.0) | (self._low[:n] == self._high[:n])
        np.copyto(x, self._high[:n], where=at_upper)
        np.copyto(x, self._low[:n], where=force[:n] < 0.0)

    def _try_again(self, places: IntArray) -> Answer:
        """Without a start; with dependent equalities left to daqp; with a looser tolerance."""
        answer = self._fail(0)
        tries = ((EQUAL, PRIMAL_TOLERANCE), (0, PRIMAL_TOLERANCE), (0, LOOSE_TOLERANCES[-1]))
        for equal, tolerance in tries if self._precise else tries[-1:]:
            self._sense[:] = np.where(self._marks == EQUAL, equal, 0)
            self._sense[places] = equal
            self._models.clear()
            answer = self._run(tolerance)
            if answer.code in DECIDED:
                break
        self._models.clear()
        return self._ask_linear(answer) if self._precise and answer.code not in DECIDED else answer

    def _ask_linear(self, answer: Answer) -> Answer:
        """What a linear program can say about a program that daqp did not solve: daqp leaves rays and corners open."""
        bounds = np.stack([self._low, self._high], axis=1)
        found = _minimise(self.problem.c, self._plain, bounds)
        if found.status == EMPTY:
            return self._fail(INFEASIBLE)
        if found.status == 0 and not self.problem.P.any():
            return Answer(found.x, float(found.fun), np.zeros(len(self.lower)), SOLVED)
        return self._fail(UNBOUNDED) if self._is_unbounded() else answer

    def _is_empty(self) -> bool:
        """Does a linear program find no point either."""
        bounds = np.stack([self._low, self._high], axis=1)
        return int(_minimise(np.zeros(self.problem.size), self._plain, bounds).status) == EMPTY

    def _is_unbounded(self) -> bool:
        """Is there a ray within the constraints along which the objective falls for ever."""
        P, n = self.problem.P, self.problem.size
        bounds = np.stack(
            [np.where(self._low > -INFINITE, 0.0, -1.0), np.where(self._high < INFINITE, 0.0, 1.0)], 1
        )
        bounds[n:][bounds[n:] != 0.0] *= INFINITE
        flat = np.zeros((n, 2))
        ray = _minimise(self.problem.c, np.concatenate([self._plain, P]), np.concatenate([bounds, flat]))
        steepest = float(np.abs(self.problem.c).max(initial=0.0))
        return int(ray.status) == 0 and float(ray.fun) < -1e-7 * steepest and not self._is_empty()

    def _fail(self, code: int) -> Answer:
        value = np.inf if code == INFEASIBLE else -np.inf
        return Answer(np.zeros(self.problem.size), value, np.zeros(len(self.lower)), code)


def _close_bounds(low: FloatArray, high: FloatArray) -> bool:
    """Make bounds equal that cross by round-off, as two rows that bound one variable do; False if others cross."""
    crossed = np.flatnonzero(low > high)
    middle = 0.5 * (low[crossed] + high[crossed])
    if (low[crossed] - high[crossed] > CROSSED * (1.0 + np.abs(middle))).any():
        return False
    low[crossed] = high[crossed] = middle
    return True


def _read_single(matrix: FloatArray, single: BoolArray) -> tuple[FloatArray, IntArray]:
    """Factor and column of the only entry of a row; a factor of one where there are more."""
    if not matrix.size:
        return np.ones(len(matrix)), np.zeros(len(matrix), np.int64)
    column: IntArray = np.argmax(matrix != 0.0, axis=1)
    return np.where(single, matrix[np.arange(len(matrix)), column], 1.0), column


def _is_definite(P: FloatArray) -> bool:
    """Is every eigenvalue well above zero."""
    if not len(P):
        return True
    try:
        np.linalg.cholesky(P - SINGULAR * float(P.diagonal().max()) * np.eye(len(P)))
    except np.linalg.LinAlgError:
        return False
    return bool(P.diagonal().max() > 0.0)


def _minimise(c: FloatArray, rows: FloatArray, bounds: FloatArray) -> Any:
    """Minimise c'x by a linear program; bounds [variables + rows, 2] are those of x, then of rows x."""
    n = len(c)
    low, high = bounds[n:, 0], bounds[n:, 1]
    above, below = high < INFINITE, low > -INFINITE
    endless = np.abs(bounds[:n]) >= INFINITE
    return linprog(
        c, np.concatenate([rows[above], -rows[below]]), np.concatenate([high[above], -low[below]]),
        bounds=np.where(endless, np.copysign(np.inf, bounds[:n]), bounds[:n]), method="highs",
        options={"primal_feasibility_tolerance": PRIMAL_TOLERANCE, "dual_feasibility_tolerance": PRIMAL_TOLERANCE},
    )  # fmt: skip
