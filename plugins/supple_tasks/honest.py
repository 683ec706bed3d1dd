"""Torques within strength, and contact forces within their cones: README eq. (12) to (15)."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from supple.core.arrays import BoolArray, FloatArray
from supple.core.entity import Entity
from supple_tasks.hierarchy import Inequalities, find_least, solve_hierarchy
from supple_tasks.tables import Answer, Bounds, Choice, Motion, Wishes

# Unit of forces in programs [N]: rates by kinetic energy are of the size of one.
FORCE_UNIT = 100.0
# A round cone holds a square one whose tangential forces are this part of it.
INSCRIBED = np.sqrt(0.5)


@dataclass(frozen=True)
class Strength:
    """Least and greatest torque of every actuated rate [N m, N]."""

    lower: FloatArray
    upper: FloatArray

    @property
    def is_bounded(self) -> bool:
        """Whether any torque has a bound."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())


def find_strength(strength: dict[str, float | tuple[float, float]], bones: list[str]) -> Strength:
    """Bounds of rates by the names of their bones; of several names that fit, the last one counts."""
    lower, upper = np.full(len(bones), -np.inf), np.full(len(bones), np.inf)
    for pattern, value in strength.items():
        low, high = (-value, value) if isinstance(value, int | float) else value
        for k, path in enumerate(bones):
            if fnmatchcase(path.rpartition("/")[2], pattern):
                lower[k], upper[k] = low, high
    return Strength(lower, upper)


