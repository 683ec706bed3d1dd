"""A world in which bodies are put anywhere and their contacts are looked for: round shapes, a box, meshes, a plane."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

import supple
from supple.core.schedule import Phase
from supple_collide.filters import list_collidables
from supple_collide.mesh_shape import box_mesh

LIMIT = 0.1
RADIUS, HALF = 0.08, 0.15
CRATE = (0.3, 0.2, 0.24)
ROCK = [
    [0.16, 0.02, 0.0], [-0.15, 0.0, 0.03], [0.02, 0.17, 0.01], [0.0, -0.14, 0.02], [0.03, 0.01, 0.15],
    [-0.02, 0.03, -0.16], [0.1, 0.1, 0.08], [-0.1, 0.09, -0.07], [0.08, -0.09, 0.1], [-0.09, -0.08, 0.1],
]  # fmt: skip
# An L of two arms, so with an edge that is bent inwards; 0.4 m along x and y, 0.2 m along z.
OUTLINE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
ELL = [[0.2 * x, 0.2 * y, 0.2 * z] for z in (0, 1) for x, y in OUTLINE]
FANS = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
SIDES = [(i, (i + 1) % 6) for i in range(6)]
ELL_TRIANGLES = [
    *([c, b, a] for a, b, c in FANS), *([a + 6, b + 6, c + 6] for a, b, c in FANS),
    *([a, b, b + 6] for a, b in SIDES), *([a, b + 6, a + 6] for a, b in SIDES),
]  # fmt: skip
# A ridge along z whose sides fall by 20 degrees, and a blunt tip that points down with edges rising by 5 degrees.
FALL, RISE = (float(0.2 * np.tan(np.radians(angle))) for angle in (20, 5))
ROOF = [[x, y, z] for z in (-0.2, 0.2) for x, y in ((0, 0), (-0.2, -FALL), (0.2, -FALL))]
TIP = [[0, 0, 0], [0.2, RISE, 0], [-0.2, RISE, 0], [0, RISE, 0.2], [0, RISE, -0.2], [0, 0.2, 0]]
SCENE = f"""
format = 1
[run]
step = 0.001
duration = 1.0
[run.collide]
margin = {LIMIT / 2 - 1e-9}
sudden_speed = 1e-6
[[entity]]
name = "ball"
sphere = {{ radius = {RADIUS} }}
body = {{}}
[[entity]]
name = "pill"
capsule = {{ radius = {RADIUS}, length = {2 * HALF} }}
body = {{}}
[[entity]]
name = "crate"
box = {{ size = {list(CRATE)} }}
body = {{}}
[[entity]]
name = "floor"
pose = {{ position = [0, -1000, 0] }}
plane = {{}}
[[entity]]
name = "rock"
convex = {{ points = {ROCK} }}
body = {{}}
[[entity]]
name = "ell"
mesh = {{ vertices = {ELL}, triangles = {ELL_TRIANGLES} }}
body = {{}}
[[entity]]
name = "roof"
convex = {{ points = {ROOF} }}
body = {{}}
[[entity]]
name = "tip"
convex = {{ points = {TIP} }}
body = {{}}
"""


class Stage:
    """A world in which bodies are put anywhere and contacts are looked for, without any step."""

    def __init__(self, folder: Path):
        file = folder / "scene.toml"
        file.write_text(SCENE, encoding="utf-8")
        self.world = supple.load(file)
        self.paths = [each.path for each in list_collidables(self.world.build)]
        self.calls = [call for entry, call in self.world.calls() if entry.phase == Phase.DETECT]
        crate = box_mesh(tuple(edge / 2 for edge in CRATE))
        table, rest = self.world.array("mesh.table"), self.world.array("mesh.rest")
        triangles = self.world.array("mesh.triangles")
        of_triangle = self.world.array("mesh.of_triangle")
        self.rest = {"crate": crate.vertices[crate.triangles]}
        for mesh, row in enumerate(table[:4]):
            self.rest[self.paths[row[0]]] = rest[triangles[of_triangle == mesh]]

    def find(self, **poses):
        """Contacts of the two bodies: points on the first and on the second, normals, gaps, keys."""
        x, q = self.world.array("rigid.x"), self.world.array("rigid.q")
        for index, entity in enumerate(self.world.build.having("body")):
            frame = self.world.build.frames[entity.path]
            place, turn = poses.get(entity.path, (np.array([100.0 * (index + 1), 0, 0]), Rotation.identity()))
            x[index] = place + turn.apply(frame.origin)
            q[index] = np.roll(turn.as_quat(), 1)
        for call in self.calls:
            call()
        count = int(self.world.array("contacts.count")[0])
        point, normal, gap, key = (
            self.world.array(f"contacts.{name}")[:count].copy() for name in ("point", "normal", "gap", "key")
        )
        first, second = (self.paths.index(name) for name in poses)
        if first > second:
            return point[:, ::-1], -normal, gap, key
        return point, normal, gap, key

    def corners(self, name, pose):
        """The triangles of a body in the world, by scipy."""
        place, turn = pose
        rest = self.rest[name]
        return turn.apply(rest.reshape(-1, 3)).reshape(rest.shape) + place


STILL = (np.zeros(3), Rotation.identity())


def check_form(point, normal, gap, key):
    """What holds for all contacts."""
    assert len({tuple(each) for each in key.tolist()}) == len(key)
    assert np.all(gap <= LIMIT)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(point[:, 0] - point[:, 1], gap[:, None] * normal, rtol=0, atol=1e-12)
