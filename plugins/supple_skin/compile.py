"""From skins to arrays: which bones carry each vertex, and where it lies in their frames."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build, Index
from supple.core.drawing import Drawing, Mesh
from supple.core.entity import Entity
from supple.core.pose import relative_pose, rotate
from supple.errors import suggest
from supple.mechanics.filters import ignore_pair
from supple_bones.compile import list_bones
from supple_collide.mesh_shape import load_mesh
from supple_ghost.mechanism import Ghosts
from supple_skin.kernels import place_vertices
from supple_skin.surface import SkinSurface, find_main_bones
from supple_skin.tables import SkinBlend
from supple_skin.weights import INFLUENCES, find_segments, find_weights

#: Shares that sum to one within this are taken as they are.
SUM_TOLERANCE = 1e-6
NO_BONE = -1
OBSERVED = ("contacts", "pressed", "force", "penetration")
"""Columns of skinN.observed."""
PROBED = ("jacobian_gap", "delassus_gap")
"""Columns of skinN.probed."""


def compile_skins(build: Build) -> None:
    """Declare the arrays and the surface of every skin."""
    mechanism: Ghosts = next(each for each in build.members("mechanisms") if each.name == Ghosts.name)
    rows = {entity.path: row for row, entity in enumerate(list_bones(build, "ghost"))}
    for index, entity in enumerate(build.having("skin")):
        skin, owner = entity.components["skin"], f"skin{index}"
        mesh = load_mesh("skin", skin, entity.path, build.blueprint.files)
        position, turn = build.pose(entity.path)
        vertices = position + rotate(turn, mesh.vertices)
        bones = _find_bones(build, entity)
        weights = _read_weights(build, entity, len(vertices), len(bones))
        if weights is None:
            weights = _compute_weights(build, entity.path, bones, vertices)
        blend = _blend(build, vertices, weights, bones, rows)
        _declare(build, owner, entity, mesh.triangles, vertices, blend)
        surface = SkinSurface(owner, entity.path, skin, mesh.triangles, vertices, mechanism)
        surface.frame_of_element = find_main_bones(blend.bone, blend.weight, mesh.triangles)
        build.add_member("surfaces", surface)
        for path, row in rows.items():
            if path.startswith(f"{entity.path}/"):
                ignore_pair(build, (Ghosts.name, row), (surface.name, 0))


def _find_bones(build: Build, entity: Entity) -> list[str]:
    """Paths of the bones that carry the skin."""
    below = f"{entity.path}/"
    known = [each.path for each in list_bones(build, "ghost") if each.path.startswith(below)]
    names = entity.components["skin"].bones
    for name in names:
        if below + name not in known and name not in known:
            short = [path.removeprefix(below) for path in known]
            what = f"no bone '{name}' below the ghost"
            raise build.refuse(f"{entity.path}.skin.bones", what, suggest(name, short, "the bones are"))
    chosen = [name if name in known else below + name for name in names] or known
    if len(set(chosen)) < len(chosen):
        twice = next(path for path in chosen if chosen.count(path) > 1)
        what = f"names the bone '{twice.removeprefix(below)}' twice"
        raise build.refuse(f"{entity.path}.skin.bones", what, "name every bone once")
    return chosen


def _read_weights(build: Build, entity: Entity, vertices: int, bones: int) -> FloatArray | None:
    """The given shares [nv, bones], checked; None where they are left to us."""
    given, where = entity.components["skin"].weights, f"{entity.path}.skin.weights"
    if not given:
        return None
    if len(given) != vertices:
        what = f"has {len(given)} rows, but the mesh has {vertices} vertices"
        raise build.refuse(where, what, "give one row for every vertex")
    for vertex, row in enumerate(given):
        if len(row) != bones:
            what = f"vertex {vertex} has {len(row)} weights, but there are {bones} bones"
            raise build.refuse(where, what, "give one weight for every bone")
        if min(row) < 0:
            raise build.refuse(where, f"vertex {vertex} has the weight {min(row):g}", "use 0 or more")
        if abs(sum(row) - 1.0) > SUM_TOLERANCE:
            raise build.refuse(where, f"the weights of vertex {vertex} sum to {sum(row):g}", "make it 1")
        if sum(weight > 0 for weight in row) > INFLUENCES:
            what = f"{sum(weight > 0 for weight in row)} bones carry vertex {vertex}"
            raise build.refuse(
                where, what, f"leave the {INFLUENCES} greatest weights, and make them sum to 1"
            )
    weights = np.array(given)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _compute_weights(build: Build, ghost: str, bones: list[str], vertices: FloatArray) -> FloatArray:
    """Shares from the distances. Bones that do not carry the skin still say where the others end."""
    paths = [each.path for each in list_bones(build, "ghost") if each.path.startswith(f"{ghost}/")]
    origin = np.stack([build.pose(path)[0] for path in paths])
    above = [path.rpartition("/")[0] for path in paths]
    parent = [paths.index(path) if path in paths else -1 for path in above]
    column = {paths.index(path): number for number, path in enumerate(bones)}
    segments = [
        (column[bone], ends) for bone, ends in find_segments(origin, parent, vertices) if bone in column
    ]
    if not segments:
        what = "no bone that carries the skin has a length"
        raise build.refuse(f"{ghost}.skin.bones", what, "name bones that lead to others, or give weights")
    return find_weights(vertices, segments, len(bones))


def _blend(
    build: Build, vertices: FloatArray, weights: FloatArray, bones: list[str], rows: dict[str, int]
) -> SkinBlend:
    """The shares of every vertex, greatest first, and its places in the frames of its bones; the rest is NO_BONE."""
    count = len(vertices)
    order = np.argsort(-weights, axis=1, kind="stable")[:, :INFLUENCES]
    bone = np.full((count, INFLUENCES), NO_BONE)
    weight, local = np.zeros((count, INFLUENCES)), np.zeros((count, INFLUENCES, 3))
    weight[:, : order.shape[1]] = np.take_along_axis(weights, order, axis=1)
    row = np.array([rows[path] for path in bones])
    bone[:, : order.shape[1]] = row[order]
    bone[weight == 0.0] = NO_BONE
    unturned = np.array([1.0, 0.0, 0.0, 0.0])
    for path in bones:
        mine = bone == rows[path]
        places = np.broadcast_to(vertices[:, None], local.shape)[mine]
        local[mine] = relative_pose(build.pose(path), (places, unturned))[0]
    return SkinBlend(bone=bone, weight=weight, local=local)


def _declare(
    build: Build, owner: str, entity: Entity, triangles: IntArray, vertices: FloatArray, blend: SkinBlend
) -> None:
    """Arrays, metrics and the drawing of one skin."""
    start = _place_at_start(build, blend)
    for name, integers, doc in (
        ("bone", blend.bone, "Bones that carry a vertex; -1: none."),
        ("triangles", triangles, "Corners of the triangles."),
    ):
        build.add_model(f"{owner}.{name}", integers, unit="1", doc=doc, dtype=np.int64)
    build.add_model(f"{owner}.weight", blend.weight, unit="1", doc="Their shares.")
    build.add_model(f"{owner}.local", blend.local, unit="m", doc="Place of the vertex in their frames.")
    build.add_state(f"{owner}.position", start, unit="m", doc="Vertices, as they follow from the bones.")
    build.add_step(f"{owner}.v", vertices.shape, unit="m/s", doc="Velocities that the vertices want.")
    places: dict[str, tuple[str, Index]] = {}
    for array, names in (("observed", OBSERVED), ("probed", PROBED)):
        build.add_step(f"{owner}.{array}", (len(names),), unit="SI", doc="Values of metrics.")
        places |= {name: (f"{owner}.{array}", column) for column, name in enumerate(names)}
    build.bind_metrics(entity, "skin", places)
    form = Mesh(f"{owner}.position", f"{owner}.triangles")
    build.draw(Drawing(f"{entity.path}.skin", entity.path, "skin", form))


def _place_at_start(build: Build, blend: SkinBlend) -> FloatArray:
    x = np.zeros((len(blend.bone), 3))
    place_vertices(blend, build.arrays["ghost.x"], build.arrays["ghost.rotation"], x)
    return x
