"""All flesh of a scene in one pool of vertices: places, masses, springs, and the patches that hang on one bone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import relative_pose, rotate
from supple.errors import UserError
from supple_bones.forest import Follower
from supple_bones.seams import find_home, hang_on_seams
from supple_collide.mesh_files import Triangles, read_triangles
from supple_collide.mesh_shape import TriangleMesh, make_mesh
from supple_flesh.areas import pressing_areas, vertex_areas
from supple_flesh.components import DAMPING_PART, EDGE_PART, VERTEX_PART, Flesh, list_bones
from supple_flesh.lying import find_distances_to_bone, refuse_flesh_off_its_bones
from supple_flesh.tables import ADAPTIVE, RIGID, SOFT

STATES = {"rigid": RIGID, "adaptive": ADAPTIVE, "soft": SOFT}


@dataclass(frozen=True)
class Part:
    """The flesh of one entity: its stretch of the pool's vertices and triangles, and its mesh."""

    entity: Entity
    flesh: Flesh
    mesh: TriangleMesh
    vertices: slice
    triangles: slice


@dataclass(frozen=True)
class Pool:
    """Vertices of all flesh. A patch is what hangs of one flesh on one bone, or on one follower over a joint.

    patch_part, patch_bone, patch_share  [patches] its part, the path of its bone, and the share of the bone's angles
              by which it turns: 1 on the bone itself, less on a follower
    region_part, region_bone  [regions] a bone's patch and the nearer half of its seams
    patch_of, region_of  [n] patch and region of a vertex
    rest      [n, 3] its place in the frame that it hangs on [m]
    mass      [n] kg                       vertex_stiffness [n] N/m; damping [n] N s/m
    first     [n + 1], neighbour, edge_stiffness: the vertices across the edges of vertex i and their springs are
              at first[i] to first[i + 1]
    triangles [nt, 3] of the pool's vertices
    state     [n] RIGID, ADAPTIVE or SOFT   rings [n] how far softness reaches
    """

    parts: tuple[Part, ...]
    patch_part: tuple[int, ...]
    patch_bone: tuple[str, ...]
    patch_share: tuple[float, ...]
    region_part: tuple[int, ...]
    region_bone: tuple[str, ...]
    patch_of: IntArray
    region_of: IntArray
    rest: FloatArray
    mass: FloatArray
    vertex_stiffness: FloatArray
    damping: FloatArray
    first: IntArray
    neighbour: IntArray
    edge_stiffness: FloatArray
    triangles: IntArray
    state: IntArray
    rings: IntArray

    @property
    def count(self) -> int:
        """Number of vertices."""
        return len(self.rest)

    @cached_property
    def patch_frames(self) -> tuple[Follower, ...]:
        """What every patch hangs on."""
        return tuple(map(Follower, self.patch_bone, self.patch_share))


def build_pool(build: Build) -> Pool:
    """Read all flesh of the scene, sorted by path."""
    parts: list[Part] = []
    patches: list[tuple[int, Follower]] = []
    regions: list[tuple[int, str]] = []
    columns: dict[str, list[Any]] = {}
    for number, entity in enumerate(build.having("flesh")):
        flesh = entity.components["flesh"]
        mesh = _read_mesh(build, entity, flesh)
        first = parts[-1].vertices.stop if parts else 0
        first_triangle = parts[-1].triangles.stop if parts else 0
        hangs_on, bones = _hang(build, entity, flesh, mesh)
        if not flesh.anywhere:
            refuse_flesh_off_its_bones(build, entity, mesh, hangs_on, bones)
        frames = hang_on_seams(build, entity, mesh, hangs_on, bones, flesh.seam)
        homes = [find_home(build, frame) for frame in frames]
        used = sorted(set(frames), key=lambda frame: (bones.index(frame.path), frame.share))
        lived = sorted(set(homes), key=bones.index)
        patch_of, region_of = map(used.index, frames), map(lived.index, homes)
        placed = {
            "patch_of": np.array(list(patch_of), np.int64) + len(patches),
            "region_of": np.array(list(region_of), np.int64) + len(regions),
        }
        patches += [(number, frame) for frame in used]
        regions += [(number, home) for home in lived]
        parts.append(
            Part(
                entity,
                flesh,
                mesh,
                slice(first, first + len(mesh.vertices)),
                slice(first_triangle, first_triangle + len(mesh.triangles)),
            )
        )
        for name, values in {
            **placed,
            "rest": _rest(build, entity, mesh, [frame.path for frame in frames]),
            "triangles": mesh.triangles + first,
            **_materials(flesh, mesh, first),
        }.items():
            columns.setdefault(name, []).append(values)
    joined = {name: np.ascontiguousarray(np.concatenate(values)) for name, values in columns.items()}
    degree = joined.pop("degree")
    return Pool(
        parts=tuple(parts),
        patch_part=tuple(part for part, _ in patches),
        patch_bone=tuple(frame.path for _, frame in patches),
        patch_share=tuple(frame.share for _, frame in patches),
        region_part=tuple(part for part, _ in regions),
        region_bone=tuple(bone for _, bone in regions),
        first=np.concatenate([[0], np.cumsum(degree)]).astype(np.int64),
        **joined,
    )


