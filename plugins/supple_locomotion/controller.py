"""The controller of one body: the problem of a step from goals, muscles and contacts. README eq. (1)."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import numpy as np

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple_locomotion.body import Want
from supple_locomotion.components import Locomotion
from supple_locomotion.gait import BoundGait
from supple_locomotion.goals import BoundGoal
from supple_locomotion.known import KnownImpulses
from supple_locomotion.patches import PatchFinder, Touching
from supple_locomotion.scales import DIRECTIONS, Way
from supple_muscles.muscle_map import MuscleMap
from supple_qpcc.contact_problem import SPREAD, ContactProblem, ContactResponse, make_contact_problem
from supple_qpcc.objective import Objective, want_rows, want_values
from supple_qpcc.pieces import BREAK, STATIC
from supple_qpcc.records import Budget, Result, Start
from supple_qpcc.search import solve
from supple_qpcc.static import solve_static

UNKNOWN: Final = -1
ROUGH: Final = 1e-2
"""Weight of squared impulses where a program fails because patches of a stiff sole nearly depend on each other."""
COUNTS: Final = ("decisions", "programs", "infeasible", "pivoted")


class Answers(Protocol):
    """What gives columns of A^-1."""

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = A^-1 columns[k]."""


class Kept(NamedTuple):
    """What a controller keeps from step to step: views of the state after the step."""

    modes: IntArray  # [patches] modes of contacts; UNKNOWN
    load: FloatArray  # [patches] planned normal forces as parts of the weight
    counts: FloatArray  # [COUNTS]


