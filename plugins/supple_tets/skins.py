"""Fine surfaces within coarse bodies: their vertices move as the tetrahedra do, are drawn, and touch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.drawing import Drawing
from supple.core.drawing import Mesh as MeshDrawing
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.points import PerAsker, SurfacePoints
from supple_tets.mechanism import TetMechanism
from supple_tets.mesh import find_tet
from supple_tets.row_kernels import add_embedded_rows
from supple_tets.shapes import read_surface
from supple_tets.tables import Embedding

if TYPE_CHECKING:
    from supple_tets.compile import TetBody

FARTHEST = 0.5
"""How far a vertex may lie outside of the tetrahedra, as a part of their mean edge."""
BLOCKS = 12
"""A point on a triangle hangs on the corners of three tetrahedra."""


@dataclass(frozen=True)
class EmbeddedSkin:
    """One surface: which vertices of all bodies a vertex of it hangs on [k, 4], with which weights, and where it is
    among all skins. Triangles [t, 3] count its own vertices.
    """

    body: TetBody
    corner: IntArray
    share: FloatArray
    start: FloatArray
    triangles: IntArray
    vertices: slice
    faces: slice


def list_skins(build: Build, bodies: list[TetBody]) -> list[EmbeddedSkin]:
    """Those of all bodies that have one."""
    skins: list[EmbeddedSkin] = []
    vertices = faces = 0
    for body in bodies:
        if "tet_skin" not in body.entity.components:
            continue
        points, triangles = _read_skin(build, body)
        element, share = find_tet(body.mesh, points)
        _check_distance(build, body, points, share)
        corner = body.mesh.tets[element]
        start = np.einsum("ka,kai->ki", share, body.start[corner])
        rows = slice(vertices, vertices + len(points)), slice(faces, faces + len(triangles))
        skins.append(EmbeddedSkin(body, corner + body.vertices.start, share, start, triangles, *rows))
        vertices, faces = rows[0].stop, rows[1].stop
    return skins


def _read_skin(build: Build, body: TetBody) -> tuple[FloatArray, IntArray]:
    skin, where = body.entity.components["tet_skin"], f"{body.path}.tet_skin"
    name, scale = skin.file, skin.scale
    if not name:
        filled = body.entity.components["tet_file"]
        name, scale = filled.file, filled.scale
    _, surface = read_surface(build.blueprint.files.find(name, f"{where}.file"), where, scale)
    return surface.vertices, np.ascontiguousarray(surface.triangles)


def _check_distance(build: Build, body: TetBody, points: FloatArray, share: FloatArray) -> None:
    """A weight of -1 is as far outside as the tetrahedron is high, which is less than its edge."""
    outside = -share.min(axis=1)
    worst = int(np.argmax(outside))
    if outside[worst] > FARTHEST:
        away = outside[worst] * body.mesh.edge
        at = ", ".join(f"{each:.3g}" for each in points[worst])
        what = f"vertex {worst} at ({at}) lies about {away:.2g} m outside of the tetrahedra"
        raise build.refuse(f"{body.path}.tet_skin", what, "move or scale it, or use more tetrahedra")


def declare_skins(build: Build, skins: list[EmbeddedSkin]) -> None:
    """Arrays and drawings of all skins."""
    for name, integers, doc in (
        ("skin_corner", [skin.corner for skin in skins], "Vertices that a vertex of a skin hangs on."),
        ("skin_faces", [skin.triangles + skin.vertices.start for skin in skins], "Triangles of skins."),
    ):
        build.add_model(f"tets.{name}", np.concatenate(integers), unit="1", doc=doc, dtype=np.int64)
    share = np.concatenate([skin.share for skin in skins])
    build.add_model("tets.skin_share", share, unit="1", doc="Weights of those.")
    start = np.concatenate([skin.start for skin in skins])
    v, corner = np.array(build.arrays["tets.v"]), np.concatenate([skin.corner for skin in skins])
    build.add_state("tets.skin_x", start, unit="m", doc="Vertices of skins.", record=True)
    build.add_state(
        "tets.skin_v", np.einsum("ka,kai->ki", share, v[corner]), unit="m/s", doc="Their velocities."
    )
    for skin in skins:
        form = MeshDrawing("tets.skin_x", "tets.skin_faces", skin.faces.start, skin.faces.stop)
        build.draw(Drawing(f"{skin.body.path}.tet_skin", skin.body.path, "bodies", form))


class EmbeddedSurface:
    """A skin that touches, instead of the boundary of its body; see `PooledSurface`."""

    positions, velocities = "tets.skin_x", "tets.skin_v"
    reads = tuple(f"tets.{name}" for name in Embedding._fields)

    def __init__(self, skin: EmbeddedSkin, unit: int, mechanism: TetMechanism) -> None:
        body = skin.body
        self.unit, self.mechanism, self.vertices = unit, mechanism, skin.vertices
        self.path, self.name = body.path, f"tets {body.path}"
        self.triangles, self.rest = skin.triangles, skin.start
        self.friction, self.restitution = body.tets.friction, body.tets.restitution
        self.self_contact = body.tets.self_contact
        self.patch_size = body.tets.patch_size
        self.thickness = float(np.ptp(body.mesh.vertices, axis=0).min()) / 2

    def bind(self, arrays: Bound) -> None:
        """Look up which vertices a vertex hangs on."""
        self._embedding = arrays.take(Embedding, "tets")
        self._add_rows = PerAsker(self._bind_points)

    def _bind_points(self, points: SurfacePoints) -> Callable[[], None]:
        J = self.mechanism.jacobian.arrays
        return bind_kernel(
            add_embedded_rows, self.vertices.start, self.unit, self.triangles, self._embedding, points, J
        )

    def add_rows(self, points: SurfacePoints) -> None:
        """Append the Jacobian of points on the skin."""
        self.mechanism.check_room(points, BLOCKS, self.path)
        self._add_rows(points)()
