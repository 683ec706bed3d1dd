"""What is looked at of an entity is a copy: it can be reckoned with, and refuses to be written into."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import numba
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple

BALL = """
format = 1
[run]
step = 0.01
duration = 1.0
[[entity]]
name = "ball"
pose = { position = [1, 2, 3] }
sphere = { radius = 0.1 }
body = {}
"""


@pytest.fixture
def world(tmp_path) -> supple.World:
    file = tmp_path / "ball.toml"
    file.write_text(BALL)
    return supple.load(file)


def test_writing_into_a_look_is_refused_with_the_array_that_can_be_written(world: supple.World) -> None:
    with pytest.raises(
        ValueError, match=r'ball\.position is a copy.*world\.array\("rigid\.x"\).*position\.copy'
    ):
        world["ball"].position[1] = 7
    with pytest.raises(ValueError, match="is a copy"):
        world["ball"].position[1] += 7
    with pytest.raises(ValueError, match="is a copy"):
        world["ball"].position[:2].reshape(2, 1)[0] = 7
    with pytest.raises(AttributeError, match="can only be looked at"):
        world["ball"].position += 7
    assert world["ball"].position.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "make",
    [
        lambda p: p.copy(), lambda p: p + 1, lambda p: (2 * p).reshape(3, 1), lambda p: p[[0, 1]],
        lambda p: p[p > 1], lambda p: np.array(p), lambda p: np.concatenate([p, p]), lambda p: np.clip(p, 0, 1),
        lambda p: p.astype(np.float32), lambda p: np.cross(p, p), lambda p: np.eye(3) @ p,
        lambda p: np.stack([p, p])[0], lambda p: np.zeros_like(p), lambda p: pickle.loads(pickle.dumps(p)),
        lambda p: copy.deepcopy(p), lambda p: p.round(), lambda p: p.flatten(),
    ],
)  # fmt: skip
def test_whatever_is_made_of_a_look_can_be_written(
    make: Callable[[np.ndarray], np.ndarray], world: supple.World
) -> None:
    made = make(world["ball"].position)
    made[0] = 7
    assert np.ravel(made)[0] == 7


def test_a_look_is_an_array_to_everybody(world: supple.World) -> None:
    """Read-only arrays are not: scipy's rotations refuse them."""
    position = world["ball"].position
    assert Rotation.from_rotvec(position).apply(position) == pytest.approx([1, 2, 3])
    assert numba.njit(lambda x: x.sum())(position) == 6
    assert type(position.sum()) is type(position[0]) is type(position @ position) is np.float64
    assert type(position + 1) is np.ndarray
    assert repr(position) == "array([1., 2., 3.])"
    position -= 1  # one's own copy, by one's own name
    assert position.tolist() == [0, 1, 2]
