"""Clips that are given as rotations and places of joints: those of glTF and AMASS files.

All of them are seen as a BVH file would have them: at zero turns every joint has the axes of the world, and the bones
are in their rest pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from supple.core.archives import read_archive
from supple.core.arrays import FloatArray
from supple.core.rotation_rows import invert_rows, multiply_rows, rotate_rows
from supple.errors import Problem, UserError, Where
from supple_motion.bvh import ClipJoint
from supple_motion.gltf_file import GltfFile, compose, find_animation, sample, split_matrix

_PLACED = ("Xposition", "Yposition", "Zposition", "rotation")
_TURNED = ("rotation",)
#: What AMASS calls the frames in a second, in its older and its newer files.
_RATES = ("mocap_framerate", "mocap_frame_rate")
_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])


@dataclass(frozen=True)
class SampledClip:
    """Joints, times [frames] s, turns [joints, frames, 4] and origins [joints, frames, 3] in the parent's frame."""

    source: str
    joints: tuple[ClipJoint, ...]
    times: FloatArray
    turned: FloatArray
    placed: FloatArray

    @property
    def period(self) -> float:
        """How long it lasts until it starts over [s]: the last frame is the first of the next round."""
        return float(self.times[-1] - self.times[0]) if len(self.times) > 1 else 0.0

    def rotations(self, joint: ClipJoint) -> FloatArray:
        """[frames, 4] quaternions against the parent."""
        return np.asarray(self.turned[self.joints.index(joint)])

    def positions(self, joint: ClipJoint) -> FloatArray:
        """[frames, 3] origins in the parent's frame."""
        return np.asarray(self.placed[self.joints.index(joint)])


def read_gltf_clip(file: Path, path: str, name: str) -> SampledClip:
    """An animation of a glTF file, on the joints of its first skin; without a skin, on all nodes that move."""
    gltf = GltfFile(file, path)
    try:
        return _read_animation(gltf, find_animation(gltf, name))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        words = f"it lacks {error.args[0]!r}" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise gltf.refuse(f"its animation cannot be read: {words}") from None


def bind_poses(gltf: GltfFile) -> dict[int, tuple[FloatArray, FloatArray]]:
    """Position and rotation of every joint of the first skin in the world, in the pose in which the skin was bound."""
    if not gltf.skins:
        return {}
    joints = gltf.joints
    inverse = inverse_bind(gltf)
    if inverse is None:
        return {joint: rest_pose(gltf, joint) for joint in joints}
    whole, found = place_of_bind(gltf), {}
    for joint, matrix in zip(joints, inverse, strict=True):
        position, rotation, _ = split_matrix(whole @ np.linalg.inv(matrix))
        found[joint] = position, rotation
    return found


def inverse_bind(gltf: GltfFile) -> FloatArray | None:
    """[joints, 4, 4] of the first skin: from the mesh to each joint; None where the file leaves them out."""
    accessor = gltf.skins[0].get("inverseBindMatrices")
    if accessor is None:
        return None
    matrices: FloatArray = gltf.numbers(accessor).reshape(-1, 4, 4).transpose(0, 2, 1)
    return matrices


def place_of_bind(gltf: GltfFile) -> FloatArray:
    """[4, 4] from the space of the bound mesh to the world: such that the first joint is where its node is at rest."""
    inverse = inverse_bind(gltf)
    if inverse is None:
        return np.eye(4)
    node = gltf.joints[0]
    matrix = np.eye(4)
    while node >= 0:
        matrix = _matrix(*gltf.rest(node)) @ matrix
        node = int(gltf.parent[node])
    return np.asarray(matrix @ inverse[0])


def _matrix(position: FloatArray, rotation: FloatArray, scale: FloatArray) -> FloatArray:
    matrix = np.eye(4)
    matrix[:3, :3] = rotate_rows(rotation, np.diag(scale)).T
    matrix[:3, 3] = position
    return matrix


