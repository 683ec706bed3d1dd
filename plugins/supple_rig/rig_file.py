"""The rig in a glTF file: joints in their tree as they were bound, the mesh, and which joint carries how much of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.rotation_rows import invert_rows, multiply_rows, rotate_rows
from supple_motion.gltf_file import GltfFile
from supple_motion.sampled import bind_poses, inverse_bind, place_of_bind

#: Joints that carry one vertex, at most; the rest is spread over these.
INFLUENCES = 4


@dataclass(frozen=True)
class RigFile:
    """Joints, parents before children, and the mesh; lengths in the unit of the file, in the world of the file.

    parent [joints]; position [joints, 3] and rotation [joints, 4] in the world, as bound
    vertices [nv, 3], triangles [nt, 3], weights [nv, joints] that sum to one
    """

    names: tuple[str, ...]
    parent: IntArray
    position: FloatArray
    rotation: FloatArray
    vertices: FloatArray
    triangles: IntArray
    weights: FloatArray
    animations: tuple[str, ...]

    def local(self, joint: int) -> tuple[FloatArray, FloatArray]:
        """Pose of a joint in its parent, or in the world."""
        above = int(self.parent[joint])
        if above < 0:
            return self.position[joint], self.rotation[joint]
        back = invert_rows(self.rotation[above])
        return rotate_rows(back, self.position[joint] - self.position[above]), multiply_rows(
            back, self.rotation[joint]
        )


def read_rig(file: Path, path: str) -> RigFile:
    """The rig of a file; `path` is that of the field that names it. Raises UserError."""
    stat = file.stat()
    return _read(file, path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _read(file: Path, path: str, _stamp: int, _size: int) -> RigFile:
    gltf = GltfFile(file, path)
    if not gltf.skins:
        raise gltf.refuse("has no skin", "export the mesh together with its armature")
    try:
        return _read_rig(gltf)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, np.linalg.LinAlgError) as error:
        words = f"it lacks {error.args[0]!r}" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise gltf.refuse(f"its skin cannot be read: {words}") from None


def _read_rig(gltf: GltfFile) -> RigFile:
    listed = gltf.joints
    depth = {joint: _depth(gltf, joint) for joint in listed}
    order = sorted(listed, key=lambda joint: (depth[joint], listed.index(joint)))
    number = {joint: place for place, joint in enumerate(order)}
    bound = bind_poses(gltf)
    parent = []
    for joint in order:
        above = int(gltf.parent[joint])
        while above >= 0 and above not in number:
            above = int(gltf.parent[above])
        parent.append(number.get(above, -1))
    vertices, triangles, weights = _read_mesh(gltf, [number[joint] for joint in listed])
    place = place_of_bind(gltf) if inverse_bind(gltf) is not None else np.eye(4)
    vertices = vertices @ place[:3, :3].T + place[:3, 3]
    return RigFile(
        tuple(gltf.name(joint) for joint in order), np.array(parent, np.int64),
        np.stack([bound[joint][0] for joint in order]), np.stack([bound[joint][1] for joint in order]),
        vertices, triangles, weights, tuple(str(each.get("name", "")) for each in gltf.animations),
    )  # fmt: skip


def _depth(gltf: GltfFile, node: int) -> int:
    depth, above = 0, int(gltf.parent[node])
    while above >= 0:
        depth, above = depth + 1, int(gltf.parent[above])
    return depth


def _read_mesh(gltf: GltfFile, places: list[int]) -> tuple[FloatArray, IntArray, FloatArray]:
    """All triangles that the first skin moves; vertices at one place, as at seams of textures, are one."""
    points, triangles, weights, count = [], [], [], 0
    for node in gltf.nodes:
        if node.get("skin") != 0 or "mesh" not in node:
            continue
        for primitive in gltf.meshes[node["mesh"]]["primitives"]:
            if primitive.get("mode", 4) != 4:
                raise ValueError("its mesh has lines, points or strips beside triangles")
            here, shares = _read_primitive(gltf, primitive["attributes"], places)
            corners = (
                gltf.numbers(primitive["indices"]).astype(np.int64).reshape(-1)
                if "indices" in primitive
                else np.arange(len(here))
            )
            if len(corners) % 3 or (len(corners) and corners.max() >= len(here)):
                raise ValueError("its triangles name vertices that are not there")
            points.append(here)
            weights.append(shares)
            triangles.append(corners.reshape(-1, 3) + count)
            count += len(here)
    if not points or not sum(len(each) for each in triangles):
        raise ValueError("no mesh hangs on it")
    return _weld(np.concatenate(points), np.concatenate(triangles), np.concatenate(weights))


def _read_primitive(gltf: GltfFile, said: dict[str, Any], places: list[int]) -> tuple[FloatArray, FloatArray]:
    points = gltf.numbers(said["POSITION"])
    weights = np.zeros((len(points), len(places)))
    for count in range(8):
        if f"JOINTS_{count}" not in said:
            break
        joints = gltf.numbers(said[f"JOINTS_{count}"]).astype(np.int64)
        shares = gltf.numbers(said[f"WEIGHTS_{count}"])
        if joints.max() >= len(places) or len(joints) != len(points) or shares.shape != joints.shape:
            raise ValueError("its weights name joints that are not there")
        for column in range(joints.shape[1]):
            np.add.at(
                weights, (np.arange(len(points)), np.array(places)[joints[:, column]]), shares[:, column]
            )
    if (weights < 0).any() or (weights.sum(axis=1) <= 0).any():
        raise ValueError("a vertex hangs on no joint")
    return points, weights


def _weld(
    points: FloatArray, triangles: IntArray, weights: FloatArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """One vertex for every place; triangles without area and unused vertices are dropped."""
    _, first, joined = np.unique(points + 0.0, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    triangles = rank[joined.reshape(-1)[triangles]]
    kept = first[order]
    sound = (triangles[:, 0] != triangles[:, 1]) & (triangles[:, 1] != triangles[:, 2])
    triangles = triangles[sound & (triangles[:, 2] != triangles[:, 0])]
    used = np.unique(triangles)
    place = np.full(len(kept), -1, np.int64)
    place[used] = np.arange(len(used))
    return points[kept][used], place[triangles], keep_greatest(weights[kept][used])


def keep_greatest(weights: FloatArray) -> FloatArray:
    """The greatest shares of every row, made to sum to one."""
    kept = weights.copy()
    order = np.argsort(-kept, axis=1, kind="stable")
    np.put_along_axis(kept, order[:, INFLUENCES:], 0.0, axis=1)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))
