"""Reading glTF 2.0 files: nodes, accessors, skins and animations as arrays. Every complaint is one line."""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.rotation_rows import multiply_rows, rotate_rows
from supple.errors import Problem, UserError, Where

SUFFIXES = (".glb", ".gltf")
_DTYPES = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942
#: Zeros that an accessor without numbers may stand for.
_LARGEST = 1 << 20
#: Greater than any number in a pose of a node.
_GREATEST = 1e30
#: Extensions without which a file can still be understood: what only looks.
_LOOKS = (
    "KHR_materials",
    "KHR_texture",
    "KHR_lights",
    "EXT_texture",
    "KHR_mesh_quantization",
    "KHR_animation_pointer",
)


class GltfFile:
    """A glTF file: `nodes`, `skins`, `meshes` and `animations` as its JSON says, and its numbers.

    `parent` [nodes] is the node above each, -1 for a root. `path` is that of the field that names the file.
    """

    def __init__(self, file: Path, path: str) -> None:
        self.source, self.path = file, path
        try:
            self._read(file)
        except (
            ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, struct.error, OSError,
        ) as error:  # fmt: skip
            raise self.refuse(f"is no glTF: {_say(error)}") from None

    def refuse(self, what: str, remedy: str = "export it again as glTF 2.0") -> UserError:
        """The error about this file."""
        return UserError(Problem(Where(str(self.source)), self.path, what, remedy))

    def _read(self, file: Path) -> None:
        content = file.read_bytes()
        binary = b""
        if content[:4] == b"glTF":
            content, binary = _split(content)
        document = json.loads(content.decode("utf-8"))
        if str(document["asset"]["version"]) != "2.0":
            raise ValueError(f"version {document['asset']['version']}")
        needed = [name for name in document.get("extensionsRequired", []) if not name.startswith(_LOOKS)]
        if needed:
            raise ValueError(f"it needs the extension {needed[0]}")
        self.document: dict[str, Any] = document
        self.nodes: list[dict[str, Any]] = document.get("nodes", [])
        self.skins: list[dict[str, Any]] = document.get("skins", [])
        self.meshes: list[dict[str, Any]] = document.get("meshes", [])
        self.animations: list[dict[str, Any]] = document.get("animations", [])
        self._buffers = [self._load(each, binary) for each in document.get("buffers", [])]
        self.parent: IntArray = np.full(len(self.nodes), -1, np.int64)
        for number, node in enumerate(self.nodes):
            for child in node.get("children", ()):
                if not 0 <= child < len(self.nodes):
                    raise ValueError(f"there is no node {child}")
                if self.parent[child] >= 0 or child == number:
                    raise ValueError(f"node {child} has two parents")
                self.parent[child] = number
        self._refuse_rings()

    def _refuse_rings(self) -> None:
        # Each node is gone through once: of a chain of many, a walk to the root from every one would never end.
        walk = np.full(len(self.nodes), -1, np.int64)
        for number in range(len(self.nodes)):
            above = number
            while above >= 0 and walk[above] < 0:
                walk[above] = number
                above = int(self.parent[above])
            if above >= 0 and walk[above] == number:
                raise ValueError("nodes hang on each other in a ring")

    def _load(self, buffer: dict[str, Any], binary: bytes) -> bytes:
        uri = buffer.get("uri")
        if uri is None:
            return binary
        if not uri.startswith("data:"):
            raise ValueError(f"its numbers lie in the file '{uri}'; save it as .glb")
        try:
            return base64.b64decode(uri.partition(",")[2], validate=True)
        except binascii.Error:
            raise ValueError("its numbers are no base64") from None

    def numbers(self, accessor: int) -> FloatArray:
        """The numbers [n, width] of an accessor, as floats; normalised integers become 0 to 1."""
        said = self.document["accessors"][accessor]
        width, dtype, count = (
            _WIDTHS[said["type"]],
            np.dtype(_DTYPES[said["componentType"]]),
            int(said["count"]),
        )
        if "sparse" in said:
            raise ValueError("it has sparse accessors")
        if "bufferView" not in said:
            if not 0 < count <= _LARGEST:
                raise ValueError(f"accessor {accessor} announces {count} numbers and has none")
            return np.zeros((count, width))
        view = self.document["bufferViews"][said["bufferView"]]
        raw = self._buffers[view["buffer"]]
        first = int(view.get("byteOffset", 0)) + int(said.get("byteOffset", 0))
        stride = int(view.get("byteStride", 0)) or width * dtype.itemsize
        last = first + stride * (count - 1) + width * dtype.itemsize
        end = int(view.get("byteOffset", 0)) + int(view["byteLength"])
        # Elements that overlap would make much of few bytes.
        if count < 1 or first < 0 or last > min(end, len(raw)) or stride < width * dtype.itemsize:
            raise ValueError(f"accessor {accessor} reaches beyond its numbers")
        stored = np.ndarray((count, width), dtype, raw, first, (stride, dtype.itemsize))
        with np.errstate(invalid="ignore"):  # numbers that are none are refused below
            values: FloatArray = stored.astype(np.float64)
        if said.get("normalized"):
            values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        if not np.isfinite(values).all():
            raise ValueError(f"accessor {accessor} has a number that is not finite")
        return values

    def rest(self, node: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Translation, rotation (w, x, y, z) and scale of a node as the file has it."""
        if "matrix" in self.nodes[node]:
            return split_matrix(self._row(node, "matrix", ()).reshape(4, 4).T)
        x, y, z, w = self._row(node, "rotation", (0.0, 0.0, 0.0, 1.0))
        turn = np.array([w, x, y, z])
        length = float(np.linalg.norm(turn))
        if length == 0.0:
            raise ValueError(f"the rotation of node {node} is zero")
        place, scale = self._row(node, "translation", (0.0,) * 3), self._row(node, "scale", (1.0,) * 3)
        return place, turn / length, scale

    def _row(self, node: int, key: str, otherwise: tuple[float, ...]) -> FloatArray:
        """What a node says by so many numbers, none of them so great that its square is none."""
        row: FloatArray = np.array(self.nodes[node].get(key, otherwise), float)
        if row.shape != (len(otherwise) or 16,) or not (np.abs(row) < _GREATEST).all():
            raise ValueError(f"the {key} of node {node} cannot be meant")
        return row

    @property
    def joints(self) -> list[int]:
        """The nodes that the first skin names as its joints."""
        joints: list[int] = self.skins[0]["joints"]
        for joint in joints:
            if type(joint) is not int or not 0 <= joint < len(self.nodes):
                raise ValueError(f"its skin names the joint {joint!r}, which is no node")
        if len(set(joints)) < len(joints):
            raise ValueError("its skin names the joint of one node twice")
        return joints

    def name(self, node: int) -> str:
        """The name of a node, or its number."""
        return str(self.nodes[node].get("name") or f"node{node}")


def _split(content: bytes) -> tuple[bytes, bytes]:
    """The JSON and the binary chunk of a .glb."""
    text, binary, at = b"", b"", 12
    while at + 8 <= len(content):
        size, kind = struct.unpack_from("<II", content, at)
        chunk = content[at + 8 : at + 8 + size]
        if kind == _JSON_CHUNK and not text:
            text = chunk
        elif kind == _BINARY_CHUNK and not binary:
            binary = chunk
        at += 8 + size
    return text, binary


def split_matrix(matrix: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Translation, rotation and scale of a matrix [4, 4]; raises ValueError if it is anything else."""
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if scale.min() <= 0.0 or not np.isfinite(matrix).all():
        raise ValueError("a matrix is singular")
    turn = matrix[:3, :3] / scale
    if np.abs(turn.T @ turn - np.eye(3)).max() > 1e-3 or np.linalg.det(turn) < 0:
        raise ValueError("a matrix shears or mirrors")
    return matrix[:3, 3].copy(), matrix_to_turn(turn), scale


def matrix_to_turn(matrix: FloatArray) -> FloatArray:
    """The unit quaternion of a rotation matrix: the eigenvector of Bar-Itzhack's form, sound at any angle."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix
    form = np.array([
        [xx - yy - zz, yx + xy, zx + xz, zy - yz],
        [yx + xy, yy - xx - zz, zy + yz, xz - zx],
        [zx + xz, zy + yz, zz - xx - yy, yx - xy],
        [zy - yz, xz - zx, yx - xy, xx + yy + zz],
    ])  # fmt: skip
    x, y, z, w = np.linalg.eigh(form)[1][:, -1]
    return np.array([w, x, y, z]) if w >= 0 else -np.array([w, x, y, z])


def sample(times: FloatArray, values: FloatArray, at: FloatArray, how: str) -> FloatArray:
    """Values [k, 3 or 4] of an animation's channel at the times `at`; quaternions are w, x, y, z."""
    place = np.clip(np.searchsorted(times, at, side="right") - 1, 0, max(len(times) - 2, 0))
    if len(times) == 1:
        return np.repeat(values[-1:] if how != "CUBICSPLINE" else values[1:2], len(at), axis=0)
    span = times[place + 1] - times[place]
    share = np.clip((at - times[place]) / np.where(span > 0, span, 1.0), 0.0, 1.0)[:, None]
    if how == "CUBICSPLINE":
        knots = values.reshape(len(times), 3, -1)
        before, after, step = knots[place], knots[place + 1], span[:, None]
        square, cube = share**2, share**3
        found = (
            (2 * cube - 3 * square + 1) * before[:, 1] + (cube - 2 * square + share) * step * before[:, 2]
            + (3 * square - 2 * cube) * after[:, 1] + (cube - square) * step * after[:, 0]
        )  # fmt: skip
    elif how == "STEP":
        found = np.where(share < 1.0, values[place], values[place + 1])
    elif values.shape[1] == 4:
        found = _slerp(values[place], values[place + 1], share)
    else:
        found = (1.0 - share) * values[place] + share * values[place + 1]
    if values.shape[1] == 4:
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        if not (np.isfinite(lengths) & (lengths > 0.0)).all():
            raise ValueError("a rotation of the animation is zero")
        found = found / lengths
    return np.asarray(found)


def _slerp(before: FloatArray, after: FloatArray, share: FloatArray) -> FloatArray:
    cosine = np.einsum("ij,ij->i", before, after)[:, None]
    after, cosine = np.where(cosine < 0, -after, after), np.abs(np.clip(cosine, -1.0, 1.0))
    angle = np.arccos(cosine)
    sine = np.where(angle > 1e-6, np.sin(angle), 1.0)
    first = np.where(angle > 1e-6, np.sin((1 - share) * angle) / sine, 1 - share)
    second = np.where(angle > 1e-6, np.sin(share * angle) / sine, share)
    return np.asarray(first * before + second * after)


def compose(
    outer: tuple[FloatArray, FloatArray], inner: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Positions and rotations [k, ...] of what is at `inner` in the frames `outer`."""
    return outer[0] + rotate_rows(outer[1], inner[0]), multiply_rows(outer[1], inner[1])


def _say(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it lacks {error.args[0]!r}"
    return " ".join(str(error).split()) or type(error).__name__


def find_animation(gltf: GltfFile, name: str) -> dict[str, Any]:
    """The animation of this name, or the first one."""
    from supple.errors import suggest

    names: Sequence[str] = [str(each.get("name", "")) for each in gltf.animations]
    if not names:
        raise gltf.refuse("has no animation", "export it with one, or give keys")
    if name and name not in names:
        raise gltf.refuse(f"has no animation '{name}'", suggest(name, names, "it has"))
    return gltf.animations[names.index(name) if name else 0]
