"""glTF 2.0: bones as an armature, what hangs on them as skins, other rigid things as nodes that move, and what bends
besides as morph targets, one for each frame.

Numbers go to a file of their own while the frames are read, so that the memory needed is that of one frame and
of all poses. glTF is y up, right-handed and in metres, as supple is.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

import supple
from supple.core.drawing import Carried
from supple.core.rotation_rows import invert_rows, rotate_rows
from supple.errors import Problem, UserError
from supple.run.atomic import refuse_unwritable, replacing
from supple.run.stage import Thing
from supple.run.tessellate import smooth_normals
from supple_export.armature import Armature, SkinnedMesh, find_armatures, hang, strays
from supple_export.selection import Progress, Selection, require_things

Floats = NDArray[np.float64]
_FLOAT, _UNSIGNED, _SHORT = 5126, 5125, 5123
_VERTICES, _INDICES = 34962, 34963
_JSON_CHUNK, _BINARY_CHUNK = 0x4E4F534A, 0x004E4942
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_LIMIT = 2**32 - 2**16
SUFFIXES = (".glb", ".gltf")


def write_gltf(selection: Selection, path: Path, progress: Progress) -> list[dict[str, Any]]:
    """Write a .glb, or a .gltf with its .bin beside it; returns a row for each thing."""
    require_things(selection)
    if path.suffix.lower() == ".glb":
        # The header of a .glb says how long it is, so the numbers are written first.
        numbers = path.with_name(f".{path.name}.{os.getpid()}.bin")
        try:
            with numbers.open("wb+") as file:
                document, rows = _make_document(selection, file, progress)
                _write_glb(path, document, file)
        except OSError as error:
            raise refuse_unwritable(path, error) from error
        finally:
            numbers.unlink(missing_ok=True)
        return rows
    binary = path.with_suffix(".bin")
    if binary.exists() and not path.exists():
        what = "is there already, and no part of an earlier export"
        raise UserError(Problem(None, str(binary), what, "give another name"))
    with replacing(binary) as file:
        document, rows = _make_document(selection, file, progress)
    document["buffers"][0]["uri"] = quote(binary.name)
    with replacing(path) as file:
        file.write(json.dumps(document, allow_nan=False).encode())
    return rows


class _Writer:
    """Appends arrays to the binary file, and notes where they are."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.size = 0
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: NDArray[Any], *, target: int | None = None, limits: bool = False) -> int:
        """The number of the accessor of values [n] or [n, k], in float32 or uint32."""
        kind, dtype = (_UNSIGNED, "<u4") if values.dtype.kind in "iu" else (_FLOAT, "<f4")
        if values.dtype == np.uint16:
            kind, dtype = _SHORT, "<u2"
        stored = np.ascontiguousarray(values, dtype)
        raw = stored.tobytes()
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self.size, "byteLength": len(raw)}
        if target is not None:
            view["target"] = target
        columns = stored.reshape(len(stored), -1)
        accessor: dict[str, Any] = {
            "bufferView": len(self.views), "componentType": kind, "count": len(stored),
            "type": _TYPES[columns.shape[1]],
        }  # fmt: skip
        if limits:
            accessor["min"], accessor["max"] = columns.min(axis=0).tolist(), columns.max(axis=0).tolist()
        self.file.write(raw)
        self.size += len(raw)
        self.views.append(view)
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def _make_document(
    selection: Selection, file: IO[bytes], progress: Progress
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The JSON part of the file, while the numbers are written; and a row for each thing."""
    writer = _Writer(file)
    things = [thing for thing in selection.things if len(thing.triangles)]
    materials = _Materials()
    armatures = find_armatures(selection)
    skinned = {
        number: mesh for number, thing in enumerate(things) if (mesh := hang(thing, selection, armatures))
    }
    meshes = [
        _make_mesh(writer, thing, materials, selection.frames[0], skinned.get(number))
        for number, thing in enumerate(things)
    ]
    poses = _write_frames(writer, selection, things, meshes, skinned, progress)
    times = selection.stage.times[list(selection.frames)]
    channels = _Channels(writer, np.asarray(times - times[0]))
    nodes: list[dict[str, Any]] = []
    for number, thing in enumerate(things):
        moved = thing.is_rigid and isinstance(thing.drawing.place, Carried) and len(times) > 1
        node: dict[str, Any] = {"name": thing.drawing.name, "mesh": number, **_say_pose(poses[number, 0])}
        node["extras"] = {"path": thing.drawing.path, "layer": thing.drawing.layer}
        nodes.append(node)
        if any(each.carries(thing.drawing) >= 0 for each in armatures):
            continue
        if moved:
            channels.add_pose(number, poses[number])
        elif not thing.is_rigid and len(times) > 1 and "targets" in meshes[number]["primitives"][0]:
            channels.add_weights(number, all_frames=number in skinned)
    roots, skins = add_armatures(writer, armatures, things, skinned, nodes, channels)
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": f"supple {supple.__version__}", "extras": _origin(selection)},
        "scene": 0, "scenes": [{"name": selection.recording.header.scene, "nodes": roots}],
        "nodes": nodes, "meshes": meshes, "materials": materials.made, "accessors": writer.accessors,
        "bufferViews": writer.views, "buffers": [{"byteLength": writer.size}],
    }  # fmt: skip
    if skins:
        document["skins"] = skins
    if channels.made:
        document["animations"] = [{"name": "run", "channels": channels.made, "samplers": channels.samplers}]
    rows = [
        {
            "name": one.drawing.name,
            "path": one.drawing.path,
            "as": _say_how(number, one, meshes, skinned),
        }
        for number, one in enumerate(things)
    ]
    return document, rows


def _say_how(number: int, thing: Thing, meshes: list[dict[str, Any]], skinned: dict[int, SkinnedMesh]) -> str:
    if thing.is_rigid:
        return "node"
    if number not in skinned:
        return "morph targets"
    return "skin and morph targets" if "targets" in meshes[number]["primitives"][0] else "skin"


def add_armatures(
    writer: _Writer, armatures: list[Armature], things: list[Thing], skinned: dict[int, SkinnedMesh],
    nodes: list[dict[str, Any]], channels: _Channels,
) -> tuple[list[int], list[dict[str, Any]]]:  # fmt: skip
    """A node for every bone in its tree, what bones carry below them, and skins. Returns the roots, and the skins."""
    below: set[int] = set()
    skins: list[dict[str, Any]] = []
    for armature in armatures:
        first = len(nodes)
        for bone, (name, path) in enumerate(zip(armature.names, armature.paths, strict=True)):
            local = armature.local(bone, armature.poses)
            nodes.append({"name": name, **_say_pose(local[0]), "extras": {"path": path, "layer": "bones"}})
            if len(local) > 1:
                channels.add_pose(first + bone, local)
            if armature.parent[bone] >= 0:
                nodes[first + armature.parent[bone]].setdefault("children", []).append(first + bone)
                below.add(first + bone)
        for number, thing in enumerate(things):
            bone = armature.carries(thing.drawing)
            place = thing.drawing.place
            if bone >= 0 and isinstance(place, Carried):
                nodes[number] |= _say_pose(np.array([*place.offset, *place.turn]))
                nodes[first + bone].setdefault("children", []).append(number)
                below.add(number)
        for number, mesh in skinned.items():
            if mesh.armature is armature:
                nodes[number] = {key: nodes[number][key] for key in ("name", "mesh", "extras")} | {
                    "skin": len(skins)
                }
                skins.append(_make_skin(writer, armature, first, things[number].drawing.name))
    return [number for number in range(len(nodes)) if number not in below], skins


def _make_skin(writer: _Writer, armature: Armature, first: int, name: str) -> dict[str, Any]:
    """All bones, with the matrices that lead from the bound mesh into their frames, column by column."""
    matrices = np.zeros((len(armature.rows), 4, 4))
    back = invert_rows(armature.bind[:, 3:])
    matrices[:, :3, :3] = np.stack([rotate_rows(back, axis) for axis in np.eye(3)], axis=-1)
    matrices[:, :3, 3] = -rotate_rows(back, armature.bind[:, :3])
    matrices[:, 3, 3] = 1.0
    columns = matrices.transpose(0, 2, 1).reshape(-1, 16)
    joints = list(range(first, first + len(armature.rows)))
    return {"name": name, "joints": joints, "inverseBindMatrices": writer.add(columns)}


def _origin(selection: Selection) -> dict[str, Any]:
    header = selection.recording.header
    return {"scene": header.scene, "variant": header.variant, "seed": header.seed}


def _make_mesh(
    writer: _Writer, thing: Thing, materials: _Materials, frame: int, skinned: SkinnedMesh | None
) -> dict[str, Any]:
    """The triangles; vertices are those of the thing's own frame, or of the first exported frame if it bends.

    Vertices that hang on bones are as bound.
    """
    vertices = thing.rest if thing.is_rigid else thing.vertices(frame)
    if skinned is not None:
        vertices = skinned.bound
    attributes = {"POSITION": writer.add(vertices, target=_VERTICES, limits=True)}
    if not thing.flat:
        normals = smooth_normals(vertices, thing.triangles)
        attributes["NORMAL"] = writer.add(_make_unit(normals), target=_VERTICES)
    if skinned is not None:
        spare = ((0, 0), (0, 4 - skinned.bone.shape[1]))
        attributes["JOINTS_0"] = writer.add(np.pad(skinned.bone, spare).astype(np.uint16), target=_VERTICES)
        attributes["WEIGHTS_0"] = writer.add(np.pad(skinned.weight, spare), target=_VERTICES)
    indices = writer.add(thing.triangles.reshape(-1), target=_INDICES)
    primitive = {"attributes": attributes, "indices": indices, "material": materials.find(thing.colour)}
    return {"name": thing.drawing.name, "primitives": [primitive]}


def _make_unit(normals: Floats) -> Floats:
    """Every reader wants unit normals, also at a vertex whose triangles have no area."""
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return np.where(length > 1e-12, normals / np.maximum(length, 1e-12), [0.0, 1.0, 0.0])


def _write_frames(
    writer: _Writer,
    selection: Selection,
    things: list[Thing],
    meshes: list[dict[str, Any]],
    skinned: dict[int, SkinnedMesh],
    progress: Progress,
) -> Floats:
    """Write the morph targets of all later frames; returns the poses of rigid things [things, frames, 7]."""
    poses = np.zeros((len(things), len(selection.frames), 7))
    poses[:, :, 3] = 1.0
    bending = [number for number, thing in enumerate(things) if not thing.is_rigid and number not in skinned]
    straying = {number for number, mesh in skinned.items() if strays(mesh, things[number], selection)}
    bases = {number: _read_shape(things[number], selection.frames[0]) for number in bending}
    for index, frame in enumerate(selection.frames):
        for number, thing in enumerate(things):
            if thing.is_rigid:
                poses[number, index] = np.concatenate(thing.pose(frame))
            elif number in skinned:
                if number in straying:
                    shift = skinned[number].correct(index, thing.vertices(frame))
                    target = {"POSITION": writer.add(shift, target=_VERTICES, limits=True)}
                    meshes[number]["primitives"][0].setdefault("targets", []).append(target)
            elif index > 0:
                primitive = meshes[number]["primitives"][0]
                primitive.setdefault("targets", []).append(_make_target(writer, thing, frame, bases[number]))
        progress(index + 1)
    return poses


def _read_shape(thing: Thing, frame: int) -> tuple[Floats, Floats | None]:
    """Vertices and, unless edges are sharp, normals, as they were rounded when written."""
    vertices = thing.vertices(frame)
    normals = None if thing.flat else _make_unit(smooth_normals(vertices, thing.triangles))
    rounded = vertices.astype(np.float32).astype(float)
    return rounded, None if normals is None else normals.astype(np.float32).astype(float)


def _make_target(
    writer: _Writer, thing: Thing, frame: int, base: tuple[Floats, Floats | None]
) -> dict[str, int]:
    vertices, normals = _read_shape(thing, frame)
    target = {"POSITION": writer.add(vertices - base[0], target=_VERTICES, limits=True)}
    if normals is not None and base[1] is not None:
        target["NORMAL"] = writer.add(normals - base[1], target=_VERTICES)
    return target


class _Materials:
    """One material for each colour."""

    def __init__(self) -> None:
        self.made: list[dict[str, Any]] = []
        self._known: dict[tuple[float, ...], int] = {}

    def find(self, colour: tuple[float, ...]) -> int:
        """The number of the material of an sRGB colour."""
        if colour not in self._known:
            self._known[colour] = len(self.made)
            factor = [*(_to_linear(part) for part in colour), 1.0]
            surface = {"baseColorFactor": factor, "metallicFactor": 0.0, "roughnessFactor": 0.75}
            name = "#" + "".join(f"{round(255 * part):02x}" for part in colour)
            self.made.append({"name": name, "pbrMetallicRoughness": surface, "doubleSided": True})
        return self._known[colour]


def _to_linear(part: float) -> float:
    """sRGB to linear light, IEC 61966-2-1."""
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _say_pose(pose: Floats) -> dict[str, Any]:
    w, x, y, z = pose[3:].tolist()
    return {"translation": pose[:3].tolist(), "rotation": [x, y, z, w]}


class _Channels:
    """The animation: translations, rotations and weights over common times."""

    def __init__(self, writer: _Writer, times: Floats) -> None:
        self.made: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self._writer, self._times = writer, times
        self._input: int | None = None
        self._weights: dict[bool, int] = {}

    def add_pose(self, node: int, poses: Floats) -> None:
        """Move a node by poses [frames, 7]."""
        self._add(node, "translation", self._writer.add(poses[:, :3]))
        w, x, y, z = make_continuous(poses[:, 3:]).T
        self._add(node, "rotation", self._writer.add(np.column_stack([x, y, z, w])))

    def add_weights(self, node: int, all_frames: bool) -> None:
        """Show the morph target of every frame when its time comes; the first has one only with `all_frames`."""
        if all_frames not in self._weights:
            shown = np.eye(len(self._times))
            self._weights[all_frames] = self._writer.add((shown if all_frames else shown[:, 1:]).reshape(-1))
        self._add(node, "weights", self._weights[all_frames])

    def _add(self, node: int, path: str, output: int) -> None:
        if self._input is None:
            self._input = self._writer.add(self._times, limits=True)
        self.made.append({"sampler": len(self.samplers), "target": {"node": node, "path": path}})
        self.samplers.append({"input": self._input, "output": output, "interpolation": "LINEAR"})


def make_continuous(rotations: Floats) -> Floats:
    """The same rotations (w, x, y, z) as unit quaternions that never jump to the opposite sign."""
    unit = rotations / np.linalg.norm(rotations, axis=1, keepdims=True)
    flips = np.einsum("ij,ij->i", unit[1:], unit[:-1]) < 0
    signs = np.concatenate([[1.0], np.where(np.cumsum(flips) % 2, -1.0, 1.0)])
    return np.asarray(unit * signs[:, None])


def _write_glb(path: Path, document: dict[str, Any], numbers: IO[bytes]) -> None:
    text = json.dumps(document, allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    size = document["buffers"][0]["byteLength"]
    total = 12 + 8 + len(text) + 8 + size
    if total > _LIMIT:
        what = f"would have {total / 2**30:.1f} GiB; a .glb has at most 4"
        raise UserError(
            Problem(None, str(path), what, "choose fewer frames by --fps, fewer things by --only, or .gltf")
        )
    numbers.seek(0)
    with replacing(path) as file:
        file.write(struct.pack("<4sII", b"glTF", 2, total))
        file.write(struct.pack("<II", len(text), _JSON_CHUNK) + text)
        file.write(struct.pack("<II", size, _BINARY_CHUNK))
        shutil.copyfileobj(numbers, file, 1 << 20)
