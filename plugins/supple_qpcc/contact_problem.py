"""The problem of a controller: muscles and contact impulses such that an objective is least and contact laws hold.

x = (u, f_perp, f_par, lambda): m muscles; for each contact a normal impulse, the impulses along k directions, and
the speed of slip. With N, D the normal and tangential rows of the contact velocity v = free + muscles u + W f:

    0 <= f_perp perp N v + gap / h         >= 0
    0 <= f_par  perp S D' v + lambda       >= 0,     f = N f_perp + D S f_par                     (1)
    0 <= lambda perp mu f_perp - sum f_par >= 0

S stretches directions: friction that is stronger one way. The velocities have S as well, or friction would not take
energy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from supple.core.arrays import FloatArray
from supple_qpcc.objective import Objective
from supple_qpcc.pieces import Contact
from supple_qpcc.problem import Qpcc, make_qpcc

#: Of f and lambda, which few objectives know: enough to make them unique, and so much that daqp finds a point where
#: there is one. With 1e-6 it called every second program of a stiff base on ice empty, and which ones was a matter of
#: rounding; with 1e-3 a jump is a third lower.
SPREAD: Final = 1e-4


@dataclass(frozen=True)
class ContactResponse:
    """Velocities of contacts, rows n, t, s one contact after the other: v = free + muscles u + W f.

    free [3c] m/s, muscles [3c, m], W [3c, 3c], friction [c], gap_speed [c]: gap over step, m/s, at which a contact may
    still close; directions [k, 2] or [c, k, 2] in the plane (t, s), in the order of their angles, as long as friction
    is strong along them, and none within the hull of the others: modes slide between neighbours.
    """

    free: FloatArray
    muscles: FloatArray
    W: FloatArray
    friction: FloatArray
    gap_speed: FloatArray
    directions: FloatArray


@dataclass(frozen=True)
class ContactProblem:
    """The problem, its contacts, and how x is laid out."""

    qpcc: Qpcc
    contacts: tuple[Contact, ...]
    muscles: int
    spread: FloatArray

    def split(self, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Muscles [m], impulses [contacts, 3] as (n, t, s), and speeds of slip [contacts]."""
        count = len(self.contacts)
        impulse: FloatArray = (self.spread @ x[self.muscles : len(x) - count]).reshape(count, 3)
        return x[: self.muscles], impulse, x[len(x) - count :]


def make_directions(count: int = 8) -> FloatArray:
    """Unit vectors [count, 2] around a circle."""
    angle = 2.0 * np.pi * np.arange(count) / count
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def make_contact_problem(
    response: ContactResponse,
    objective: Objective,
    lower: FloatArray,
    upper: FloatArray,
    spread: float = SPREAD,
) -> ContactProblem:
    """Eq. (1) with an objective over (u, f), f [3 contacts]; lower and upper bound the muscles."""
    m, count = len(lower), len(response.friction)
    directions = np.broadcast_to(response.directions, (count, *response.directions.shape[-2:]))
    k = directions.shape[1]
    pairs = count * (k + 2)
    force = _spread_forces(directions)
    lift = np.zeros((3 * count, m + pairs))
    lift[:, m : m + pairs - count] = force
    velocity = response.W @ lift
    velocity[:, :m] = response.muscles
    E, f = np.zeros((pairs, m + pairs)), np.zeros(pairs)
    E[:count], f[:count] = velocity[::3], response.free[::3] + response.gap_speed
    along = force[:, count:].T
    E[count:-count], f[count:-count] = along @ velocity, along @ response.free
    for contact in range(count):
        own = count + k * contact + np.arange(k)
        cone = pairs - count + contact
        E[own, m + cone] = 1.0
        E[cone, m + contact], E[cone, m + own] = response.friction[contact], -1.0
    C = np.zeros((pairs, m + pairs))
    C[:, m:] = np.eye(pairs)
    rows, diagonal, pull = _lift_objective(objective, lift, m, count, spread)
    c = -rows[: len(objective.aim)].T @ objective.aim - pull
    problem = make_qpcc(
        rows.T @ rows + np.diag(diagonal), c, C, np.zeros(pairs), E, f,
        c0=objective.c0, lb=np.concatenate([lower, np.zeros(pairs)]),
        ub=np.concatenate([upper, np.full(pairs, np.inf)]), factor=(diagonal, rows),
    )  # fmt: skip
    contacts = tuple(
        Contact(
            i,
            tuple(range(count + k * i, count + k * (i + 1))),
            pairs - count + i,
            float(response.friction[i]),
        )
        for i in range(count)
    )
    return ContactProblem(problem, contacts, m, force)


def _spread_forces(directions: FloatArray) -> FloatArray:
    """f [3c] from (f_perp, f_par) [c + k c]."""
    count, k = directions.shape[:2]
    force = np.zeros((3 * count, count + k * count))
    for contact in range(count):
        force[3 * contact, contact] = 1.0
        own = slice(count + k * contact, count + k * (contact + 1))
        force[3 * contact + 1 : 3 * contact + 3, own] = directions[contact].T
    return force


def _lift_objective(
    objective: Objective, lift: FloatArray, m: int, count: int, spread: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Rows, diagonal and pull over x. A weight on a tangential impulse is a row over its directions."""
    rows = objective.rows[:, m:] @ lift
    rows[:, :m] = objective.rows[:, :m]
    weight = objective.diagonal[m:]
    tangential = (np.arange(3 * count) % 3 != 0) & (weight > 0.0)
    rows = np.concatenate([rows, np.sqrt(weight[tangential])[:, None] * lift[tangential]])
    diagonal = np.full(lift.shape[1], spread)
    diagonal[:m] = np.maximum(objective.diagonal[:m], spread)
    diagonal[m : m + count] += weight[::3]
    pull = objective.pull[m:] @ lift
    pull[:m] = objective.pull[:m]
    return rows, diagonal, pull