class Controller:
    """Decides the changes of the muscles of one body."""

    def __init__(
        self, told: Locomotion, h: float, weight: float, muscles: MuscleMap, neutral: FloatArray, left: BoolArray,
        mechanism: Answers, v_free: FloatArray, finder: PatchFinder, goals: list[BoundGoal], known: KnownImpulses,
        gait: BoundGait | None, feet: list[list[int]], kept: Kept, scales: Way | None,
    ) -> None:  # fmt: skip
        self.told, self.h, self.scale = told, h, weight * h
        self.muscles, self.neutral, self.left = muscles, neutral, left
        self.mechanism, self.finder = mechanism, finder
        self.goals, self.gait, self.feet, self.kept = goals, gait, feet, kept
        self.scales, self.known = scales, known
        self._v_free = v_free.reshape(-1)
        self._answer = np.zeros((0, v_free.size))

    def decide(self) -> FloatArray:
        """Changes of the relative lengths in this step [segments]."""
        touching, kept = self.finder.find(), self.kept
        wants = [want for goal in self.goals if (want := goal.decide(touching)) is not None]
        leaving: list[int] = []
        unloaded: dict[int, float] = {}
        if self.gait is not None:
            load = np.array([kept.load[patches].sum() for patches in self.feet])
            stride = self.gait.decide(load)
            if stride is not None:
                wants.append(stride.want)
                leaving = [patch for foot in stride.leaving for patch in self.feet[foot]]
                for foot, share in stride.unloaded.items():
                    unloaded |= {patch: share / len(self.feet[foot]) for patch in self.feet[foot]}
        if not wants:
            kept.modes[:], kept.load[:] = UNKNOWN, 0.0
            return self._relax()
        schedule = self.told.gait.schedule if self.told.gait is not None else "none"
        if schedule == "force":
            touching = touching.leave_out(leaving)
        seeds = leaving if schedule == "seed" else []
        asked = self._ask(wants, touching, unloaded)
        result = self._solve(asked, touching, seeds)
        if not result.feasible and self.told.solver == "qpcc":
            asked = self._ask(wants, touching, unloaded, ROUGH)
            result = self._solve(asked, touching, seeds)
        return self._keep(result, asked, touching)

    def _relax(self) -> FloatArray:
        most = self.told.relax * self.h
        return np.where(self.left, 0.0, np.clip(self.neutral - self.muscles.held(), -most, most))

    def _ask(
        self, wants: list[Want], touching: Touching, unloaded: dict[int, float], spread: float = SPREAD
    ) -> ContactProblem:
        """Everything as a problem over changes of lengths and impulses in parts of weight times step."""
        told, muscles = self.told, self.muscles
        rows = np.concatenate([*(want.rows for want in wants), touching.rows])
        aim, weight = (np.concatenate(each) for each in zip(*((w.aim, w.weight) for w in wants), strict=True))
        if len(self._answer) < len(rows):
            self._answer = np.zeros((len(rows), rows.shape[1]))
        answer = self._answer[: len(rows)]
        self.mechanism.response(rows, answer)
        by_muscle = answer @ muscles.columns().T
        by_muscle *= self.h
        by_force = self.scale * (answer @ touching.rows.T)
        free = rows @ self._v_free + self.known.find_change(answer)
        wanted, m = len(aim), muscles.count
        held, limits = muscles.held(), muscles.limits(self.h)
        objective = want_rows(
            np.concatenate([by_muscle[:wanted], by_force[:wanted]], axis=1), free[:wanted], aim, weight
        )
        objective += self._want_ease(m, touching, self.neutral - held, unloaded)
        response = ContactResponse(
            free=free[wanted:], muscles=by_muscle[wanted:], W=by_force[wanted:],
            friction=told.friction * touching.friction, gap_speed=touching.find_gap_speed(self.h),
            directions=self._direct(touching),
        )  # fmt: skip
        lower, upper = (np.where(self.left, 0.0, limit - held) for limit in limits)
        return make_contact_problem(response, objective, lower, upper, spread)

    def _direct(self, touching: Touching) -> FloatArray:
        """Directions of friction: around a circle, or longer where scales hold."""
        if self.scales is None or not len(touching.patch):
            return DIRECTIONS
        return self.scales.scale_directions(touching.tangents, touching.friction)

    def _want_ease(
        self, m: int, touching: Touching, ease: FloatArray, unloaded: dict[int, float]
    ) -> Objective:
        """Small changes, lengths near neutral, small forces along the ground, and loads that are wanted."""
        told, count = self.told, len(touching.patch)
        size = m + 3 * count
        found = want_values(size, slice(0, m), 0.0, told.smoothness)
        found += want_values(size, slice(0, m), ease, told.effort)
        if told.sideways and count:
            along = m + np.flatnonzero(np.arange(3 * count) % 3)
            found += want_values(size, along, 0.0, told.sideways)
        if told.gait is not None:
            for place, patch in enumerate(touching.patch):
                if int(patch) in unloaded:
                    which = np.array([m + 3 * place])
                    found += want_values(size, which, unloaded[int(patch)], told.gait.load_weight)
        return found

    def _solve(self, asked: ContactProblem, touching: Touching, leaving: list[int]) -> Result:
        told, kept, closed = self.told, self.kept, touching.closed
        before = kept.modes[touching.patch]
        modes: IntArray = np.where(closed, before, BREAK)
        start = Start(modes, last=np.zeros(asked.qpcc.size))
        if told.solver == "static":
            return solve_static(asked.qpcc, start, closed, told.fallback, asked.contacts, precise=False)
        seeds = [np.where(np.isin(touching.patch, leaving), BREAK, STATIC)] if leaving else []
        seeds = [np.where(closed, seed, BREAK) for seed in seeds]
        budget = Budget(nodes=told.nodes, branch=False, jump=told.jumps, precise=False)
        return solve(asked.qpcc, start, seeds, budget, asked.contacts, closed)

    def _keep(self, result: Result, asked: ContactProblem, touching: Touching) -> FloatArray:
        """The changes of lengths; modes and loads are remembered."""
        kept, closed = self.kept, touching.closed
        self._note(result, touching)
        change, impulse, _ = asked.split(result.x)
        kept.modes[:], kept.load[:] = UNKNOWN, 0.0
        kept.modes[touching.patch], kept.load[touching.patch] = result.modes[: len(closed)], impulse[:, 0]
        return np.asarray(change)

    def _note(self, result: Result, touching: Touching) -> None:
        counts = self.kept.counts
        counts[COUNTS.index("decisions")] += 1.0
        counts[COUNTS.index("programs")] += result.nodes
        counts[COUNTS.index("infeasible")] += not result.feasible
        moved = touching.closed & (result.modes[: len(touching.patch)] != STATIC)
        counts[COUNTS.index("pivoted")] += bool(moved.any())
