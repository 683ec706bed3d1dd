"""The bones of a recording as a tree of poses, and the meshes that hang on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.core.drawing import Carried, Drawing
from supple.core.rotation_rows import invert_rows, multiply_rows, rotate_rows
from supple.errors import Problem, UserError
from supple.run.stage import Thing
from supple_export.selection import Selection

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
#: What a mesh may differ from its bones' blending without morph targets [m].
NEAR = 1e-7
_FOLLOWER = " x "


@dataclass(frozen=True)
class Armature:
    """Bones of one owner, parents before children.

    rows: their rows in the owner's arrays; parent [n]: place in this list, -1 for a root
    poses [n, frames, 7] and bind [n, 7]: position and quaternion w, x, y, z in the world
    """

    owner: str
    rows: tuple[int, ...]
    paths: tuple[str, ...]
    parent: tuple[int, ...]
    poses: Floats
    bind: Floats

    def local(self, bone: int, poses: Floats) -> Floats:
        """Poses [..., 7] of a bone against its parent; `poses` are those of all bones in the world [n, ..., 7]."""
        above = self.parent[bone]
        return poses[bone] if above < 0 else against(poses[above], poses[bone])

    def carries(self, drawing: Drawing) -> int:
        """The bone that a drawing is fixed to, as a place in the list; -1 if none of these."""
        place = drawing.place
        if (
            not isinstance(place, Carried)
            or place.position != f"{self.owner}.x"
            or place.row not in self.rows
        ):
            return -1
        return self.rows.index(place.row)

    @property
    def names(self) -> tuple[str, ...]:
        """The last part of every path; a frame between two bones also says how far between."""
        return tuple(path.rpartition("/")[2].replace(_FOLLOWER, "~") for path in self.paths)


def against(outer: Floats, inner: Floats) -> Floats:
    """Poses `inner` as seen from `outer`, both in the world [..., 7]."""
    back = invert_rows(outer[..., 3:])
    place = rotate_rows(back, inner[..., :3] - outer[..., :3])
    return np.concatenate([place, multiply_rows(back, inner[..., 3:])], axis=-1)


def find_armatures(selection: Selection) -> list[Armature]:
    """The trees of bones of all owners, as far as they are asked for."""
    recording = selection.recording
    owners = [name.removesuffix(".bind") for name in recording.model_names if name.endswith(".bind")]
    try:
        return [made for owner in owners if (made := _read(selection, owner)) is not None]
    except (IndexError, ValueError) as error:
        what = f"is damaged: bones of its meshes: {str(error).splitlines()[0]}"
        raise UserError(Problem(None, str(recording.path), what, "record the run again")) from error


def _read(selection: Selection, owner: str) -> Armature | None:
    recording = selection.recording
    labels = recording.labels(f"{owner}.x")
    used = {
        int(row)
        for thing in selection.things
        if thing.drawing.hangs is not None and thing.drawing.hangs.owner == owner
        for row in np.unique(recording.model(thing.drawing.hangs.bone)[thing.rows])
        if row >= 0
    }
    rows = [
        row
        for row, path in enumerate(labels)
        if row in used or (_FOLLOWER not in path and selection.covers(path))
    ]
    if not rows:
        return None
    # Bones come before the frames between them, and parents before children.
    place = {labels[row]: number for number, row in enumerate(rows)}
    parent = tuple(place.get(labels[row].partition(_FOLLOWER)[0].rpartition("/")[0], -1) for row in rows)
    poses = np.zeros((len(rows), len(selection.frames), 7))
    for index, frame in enumerate(selection.frames):
        poses[:, index, :3] = recording.rows(f"{owner}.x", frame)[rows]
        poses[:, index, 3:] = recording.rows(f"{owner}.rotation", frame)[rows]
    bind = np.asarray(recording.model(f"{owner}.bind"), np.float64)[rows]
    return Armature(owner, tuple(rows), tuple(labels[row] for row in rows), parent, poses, bind)


@dataclass(frozen=True)
class SkinnedMesh:
    """A mesh on an armature: bones [nv, k] as places in its list, shares [nv, k], vertices as bound [nv, 3]."""

    armature: Armature
    bone: Integers
    weight: Floats
    bound: Floats

    def blend(self, frame: int) -> tuple[Floats, Floats]:
        """Vertices [nv, 3] by linear blending at a frame of the selection, and the blended matrices [nv, 3, 3]."""
        poses, bind = self.armature.poses[:, frame], self.armature.bind
        turns = multiply_rows(poses[:, 3:], invert_rows(bind[:, 3:]))
        matrices = np.stack([rotate_rows(turns, axis) for axis in np.eye(3)], axis=-1)
        shifts = poses[:, :3] - np.einsum("bij,bj->bi", matrices, bind[:, :3])
        linear = np.einsum("vk,vkij->vij", self.weight, matrices[self.bone])
        moved = np.einsum("vk,vki->vi", self.weight, shifts[self.bone])
        return np.einsum("vij,vj->vi", linear, self.bound) + moved, linear

    def correct(self, frame: int, true: Floats) -> Floats:
        """What must be added to the bound vertices so that blending gives the true ones."""
        blended, linear = self.blend(frame)
        return np.asarray(np.linalg.solve(linear, (true - blended)[:, :, None])[:, :, 0])


def hang(thing: Thing, selection: Selection, armatures: list[Armature]) -> SkinnedMesh | None:
    """The mesh of a thing on its bones; None if it hangs on none."""
    hangs = thing.drawing.hangs
    armature = next((each for each in armatures if hangs is not None and each.owner == hangs.owner), None)
    if hangs is None or armature is None:
        return None
    recording = selection.recording
    rows = recording.model(hangs.bone)[thing.rows].astype(np.int64)
    local = np.asarray(recording.model(hangs.local), np.float64)[thing.rows]
    weight = recording.model(hangs.weight)[thing.rows] if hangs.weight else np.ones(rows.shape)
    weight = np.where(rows >= 0, weight, 0.0)
    place = np.zeros(max(armature.rows) + 2, np.int64)
    place[list(armature.rows)] = np.arange(len(armature.rows))
    bone = place[np.maximum(rows, 0)]
    first = local if local.ndim == 2 else local[:, 0]
    pose = armature.bind[bone[:, 0]]
    bound = pose[:, :3] + rotate_rows(pose[:, 3:], first)
    return SkinnedMesh(armature, bone, np.asarray(weight, np.float64), bound)


def strays(mesh: SkinnedMesh, thing: Thing, selection: Selection) -> bool:
    """Whether the thing ever does more than its bones say."""
    return any(
        float(np.abs(mesh.blend(index)[0] - thing.vertices(frame)).max()) > NEAR
        for index, frame in enumerate(selection.frames)
    )
