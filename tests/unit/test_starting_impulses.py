"""The impulses that a solver begins with."""

from __future__ import annotations

import numpy as np
import pytest

from supple.mechanics.last_impulses import Kept, WarmStart
from supple.mechanics.warm_start_kernels import FADING, follow_changes, keep_changes, keep_values, start_rows

SCENE = """
format = 1
[run]
step = 0.002
duration = 1.0
{start}
[[entity]]
name = "floor"
plane = {{}}
[[entity]]
name = "crate"
pose = {{ position = [0, 0.1, 0] }}
box = {{ size = [0.3, 0.2, 0.2] }}
body = {{}}
"""


class Listener:
    """Stands in front of a solver and keeps the impulses that it is given."""

    def __init__(self, solver) -> None:
        self.solver, self.starts = solver, []

    def solve(self, problem, warm):
        self.starts.append(warm[: problem.count].copy())
        return self.solver.solve(problem, warm)


def listen(load_text, start: str):
    world = load_text(SCENE.format(start=start))
    solvers = next(entry.system.solvers for entry, _ in world.calls() if entry.name == "rows.solve")
    name, solver = solvers[0]
    listener = Listener(solver)
    solvers[0] = (name, listener)
    world.rebind()  # a listener has no quick start
    world.step(4)
    return world, listener.starts


def test_by_default_a_solve_begins_where_the_last_one_ended(load_text) -> None:
    world, starts = listen(load_text, "")
    ended = world.array("rows.impulse")[:4].copy()
    assert len(starts) == 4
    assert not starts[0].any()
    np.testing.assert_allclose(starts[-1], ended, atol=1e-9)
    assert ended[:, 0].sum() == pytest.approx(0.3 * 0.2 * 0.2 * 1000 * 9.81 * 0.002)


@pytest.mark.parametrize(("start", "value"), [("none", 0.0), ("ones", 1.0)])
def test_or_with_the_same_number_everywhere(load_text, start, value) -> None:
    _, starts = listen(load_text, f'warm_start = "{start}"')
    assert len(starts) == 4
    for each in starts:
        assert each.size == 12
        assert (each == value).all()


def test_or_with_noise_that_is_another_in_every_step_and_repeats(load_text) -> None:
    _, first = listen(load_text, 'warm_start = "random"')
    _, again = listen(load_text, 'warm_start = "random"')
    _, other = listen(load_text, 'warm_start = "random"\nseed = 1')
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert len({each.tobytes() for each in first}) == 4
    assert not (first[0] == other[0]).any()


@pytest.mark.parametrize("start", ["none", "ones", "random"])
def test_the_crate_stands_all_the_same(load_text, start) -> None:
    world, _ = listen(load_text, f'warm_start = "{start}"')
    calm, _ = listen(load_text, "")
    for name in ("rigid.x", "rigid.v"):
        np.testing.assert_allclose(world.array(name), calm.array(name), atol=1e-9)


GROUPS = 3
KEY = np.array([[5, 1], [5, 2], [7, 0]])


def begin(key, last_key, last_impulse, last_change, steady):
    """The starting impulses of groups with these keys."""
    n = len(key)
    known, (before, change, velocity, impulse) = np.zeros(n, np.int64), np.zeros((4, n, 3))
    kept = Kept(
        counts=np.array([len(last_key)]),
        key=last_key,
        impulse=np.hstack([last_impulse, last_change]),
        steady=np.array([steady]),
    )
    start = WarmStart(known=known, before=before, change=change, velocity=velocity)
    start_rows(np.array([n]), key, kept, start, impulse)
    return known, before, change, impulse


def test_impulses_are_led_on_while_their_changes_are_steady():
    random = np.random.default_rng(0)
    last, last_change = random.normal(size=(2, 2, 3))
    for steady in (0, 1):
        known, before, change, impulse = begin(KEY, KEY[[0, 2]], last, last_change, steady)
        assert known.tolist() == [1, 0, 1]
        np.testing.assert_array_equal(before[[0, 2]], last)
        np.testing.assert_array_equal(change[[0, 2]], last_change)
        np.testing.assert_array_equal(impulse[[0, 2]], last + steady * last_change)
        assert not impulse[1].any()
        assert not change[1].any()


@pytest.mark.parametrize(("turn", "steady"), [(1.0, True), (0.7, True), (0.4, False), (-1.0, False)])
def test_changes_are_steady_as_long_as_each_foretells_the_next(turn, steady):
    """A change that is `turn` times the next one misses it by |1 - turn| of it."""
    known, before = np.array([1, 0, 1]), np.zeros((GROUPS, 3))
    impulse = np.array([[1.0, 0.5, 0.0], [9.0, 9.0, 9.0], [0.0, 0.0, -0.3]])
    change = turn * impulse
    change[1] = 0.0
    for part in (1.0, FADING):
        kept = change.copy()
        assert follow_changes(GROUPS, known, before, impulse, part, kept) == steady
        np.testing.assert_array_equal(kept, [part * impulse[0], [0, 0, 0], part * impulse[2]])


def test_changes_are_kept_by_identity():
    random = np.random.default_rng(1)
    impulse, change = random.normal(size=(2, GROUPS, 3))
    mixed = [2, 0, 1]
    kept, alike = (
        Kept(
            np.zeros(1, np.int64),
            np.zeros((GROUPS, 2), np.int64),
            np.zeros((GROUPS, 6)),
            np.zeros(1, np.int64),
        )
        for _ in range(2)
    )
    for values, column in ((impulse, 0), (change, 3)):
        keep_values(GROUPS, KEY[mixed], values[mixed], column, kept.counts, kept.key, kept.impulse)
    keep_changes(GROUPS, KEY[mixed], impulse[mixed], change[mixed], alike)
    for each in (kept, alike):
        assert each.counts[0] == GROUPS
        np.testing.assert_array_equal(each.key, KEY)
        np.testing.assert_array_equal(each.impulse, np.hstack([impulse, change]))
