"""A gaze asks the same of a head whichever way it looks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from supple_tasks import layout
from supple_tasks.command_kernels import command_gaze
from supple_tasks.records import Book, Seen
from supple_tasks.tables import Wishes, make_limits

GAIN = 30.0


def look(turned: Rotation, place, target, spin, drift):
    """Rows about the spin of a head, whose rates are that spin, and what they want."""
    number = np.zeros((1, layout.NUMBER_COLUMNS))
    number[0, layout.AXIS : layout.AXIS + 3] = [0, 0, 1]
    none = np.zeros((1, 1), np.int64)
    book = Book(
        task=np.zeros((1, layout.TASK_COLUMNS), np.int64), number=number, during=none, curve=np.zeros((0, 3), np.int64),
        segment=np.zeros((0, 1)), told=np.zeros((1, 4)),
    )  # fmt: skip
    seen = Seen(
        place=np.array([[*place, 0.0, 0.0, 0.0]]), rotation=turned.as_quat(scalar_first=True)[None],
        velocity=np.array([spin]), drift=np.array([[*drift, 0.0, 0.0, 0.0]]), other_place=np.zeros((1, 3)),
        other_velocity=np.zeros((1, 3)),
    )  # fmt: skip
    wishes = Wishes(J=np.eye(3), wanted=np.zeros(3), end=np.array([3]))
    goal = np.zeros((3, 3))
    goal[0] = target
    angle, _ = command_gaze(0, GAIN, book, seen, goal, wishes, make_limits(3))
    return wishes, angle


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), along=st.sampled_from([None, "x", "y", "z"]))
def test_rows_are_as_large_whichever_way_it_looks(seed, along):
    """Two unit rows at right angles to the sight. Where their size hung on the direction, so did what is softened."""
    rng = np.random.default_rng(seed)
    turned = Rotation.random(rng=rng)
    if along is not None:  # within a hundredth of an axis of the world
        axis = np.eye(3)["xyz".index(along)] + 0.01 * rng.normal(size=3)
        turned = Rotation.align_vectors([axis], [[0.0, 0.0, 1.0]])[0]
    sight = turned.apply([0.0, 0.0, 1.0])
    place, target, spin, drift = rng.normal(size=(4, 3))
    wishes, angle = look(turned, place, target, spin, drift)
    np.testing.assert_allclose(wishes.J @ wishes.J.T, np.diag([1.0, 1.0, 0.0]), atol=1e-12)
    np.testing.assert_allclose(wishes.J @ sight, 0.0, atol=1e-12)
    towards = (target - place) / np.linalg.norm(target - place)
    assert abs(angle - np.arccos(np.clip(sight @ towards, -1.0, 1.0))) < 1e-6
    # What is wanted at right angles to the sight is the critically damped turn by the shortest way.
    normal = np.cross(sight, towards)
    wanted = GAIN * angle * normal / np.linalg.norm(normal) - 2.0 * np.sqrt(GAIN) * spin - drift
    np.testing.assert_allclose(wishes.J.T @ wishes.wanted, wanted - (wanted @ sight) * sight, atol=1e-9)
