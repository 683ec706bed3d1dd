"""Prioritised tasks on random trees with loops, by pinocchio's dynamics, a dense system and stacked projectors.

Nothing here is shared with the plugin but the call itself: M, h, J and Jdot v are pinocchio's, the answer is put to the
test by forward dynamics as one dense system, and levels are found again with the projector on what all rows above
leave, from the pseudoinverse of their stack.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pinocchio_peer import Pinocchio
from supple_bones.sampling import sample_specs, sample_state
from supple_tasks.level_kernels import prioritise
from supple_tasks.tables import (
    TRUNCATED,
    Choice,
    Limits,
    Motion,
    Wishes,
    make_answer,
    make_bounds,
    make_limits,
    make_room,
)  # fmt: skip

EXACT = 1e-8
KINDS = ["hinge", "universal", "ball", "slider"]


class Tree:
    """A random tree by pinocchio: M, h, closed loops, and points of its bones."""

    def __init__(self, rng, joints, loops, passive) -> None:
        joints = ["free", *joints]
        specs = sample_specs(rng, joints, [0, *rng.integers(0, 3, len(joints) - 1)])
        q, v = sample_state(rng, specs)
        self.rng, self.bones, self.peer = rng, len(specs), Pinocchio(specs, q, v)
        n = len(v)
        L, drift = np.zeros((3 * loops, n)), np.zeros(3 * loops)
        for k in range(loops):
            # The same pair twice is a loop that says the same twice.
            here, there = self.find_point(), self.find_point()
            L[3 * k : 3 * k + 3], drift[3 * k : 3 * k + 3] = here[0] - there[0], here[1] - there[1]
        chosen = {*range(6), *rng.choice(np.arange(6, n), min(passive, n - 8), replace=False).tolist()}
        self.passive = np.array(sorted(chosen))
        self.actuated = np.array([k for k in range(n) if k not in chosen])
        self.motion = Motion(
            M=self.peer.mass_matrix(), h=self.peer.inverse_dynamics(np.zeros(n)), L=L, drift=drift,
            actuated=self.actuated, passive=self.passive, counts=np.array([len(L)]),
        )  # fmt: skip

    def find_point(self):
        """J [3, n] and Jdot v of a random point of a random bone."""
        J, drift = self.peer.jacobian(int(self.rng.integers(self.bones)), 0.3 * self.rng.normal(size=3))
        return J[:3], drift[:3]

    def find_level(self):
        """Rows and right sides of a point, a rotation, or both."""
        J, drift = self.peer.jacobian(int(self.rng.integers(self.bones)), 0.3 * self.rng.normal(size=3))
        rows = [slice(0, 3), slice(3, 6), slice(0, 6)][self.rng.integers(3)]
        return J[rows], 10.0 * self.rng.normal(size=len(J[rows])) - drift[rows]

    def respond(self):
        """a = a0 + G tau by the dense system [M, -L^T; L, 0]."""
        motion, n, rows = self.motion, len(self.motion.h), len(self.motion.L)
        system = np.block([[motion.M, -motion.L.T], [motion.L, np.zeros((rows, rows))]])
        right = np.zeros((n + rows, 1 + len(self.actuated)))
        right[:n, 0], right[n:, 0] = -motion.h, -motion.drift
        right[self.actuated, 1 + np.arange(len(self.actuated))] = 1.0
        values = np.linalg.svd(system, compute_uv=False) / np.linalg.norm(system, 2)
        # Loops that nearly say the same twice cost the dense system as many digits as their values are small.
        assume(not ((values > 1e-12) & (values < 1e-7)).any())
        found = np.linalg.pinv(system, rcond=1e-12, hermitian=False) @ right
        assume(np.abs(system @ found - right).max() < 1e-9 * np.abs(right).max())  # loops that can be met
        return found[:n, 0], drop_round_off(found[:n, 1:], np.linalg.norm(np.linalg.inv(motion.M), 2))


def solve(motion, levels, limits=None):
    rows, n = sum(len(wanted) for _, wanted in levels), len(motion.h)
    wishes = Wishes(
        J=np.ascontiguousarray(np.concatenate([J for J, _ in levels])),
        wanted=np.concatenate([wanted for _, wanted in levels]),
        end=np.cumsum([len(wanted) for _, wanted in levels]),
    )
    answer = make_answer(n, rows, len(levels))
    room = make_room(n, len(motion.passive), rows, len(motion.L))
    choice = Choice(inverse=np.array([TRUNCATED]), threshold=np.array([1e-9]))
    prioritise(motion, wishes, make_bounds(), limits or make_limits(rows), choice, room, answer)
    return answer


def drop_round_off(A, scale):
    """A without singular values that are round-off of numbers of this size: loops may hold still what torques turn."""
    left, values, right = np.linalg.svd(A, full_matrices=False)
    return left @ np.diag(np.where(values > 1e-10 * scale, values, 0.0)) @ right


def stack_levels(tree, a0, G, levels):
    """The residuals of all levels, each the least that those above leave: with the projector of the stack above."""
    lightest = np.linalg.norm(np.linalg.inv(tree.motion.M), 2)
    stack, tau, residuals = np.zeros((0, G.shape[1])), np.zeros(G.shape[1]), []
    for J, wanted in levels:
        A, free = (
            drop_round_off(J @ G, np.linalg.norm(J, 2) * lightest),
            np.eye(G.shape[1]) - np.linalg.pinv(stack, rcond=1e-9) @ stack,
        )
        values = np.linalg.svd(A @ free, compute_uv=False)
        scale = max(np.linalg.norm(A, 2), 1e-300)
        # Whether a direction is free must be plain to see, for both ways to agree.
        assume(not ((values > 1e-9 * scale) & (values < 1e-3 * scale)).any())
        tau = tau + np.linalg.pinv(A @ free, rcond=1e-6 * scale / max(values.max(), 1e-300)) @ (
            wanted - J @ (a0 + G @ tau)
        ) if values.max() > 1e-9 * scale else tau  # fmt: skip
        residuals.append(np.linalg.norm(wanted - J @ (a0 + G @ tau)))
        stack = np.concatenate([stack, A / scale])
    return residuals


trees = {
    "seed": st.integers(0, 2**32 - 1),
    "joints": st.lists(st.sampled_from(KINDS), min_size=3, max_size=9),
    "loops": st.integers(0, 2),
    "passive": st.integers(0, 3),
    "count": st.integers(1, 5),
}


# Here no torque moves what the task is about, and all that could be moved is round-off.
@example(seed=164900, joints=["hinge", "universal", "ball"], loops=2, passive=0, count=1)
@settings(max_examples=60, deadline=None)
@given(**trees)
def test_commands_come_about_and_levels_do_their_best(seed, joints, loops, passive, count):
    """DM1 and DM2: what forward dynamics gives is the best of every level in turn."""
    pytest.importorskip("pinocchio")
    tree = Tree(np.random.default_rng(seed), joints, loops, passive)
    a0, G = tree.respond()
    levels = [tree.find_level() for _ in range(count)]
    least = stack_levels(tree, a0, G, levels)
    answer = solve(tree.motion, levels)
    assert np.abs(answer.tau[tree.passive]).max() == 0.0
    a = a0 + G @ answer.tau[tree.actuated]
    size = 1.0 + np.abs(a).max() + max(np.abs(wanted).max() for _, wanted in levels)
    assert np.abs(tree.motion.L @ a + tree.motion.drift).max(initial=0.0) <= EXACT * size
    for (J, wanted), best in zip(levels, least, strict=True):
        assert np.linalg.norm(wanted - J @ a) <= best + EXACT * size


@settings(max_examples=30, deadline=None)
@given(**trees)
def test_lower_levels_leave_higher_ones_alone(seed, joints, loops, passive, count):
    """DM2: with and without all that comes after, to 1e-8."""
    pytest.importorskip("pinocchio")
    tree = Tree(np.random.default_rng(seed), joints, loops, passive)
    a0, G = tree.respond()
    levels = [tree.find_level() for _ in range(count)]
    rest = [tree.find_level() for _ in range(3)]
    stack_levels(tree, a0, G, levels)  # refuses what is undecided
    one, other = (a0 + G @ solve(tree.motion, each).tau[tree.actuated] for each in (levels, levels + rest))
    size = 1.0 + np.abs(one).max() + np.abs(other).max()
    for J, _ in levels:
        assert np.abs(J @ one - J @ other).max() <= EXACT * size


@settings(max_examples=30, deadline=None)
@given(**{name: each for name, each in trees.items() if name != "count"}, strongest=st.floats(1.0, 500.0))
def test_a_limited_command_needs_no_more_than_its_force(seed, joints, loops, passive, strongest):
    """DM3: the force that alone, without torques, gives the limited command is within its limit."""
    pytest.importorskip("pinocchio")
    tree = Tree(np.random.default_rng(seed), joints, loops, passive)
    a0, _ = tree.respond()
    (J, drift), n = tree.find_point(), len(a0)
    wanted = 30.0 * tree.rng.normal(size=3) - drift
    limits = make_limits(3, 1)
    limits.size[0], limits.strongest[0], limits.drift[:] = 3, strongest, drift
    answer = solve(tree.motion, [(J, wanted)], limits)
    asked = answer.left + J @ answer.a
    system = np.block(
        [[tree.motion.M, -tree.motion.L.T], [tree.motion.L, np.zeros((len(tree.motion.L),) * 2)]]
    )
    pushed = (np.linalg.pinv(system, rcond=1e-12)[:n, :n]) @ J.T
    values = np.linalg.svd(J @ pushed, compute_uv=False)
    assume(values[-1] > 1e-4 * values[0])
    force = np.linalg.solve(J @ pushed, asked - J @ a0)
    assert np.linalg.norm(force) <= strongest * (1.0 + 1e-6)
    if limits.share[0] == 1.0:
        assert asked == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    else:
        assert np.linalg.norm(force) == pytest.approx(strongest, rel=1e-6)


def test_a_load_is_limited_by_its_own_weight():
    """|m (f* - g)| within the limit, and in the direction of what was asked."""
    n, mass, gravity = 6, 12.0, np.array([0.0, -9.81, 0.0])
    motion = Motion(
        M=mass * np.eye(n), h=np.zeros(n), L=np.zeros((0, n)), drift=np.zeros(0), actuated=np.arange(n),
        passive=np.arange(0), counts=np.array([0]),
    )  # fmt: skip
    limits = make_limits(3, 1)
    limits.size[0], limits.strongest[0], limits.load[0] = 3, 150.0, mass
    limits = Limits(**{**limits._asdict(), "axis": np.arange(3), "gravity": gravity})
    wanted = np.array([4.0, 20.0, -3.0])
    answer = solve(motion, [(np.eye(3, n), wanted)], limits)
    got = answer.a[:3] - gravity
    assert mass * np.linalg.norm(got) == pytest.approx(150.0)
    assert np.cross(got, wanted - gravity) == pytest.approx(np.zeros(3), abs=1e-9)
    assert limits.share[0] == pytest.approx(150.0 / (mass * np.linalg.norm(wanted - gravity)))
