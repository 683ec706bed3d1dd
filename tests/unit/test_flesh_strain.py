"""Stretch and inverted triangles of a skin, on a tetrahedron whose corners hang on one bone or on two."""

from __future__ import annotations

import numpy as np
import pytest

from supple.core.pose import rotate
from supple_flesh.observe_kernels import COLUMNS, INVERTED, STRETCH_WORST
from supple_flesh.strain import find_borders
from supple_flesh.strain_kernels import measure_strain
from supple_flesh.tables import MadeSkin, MovedSkin

CORNERS = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0, 0, 0]])
TRIANGLES = np.array([[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]])
FIRST = np.arange(0, 13, 3)
NEIGHBOUR = np.array([j for i in range(4) for j in range(4) if j != i])
QUARTER = np.array([np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)])
STRAIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def measure(position, rotation=(STRAIGHT, STRAIGHT), patch_of=(0, 0, 0, 0)) -> tuple[float, float]:
    lengths = np.linalg.norm(np.repeat(CORNERS, 3, axis=0) - CORNERS[NEIGHBOUR], axis=1)
    a, b, c = (CORNERS[TRIANGLES[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    observed, patches = np.full((1, COLUMNS), -1.0), np.array(patch_of)
    back = [turned * np.array([1.0, -1.0, -1.0, -1.0]) for turned in rotation]
    local = np.array([rotate(back[patch], point) for patch, point in zip(patches, position, strict=True)])
    made = MadeSkin(
        patch_bone=np.array([0, 1]),
        patch_of=patches,
        patch_part=np.array([0, 0]),
        first=FIRST,
        neighbour=NEIGHBOUR,
        edge_length=lengths,
        triangles=TRIANGLES,
        corner_normal=np.ascontiguousarray(np.repeat(normals[:, None], 3, axis=1)),
    )
    moved = MovedSkin(rotation=np.array(rotation), x=local, mask=np.ones(4, np.int64), position=position)
    measure_strain(made, find_borders(patches, FIRST, NEIGHBOUR, TRIANGLES), moved, observed)
    return observed[0, STRETCH_WORST], observed[0, INVERTED]


def turn(points):
    """A quarter about z."""
    return np.ascontiguousarray(points @ np.array([[0.0, 1.0, 0], [-1.0, 0, 0], [0, 0, 1.0]]))


def test_a_skin_that_moves_with_its_bone_is_neither_stretched_nor_inverted() -> None:
    stretch, inverted = measure(turn(CORNERS) + np.array([3.0, -1.0, 2.0]), (QUARTER, STRAIGHT))
    assert stretch == pytest.approx(1.0, abs=1e-14)
    assert inverted == 0


def test_all_triangles_are_inverted_when_only_the_bone_turns_round() -> None:
    around = np.array([0.0, 0.0, 0.0, 1.0])
    stretch, inverted = measure(CORNERS.copy(), (around, around))
    assert stretch == pytest.approx(1.0, abs=1e-14)
    # Half a turn about z turns round the sides x = 0, y = 0 and the slanted one (two of three components), not z = 0.
    assert inverted == 3


def test_the_longest_edge_is_measured() -> None:
    moved = CORNERS.copy()
    moved[3] = [0.0, 0.0, -1.0]
    stretch, inverted = measure(moved)
    assert stretch == pytest.approx(2.0)
    assert inverted == 0


def test_a_corner_that_is_pushed_through_the_opposite_face_inverts_all_triangles() -> None:
    moved = CORNERS.copy()
    moved[3] = [1.0, 1.0, 1.0]
    _, inverted = measure(moved)
    assert inverted == 3


def test_a_triangle_on_two_bones_faces_where_they_turn_it_together() -> None:
    """With one corner on a bone that turned by 90 degrees, no triangle that stayed has less than 0 with the mean."""
    assert measure(CORNERS.copy(), (STRAIGHT, QUARTER), (0, 0, 0, 1))[1] == 0
