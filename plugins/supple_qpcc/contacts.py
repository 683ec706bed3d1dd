"""Finding the contacts of a problem that only says pairs, and the forces of contacts when everything else is held."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.mechanics.lcp import solve_lcp
from supple_qpcc.pieces import Contact
from supple_qpcc.problem import Qpcc


def find_columns(matrix: FloatArray, constant: FloatArray) -> IntArray:
    """The variable of which each row is a positive multiple, or -1 where it is none."""
    single = (np.count_nonzero(matrix, axis=1) == 1) & (constant == 0.0)
    column = np.argmax(matrix != 0.0, axis=1) if matrix.size else np.zeros(len(matrix), np.int64)
    single &= matrix[np.arange(len(matrix)), column] > 0.0
    return np.where(single, column, -1)


def find_contacts(problem: Qpcc) -> tuple[Contact, ...]:
    """Contacts by their cones: the e of one pair is mu f_perp - sum f_par, and its a is in the e of all these f_par."""
    columns = find_columns(problem.C, problem.d)
    pair_of = {int(column): pair for pair, column in enumerate(columns) if column >= 0}
    contacts: list[Contact] = []
    taken: set[int] = set()
    for cone in range(problem.pairs):
        contact = _read_cone(problem, cone, pair_of, int(columns[cone]))
        if contact is None:
            continue
        members = {contact.normal, contact.cone, *contact.directions}
        if len(members) == len(contact.directions) + 2 and not members & taken:
            taken |= members
            contacts.append(contact)
    return tuple(sorted(contacts, key=lambda contact: contact.normal))


def _read_cone(problem: Qpcc, cone: int, pair_of: dict[int, int], slip: int) -> Contact | None:
    row = problem.E[cone]
    along, normals = np.flatnonzero(row < 0.0), np.flatnonzero(row > 0.0)
    if slip < 0 or problem.f[cone] != 0.0 or len(normals) != 1 or len(along) < 2:
        return None
    if any(int(column) not in pair_of for column in (*along, *normals)) or np.ptp(row[along]) > 1e-12:
        return None
    directions = [pair_of[int(column)] for column in along]
    if not (problem.E[directions, slip] > 0.0).all():
        return None
    ordered = tuple(directions[k] for k in _order_by_angle(problem.E[directions], slip))
    return Contact(pair_of[int(normals[0])], ordered, cone, float(-row[normals[0]] / row[along[0]]))


def _order_by_angle(rows: FloatArray, slip: int) -> IntArray:
    """The order of directions around their circle; any linear map of the plane they lie in keeps it."""
    velocities = rows.copy()
    velocities[:, slip] = 0.0
    left, sizes, _ = np.linalg.svd(velocities, full_matrices=False)
    if len(sizes) < 2 or sizes[1] <= 1e-9 * sizes[0]:
        return np.arange(len(rows))
    order: IntArray = np.argsort(np.arctan2(left[:, 1] * sizes[1], left[:, 0] * sizes[0]), kind="stable")
    return order


def hold_and_touch(problem: Qpcc, last: FloatArray) -> FloatArray | None:
    """x with the variables outside all pairs as in `last`, and the others such that all pairs hold; None if none are.

    It takes that one side of all pairs is a variable each, as forces are.
    """
    for own, other, constant in ((problem.C, problem.E, problem.f), (problem.E, problem.C, problem.d)):
        columns = find_columns(own, problem.d if own is problem.C else problem.f)
        if len(last) != problem.size or (columns < 0).any() or len(set(columns.tolist())) != len(columns):
            continue
        held = np.ones(problem.size, bool)
        held[columns] = False
        x = np.where(held, np.clip(last, problem.lb, problem.ub), 0.0)
        solution = solve_lcp(other[:, columns], other[:, held] @ x[held] + constant)
        if solution.status != "failed":
            x[columns] = solution.z
            return x
    return None


def hold(problem: Qpcc, last: FloatArray) -> FloatArray:
    """What to do without a feasible point: all as it was, within its bounds, and forces that fit if any do."""
    known = last if len(last) == problem.size else np.zeros(problem.size)
    touching = hold_and_touch(problem, known)
    return np.clip(known, problem.lb, problem.ub) if touching is None else touching