def rest_pose(gltf: GltfFile, node: int) -> tuple[FloatArray, FloatArray]:
    """Of a node in the world, as the file has it; scales of nodes above move it."""
    chain, above = [], node
    while above >= 0:
        chain.append(above)
        above = int(gltf.parent[above])
    position, rotation, size = np.zeros(3), _IDENTITY, 1.0
    for each in reversed(chain):
        shift, turn, scale = gltf.rest(each)
        position = position + rotate_rows(rotation[None], size * shift[None])[0]
        rotation = multiply_rows(rotation[None], turn[None])[0]
        size *= _even(scale, gltf.name(each))
    return position, rotation


def _even(scale: FloatArray, name: str) -> float:
    if np.ptp(scale) > 1e-3 * np.abs(scale).max() or scale.min() <= 0:
        raise ValueError(f"node {name} is stretched unevenly; apply its scale before the export")
    return float(scale.mean())


def _read_animation(gltf: GltfFile, animation: dict[str, Any]) -> SampledClip:
    tracks: dict[tuple[int, str], tuple[FloatArray, FloatArray, str]] = {}
    for channel in animation["channels"]:
        target = channel["target"]
        if "node" not in target or target["path"] not in ("translation", "rotation"):
            continue
        sampler = animation["samplers"][channel["sampler"]]
        values = gltf.numbers(sampler["output"])
        if target["path"] == "rotation":
            values = values[:, [3, 0, 1, 2]]
        times = gltf.numbers(sampler["input"])[:, 0]
        tracks[int(target["node"]), target["path"]] = times, values, sampler.get("interpolation", "LINEAR")
    if not tracks:
        raise ValueError("it moves no node")
    times = np.unique(np.concatenate([times for times, _, _ in tracks.values()]))
    joints = _list_joints(gltf, {node for node, _ in tracks})
    return _walk(gltf, joints, tracks, times)


def _list_joints(gltf: GltfFile, moved: set[int]) -> list[int]:
    """Joints of the first skin, and what moves between and above them; parents first."""
    skinned = gltf.joints if gltf.skins else sorted(moved)
    wanted = set(skinned)
    for joint in skinned:
        above = int(gltf.parent[joint])
        while above >= 0:
            if above in moved:
                wanted.add(above)
            above = int(gltf.parent[above])
    return sorted(wanted, key=lambda node: (_depth(gltf, node), node))


def _depth(gltf: GltfFile, node: int) -> int:
    depth, above = 0, int(gltf.parent[node])
    while above >= 0:
        depth, above = depth + 1, int(gltf.parent[above])
    return depth


def _walk(gltf: GltfFile, joints: list[int], tracks: Any, times: FloatArray) -> SampledClip:
    """World poses of all nodes over time, then turns against the bound pose."""
    world: dict[int, tuple[FloatArray, FloatArray]] = {}
    size: dict[int, float] = {}

    def find(node: int) -> tuple[FloatArray, FloatArray]:
        if node not in world:
            above = int(gltf.parent[node])
            outer = (
                find(above)
                if above >= 0
                else (np.zeros((len(times), 3)), np.tile(_IDENTITY, (len(times), 1)))
            )
            shift, turn, scale = gltf.rest(node)
            places = _follow(tracks.get((node, "translation")), shift, times)
            turns = _follow(tracks.get((node, "rotation")), turn, times)
            factor = size.get(above, 1.0)
            size[node] = factor * _even(scale, gltf.name(node))
            world[node] = compose(outer, (factor * places, turns))
        return world[node]

    bound = bind_poses(gltf)
    made, turned, placed = [], [], []
    number = {node: place for place, node in enumerate(joints)}
    # D is the rotation of a joint in the world against the bound pose, which is what BVH calls its rotation.
    turns_of, place_of = {}, {}
    for node in joints:
        position, rotation = find(node)
        rest = bound.get(node) or rest_pose(gltf, node)
        turns_of[node] = multiply_rows(rotation, invert_rows(rest[1]))
        place_of[node] = position
        above = int(gltf.parent[node])
        while above >= 0 and above not in number:
            above = int(gltf.parent[above])
        if above >= 0:
            back = invert_rows(turns_of[above])
            turned.append(multiply_rows(back, turns_of[node]))
            placed.append(rotate_rows(back, position - place_of[above]))
        else:
            turned.append(turns_of[node])
            placed.append(position)
        offset = tuple(float(value) for value in placed[-1][0])
        moves = above < 0 or (node, "translation") in tracks
        channels = _PLACED if moves else _TURNED
        made.append(ClipJoint(gltf.name(node), number.get(above, -1), offset, channels, 0))  # type: ignore[arg-type]
    return SampledClip(str(gltf.source), tuple(made), times, np.array(turned), np.array(placed))


