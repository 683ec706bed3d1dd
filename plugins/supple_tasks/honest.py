"""Torques within strength, and contact forces within their cones: README eq. (12) to (15)."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

import daqp
import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import bind_first_arguments, bind_kernel
from supple.core.schedule import Call
from supple_tasks.carry_kernels import (
    FORCE_UNIT,
    INSCRIBED,
    count_used_up,
    is_too_much,
    take_forces,
)
from supple_tasks.hierarchy import (
    INFINITE,
    SETTINGS,
    SOLVED,
    Inequalities,
    Level,
    solve_hierarchy,
    solve_levels_of_some,
)
from supple_tasks.records import Footholds, Program
from supple_tasks.tables import Answer, Bounds, Choice, Motion, Room, Wishes
from supple_tasks.yield_kernels import fill_level, fill_yielding, take_yielding


@dataclass(frozen=True)
class Strength:
    """Least and greatest torque of every actuated rate [N m, N]."""

    lower: FloatArray
    upper: FloatArray


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

    def __init__(self, motion: Motion, strength: Strength, most_contacts: int) -> None:
        self.motion, self.strength = motion, strength
        self.holds = Footholds(
            counts=np.zeros(2, np.int64), friction=np.zeros(most_contacts), lower=strength.lower,
            upper=strength.upper,
        )  # fmt: skip
        #: Rates whose torque is at its bound in this step.
        self.strained: IntArray = np.zeros(len(motion.actuated), np.int64)
        #: Rates at their strength, contacts at their edge, and whether wishes gave way.
        self.yielded = np.zeros(3)
        self._force = np.zeros(len(motion.L))
        # Whether the smallest forces were within all bounds; they are not kept then.
        self._within: IntArray = np.ones(1, np.int64)

    def bind(self, wishes: Wishes, bounds: Bounds, choice: Choice, room: Room, answer: Answer) -> None:
        """Bind the kernels to where wishes and accelerations are."""
        motion, holds = self.motion, self.holds
        self._wishes, self._bounds, self._choice = wishes, bounds, choice
        self._room, self._answer = room, answer
        n, rows = len(motion.h), len(motion.actuated) + 4 * len(holds.friction) + len(bounds.row)
        self._program = Program(
            A=np.zeros(rows * (n + len(motion.L))), here=np.zeros(rows), lower=np.zeros(rows),
            upper=np.zeros(rows), infinite=INFINITE,
        )  # fmt: skip
        self._rows, self._left = np.zeros((len(wishes.J), n)), np.zeros(len(wishes.J))
        given = (motion, holds)
        #: Torques into the answer, in every step.
        self.work = Call(
            is_too_much,
            *given,
            room,
            self.strained,
            self._within,
            self.yielded,
            answer,
            otherwise=self._yield,
        )
        self._fill = bind_first_arguments(fill_yielding, (*given, bounds, room, self._program), (0, 0))
        self._fill_level = bind_first_arguments(
            fill_level, (wishes, bounds, room, self._rows, self._left), (0, 0)
        )
        self._accelerate = bind_first_arguments(
            take_yielding, (motion, wishes, room), (self._left, self._force, answer, 0, 0)
        )
        self._take = bind_kernel(take_forces, *given, self._force, answer)
        self._count = bind_kernel(count_used_up, *given, self._force, answer.tau, self.strained)

    def _yield(self) -> None:
        """What gives way where the smallest forces are not allowed."""
        gave_way = self._yield_from_below(self._answer.supported.item(0))
        self.yielded[:] = (*self._count(), gave_way)

    def find_edges(self) -> FloatArray:
        """[edges, forces]: the sides of cones, as sums of forces, that the forces of this step are at."""
        joints, contacts = self.holds.counts.tolist()
        cones = _make_cones(joints, self.holds.friction[:contacts], int(self.motion.counts[0]))
        binding = cones.find_binding(self._force[: cones.G.shape[1]]) & (not self._within.item(0))
        edges: FloatArray = cones.G[binding]
        return edges

    def _yield_from_below(self, supported: int) -> bool:
        """First forces give way, then the lowest level that has freedom, then also that above it; whether levels did.

        Levels above the one that gives way are met as well as without bounds, so nothing better is possible for them.
        """
        spent = self._answer.spent.tolist()
        levels = [level for level in reversed(range(len(spent) - 1)) if spent[level + 1] > spent[level]]
        first = spent[levels[0]] if levels else spent[-1]
        inequalities = self._fill_inequalities(first, supported)
        if self._carry_otherwise(inequalities, supported, first):
            return False
        for tried, level in enumerate(levels):
            if tried:
                inequalities = self._fill_inequalities(spent[level], supported)
            served, small = self._list_levels(levels[tried::-1], spent[level])
            x = solve_levels_of_some(inequalities, served, small) if served else None
            if x is not None:
                self._take_unknowns(x, supported, spent[level])
                return True
        self._give_way()
        return True

    def _fill_inequalities(self, first: int, supported: int) -> Inequalities:
        """Bounds of accelerations in what is free from `first` on, and of forces that passive rates do not feel."""
        program, rows = self._program, int(self._fill(supported, first))
        unknowns = len(self.motion.h) - first + int(self.motion.counts[0]) - supported
        G = program.A[: rows * unknowns].reshape(rows, unknowns)
        return Inequalities(G, program.lower[:rows], program.upper[:rows])

    def _carry_otherwise(self, inequalities: Inequalities, supported: int, first: int) -> bool:
        """The smallest forces within all bounds that carry the accelerations, if any do: README eq. (13)."""
        free = len(self.motion.h) - first
        forces = inequalities.G.shape[1] - free
        if forces == 0:
            return False
        x, _, flag, _ = daqp.solve(
            np.eye(forces), np.zeros(forces), np.ascontiguousarray(inequalities.G[:, free:]), inequalities.upper,
            inequalities.lower, np.zeros(len(inequalities.G), np.intc), **SETTINGS,
        )  # fmt: skip
        if flag <= SOLVED:
            return False
        self._take_unknowns(np.concatenate([np.zeros(free), x]), supported, first)
        return True

    def _take_unknowns(self, x: FloatArray, supported: int, first: int) -> None:
        self._accelerate(x, self._force, self._answer, supported, first)
        self._take()

    def _list_levels(self, served: list[int], first: int) -> tuple[list[Level], list[float]]:
        """Rows of these levels in what is free from `first` on, and their small singular values."""
        levels, small = [], []
        free, end = len(self.motion.h) - first, self._wishes.end
        for level in served:
            rows = int(self._fill_level(level, first))
            if rows:
                sizes = self._room.size[end[level - 1] if level else 0 : end[level]]
                levels.append((self._rows[:rows, :free].copy(), self._left[:rows].copy()))
                small.append(float(np.sqrt(sizes[sizes > 0.0].min()) * self._choice.threshold[0]))
        return levels, small

    def _give_way(self) -> None:
        """What stands may move, too: README eq. (15) as it is. Unknowns are rates by kinetic energy, and forces."""
        motion, wishes, bounds, choice = self.motion, self._wishes, self._bounds, self._choice
        joints, contacts = self.holds.counts.tolist()
        friction, answer = self.holds.friction[:contacts], self._answer
        asked = self._room.wanted[: len(wishes.wanted)]
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
        self._force[:rows] = x[n:]
        self._take()

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
        ways = np.zeros((len(near), len(root)))
        for row, b in zip(ways, near, strict=True):
            first, count = bounds.rate[b], bounds.count[b]
            row[:] = bounds.way[b, :count] @ root[first : first + count]
        limits = Inequalities(_widen(ways, len(L)), np.full(len(near), -np.inf), bounds.most[near])
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
