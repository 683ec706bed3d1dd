"""Skin between two seams: how far it is stretched, and that small steps of shares ease it."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from supple_bones.easing import STRETCHED, Parts, ease, find_stretch
from supple_bones.evening import find_gradients

COORDINATES = st.lists(st.floats(-2.0, 2.0), min_size=9, max_size=9)


@dataclass(frozen=True)
class Limb:
    """As much of a seam as easing asks for."""

    parent: int
    child: int
    origin: np.ndarray
    twists: np.ndarray

    def flatten(self) -> np.ndarray:
        return np.concatenate([[self.parent, self.child], self.origin, self.twists.ravel()])


@given(COORDINATES, COORDINATES)
def test_stretch_is_the_largest_singular_value(rest, now) -> None:
    corners, placed = (np.array(each).reshape(3, 3) for each in (rest, now))
    edges = corners[1:] - corners[0]
    if np.linalg.norm(np.cross(*edges)) < 0.05:
        return
    gradients, _ = find_gradients(corners[None])
    expected = np.linalg.norm(placed.T @ gradients[0], ord=2)
    found = find_stretch(placed[1:] - placed[0], edges)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def make_strip(shares: tuple[float, ...], least: float = 0.0):
    """A strip of skin along x between two limbs that swing apart; a share for each column of vertices."""
    count = len(shares)
    along = np.linspace(-0.5, 0.5, count)
    points = np.array([(x, y, 0.0) for x in along for y in (-0.1, 0.1)])
    triangles = []
    for k in range(count - 1):
        a, b, c, d = 2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3
        triangles += [(a, c, b), (b, c, d)]
    apart = [Limb(0, 1, np.array([-1.0, 0.0, 3.0]), np.array([[0.0, 0.6, 0.0], [0.0, 0.0, 0.1]]))]
    apart.append(Limb(0, 2, np.array([1.0, 0.0, 3.0]), np.array([[0.0, -0.6, 0.0], [0.0, 0.0, 0.1]])))
    level = np.repeat(shares, 2)
    owner = np.where(points[:, 0] < 0.0, 0, 1)
    owner[level == 0.0] = -1
    parts = Parts(owner, level, np.full(len(level), least), np.full(len(level), 1 / 16))
    mesh = SimpleNamespace(vertices=points, triangles=np.array(triangles))
    return apart, mesh, np.where(points[:, 0] < 0.0, 1, 2), parts


def find_worst(seams, mesh, owner, level) -> float:
    """The greatest stretch, by singular values and not as easing finds it."""
    worst = 0.0
    for turns in [(one, other) for one in seams[0].twists for other in seams[1].twists]:
        placed = mesh.vertices.copy()
        for vertex, seam in enumerate(owner):
            if seam >= 0:
                turn, origin = Rotation.from_rotvec(level[vertex] * turns[seam]), seams[seam].origin
                placed[vertex] = origin + turn.apply(placed[vertex] - origin)
        gradients, _ = find_gradients(mesh.vertices[mesh.triangles])
        moved = np.einsum("tki,tkj->tij", placed[mesh.triangles], gradients)
        worst = max(worst, float(np.linalg.norm(moved, ord=2, axis=(1, 2)).max()))
    return worst


def test_skin_that_two_limbs_pull_apart_is_eased() -> None:
    seams, mesh, hangs_on, parts = make_strip((0.5, 0.375, 0.25, 0.125, 0.0625, 0.125, 0.25, 0.5))
    before = find_worst(seams, mesh, parts.owner, parts.level)
    level = ease(seams, mesh, hangs_on, parts)
    assert before > 2.5
    assert find_worst(seams, mesh, parts.owner, level) <= STRETCHED < before


def test_skin_that_is_not_stretched_stays_as_it_was() -> None:
    seams, mesh, hangs_on, parts = make_strip((0.1, 0.08, 0.05, 0.02, 0.02, 0.05, 0.08, 0.1))
    assert find_worst(seams, mesh, parts.owner, parts.level) < STRETCHED
    np.testing.assert_array_equal(ease(seams, mesh, hangs_on, parts), parts.level)


def test_shares_that_keep_a_bone_inside_stay() -> None:
    seams, mesh, hangs_on, parts = make_strip((0.5, 0.375, 0.25, 0.125, 0.0625, 0.125, 0.25, 0.5))
    least = parts._replace(least=parts.level)
    assert (ease(seams, mesh, hangs_on, least) >= least.level).all()
