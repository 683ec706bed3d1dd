"""Where the skin turns by and by: vertices over a joint hang on followers, which turn by a share of its angles.

The share grows from 0 to 1 along the limb. It grows no faster from where the skin goes over to a bone that the joint
does not move, such as that of the next finger: so the web between two fingers hangs on the palm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import relative_pose, rotate
from supple_collide.mesh_shape import TriangleMesh
from supple_skeleton.loads import Follower

TURNING = ("hinge", "universal")
"""Joints that can be followed."""

STEPS_PER_EDGE, FEWEST_STEPS, MOST_STEPS = 4, 4, 32
"""Followers of a joint are so many that the skin jumps by a small part of an edge from one to the next."""

NEAR, FAR = 1.2, 2.0
"""Radii within which the skin of the parent turns fully with the seam, and beyond which it does not."""


@dataclass(frozen=True)
class Seam:
    """The joint between two bones of one skin, in the frame of the flesh.

    parent, child  places of the two bones in the list of bones
    below          the child and all bones that hang on it, likewise
    origin         of the joint [m]; along: unit vector down the child
    radius         of the limb there [m]
    reach          how far the seam goes up the parent and down the child [m]
    """

    parent: int
    child: int
    below: tuple[int, ...]
    origin: FloatArray
    along: FloatArray
    radius: float
    reach: tuple[float, float]

    def blend(self, points: FloatArray) -> FloatArray:
        """The share of the joint's angles that the skin at these points turns by: 0 on the parent, 1 on the child."""
        offset = points - self.origin
        height = offset @ self.along
        aside = np.linalg.norm(offset - height[:, None] * self.along, axis=1) / self.radius
        up, down = self.reach
        share = np.clip(0.5 + 0.5 * np.where(height < 0.0, height / up, height / down), 0.0, 1.0)
        # Beside the limb it is the parent's skin, unless it is well down the child, which may be wide there.
        fade = np.clip((FAR - aside) / (FAR - NEAR), 0.0, 1.0)
        fade += (1.0 - fade) * np.maximum(0.0, 2.0 * share - 1.0)
        blended: FloatArray = share * fade
        return blended


def hang_on_seams(
    build: Build, entity: Entity, mesh: TriangleMesh, hangs_on: IntArray, paths: list[str], width: float
) -> list[Follower]:
    """For every vertex the bone or follower that it hangs on; `width` is the reach of seams in radii of the limb."""
    frames = [Follower(paths[bone], 1.0) for bone in hangs_on]
    if width == 0.0:
        return frames
    lengths, edge = measure_edges(mesh)
    turned = np.zeros(len(frames))  # how far a vertex turns otherwise than with its bone, as a share
    for seam in find_seams(build, entity, mesh.vertices, hangs_on, paths, width):
        steps = math.ceil(STEPS_PER_EDGE * sum(seam.reach) / edge)
        steps = min(max(steps, FEWEST_STEPS), MOST_STEPS)
        mine = np.flatnonzero((hangs_on == seam.parent) | (hangs_on == seam.child))
        share = limit_share(seam, lengths, hangs_on, turned > 0.0, seam.blend(mesh.vertices))
        levels = np.round(steps * share[mine]) / steps
        for vertex, level in zip(mine.tolist(), levels.tolist(), strict=True):
            # Where seams meet, a vertex belongs to the one that turns it farther from its bone.
            other = abs(level - (hangs_on[vertex] == seam.child))
            if other > turned[vertex]:
                turned[vertex] = other
                frames[vertex] = (
                    Follower(paths[seam.child], level) if level else Follower(paths[seam.parent], 1.0)
                )
    return frames


def limit_share(
    seam: Seam, lengths: csr_array, hangs_on: IntArray, turned: BoolArray, share: FloatArray
) -> FloatArray:
    """At most the way along the skin to what the joint does not turn, over the length of the seam.

    It does not turn other limbs, and the skin between them and the child is shared; nor what seams of the parent have
    turned already; nor pieces of the skin that do not hang together with the child's.
    """
    own = np.isin(hangs_on, seam.below)
    away, near = (
        find_distances(lengths, np.flatnonzero(each)) for each in (~own & (hangs_on != seam.parent), own)
    )
    above = find_distances(lengths, np.flatnonzero(turned & (hangs_on == seam.parent)))
    way = np.subtract(away, near, out=np.zeros_like(near), where=np.isfinite(near))
    limited: FloatArray = np.clip(np.minimum(way, above) / sum(seam.reach), 0.0, share)
    return limited