class HonestForces:
    """Finds torques for accelerations, or for the best ones that strength and contacts allow."""

    def __init__(self, motion: Motion, strength: Strength, entity: Entity) -> None:
        self.motion, self.strength, self.entity = motion, strength, entity
        #: Rates whose torque is at its bound, and contacts at the edge of their cones, in this step.
        self.strained: BoolArray = np.zeros(len(motion.actuated), np.bool_)
        self.slipping = 0

    def find(
        self, joints: int, friction: FloatArray, wishes: Wishes, bounds: Bounds, choice: Choice,
        asked: FloatArray, answer: Answer,
    ) -> bool:  # fmt: skip
        """Torques into the answer; whether the wishes had to give way. `asked` are the wishes after limiting forces.

        The first `joints` rows of L are those of joints, all others of contacts.
        """
        self.strained[:], self.slipping = False, 0
        if self._carry(joints, friction, answer):
            return False
        self._give_way(joints, friction, wishes, bounds, choice, asked, answer)
        return True

    def _carry(self, joints: int, friction: FloatArray, answer: Answer) -> bool:
        """The smallest forces that carry the accelerations: README eq. (13)."""
        motion = self.motion
        L = motion.L[: motion.counts[0]]
        g = motion.M @ answer.a + motion.h
        there = g[motion.actuated]
        torques = Inequalities(
            L[:, motion.actuated].T * FORCE_UNIT, there - self.strength.upper, there - self.strength.lower
        )
        force = find_least(
            _join(torques, _make_cones(joints, friction, len(L))), L[:, motion.passive].T * FORCE_UNIT,
            g[motion.passive],
        )  # fmt: skip
        if force is None:
            return False
        self._take(g - FORCE_UNIT * (force @ L), force, joints, friction, answer)
        return True

    def _take(
        self, tau: FloatArray, force: FloatArray, joints: int, friction: FloatArray, answer: Answer
    ) -> None:
        motion, strength = self.motion, self.strength
        answer.tau[:] = 0.0
        answer.tau[motion.actuated] = np.clip(tau[motion.actuated], strength.lower, strength.upper)
        near = 1e-6 * (1.0 + np.abs(answer.tau[motion.actuated]))
        inside = (answer.tau[motion.actuated] < strength.upper - near) & (
            answer.tau[motion.actuated] > strength.lower + near
        )
        self.strained[:] = ~inside
        contacts = force[joints:].reshape(-1, 3)
        size = np.abs(contacts[:, 1:]).max(axis=1, initial=0.0)
        self.slipping = int((size > 0.999 * INSCRIBED * friction * contacts[:, 0] + 1e-9).sum())

    def _give_way(
        self, joints: int, friction: FloatArray, wishes: Wishes, bounds: Bounds, choice: Choice,
        asked: FloatArray, answer: Answer,
    ) -> None:  # fmt: skip
        """Levels under inequalities: README eq. (15). Unknowns are rates by kinetic energy, and forces."""
        motion = self.motion
        n, rows = len(motion.h), int(motion.counts[0])
        L, drift = motion.L[:rows], motion.drift[:rows]
        root = np.linalg.inv(np.linalg.cholesky(motion.M)).T  # a = root w
        zero = np.zeros((joints, rows))
        E = np.block([
            [L[:joints] @ root, zero],
            [motion.M[motion.passive] @ root, -FORCE_UNIT * L[:, motion.passive].T],
        ])  # fmt: skip
        e = np.concatenate([-drift[:joints], -motion.h[motion.passive]])
        inequalities = self._bound(root, L, joints, friction, bounds)
        # What stands stays where it is, as far as it can; then come the wishes.
        levels, small = [(_widen(L[joints:] @ root, rows), -drift[joints:])], [0.0]
        start = 0
        for end in wishes.end:
            K = wishes.J[start:end] @ root
            sizes = np.sqrt((K * K).sum(axis=1))
            active = np.flatnonzero(sizes > 0.0)
            active = active[~np.isin(start + active, bounds.row)]
            if len(active):
                levels.append((_widen(K[active], rows), asked[start + active]))
                small.append(float(sizes[active].min() * choice.threshold[0]))
            start = int(end)
        x = solve_hierarchy(inequalities, E, e, levels, small)
        if x is None:
            x = np.zeros(n + rows)
            x[:n] = np.linalg.solve(root, answer.a)
        answer.a[:] = root @ x[:n]
        answer.left[:] = np.where(np.abs(wishes.J).max(axis=1) > 0.0, asked - wishes.J @ answer.a, 0.0)
        tau = motion.M @ answer.a + motion.h - FORCE_UNIT * (x[n:] @ L)
        self._take(tau, x[n:], joints, friction, answer)

    def _bound(
        self, root: FloatArray, L: FloatArray, joints: int, friction: FloatArray, bounds: Bounds
    ) -> Inequalities:
        """Torques, joint limits and cones as rows of (w, forces)."""
        motion, strength = self.motion, self.strength
        there = motion.h[motion.actuated]
        torques = Inequalities(
            np.hstack([motion.M[motion.actuated] @ root, -FORCE_UNIT * L[:, motion.actuated].T]),
            strength.lower - there, strength.upper - there,
        )  # fmt: skip
        near = np.flatnonzero(np.isfinite(bounds.most))
        limits = Inequalities(
            _widen(bounds.sign[near, None] * root[bounds.rate[near]], len(L)), np.full(len(near), -np.inf),
            bounds.most[near],
        )  # fmt: skip
        cones = _make_cones(joints, friction, len(L))
        cones = Inequalities(
            np.hstack([np.zeros((len(cones.G), len(root))), cones.G]), cones.lower, cones.upper
        )
        return _join(_join(torques, limits), cones)


def _make_cones(joints: int, friction: FloatArray, rows: int) -> Inequalities:
    """Square cones in the round ones, of forces [rows], the first of which are those of joints: README eq. (14)."""
    contacts = len(friction)
    G = np.zeros((4 * contacts, rows))
    for k in range(contacts):
        normal = joints + 3 * k
        for i, (tangent, sign) in enumerate(((1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0))):
            G[4 * k + i, normal + tangent] = sign
            G[4 * k + i, normal] = -INSCRIBED * friction[k]
    return Inequalities(G, np.full(len(G), -np.inf), np.zeros(len(G)))


def _widen(A: FloatArray, columns: int) -> FloatArray:
    return np.hstack([A, np.zeros((len(A), columns))])


def _join(one: Inequalities, other: Inequalities) -> Inequalities:
    keep = np.isfinite(one.lower) | np.isfinite(one.upper)
    return Inequalities(
        np.concatenate([one.G[keep], other.G]), np.concatenate([one.lower[keep], other.lower]),
        np.concatenate([one.upper[keep], other.upper]),
    )  # fmt: skip
