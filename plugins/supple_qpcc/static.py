"""The other side: the program with the contacts assumed static, and what is done when it has no solution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from supple.core.arrays import BoolArray, IntArray
from supple_qpcc.contacts import find_contacts, hold
from supple_qpcc.pieces import A_ZERO, BREAK, E_ZERO, STATIC, Contact, Pieces, make_pieces
from supple_qpcc.problem import Qpcc
from supple_qpcc.program import Program
from supple_qpcc.records import Fallback, Result, Start

#: Weight of the squared velocities of contacts that are asked to rest and cannot.
SOFT_WEIGHT: Final = 1e4


def solve_static(
    problem: Qpcc,
    start: Start | None = None,
    touching: BoolArray | None = None,
    fallback: Fallback = "soft",
    contacts: Sequence[Contact] | None = None,
) -> Result:
    """Minimise with all touching contacts static and the others broken.

    `touching` [contacts] is true everywhere if it is not given. Pairs that belong to no contact have a = 0. If there is
    no such point the status is "infeasible", and x is what the fallback gives: "soft", the static velocities become an
    objective of their own while forces stay within their cones; "hold", the muscles stay as they were last.
    """
    pieces = make_pieces(problem.pairs, find_contacts(problem) if contacts is None else contacts)
    modes: IntArray = np.where(pieces.contact, STATIC, 0)
    if touching is not None:
        modes[: len(touching)] = np.where(touching, STATIC, BREAK)
    program = Program(problem)
    active = None if start is None else start.active
    answer = program.solve(pieces.choose(modes), active)
    last = np.zeros(0) if start is None else start.last
    if np.isfinite(answer.value):
        again = Start(modes, answer.active, answer.x)
        objective = problem.evaluate(answer.x)
        return Result(answer.x, objective, -np.inf, "found", "static", modes, 1, 0, 0, again)
    x = None
    if fallback == "soft":
        soft = Program(_soften(problem, pieces, modes)).solve(np.zeros(0, np.int64))
        x = soft.x if np.isfinite(soft.value) else None
    used: Fallback = "hold" if x is None else "soft"
    x = hold(problem, last) if x is None else x
    again = Start(modes, last=x)
    infeasible, failed = program.infeasible, program.failed
    return Result(x, np.inf, -np.inf, "infeasible", "none", modes, 1, infeasible, failed, again, used)


def _soften(problem: Qpcc, pieces: Pieces, modes: IntArray) -> Qpcc:
    """The same without pairs: what has to be zero by e costs its square, what stays positive is a row."""
    sides = pieces.choose(modes)
    wanted, none = sides == E_ZERO, np.zeros((0, problem.size))
    rows, target = problem.E[wanted], problem.f[wanted]
    # The tangential rows of a static contact follow from two of them and may have either sign now.
    decided = np.zeros(problem.pairs, bool)
    for group in np.flatnonzero(pieces.contact & (modes == STATIC)):
        decided |= (pieces.sides[pieces.first[group] : pieces.first[group + 1]] != 0).any(axis=0)
    kept = ~decided | ((sides == A_ZERO) & decided)
    zero = sides == A_ZERO
    return Qpcc(
        problem.P + SOFT_WEIGHT * rows.T @ rows, problem.c + SOFT_WEIGHT * rows.T @ target, problem.c0,
        np.concatenate([problem.G, -problem.C, -problem.E[kept]]),
        np.concatenate([problem.h, problem.d, problem.f[kept]]),
        np.concatenate([problem.A, problem.C[zero]]), np.concatenate([problem.b, -problem.d[zero]]),
        problem.lb, problem.ub, none, np.zeros(0), none, np.zeros(0),
    )  # fmt: skip
