"""The poses of scenes/characters/hand_poses.toml: no finger goes through another, pictures show just what is there."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.ndimage import label
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from posed_skins import PosedSkin
from supple_bones.evening import find_normals
from supple_bones.seams import measure_edges
from supple_picture.camera import direction, fit
from supple_picture.render import View
from supple_picture.shade_kernels import BACKGROUND

SCENE = Path(__file__).parents[2] / "scenes/characters/hand_poses.toml"
PIXELS = 120
NEAR, APART = 0.009, 0.03
"""Places of the skin are looked at that are nearer than the first in space, but farther than the other along it [m]."""


@cache
def make_skin() -> PosedSkin:
    return PosedSkin("hand", "skin", 1200)


def place_hand(name: str):
    """Coordinates and vertices at the end of a variant; `through` is a thumb bent as far as it goes across a fist."""
    scene = tomllib.loads(SCENE.read_text(encoding="utf-8"))
    motion = "hand/bones.motion"
    keys = scene["variants"]["point"][f"{motion}.keys"] if name == "point" else scene["set"][motion]["keys"]
    pose = {path: angle if isinstance(angle, list) else [angle] for path, angle in keys[-1]["pose"].items()}
    if name == "through":
        pose |= {"palm/thumb1": [45, -5], "palm/thumb1/thumb2": [55, 0], "palm/thumb1/thumb2/thumb3": [35]}
    skin = make_skin()
    q = skin.set_angles(pose)
    return q, skin.place(q)


def find_depth(points) -> float:
    """How far the skin goes into itself, by its vertices and their normals [m]."""
    skin = make_skin()
    lengths, _ = measure_edges(SimpleNamespace(vertices=skin.rest, triangles=skin.triangles))
    normals = np.zeros_like(points)
    for corner in range(3):
        np.add.at(normals, skin.triangles[:, corner], find_normals(points[skin.triangles]))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    near = cKDTree(points).query_pairs(NEAR, output_type="ndarray")
    near = near[np.isinf(dijkstra(lengths, limit=APART)[near[:, 0], near[:, 1]])]
    a, b = near.T
    facing = np.einsum("ij,ij->i", normals[a], normals[b]) < 0.0
    way = (points[a] - points[b])[facing]
    gaps = [np.einsum("ij,ij->i", way, normals[b][facing]), -np.einsum("ij,ij->i", way, normals[a][facing])]
    return float(-np.minimum(*gaps).min(initial=0.0))


@pytest.mark.parametrize("name", ["", "point"])
def test_no_finger_goes_through_another(name) -> None:
    q, points = place_hand(name)
    assert make_skin().measure(q).is_clean()
    assert find_depth(points) < 0.003


def test_a_thumb_through_the_fingers_would_be_seen() -> None:
    """So did the scene end once: every measure of the skin itself was clean."""
    q, points = place_hand("through")
    assert make_skin().measure(q).is_clean()
    assert find_depth(points) > 0.006


def count_hits(corners, eye, ways):
    """How many triangles [nt, 3, 3] each ray from the eye goes through."""
    a, b, c = (corners[:, k] - eye for k in range(3))
    sides = [ways @ np.cross(one, other).T for one, other in ((b, c), (c, a), (a, b))]
    return (
        np.all([side > 0.0 for side in sides], axis=0) | np.all([side < 0.0 for side in sides], axis=0)
    ).sum(1)


@pytest.mark.parametrize("angles", [(40.0, 15.0), (310.0, 15.0), (340.0, -30.0), (130.0, 30.0), (90.0, 0.0)])
def test_a_picture_of_a_fist_shows_the_background_just_where_light_comes_through(angles) -> None:
    """Seen by rays, not by a depth buffer: gaps between fingers are where no triangle is."""
    _, points = place_hand("")
    triangles = make_skin().triangles
    camera = fit([points], direction(*angles), 1.0)
    view = View((PIXELS, PIXELS), 1)
    view.turn(camera)
    view.look_at(SimpleNamespace(triangles=np.ascontiguousarray(triangles, np.int64), points=points))
    rows, columns = np.mgrid[:PIXELS, :PIXELS].reshape(2, -1) + 0.5
    focal = camera.focal_length(PIXELS)
    slopes = np.stack(
        [(columns - PIXELS / 2) / focal, (PIXELS / 2 - rows) / focal, np.ones(len(rows))], axis=1
    )
    hits = count_hits(points[triangles], camera.eye, slopes @ camera.axes()).reshape(PIXELS, PIXELS)
    empty = view.owner == BACKGROUND
    np.testing.assert_array_equal(empty, hits == 0)
    assert not (hits % 2).any()
    assert label(empty)[1] >= 1
