"""The warm start of contacts that slide to another triangle."""

from __future__ import annotations

import numpy as np
import pytest

from supple.mechanics.contacts import LastContacts, PlacedContacts
from supple.mechanics.neighbour_kernels import carry_over
from supple.testing import audit_step

SCENE = """
format = 1
[run]
step = 0.005
duration = 1.0
warm_start = "{warm_start}"
[[entity]]
name = "floor"
bumpy = {{ size = [2, 2], tile = 0.1, amplitude = 0.01, friction = 0.2 }}
[[entity]]
name = "ball"
pose = {{ position = [0, 0.105, 0] }}
sphere = {{ radius = 0.1 }}
body = {{ velocity = [0.8, 0, 0.3] }}
"""


def carry(key, x, old_key, old_x, old_impulse, known=()):
    """Impulses after the kernel; contacts lie on the x axis."""
    count, old_count = np.array([len(key)]), np.array([len(old_key)])
    point = np.zeros((len(key), 2, 3))
    point[:, :, 0] = np.array(x)[:, None]
    old_point = np.zeros((len(old_key), 3))
    old_point[:, 0] = old_x
    impulse = np.zeros((len(key) + 2, 3))
    for c in known:
        impulse[2 + c] = 7.0
    scratch = np.zeros((2, 10), np.int64)
    old = np.array(old_impulse, float)[:, None] * np.ones(3)
    contacts = PlacedContacts(count=count, group=2 + np.arange(len(key)), key=np.array(key), point=point)
    last = LastContacts(
        last_count=old_count, last_key=np.array(old_key), last_point=old_point, last_impulse=old
    )
    carried = carry_over(contacts, last, *scratch, impulse)
    return carried, impulse[2:, 0].tolist()


def test_new_contact_takes_over_from_the_one_that_ended_beside_it():
    key, old = [(3, 1), (3, 5), (8, 1)], [(3, 1), (3, 4), (8, 1)]
    assert carry(key, [0, 0.1, 5], old, [0, 0.11, 5], [1, 2, 3], known=(0, 2)) == (1, [7.0, 2.0, 7.0])


def test_only_two_that_are_nearest_to_each_other_belong_together():
    key, old = [(3, 5), (3, 6)], [(3, 1), (3, 2)]
    assert carry(key, [0.0, 1.0], old, [0.9, 3.0], [1, 2]) == (1, [0.0, 1.0])


def test_contacts_of_other_objects_give_nothing():
    assert carry([(2, 5), (4, 5)], [0, 0], [(3, 1), (5, 1)], [0, 0], [1, 2]) == (0, [0.0, 0.0])


@pytest.mark.parametrize("warm_start", ["none", "pairs", "neighbours"])
def test_result_does_not_depend_on_the_warm_start(load_text, warm_start):
    world = load_text(SCENE.format(warm_start=warm_start))
    world.step(60)
    audit_step(world)
    expected = load_text(SCENE.format(warm_start="pairs"))
    expected.step(61)
    np.testing.assert_allclose(world["ball"].position, expected["ball"].position, atol=1e-6)
    assert world.metrics()["run.solver_failures"] == 0


def test_neighbours_survive_a_restart(load_text):
    world = load_text(SCENE.format(warm_start="neighbours"))
    world.step(30)
    kept = world.snapshot()
    world.step(20)
    end = world["ball"].position.copy()
    world.restore(kept)
    world.step(20)
    assert np.array_equal(world["ball"].position, end)
