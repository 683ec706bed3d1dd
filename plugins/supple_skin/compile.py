"""From skins to arrays: which bones carry each vertex, and where it lies in their frames."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build, Index
from supple.core.drawing import Drawing, Hangs, Mesh
from supple.core.entity import Entity
from supple.core.pose import relative_pose, rotate
from supple.mechanics.filters import ignore_pair
from supple_bones.compile import list_bones
from supple_bones.forest import Follower, Forest
from supple_bones.layout import FOLLOWS, PARENT, SHARE
from supple_collide.mesh_shape import load_mesh
from supple_ghost.mechanism import Ghosts
from supple_skin.frames import SkinFrames, compute_weights, find_bones
from supple_skin.kernels import place_vertices
from supple_skin.surface import SkinSurface, find_main_bones
from supple_skin.tables import SkinBlend
from supple_skin.weights import INFLUENCES

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
    frames = next(each for each in build.members("bone_riders") if isinstance(each, SkinFrames)).frames
    for index, entity in enumerate(build.having("skin")):
        skin, owner = entity.components["skin"], f"skin{index}"
        mesh = load_mesh("skin", skin, entity.path, build.blueprint.files)
        position, turn = build.pose(entity.path)
        vertices = position + rotate(turn, mesh.vertices)
        if entity.path in frames:
            blend = _hang(build, vertices, frames[entity.path], mechanism)
        else:
            bones = find_bones(build, entity)
            weights = _read_weights(build, entity, len(vertices), len(bones))
            if weights is None:
                weights = compute_weights(build, entity.path, bones, vertices)
            blend = _blend(build, vertices, weights, bones, rows)
        _declare(build, owner, entity, mesh.triangles, vertices, blend)
        surface = SkinSurface(owner, entity.path, skin, mesh.triangles, vertices, mechanism)
        homes = find_homes(mechanism.forest)
        surface.frame_of_element = find_main_bones(homes[blend.bone], blend.weight, mesh.triangles)
        build.add_member("surfaces", surface)
        for path, row in rows.items():
            if path.startswith(f"{entity.path}/"):
                ignore_pair(build, (Ghosts.name, row), (surface.name, 0))


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


def _hang(build: Build, vertices: FloatArray, frames: list[Follower], ghosts: Ghosts) -> SkinBlend:
    """Every vertex on its one frame; in the neutral pose that of a follower is that of its bone."""
    count = len(vertices)
    bone = np.full((count, INFLUENCES), NO_BONE)
    weight, local = np.zeros((count, INFLUENCES)), np.zeros((count, INFLUENCES, 3))
    bone[:, 0], weight[:, 0] = [ghosts.frame(*frame) for frame in frames], 1.0
    unturned = np.array([1.0, 0.0, 0.0, 0.0])
    for path in {frame.path for frame in frames}:
        mine = [vertex for vertex, frame in enumerate(frames) if frame.path == path]
        local[mine, 0] = relative_pose(build.pose(path), (vertices[mine], unturned))[0]
    return SkinBlend(bone=bone, weight=weight, local=local)


def find_homes(forest: Forest) -> IntArray:
    """The bone that every frame is part of for whoever asks about bones: of a follower, the nearer one."""
    homes = np.arange(len(forest.bone) + 1)
    homes[-1] = NO_BONE  # what stands for no bone counts from the end
    for row in np.flatnonzero(forest.bone[:, FOLLOWS] >= 0):
        followed = forest.bone[row, FOLLOWS]
        homes[row] = followed if forest.frame[row, SHARE] >= 0.5 else forest.bone[followed, PARENT]
    return homes


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
    hangs = Hangs("ghost", f"{owner}.bone", f"{owner}.local", f"{owner}.weight")
    build.draw(Drawing(f"{entity.path}.skin", entity.path, "skin", form, hangs=hangs))


def _place_at_start(build: Build, blend: SkinBlend) -> FloatArray:
    x = np.zeros((len(blend.bone), 3))
    place_vertices(blend, build.arrays["ghost.x"], build.arrays["ghost.rotation"], x)
    return x
