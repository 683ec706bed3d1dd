"""Reading the triangles of a .glb, a binary glTF 2.0. Units there are metres, and y is up, as here."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.pose import rotate
from supple.errors import Problem, UserError, Where
from supple_collide.mesh_files import Triangles

HEADER, CHUNK = struct.Struct("<4sII"), struct.Struct("<II")
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
NUMBERS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
PARTS = {"SCALAR": 1, "VEC3": 3}
TRIANGLES, STRIP, FAN = 4, 5, 6


class _BadFileError(Exception):
    """What is wrong with the file, and the remedy."""

    def __init__(self, what: str, remedy: str = "save it again as binary glTF 2.0") -> None:
        super().__init__(what, remedy)


def read_glb(file: Path, path: str) -> Triangles:
    """All triangles of the file's scene, where its nodes place them; `path` is the component to blame."""
    try:
        document, numbers = _read_chunks(file.read_bytes())
        vertices, triangles = _collect(document, numbers)
        if len(triangles) == 0:
            raise _BadFileError("has no triangles", "save the surface, not lines or points")
        if not np.isfinite(vertices).all():
            raise _BadFileError("a coordinate is not finite")
    except _BadFileError as error:
        what, remedy = error.args
        raise UserError(Problem(Where(str(file)), path, what, remedy)) from None
    # Whatever a document lacks or has of the wrong kind.
    except (
        KeyError,
        IndexError,
        TypeError,
        ValueError,
        AttributeError,
        struct.error,
        RecursionError,
    ) as error:
        what = f"is no sound .glb: {type(error).__name__} {error}"
        raise UserError(Problem(Where(str(file)), path, what, "save it again as binary glTF 2.0")) from None
    return Triangles(str(file), vertices, triangles, tuple(range(len(triangles))), "triangle")


def _read_chunks(content: bytes) -> tuple[dict[str, Any], bytes]:
    if len(content) < HEADER.size or content[:4] != b"glTF":
        raise _BadFileError("is no binary glTF")
    _, version, length = HEADER.unpack_from(content)
    if version != 2:
        raise _BadFileError(f"is glTF of version {version}")
    if length > len(content):
        raise _BadFileError("is cut off")
    document, numbers, at = None, b"", HEADER.size
    while at + CHUNK.size <= length:
        size, kind = CHUNK.unpack_from(content, at)
        body = content[at + CHUNK.size : at + CHUNK.size + size]
        if len(body) < size:
            raise _BadFileError("is cut off")
        if kind == JSON_CHUNK:
            document = json.loads(body.decode("utf-8"))
        elif kind == BINARY_CHUNK:
            numbers = body
        at += CHUNK.size + size
    if not isinstance(document, dict):
        raise _BadFileError("has no description of its content")
    return document, numbers


def _collect(document: dict[str, Any], numbers: bytes) -> tuple[FloatArray, IntArray]:
    """Vertices [n, 3] and triangles [t, 3] of all meshes that the scene shows."""
    vertices: list[FloatArray] = [np.zeros((0, 3))]
    triangles: list[IntArray] = [np.zeros((0, 3), np.int64)]
    count = 0
    nodes = document.get("nodes", [])
    scenes = document.get("scenes")
    roots = scenes[document.get("scene", 0)].get("nodes", []) if scenes else range(len(nodes))
    waiting = [(int(root), np.eye(4)) for root in roots]
    seen: set[int] = set()
    while waiting:
        index, above = waiting.pop()
        if index in seen:
            raise _BadFileError(f"node {index} stands in two places")
        seen.add(index)
        node = nodes[index]
        here = above @ _find_matrix(node)
        waiting.extend((int(child), here) for child in node.get("children", []))
        if "mesh" not in node:
            continue
        for primitive in document["meshes"][node["mesh"]]["primitives"]:
            corners, faces = _read_primitive(document, numbers, primitive)
            if np.linalg.det(here[:3, :3]) < 0:  # mirrored
                faces = faces[:, ::-1]
            vertices.append(corners @ here[:3, :3].T + here[:3, 3])
            triangles.append(faces + count)
            count += len(corners)
    return np.ascontiguousarray(np.concatenate(vertices)), np.ascontiguousarray(np.concatenate(triangles))


def _find_matrix(node: dict[str, Any]) -> FloatArray:
    if "matrix" in node:
        return np.array(node["matrix"], float).reshape(4, 4).T
    x, y, z, w = (float(each) for each in node.get("rotation", (0.0, 0.0, 0.0, 1.0)))
    matrix = np.eye(4)
    turned = rotate(np.array([w, x, y, z]), np.eye(3)).T
    matrix[:3, :3] = turned * np.array(node.get("scale", (1.0, 1.0, 1.0)), float)
    matrix[:3, 3] = node.get("translation", (0.0, 0.0, 0.0))
    return matrix


def _read_primitive(
    document: dict[str, Any], numbers: bytes, primitive: dict[str, Any]
) -> tuple[FloatArray, IntArray]:
    if "KHR_draco_mesh_compression" in primitive.get("extensions", {}):
        raise _BadFileError("its triangles are compressed (Draco)", "save it without compression")
    corners = _read_accessor(document, numbers, primitive["attributes"]["POSITION"]).astype(float)
    if "indices" in primitive:
        order = _read_accessor(document, numbers, primitive["indices"]).reshape(-1).astype(np.int64)
    else:
        order = np.arange(len(corners), dtype=np.int64)
    mode = primitive.get("mode", TRIANGLES)
    if mode == TRIANGLES:
        faces = order[: len(order) // 3 * 3].reshape(-1, 3)
    elif mode == STRIP:
        faces = np.stack([order[:-2], order[1:-1], order[2:]], axis=1)
        faces[1::2] = faces[1::2, ::-1]
    elif mode == FAN:
        faces = np.stack([np.full(len(order) - 2, order[0]), order[1:-1], order[2:]], axis=1)
    else:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)  # points and lines
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(corners):
        raise _BadFileError(f"a triangle has corner {faces.max()}, but there are {len(corners)}")
    return corners, faces


def _read_accessor(document: dict[str, Any], numbers: bytes, index: int) -> Any:
    """The numbers of an accessor [count, parts]."""
    accessor = document["accessors"][index]
    if "sparse" in accessor or "bufferView" not in accessor:
        raise _BadFileError("has sparse accessors", "save it with plain ones")
    view = document["bufferViews"][accessor["bufferView"]]
    if view.get("buffer", 0) != 0 or "uri" in document["buffers"][0]:
        raise _BadFileError("keeps its numbers in another file", "save it as one .glb")
    kind, parts = np.dtype(NUMBERS[accessor["componentType"]]), PARTS[accessor["type"]]
    if parts == 3 and kind.kind != "f":
        raise _BadFileError("has quantised coordinates", "save it without KHR_mesh_quantization")
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    stride, count = view.get("byteStride", 0) or kind.itemsize * parts, int(accessor["count"])
    if stride < kind.itemsize * parts:
        raise _BadFileError("has numbers that overlap")
    if (
        count < 0
        or start < 0
        or start + stride * max(count - 1, 0) + kind.itemsize * parts * (count > 0) > len(numbers)
    ):
        raise _BadFileError("is cut off")
    shape, strides = (count, parts), (stride, kind.itemsize)
    return np.ndarray(shape, kind, numbers, start, strides) if count else np.zeros(shape, kind)
