"""The impulses that a solver begins with."""

from __future__ import annotations

import numpy as np
import pytest

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