def measure_edges(mesh: TriangleMesh) -> tuple[csr_array, float]:
    """Lengths of the edges as a symmetric matrix of the vertices, and their mean [m]."""
    ends = np.concatenate([mesh.triangles, np.roll(mesh.triangles, 1, axis=1)]).reshape(-1)
    others = np.concatenate([np.roll(mesh.triangles, 1, axis=1), mesh.triangles]).reshape(-1)
    along = np.linalg.norm(mesh.vertices[ends] - mesh.vertices[others], axis=1)
    once = np.unique(np.stack([ends, others], axis=1), axis=0, return_index=True)[1]
    shape = (len(mesh.vertices),) * 2
    return csr_array((along[once], (ends[once], others[once])), shape=shape), float(along[once].mean())


def find_distances(lengths: csr_array, sources: IntArray) -> FloatArray:
    """Distance along the edges from the nearest of these vertices to every vertex [m]; infinite without any."""
    if len(sources) == 0:
        return np.full(lengths.shape[0], math.inf)
    found: FloatArray = dijkstra(lengths, indices=sources, min_only=True)
    return found


def find_home(build: Build, frame: Follower) -> str:
    """The bone that a frame is part of for whoever asks about bones: of a follower, the nearer one."""
    return frame.path if frame.share >= 0.5 else build.graph[frame.path].parent or frame.path


def find_seams(
    build: Build, entity: Entity, points: FloatArray, hangs_on: IntArray, paths: list[str], width: float
) -> list[Seam]:
    """Joints of the kinds in TURNING between bones that both carry vertices of this skin, from the roots on."""
    seams = []
    for child, path in sorted(enumerate(paths), key=lambda pair: pair[1].count("/")):
        bone = build.graph[path]
        own = np.flatnonzero(hangs_on == child)
        if bone.components["bone"].joint not in TURNING or bone.parent not in paths or len(own) == 0:
            continue
        parent = paths.index(bone.parent)
        if not (hangs_on == parent).any():
            continue
        origin, end = _ends(build, entity, path, points[own])
        length = float(np.linalg.norm(end - origin))
        above = float(
            np.linalg.norm(origin - relative_pose(build.pose(entity.path), build.pose(bone.parent))[0])
        )
        if length == 0.0 or above == 0.0:
            continue
        along = (end - origin) / length
        radius = _radius(points[own] - origin, along)
        reach = (min(width * radius, 0.5 * above), min(width * radius, 0.5 * length))
        below = tuple(n for n, other in enumerate(paths) if f"{other}/".startswith(f"{path}/"))
        seams.append(Seam(parent, child, below, origin, along, radius, reach))
    return seams


def find_next_joints(build: Build, entity: Entity, path: str) -> list[FloatArray]:
    """Where the bones sit that hang on the bone at `path`, in the frame of the entity [m]."""
    here = build.pose(entity.path)
    return [
        relative_pose(here, build.pose(other.path))[0]
        for other in build.graph.below(path)
        if other.parent == path and "bone" in other.components
    ]


def _ends(build: Build, entity: Entity, path: str, own: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Where a bone begins, and where it ends: at its next joint, or as far as its skin reaches."""
    origin, turn = relative_pose(build.pose(entity.path), build.pose(path))
    next_joints = find_next_joints(build, entity, path)
    if next_joints:
        return origin, np.asarray(np.mean(next_joints, axis=0))
    centre = build.graph[path].components["bone"].centre
    way = own.mean(axis=0) - origin if centre is None else rotate(turn, np.array(centre))
    along = way / max(float(np.linalg.norm(way)), 1e-300)
    return origin, origin + max(float(((own - origin) @ along).max()), 0.0) * along


def _radius(offset: FloatArray, along: FloatArray) -> float:
    """Distance of the skin from the axis of the limb near the joint: the median of the quarter nearest to it [m]."""
    height = offset @ along
    nearest = np.argsort(np.abs(height), kind="stable")[: max(6, len(offset) // 4)]
    aside = np.linalg.norm(offset[nearest] - height[nearest, None] * along, axis=1)
    return max(float(np.median(aside)), 1e-9)
