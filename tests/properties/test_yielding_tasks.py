"""Levels that give way to strength and friction: the small programs against one over all accelerations and forces."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from supple.core.program import make_callable
from supple_tasks.honest import HonestForces, Strength
from supple_tasks.level_kernels import prioritise
from supple_tasks.tables import (
    TRUNCATED,
    Choice,
    Motion,
    Wishes,
    make_answer,
    make_bounds,
    make_limits,
    make_room,
)  # fmt: skip

JOINTS, CONTACTS, PASSIVE, N = 2, 3, 4, 14
TOLERANCE = 1e-6


def make_standing(seed, strongest, mu):
    """A system that stands on contacts whose normal forces push its passive rates apart, so that some carry them."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(N, N))
    motion = Motion(
        M=A @ A.T + 0.2 * N * np.eye(N), h=5.0 * rng.normal(size=N),
        L=rng.normal(size=(JOINTS + 3 * CONTACTS, N)), drift=rng.normal(size=JOINTS + 3 * CONTACTS),
        actuated=np.arange(PASSIVE, N), passive=np.arange(PASSIVE), counts=np.array([JOINTS + 3 * CONTACTS]),
    )  # fmt: skip
    # Weight lies on the contacts.
    motion.h[:PASSIVE] = motion.L[JOINTS::3, :PASSIVE].sum(axis=0) * rng.uniform(5.0, 20.0)
    sizes = [2, N - PASSIVE]
    wishes = Wishes(
        J=np.concatenate([rng.normal(size=(2, N)), np.eye(N)[motion.actuated]]),
        wanted=3.0 * rng.normal(size=sum(sizes)), end=np.cumsum(sizes),
    )  # fmt: skip
    upper = strongest * rng.uniform(0.5, 1.5, size=N - PASSIVE)
    return motion, wishes, Strength(-upper, upper), np.full(CONTACTS, mu)


def solve(motion, wishes, strength, friction, way):
    rows = len(wishes.wanted)
    answer, room = make_answer(N, rows, 2), make_room(N, PASSIVE, rows, len(motion.L))
    choice = Choice(inverse=np.array([TRUNCATED]), threshold=np.array([1e-8]))
    prioritise(motion, wishes, make_bounds(), make_limits(rows), choice, room, answer)
    forces = HonestForces(motion, strength, CONTACTS)
    forces.bind(wishes, make_bounds(), choice, room, answer)
    forces.holds.counts[:], forces.holds.friction[:] = (JOINTS, CONTACTS), friction
    return answer, way(forces)


@example(seed=7, strongest=30.0, mu=0.8)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), strongest=st.floats(5.0, 300.0), mu=st.floats(0.2, 1.5))
def test_small_programs_find_what_the_whole_one_finds(seed, strongest, mu) -> None:
    system = make_standing(seed, strongest, mu)
    motion, wishes, strength, _ = system
    answer, _ = solve(*system, lambda forces: make_callable(forces.work)())
    whole, _ = solve(*system, lambda forces: forces._give_way())
    tau = answer.tau[motion.actuated]
    assert (tau <= strength.upper).all()
    assert (tau >= strength.lower).all()
    contacts = slice(JOINTS, len(motion.L))
    rows = [(motion.L[contacts], -motion.drift[contacts])]
    for start, end in ((0, wishes.end[0]), (wishes.end[0], wishes.end[1])):
        rows.append((wishes.J[start:end], wishes.wanted[start:end]))
    for A, b in rows:
        mine, other = (np.linalg.norm(A @ a - b) for a in (answer.a, whole.a))
        size = 1.0 + np.linalg.norm(b)
        if abs(mine - other) > TOLERANCE * size:
            # Levels in turn: only what is better before may be worse after.
            assert mine < other
            break
