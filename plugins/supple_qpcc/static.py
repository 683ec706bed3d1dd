"""The other side: the program with the contacts assumed static, and what is done when it has no solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from supple.core.arrays import BoolArray, IntArray
from supple_qpcc.contacts import find_contacts, hold
from supple_qpcc.pieces import BREAK, STATIC, Contact, make_pieces
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
    precise: bool = True,
) -> Result:
    """Minimise with all touching contacts static and the others broken.

    `touching` [contacts] is true everywhere if it is not given. Pairs that belong to no contact have a = 0. If there is
    no such point the status is "infeasible", and x is what the fallback gives: "soft", the static velocities become an
    objective of their own while forces stay within their cones; "hold", the muscles stay as they were last. `precise`
    is as in a Budget.
    """
    contacts = find_contacts(problem) if contacts is None else contacts
    pieces = make_pieces(problem.pairs, contacts)
    modes: IntArray = np.where(pieces.contact, STATIC, 0)
    if touching is not None:
        modes[: len(touching)] = np.where(touching, STATIC, BREAK)
    program = Program(problem, precise=precise)
    active = None if start is None else start.active
    answer = program.solve(pieces.choose(modes), active)
    last = np.zeros(0) if start is None else start.last
    if np.isfinite(answer.value):
        again = Start(modes, answer.active, answer.x)
        objective = problem.evaluate(answer.x)
        return Result(answer.x, objective, -np.inf, "found", "static", modes, 1, 0, 0, again)
    x = None
    if fallback == "soft":
        static: BoolArray = modes[: len(contacts)] == STATIC
        rest = np.where(pieces.contact & (modes == STATIC), -1, modes)
        soft = Program(_soften(problem, contacts, static), precise=precise).solve(pieces.choose(rest))
        x = soft.x if np.isfinite(soft.value) else None
    used: Fallback = "hold" if x is None else "soft"
    x = hold(problem, last) if x is None else x
    again = Start(modes, last=x)
    infeasible, failed = program.infeasible, program.failed
    return Result(x, np.inf, -np.inf, "infeasible", "none", modes, 1, infeasible, failed, again, used)


def _soften(problem: Qpcc, contacts: Sequence[Contact], static: BoolArray) -> Qpcc:
    """The same with a cost on the velocities of static contacts, which lambda does not take part in any more."""
    P, c, c0 = problem.P.copy(), problem.c.copy(), problem.c0
    for contact, rests in zip(contacts, static, strict=True):
        if rests:
            across = contact.directions[max(1, len(contact.directions) // 4)]
            wanted = [contact.normal, contact.directions[0], across]
            rows, constant = problem.E[wanted].copy(), problem.f[wanted]
            rows[1:, problem.C[contact.cone] != 0.0] = 0.0
            P += SOFT_WEIGHT * rows.T @ rows
            c += SOFT_WEIGHT * rows.T @ constant
            c0 += 0.5 * SOFT_WEIGHT * float(constant @ constant)
    return replace(problem, P=P, c=c, c0=c0, factor=None)
