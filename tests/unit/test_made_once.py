"""What is the same in every variant of a scene is made once, and is what making it anew gives."""

import numpy as np

from supple.core.rotation_rows import multiply_rows, rotate_rows
from supple_collide.mesh_components import Bumpy
from supple_collide.mesh_shape import list_owned
from supple_collide.meshes import terrain
from supple_tasks import reach_poses


class _Arm:
    """A point that goes where the two coordinates say, as a `Placer`."""

    bone, frame, axes = np.zeros((1, 3), np.int64), np.zeros((1, 3)), 2
    asked = 0

    def find_point(self, q, row, point):
        self.asked += 1
        return np.array([np.cos(q[0]) + np.cos(q[0] + q[1]), np.sin(q[0]) + np.sin(q[0] + q[1]), 0.0]) + point

    def move(self, q, v):
        return q + v

    def subtract(self, q, other, rates):
        return q - other


def test_poses_that_reach_are_made_once(tmp_path, monkeypatch):
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    arm, point = _Arm(), np.zeros(3)
    start, ease = np.array([0.3, 0.5]), np.ones(2)
    places = np.array([[1.2, 0.9, 0.0], [1.1, 1.0, 0.0]])
    made = reach_poses.reach_places(arm, start, ease, 0, point, places)
    reached = [arm.find_point(pose, 0, point) for pose in made]
    np.testing.assert_allclose(reached, places, atol=2e-3)
    asked = arm.asked
    np.testing.assert_array_equal(reach_poses.reach_places(arm, start, ease, 0, point, places), made)
    assert arm.asked == asked
    # Whatever is given changes what is made.
    for changed in ((start + 0.1, ease, point, places), (start, ease * [1.0, 0.1], point, places),
                    (start, ease, point + 0.1, places), (start, ease, point, places[::-1])):  # fmt: skip
        other = reach_poses.reach_places(arm, changed[0], changed[1], 0, *changed[2:])
        assert arm.asked > asked
        assert not np.array_equal(other, made)
        asked = arm.asked


def test_floors_are_made_once_and_large_ones_are_not_kept(monkeypatch):
    floor = Bumpy(size=(1.0, 0.5), sway=0.2)
    mesh, grid = terrain.make_terrain("bumpy", floor, "floor", None, 3)
    again, _ = terrain.make_terrain("bumpy", Bumpy(size=(1.0, 0.5), sway=0.2), "floor", None, 3)
    assert again is mesh
    np.testing.assert_array_equal(mesh.owned, list_owned(mesh, bends=False))
    others = (floor, "ground", 3), (floor, "floor", 4), (Bumpy(size=(1.0, 0.5), sway=0.1), "floor", 3)
    for shape, path, seed in others:
        assert not np.array_equal(
            terrain.make_terrain("bumpy", shape, path, None, seed)[0].vertices, mesh.vertices
        )
    monkeypatch.setattr(terrain, "MOST_KEPT", 1)
    large, large_grid = terrain.make_terrain("bumpy", floor, "floor", None, 3)
    assert large is not mesh
    np.testing.assert_array_equal(large.vertices, mesh.vertices)
    assert large_grid.cells == grid.cells


def test_products_of_rows_have_the_bits_of_numpy_cross():
    rng = np.random.default_rng()
    for first, second in (((4,), (4,)), ((5, 4), (4,)), ((1, 4), (7, 4)), ((0, 4), (4,))):
        p, q = rng.normal(size=first), rng.normal(size=second)
        a, b = np.broadcast_arrays(p, q)
        vector = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + np.cross(a[..., 1:], b[..., 1:])
        np.testing.assert_array_equal(multiply_rows(p, q)[..., 1:], vector)
        doubled = 2.0 * np.cross(p[..., 1:], q[..., 1:])
        turned = q[..., 1:] + p[..., :1] * doubled + np.cross(p[..., 1:], doubled)
        np.testing.assert_array_equal(rotate_rows(p, q[..., 1:]), turned)