def _read_mesh(build: Build, entity: Entity, flesh: Flesh) -> TriangleMesh:
    where = f"{entity.path}.flesh"
    if flesh.file:
        file = build.blueprint.files.find(flesh.file, f"{where}.file")
        raw = read_triangles(file, where)
    else:
        vertices, triangles = np.array(flesh.vertices, float), np.array(flesh.triangles, np.int64)
        worst = int(triangles.min() if triangles.min() < 0 else triangles.max())
        if not 0 <= worst < len(vertices):
            remedy = f"there are {len(vertices)} vertices; use 0 to {len(vertices) - 1}"
            raise build.refuse(f"{where}.triangles", f"a triangle has corner {worst}", remedy)
        raw = Triangles("triangles", vertices, triangles, tuple(range(len(triangles))), "triangle")
    try:
        mesh = make_mesh(raw, flesh.scale, where)
    except UserError as error:
        if flesh.file:
            raise
        # Without a file of its own, the place to name is the line of the scene, which whoever read it knows.
        raise UserError([replace(problem, where=None) for problem in error.problems]) from None
    count = len(mesh.vertices)
    if flesh.hangs_on and len(flesh.hangs_on) != count:
        joined = len(raw.vertices) - count
        note = f" ({joined} of {len(raw.vertices)} are equal to others or unused)" if joined else ""
        what = f"hangs_on has {len(flesh.hangs_on)} numbers, but the mesh has {count} vertices{note}"
        raise build.refuse(f"{where}.hangs_on", what, "give one number for every vertex")
    if not flesh.file and count != len(raw.vertices):
        what = (
            f"{len(raw.vertices) - count} of the {len(raw.vertices)} vertices are unused or equal to others"
        )
        raise build.refuse(f"{where}.vertices", what, "leave them out")
    return mesh


def _hang(build: Build, entity: Entity, flesh: Flesh, mesh: TriangleMesh) -> tuple[IntArray, list[str]]:
    """For every vertex the place of its bone in the list of paths."""
    names = flesh.bones or tuple(list_bones(entity, build.graph))
    paths = [entity.path if name == "." else f"{entity.path}/{name}" for name in names]
    if flesh.hangs_on:
        return np.array(flesh.hangs_on, np.int64), paths
    distances = np.stack([find_distances_to_bone(build, entity, path, mesh.vertices) for path in paths])
    return np.argmin(distances, axis=0).astype(np.int64), paths


def _rest(build: Build, entity: Entity, mesh: TriangleMesh, bones: list[str]) -> FloatArray:
    """Every vertex in the frame of its bone; a follower's is the same in the neutral pose."""
    here, rest = build.pose(entity.path), np.zeros_like(mesh.vertices)
    for path in set(bones):
        position, turn = relative_pose(build.pose(path), here)
        mine = [i for i, bone in enumerate(bones) if bone == path]
        rest[mine] = position + rotate(turn, mesh.vertices[mine])
    return rest


def _materials(flesh: Flesh, mesh: TriangleMesh, first: int) -> dict[str, Any]:
    """Masses, springs and neighbours of the vertices of one flesh."""
    count, areas = len(mesh.vertices), vertex_areas(mesh)
    held = np.full(count, VERTEX_PART * flesh.stiffness)
    if flesh.tissue is not None:
        held = flesh.tissue.modulus * pressing_areas(mesh) / flesh.tissue.thickness
    whole = held / VERTEX_PART
    if flesh.vertex_stiffness is not None:
        held = np.full(count, flesh.vertex_stiffness)
    damping = DAMPING_PART * whole if flesh.damping is None else np.full(count, flesh.damping)
    both = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
    pairs = np.unique(np.sort(both, axis=1), axis=0)
    ends = np.concatenate([pairs, pairs[:, ::-1]])
    ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
    edge = EDGE_PART * (whole[ends[:, 0]] + whole[ends[:, 1]]) / 2.0
    if flesh.edge_stiffness is not None:
        edge = np.full(len(ends), flesh.edge_stiffness)
    return {
        "mass": flesh.mass * areas / areas.sum(), "vertex_stiffness": held, "damping": damping,
        "degree": np.bincount(ends[:, 0], minlength=count), "neighbour": ends[:, 1] + first,
        "edge_stiffness": edge, "state": np.full(count, STATES[flesh.state]),
        "rings": np.full(count, flesh.rings),
    }  # fmt: skip
