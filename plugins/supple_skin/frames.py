"""Skins with seams: every vertex hangs on one frame, a bone or a follower of the joint that it lies over."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import rotate
from supple.core.schedule import Bound
from supple.errors import suggest
from supple_bones.compile import list_bones
from supple_bones.forest import Follower
from supple_bones.seams import hang_on_seams
from supple_collide.mesh_shape import load_mesh
from supple_skin.weights import find_segments, find_weights


class SkinFrames:
    """The frame of every vertex of all skins with seams, by the path of the skin."""

    name, reads = "skin", ()

    def __init__(self, frames: dict[str, list[Follower]]) -> None:
        self.frames = frames

    def bind(self, arrays: Bound) -> None:
        """Nothing to look up."""

    def followers(self) -> list[Follower]:
        """Frames over joints."""
        return sorted({frame for frames in self.frames.values() for frame in frames if frame.share != 1.0})


def compile_frames(build: Build) -> None:
    """Say which followers the skins want, before the ghosts are compiled."""
    frames = {}
    for entity in build.having("skin"):
        skin = entity.components["skin"]
        if skin.seam > 0.0:
            mesh = load_mesh("skin", skin, entity.path, build.blueprint.files)
            bones = find_bones(build, entity)
            hangs_on = _read_bones(build, entity, mesh.vertices, bones)
            frames[entity.path] = hang_on_seams(build, entity, mesh, hangs_on, bones, skin.seam)
    build.add_member("bone_riders", SkinFrames(frames))


def find_bones(build: Build, entity: Entity) -> list[str]:
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


def _read_bones(build: Build, entity: Entity, vertices: FloatArray, bones: list[str]) -> IntArray:
    """For every vertex the place of its bone: as given, or the one that weighs most."""
    given, where = entity.components["skin"].hangs_on, f"{entity.path}.skin.hangs_on"
    if not given:
        position, turn = build.pose(entity.path)
        weights = compute_weights(build, entity.path, bones, position + rotate(turn, vertices))
        nearest: IntArray = np.argmax(weights, axis=1).astype(np.int64)
        return nearest
    if len(given) != len(vertices):
        what = f"has {len(given)} numbers, but the mesh has {len(vertices)} vertices"
        raise build.refuse(where, what, "give one number for every vertex")
    if not 0 <= min(given) <= max(given) < len(bones):
        wrong = min(given) if min(given) < 0 else max(given)
        what = f"has the number {wrong}, but there are {len(bones)} bones"
        raise build.refuse(where, what, f"use 0 to {len(bones) - 1}")
    return np.array(given, np.int64)


def compute_weights(build: Build, ghost: str, bones: list[str], vertices: FloatArray) -> FloatArray:
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
