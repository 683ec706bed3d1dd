"""Random problems, and answers that are found without supple_qpcc: all combinations of sides, programs by NNLS."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import linprog, nnls

from supple_qpcc.problem import Qpcc, make_qpcc

DIRECTIONS = 8
LINEAR = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def solve_program(P, c, rows, low, equal=None, value=()):
    """min 1/2 x'Px + c'x with rows x >= low, equal x = value, P positive definite; None if there is no point."""
    start, free = solve_equalities(np.zeros((0, len(c))) if equal is None else equal, np.asarray(value))
    if start is None:
        return None
    y = find_least(free.T @ P @ free, free.T @ (P @ start + c), rows @ free, low - rows @ start)
    if y is None:
        return None
    x = start + free @ y
    return x, float(0.5 * x @ P @ x + c @ x)


def solve_equalities(equal, value):
    """A point, None if there is none, and the directions [n, k] that lead to all others."""
    left, sizes, right = np.linalg.svd(equal)
    rank = int((sizes > 1e-10 * max(1.0, sizes.max(initial=0.0))).sum())
    point = right[:rank].T @ ((left[:, :rank].T @ value) / sizes[:rank])
    consistent = np.abs(equal @ point - value) <= 1e-9 * (1.0 + np.abs(value) + np.abs(equal) @ np.abs(point))
    return point if consistent.all() else None, right[rank:].T


def find_least(P, c, rows, low):
    """The minimiser with rows y >= low as a least distance, by NNLS; None if there is no point."""
    size = np.linalg.norm(rows, axis=1)
    flat = size <= 1e-10 * (1.0 + np.abs(low))
    if (low[flat] > 1e-8).any():
        return None
    rows, low = rows[~flat] / size[~flat, None], low[~flat] / size[~flat]
    if not len(c):
        return np.zeros(0)
    L, centre = np.linalg.cholesky(P), np.linalg.solve(P, -c)
    G, g = np.linalg.solve(L, rows.T), low - rows @ centre
    scale = 1.0 / np.linalg.norm(G, axis=0)
    stacked = np.concatenate([G * scale, (g * scale)[None]])
    target = np.zeros(len(stacked))
    target[-1] = 1.0
    weights, _ = nnls(stacked, target, maxiter=50 * len(rows) + 100)
    residual = stacked @ weights - target
    if np.linalg.norm(residual) < 1e-8:
        return None
    # The rows that push are equalities at the minimum: solving for them gives back the digits of a small residual.
    pushing = weights > 0.0
    distances = [np.linalg.lstsq(G.T[pushing], g[pushing])[0]]
    if residual[-1] != 0.0:
        distances.append(-residual[:-1] / residual[-1])
    points = [centre + np.linalg.solve(L.T, distance) for distance in distances]
    off = [float(((low - rows @ y) / (1.0 + np.abs(low) + np.abs(rows) @ np.abs(y))).max()) for y in points]
    return points[int(np.argmin(off))] if min(off) <= 1e-8 else find_least_in_face(P, c, rows, low)


def find_least_in_face(P, c, rows, low):
    """The same where the rows leave a face without an inside, or nothing: linear programs tell what is an equality."""
    slack = [linprog(-row, -rows, -low, bounds=(None, None), method="highs", options=LINEAR) for row in rows]
    if any(each.status == 2 for each in slack):
        return None
    tight = np.array(
        [each.status == 0 and -each.fun - one < 1e-8 for each, one in zip(slack, low, strict=True)]
    )
    assert tight.any(), "the oracle cannot decide whether this program has a point"
    found = solve_program(P, c, rows[~tight], low[~tight], rows[tight], low[tight])
    return None if found is None else found[0]


def list_rows(problem: Qpcc, zero_a, zero_e):
    """All constraints of a piece: rows x >= low, then equal x = value."""
    eye = np.eye(problem.size)
    finite_low, finite_high = np.isfinite(problem.lb), np.isfinite(problem.ub)
    above = [
        (eye[finite_low], problem.lb[finite_low]), (-eye[finite_high], -problem.ub[finite_high]),
        (-problem.G, -problem.h), (problem.C, -problem.d), (problem.E, -problem.f),
    ]  # fmt: skip
    at = [
        (problem.A, problem.b),
        (problem.C[zero_a], -problem.d[zero_a]),
        (problem.E[zero_e], -problem.f[zero_e]),
    ]
    return tuple(np.concatenate(part) for parts in (above, at) for part in zip(*parts, strict=True))


def enumerate_optimum(problem: Qpcc) -> float:
    """The least objective over all 2^pairs pieces; infinite if all are empty."""
    best = np.inf
    for sides in product((False, True), repeat=problem.pairs):
        zero_a = np.array(sides, bool)
        found = solve_program(problem.P, problem.c, *list_rows(problem, zero_a, ~zero_a))
        if found is not None:
            best = min(best, found[1])
    return best + problem.c0


def make_body(
    seed: int, muscles=5, contacts=1, directions=DIRECTIONS, *, rank=4, friction=None, rates=None, airborne=0.0,
    twice=False,
) -> Qpcc:  # fmt: skip
    """A random soft body as a controller sees it: muscles, f_perp, f_par and lambda, in this order.

    `rates` are the degrees of freedom of the body; W is singular if they are fewer than three a contact. `twice` makes
    the last contact a copy of the first.
    """
    random = np.random.default_rng(seed)
    rates = rates or 3 * contacts + 6
    J = random.normal(size=(3 * contacts, rates)) * 0.5
    free = random.normal(size=3 * contacts)
    free[::3] += random.uniform(-1.0, 0.3) + airborne
    if twice:
        J[-3:], free[-3:] = J[:3], free[:3]
    mu = random.uniform(0.2, 1.2, contacts) if friction is None else np.full(contacts, friction)
    push = random.normal(size=(rates, muscles))
    angle = 2.0 * np.pi * np.arange(directions) / directions
    D = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    pairs = contacts * (directions + 2)
    n = muscles + pairs
    forces = np.zeros((3 * contacts, n))
    E, f = np.zeros((pairs, n)), np.zeros(pairs)
    for k in range(contacts):
        along = muscles + contacts + directions * k + np.arange(directions)
        forces[3 * k, muscles + k] = 1.0
        forces[3 * k + 1 : 3 * k + 3, along] = D.T
    velocity = J @ J.T @ forces
    velocity[:, :muscles] = J @ push
    for k in range(contacts):
        along = contacts + directions * k + np.arange(directions)
        cone = contacts + directions * contacts + k
        E[k], f[k] = velocity[3 * k], free[3 * k]
        E[along], f[along] = D @ velocity[3 * k + 1 : 3 * k + 3], D @ free[3 * k + 1 : 3 * k + 3]
        E[along, muscles + cone] = 1.0
        E[cone, muscles + k], E[cone, muscles + along] = mu[k], -1.0
    response = J.T @ forces
    response[:, :muscles] = push
    rows = random.normal(size=(rank, rates)) @ response
    target = 3.0 * random.normal(size=rank)
    weight = np.concatenate(
        [np.full(muscles, 0.05), np.full(pairs - contacts, 1e-2), np.full(contacts, 1e-3)]
    )
    C = np.zeros((pairs, n))
    C[:, muscles:] = np.eye(pairs)
    return make_qpcc(
        rows.T @ rows + np.diag(weight), -rows.T @ target, C, np.zeros(pairs), E, f, c0=0.5 * float(target @ target),
        lb=np.concatenate([np.full(muscles, -1.0), np.zeros(pairs)]),
        ub=np.concatenate([np.full(muscles, 1.0), np.full(pairs, np.inf)]),
    )  # fmt: skip


def make_general(seed: int, size=4, pairs=5, rows=2, equal=1, singular=False) -> Qpcc:
    """Pairs without structure, some of them single variables, with rows and equalities that may contradict."""
    random = np.random.default_rng(seed)
    root = random.normal(size=(size, size))
    C, E = random.normal(size=(pairs, size)), random.normal(size=(pairs, size))
    for pair in range(0, pairs, 2):
        C[pair] = 0.0
        C[pair, random.integers(size)] = random.choice([-2.0, 1.0])
    P = np.zeros((size, size)) if singular else root @ root.T + 0.05 * np.eye(size)
    return make_qpcc(
        P, random.normal(size=size), C, random.normal(size=pairs), E, random.normal(size=pairs),
        c0=float(random.normal()), lb=np.full(size, -3.0), ub=np.where(random.random(size) < 0.5, 3.0, np.inf),
        G=random.normal(size=(rows, size)), h=random.normal(size=rows) + 1.0,
        A=random.normal(size=(equal, size)), b=random.normal(size=equal),
    )  # fmt: skip