def _follow(
    track: tuple[FloatArray, FloatArray, str] | None, rest: FloatArray, times: FloatArray
) -> FloatArray:
    if track is None:
        return np.tile(rest, (len(times), 1))
    return sample(track[0], track[1], times, track[2])


#: Joints of SMPL bodies as AMASS stores them, with their parents; hands follow, which are left out.
SMPL = (
    ("pelvis", -1), ("left_hip", 0), ("right_hip", 0), ("spine1", 0), ("left_knee", 1), ("right_knee", 2),
    ("spine2", 3), ("left_ankle", 4), ("right_ankle", 5), ("spine3", 6), ("left_foot", 7), ("right_foot", 8),
    ("neck", 9), ("left_collar", 9), ("right_collar", 9), ("head", 12), ("left_shoulder", 13), ("right_shoulder", 14),
    ("left_elbow", 16), ("right_elbow", 17), ("left_wrist", 18), ("right_wrist", 19),
)  # fmt: skip


def read_amass(file: Path, path: str) -> SampledClip:
    """The 22 body joints of an AMASS archive; z-up becomes y-up. Lengths are in a body model, not in the file."""
    try:
        stored = read_archive(file, ("poses", "trans", *_RATES))
        rate = next((key for key in _RATES if key in stored), "")
        if not {"poses", "trans"} <= set(stored) or not rate:
            raise ValueError(f"it has {', '.join(stored) or 'nothing'} of poses, trans and mocap_framerate")
        if any(stored[name].dtype.kind not in "iuf" for name in ("poses", "trans", rate)):
            raise ValueError("poses, trans and mocap_framerate are not all numbers")
        poses, trans = np.asarray(stored["poses"], float), np.asarray(stored["trans"], float)
        if stored[rate].size != 1:
            raise ValueError(f"{rate} is not one number")
        fps = float(stored[rate].reshape(-1)[0])
        if (
            poses.ndim != 2
            or poses.shape[1] < 3 * len(SMPL)
            or trans.shape != (len(poses), 3)
            or not len(poses)
        ):
            raise ValueError(f"poses are {list(poses.shape)} and trans {list(trans.shape)} numbers")
        if not (np.isfinite(poses).all() and np.isfinite(trans).all() and np.isfinite(fps) and fps > 0):
            raise ValueError("a number is not finite")
    except (ValueError, OSError, KeyError, TypeError, EOFError, NotImplementedError) as error:
        words = " ".join(str(error).split())
        remedy = "give a file of AMASS, with 22 body joints or more"
        raise UserError(Problem(Where(str(file)), path, f"is no AMASS archive: {words}", remedy)) from None
    except Exception as error:  # zip archives fail in many ways
        words = " ".join(str(error).split())[:200] or type(error).__name__
        raise UserError(Problem(Where(str(file)), path, f"is no archive: {words}", "save it again")) from None
    vectors = poses[:, : 3 * len(SMPL)].reshape(len(poses), -1, 3)
    turned = np.stack([_turn_by(vectors[:, joint]) for joint in range(len(SMPL))])
    upright = np.array([[np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0]])
    turned[0] = multiply_rows(upright, turned[0])
    placed = np.zeros((len(SMPL), len(poses), 3))
    placed[0] = rotate_rows(np.repeat(upright, len(trans), axis=0), trans)
    joints = tuple(
        ClipJoint(name, parent, (0.0, 0.0, 0.0), _PLACED if parent < 0 else _TURNED, 0)
        for name, parent in SMPL
    )
    return SampledClip(str(file), joints, np.arange(len(poses)) / fps, turned, placed)


def _turn_by(vectors: FloatArray) -> FloatArray:
    """Quaternions of rotation vectors [n, 3]."""
    angle = np.linalg.norm(vectors, axis=1, keepdims=True)
    # sin(a / 2) / a, whose limit at zero is a half.
    return np.concatenate([np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * vectors], axis=1)
