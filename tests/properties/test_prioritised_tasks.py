"""Levels of tasks on random systems, against least squares in torques and forward dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from supple_tasks.level_kernels import prioritise
from supple_tasks.oracle import find_response, solve_levels
from supple_tasks.tables import (
    DAMPED,
    TRUNCATED,
    Choice,
    Motion,
    Wishes,
    make_answer,
    make_bounds,
    make_limits,
    make_room,
)  # fmt: skip


def make_system(seed, n, passive, constraints, repeats):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    M = A @ A.T + 0.2 * n * np.eye(n)
    L, drift = rng.normal(size=(constraints, n)), rng.normal(size=constraints)
    if repeats and constraints > 2:
        L[-1], drift[-1] = L[0] + L[1], drift[0] + drift[1]
    chosen = rng.permutation(n)
    return rng, Motion(
        M=M, h=5.0 * rng.normal(size=n), L=L, drift=drift, actuated=np.sort(chosen[passive:]),
        passive=np.sort(chosen[:passive]), counts=np.array([constraints]),
    )  # fmt: skip


def solve(motion, levels, inverse=TRUNCATED, threshold=1e-8, limits=None, bounds=None):
    n, rows = len(motion.h), sum(len(wanted) for _, wanted in levels)
    wishes = Wishes(
        J=np.ascontiguousarray(np.concatenate([J for J, _ in levels])),
        wanted=np.concatenate([wanted for _, wanted in levels]),
        end=np.cumsum([len(wanted) for _, wanted in levels]),
    )
    answer = make_answer(n, rows, len(levels))
    room = make_room(n, len(motion.passive), rows, len(motion.L))
    choice = Choice(inverse=np.array([inverse]), threshold=np.array([threshold]))
    prioritise(motion, wishes, bounds or make_bounds(), limits or make_limits(rows), choice, room, answer)
    return answer


def respond(motion):
    return find_response(motion.M, motion.h, motion.L, motion.drift, motion.actuated)


systems = {
    "seed": st.integers(0, 2**32 - 1),
    "n": st.integers(4, 26),
    "passive": st.integers(0, 8),
    "constraints": st.integers(0, 12),
    "repeats": st.booleans(),
}


@settings(max_examples=120, deadline=None)
@given(**systems, sizes=st.lists(st.integers(1, 6), min_size=1, max_size=5), posture=st.booleans())
def test_levels_agree_with_least_squares(seed, n, passive, constraints, repeats, sizes, posture):
    passive, constraints = min(passive, n - 2), min(constraints, n - 2)
    rng, motion = make_system(seed, n, passive, constraints, repeats)
    levels = [(rng.normal(size=(k, n)), rng.normal(size=k)) for k in sizes]
    if posture:
        levels.append((np.eye(n)[motion.actuated], rng.normal(size=len(motion.actuated))))
    answer = solve(motion, levels)
    a0, G = respond(motion)
    a = a0 + G @ answer.tau[motion.actuated]
    size = 1.0 + np.abs(a).max()
    assert np.abs(a - answer.a).max() <= 1e-8 * size  # what is planned is what the torques do
    assert np.abs(answer.tau[motion.passive]).max(initial=0.0) == 0.0
    best_tau, best = solve_levels(a0, G, levels)
    start = 0
    for (J, wanted), least in zip(levels, best, strict=True):
        left = np.linalg.norm(wanted - J @ a)
        assert left <= least + 1e-8 * (size + np.linalg.norm(wanted))
        assert np.abs(answer.left[start : start + len(wanted)] - (wanted - J @ a)).max() <= 1e-8 * size
        start += len(wanted)
    assert np.linalg.norm(answer.tau) <= np.linalg.norm(best_tau) * (1.0 + 1e-7) + 1e-8


@settings(max_examples=60, deadline=None)
@given(**systems, inverse=st.sampled_from([DAMPED, TRUNCATED]))
def test_lower_levels_cost_higher_ones_nothing(seed, n, passive, constraints, repeats, inverse):
    """Also where singular values are softened: the first level gets the same with and without the rest."""
    passive, constraints = min(passive, n - 3), min(constraints, n - 3)
    rng, motion = make_system(seed, n, passive, constraints, repeats)
    J = rng.normal(size=(4, n))
    J[3] = J[2] + 1e-3 * rng.normal(size=n)  # nearly singular
    first = (J, rng.normal(size=4))
    rest = [(rng.normal(size=(3, n)), rng.normal(size=3)) for _ in range(3)]
    alone = solve(motion, [first], inverse, 0.1)
    whole = solve(motion, [first, *rest], inverse, 0.1)
    one, other = J @ alone.a, J @ whole.a
    assert np.abs(one - other).max() <= 1e-8 * (1.0 + np.abs(alone.a).max() + np.abs(whole.a).max())


@settings(max_examples=60, deadline=None)
@given(**systems, strongest=st.floats(0.1, 100.0))
def test_forces_stay_below_their_limit(seed, n, passive, constraints, repeats, strongest):
    """The command that is left needs exactly the force that is told: applied alone, it gives that acceleration."""
    passive, constraints = min(passive, n - 4), min(constraints, n - 4)
    rng, motion = make_system(seed, n, passive, constraints, False)
    J, wanted = rng.normal(size=(3, n)), 50.0 * rng.normal(size=3)
    limits = make_limits(3, 1)
    limits.size[0], limits.strongest[0] = 3, strongest
    answer = solve(motion, [(J, wanted)], limits=limits)
    asked = answer.left + J @ answer.a  # the wish after limiting
    free, G = find_response(motion.M, motion.h, motion.L, motion.drift, np.arange(n))
    force = np.linalg.lstsq(J @ G @ J.T, asked - J @ free, rcond=None)[0]
    assert np.linalg.norm(force) <= strongest * (1.0 + 1e-7)
    assert limits.force[0] == pytest.approx(np.linalg.norm(force), rel=1e-6, abs=1e-8)
    if limits.share[0] == 1.0:
        assert asked == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(16, 26), constraints=st.integers(0, 4), above=st.integers(0, 4),
    near=st.floats(1e-3, 1.0), strongest=st.floats(0.1, 100.0),
)  # fmt: skip
def test_forces_stay_below_their_limits_within_what_higher_levels_leave(
    seed, n, constraints, above, near, strongest
):
    """Two limited tasks of one level, nearly what a higher one is about: with that held, no more force is needed.

    As if each were alone, a hundred newtons would become a hundred thousand where little is left.
    """
    rng, motion = make_system(seed, n, 0, constraints, False)
    J = rng.normal(size=(6, n))
    higher, wish = rng.normal(size=(above, n)), rng.normal(size=above)
    if above:
        higher[0] = J[0] + near * rng.normal(size=n)
    limits = make_limits(above + 6, 2)
    limits.first[:], limits.size[:], limits.strongest[:] = (above, above + 3), 3, strongest
    wanted = 50.0 * rng.normal(size=6)
    answer = solve(motion, [(higher, wish), (J, wanted)] if above else [(J, wanted)], limits=limits)
    held, drift = np.concatenate([motion.L, higher]), np.concatenate([motion.drift, -wish])
    free, G = find_response(motion.M, motion.h, held, drift, np.arange(n))
    force = np.linalg.solve(J @ G @ J.T, answer.left[above:] + J @ answer.a - J @ free)
    sizes = np.linalg.norm(force.reshape(2, 3), axis=1)
    assert (sizes <= strongest * (1.0 + 1e-6) + 1e-6).all()
    assert limits.force == pytest.approx(sizes, rel=1e-5, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 16), count=st.integers(1, 4))
def test_bounds_hold(seed, n, count):
    rng, motion = make_system(seed, n, 0, 0, False)
    bounds = make_bounds(count)
    bounds.row[:], bounds.rate[:] = np.arange(count), rng.permutation(n)[:count]
    bounds.way[:, 0], bounds.most[:] = rng.choice([-1.0, 1.0], count), rng.normal(size=count)
    levels = [(np.zeros((count, n)), np.zeros(count)), (rng.normal(size=(n, n)), 10.0 * rng.normal(size=n))]
    answer = solve(motion, levels, bounds=bounds)
    excess = bounds.way[:, 0] * answer.a[bounds.rate] - bounds.most
    assert excess.max() <= 1e-5 * (1.0 + np.abs(bounds.most).max())


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(8, 20), passive=st.integers(0, 4),
    constraints=st.integers(0, 4), count=st.integers(1, 5), aims=st.integers(1, 3),
    threshold=st.sampled_from([1e-8, 0.02, 0.1]),
)  # fmt: skip
def test_joined_bounds_are_the_first_level(seed, n, passive, constraints, count, aims, threshold):
    """As equations before all others they give the same as in another pass, or along with the last level."""
    rng, motion = make_system(seed, n, passive, constraints, False)
    bounds = make_bounds(count)
    bounds.row[:], bounds.rate[:] = np.arange(count), rng.permutation(n)[:count]
    bounds.way[:, 0], bounds.most[:] = rng.choice([-1.0, 1.0], count), rng.normal(size=count)
    aim = (rng.normal(size=(aims, n)), rng.normal(size=aims))
    style = (np.eye(n), 10.0 * rng.normal(size=n))
    answer = solve(
        motion, [(np.zeros((count, n)), np.zeros(count)), aim, style], threshold=threshold, bounds=bounds
    )
    assume(not answer.softened.any())
    joined = np.flatnonzero(bounds.joined)
    first = (np.eye(n)[bounds.rate[joined]] * bounds.way[joined, :1], bounds.most[joined])
    a0, G = respond(motion)
    levels = [first, aim, style] if len(joined) else [aim, style]
    _, best = solve_levels(a0, G, levels)
    a = a0 + G @ answer.tau[motion.actuated]
    size = 1.0 + np.abs(a).max() + np.abs(style[1]).max()
    for (J, wanted), least in zip(levels, best, strict=True):
        assert np.linalg.norm(wanted - J @ a) <= least + 1e-7 * size
    if len(first[1]) and best[0] < 1e-9:
        excess = bounds.way[:, 0] * a[bounds.rate] - bounds.most
        assert excess[joined].max() <= 1e-7 * size
