"""Where the skin turns by and by: vertices over a joint hang on followers, which turn by a share of its angles.

The share grows from 0 to 1 along the limb. It grows no faster from where the skin goes over to a bone that the joint
does not move, such as that of the next finger: so the web between two fingers hangs on the palm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from scipy.spatial.transform import Rotation

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import relative_pose, rotate
from supple_bones.components import spread
from supple_bones.easing import Parts, ease
from supple_bones.evening import recall, spread_share
from supple_bones.forest import Follower
from supple_bones.meeting import LONGER, ROUNDS, find_overturned_between, list_pairs
from supple_bones.swings import find_swing_range, find_swings, unit

TURNING = ("hinge", "universal", "ball")
"""Joints that can be followed."""

STEPS_PER_EDGE, FEWEST_STEPS, MOST_STEPS = 4, 4, 32
"""Followers of a joint are so many that the skin jumps by a small part of an edge from one to the next."""

INSIDE = 0.53
"""Part of a limb's radius that a bone may come towards the skin when its joint bends."""

PARENT_REACH = 2.0
"""Radii of one of several limbs within which the skin of their parent turns with it."""

NEXT, LONGEST, STOCKY = 0.24, 0.82, 2.0
"""One of several limbs leaves so much of its length to the next seam, and has its own seam end no later than that;
limbs shorter than so many radii are shared alike."""

ROOM = 0.05
"""Part of its length to which a bone that several limbs leave is turned by its own joint."""

BESIDE, CLEAR = 0.7, 1.1
"""Radii from another limb: nearer than the first the skin of a ball joint's bone stays with that limb, and farther
than the second it keeps the bone inside. Limbs do not go through each other, so that no bone comes out there."""

NEAR, FAR = 1.2, 2.0
"""Radii within which the skin of the parent turns fully with the seam, and beyond which it does not."""


class SkinMesh(Protocol):
    """The skin as it was made: vertices [nv, 3] in m, triangles [nt, 3]."""

    @property
    def vertices(self) -> FloatArray:
        """Corners."""
        ...

    @property
    def triangles(self) -> IntArray:
        """Corners of the triangles, counter-clockwise from outside."""
        ...


@dataclass(frozen=True)
class Seam:
    """The joint between two bones of one skin, in the frame of the flesh.

    parent, child  places of the two bones in the list of bones
    below          the child and all bones that hang on it, likewise
    origin         of the joint [m]; along: unit vector down the child
    length         of the child [m]; radius: of the limb at the joint
    reach          how far the seam goes up the parent and down the child [m]
    turns          the farthest turns that the joint makes, as rotation vectors [rad]
    twists         those of a ball joint with its farthest twists besides [rad]
    rivals         whether other limbs leave the parent, too
    everywhere     whether the joint bends to all sides
    """

    parent: int
    child: int
    below: tuple[int, ...]
    origin: FloatArray
    along: FloatArray
    length: float
    radius: float
    reach: tuple[float, float]
    turns: tuple[FloatArray, ...]
    twists: FloatArray
    rivals: bool
    everywhere: bool

    def flatten(self) -> FloatArray:
        """All of it in one row, to tell seams apart."""
        whole = (self.parent, self.child, *self.below, self.length, self.radius, self.rivals, self.everywhere)
        counts = (len(self.below), len(self.turns), len(self.twists))
        ways = (self.origin, self.along, np.array(self.reach), *self.turns, self.twists.ravel())
        return np.concatenate([np.array([*counts, *whole], dtype=float), *ways])

    def blend(self, points: FloatArray) -> FloatArray:
        """The share of the joint's angles that the skin at these points turns by: 0 on the parent, 1 on the child."""
        offset = points - self.origin
        height = offset @ self.along
        aside = np.linalg.norm(offset - height[:, None] * self.along, axis=1) / self.radius
        up, down = self.reach
        share = np.clip((height + up) / (up + down), 0.0, 1.0)
        # Beside the limb it is the parent's skin, unless it is well down the child, which may be wide there.
        fade = np.clip((FAR - aside) / (FAR - NEAR), 0.0, 1.0)
        fade += (1.0 - fade) * np.maximum(0.0, 2.0 * share - 1.0)
        blended: FloatArray = share * fade
        return blended


def hang_on_seams(
    build: Build, entity: Entity, mesh: SkinMesh, hangs_on: IntArray, paths: list[str], width: float
) -> list[Follower]:
    """For every vertex the bone or follower that it hangs on; `width` is the reach of seams in radii of the limb."""
    frames = [Follower(paths[bone], 1.0) for bone in hangs_on]
    if width == 0.0:
        return frames
    lengths, edge = measure_edges(mesh)
    seams = find_seams(build, entity, mesh.vertices, hangs_on, paths, width)
    longer = np.ones(len(frames))
    if list_pairs(seams):
        given = (mesh.vertices, mesh.triangles, hangs_on, *(seam.flatten() for seam in seams))
        longer = recall(__name__, given, lambda: _lengthen(seams, mesh, hangs_on, (lengths, edge)))
    parts = _divide(seams, mesh, hangs_on, (lengths, edge), longer)
    level = ease(seams, mesh, hangs_on, parts)
    for vertex in np.flatnonzero(parts.owner >= 0).tolist():
        seam, share = seams[parts.owner[vertex]], float(level[vertex])
        frames[vertex] = Follower(paths[seam.child], share) if share else Follower(paths[seam.parent], 1.0)
    return frames


def _lengthen(
    seams: list[Seam], mesh: SkinMesh, hangs_on: IntArray, measured: tuple[csr_array, float]
) -> FloatArray:
    """Factors of levers, so that triangles between two seams stay upright whatever turns these make together."""
    longer = np.ones(len(hangs_on))
    for _ in range(ROUNDS):
        parts = _divide(seams, mesh, hangs_on, measured, longer)
        over = find_overturned_between(
            seams, mesh.vertices, mesh.triangles, hangs_on, parts.owner, parts.level
        )
        if len(over) == 0:
            break
        longer[np.unique(over)] *= LONGER
    return longer


def _divide(
    seams: list[Seam],
    mesh: SkinMesh,
    hangs_on: IntArray,
    measured: tuple[csr_array, float],
    longer: FloatArray,
) -> Parts:
    """Which joint turns every vertex, and how far."""
    lengths, edge = measured
    owner = np.full(len(hangs_on), -1)
    level, least, step = (np.zeros(len(hangs_on)) for _ in range(3))
    turned = np.zeros(len(hangs_on))  # how far a vertex turns otherwise than with its bone, as a share
    for index, seam in enumerate(seams):
        steps = math.ceil(STEPS_PER_EDGE * sum(seam.reach) / edge)
        steps = min(max(steps, FEWEST_STEPS), MOST_STEPS)
        mine = (hangs_on == seam.parent) | (hangs_on == seam.child)
        if seam.rivals:
            share, low = even_share(seam, mesh, lengths, hangs_on, turned > 0.0, longer)
        else:
            low = np.zeros(len(hangs_on))
            share = limit_share(seam, lengths, hangs_on, turned > 0.0, seam.blend(mesh.vertices))
        share = np.round(steps * share) / steps
        # Where seams meet, a vertex belongs to the one that turns it farther from its bone.
        other = np.abs(share - (hangs_on == seam.child))
        taken = mine & (other > turned)
        owner[taken], level[taken], turned[taken] = index, share[taken], other[taken]
        least[taken], step[taken] = low[taken], 1.0 / steps
    return Parts(owner, level, least, step)


def even_share(
    seam: Seam,
    mesh: SkinMesh,
    lengths: csr_array,
    hangs_on: IntArray,
    turned: BoolArray,
    longer: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """The share where several limbs leave one parent: as even as it can be between what it leaves alone and the child.

    With it the share that keeps the bone inside.

    The joint does not turn other limbs, nor the skin of the parent that is far from it or nearer to another limb's
    joint, nor what a seam of the parent has turned already. longer [nv]: factors of the lever.
    """
    points = mesh.vertices
    offset = points - seam.origin
    away = np.linalg.norm(offset, axis=1)
    own, above = np.isin(hangs_on, seam.below), hangs_on == seam.parent
    foreign = ~own & ~above
    near, other = (find_distances(lengths, np.flatnonzero(each)) for each in (own, foreign))
    held = foreign | above & (turned | (other < near) | (near > PARENT_REACH * seam.radius))
    full = own & ((hangs_on != seam.child) | (offset @ seam.along > seam.reach[1]))
    least = np.where(own, keep_bone_inside(seam, offset), 0.0)
    if seam.everywhere:
        least *= np.clip((other / seam.radius - BESIDE) / (CLEAR - BESIDE), 0.0, 1.0)
    given = points, mesh.triangles, away * longer, held | full, full.astype(float), least
    return spread_share(*given, seam.origin, seam.twists), least


def keep_bone_inside(seam: Seam, offset: FloatArray) -> FloatArray:
    """The share that skin of the child needs lest its bone comes out where the joint bends to.

    Skin at the height a beside the axis of the child lags behind the bone by (1 - share) angle a, which may take a part
    of its distance from the axis. The bone comes out straight ahead, so that skin to the side counts by the square of
    the cosine.
    """
    height = offset @ seam.along
    aside = offset - height[:, None] * seam.along
    radius = np.linalg.norm(aside, axis=1)
    least = np.zeros(len(offset))
    for turn in seam.turns:
        angle = float(np.linalg.norm(turn))
        way = np.cross(turn / angle, seam.along)
        ahead = np.maximum(aside @ way, 1e-9) / np.maximum(radius, 1e-12)
        lag = np.maximum(angle * height * ahead**2, 1e-12)
        least = np.maximum(least, 1.0 - INSIDE * radius / lag)
    return least


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


def measure_edges(mesh: SkinMesh) -> tuple[csr_array, float]:
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
    seams: list[Seam] = []
    for child, path in sorted(enumerate(paths), key=lambda pair: pair[1].count("/")):
        bone = build.graph[path]
        own = np.flatnonzero(hangs_on == child)
        joint = bone.components["bone"].joint
        if joint not in TURNING or bone.parent not in paths or len(own) == 0:
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
        turns = _list_turns(build, entity, path)
        twists = _list_twists(build, entity, path, turns)
        everywhere = joint == "ball"
        seams.append(
            Seam(parent, child, below, origin, along, length, radius, reach, turns, twists, False, everywhere)
        )
    seams = [_leave_room(seam, seams) for seam in seams]
    return [_share_parent(seam, seams) for seam in seams]


def _leave_room(seam: Seam, seams: list[Seam]) -> Seam:
    """The seam, not so far up a parent that is one of several limbs itself: the seam at its root needs most of it."""
    parent = next((other for other in seams if other.child == seam.parent), None)
    if (
        parent is None
        or sum(other.parent == parent.parent for other in seams) < 2
        or parent.length < STOCKY * parent.radius
    ):
        return seam
    return replace(seam, reach=(min(seam.reach[0], NEXT * parent.length), seam.reach[1]))


def _share_parent(seam: Seam, seams: list[Seam]) -> Seam:
    """The seam, with its reach by the limbs that leave its two bones.

    One of several limbs takes all of its bone that the next seam leaves, for the skin between limbs gives it a late
    start. Where several limbs leave the child, the seam leaves them room.
    """
    rivals = sum(other.parent == seam.parent for other in seams) > 1
    following = [other for other in seams if other.parent == seam.child]
    up, down = seam.reach
    if rivals:
        down = min(
            seam.length - max((other.reach[0] for other in following), default=0.0), LONGEST * seam.length
        )
    if len(following) > 1:
        down = min(down, ROOM * seam.length)
    return replace(seam, reach=(up, down), rivals=rivals)


def _list_turns(build: Build, entity: Entity, path: str) -> tuple[FloatArray, ...]:
    """Turns to the ends of the joint's ranges, about one axis each, in the frame of the entity [rad]."""
    bone = build.graph[path].components["bone"]
    _, rotation = relative_pose(build.pose(entity.path), build.pose(path))
    turns = []
    if bone.joint == "ball":
        swings = find_swings(unit(bone.axis), find_swing_range(bone))
        return tuple(rotate(rotation, swing) for swing in swings)
    count = {"hinge": 1, "universal": 2}[bone.joint]
    for local, axis in enumerate((bone.axis, bone.second_axis)[:count]):
        way = rotate(rotation, np.array(axis) / np.linalg.norm(axis))
        for bound in (bone.lower, bone.upper):
            angle = spread(90.0 if bound is None else bound, count)[local]
            if angle != 0.0:
                turns.append(math.radians(angle) * way)
    return tuple(turns)


def _list_twists(build: Build, entity: Entity, path: str, swings: tuple[FloatArray, ...]) -> FloatArray:
    """Rotation vectors [n, 3] to the farthest swings of a ball joint, each twisted to both ends of its range [rad]."""
    bone = build.graph[path].components["bone"]
    if bone.joint != "ball" or bone.twist is None or not swings:
        return np.zeros((0, 3))
    _, rotation = relative_pose(build.pose(entity.path), build.pose(path))
    along = rotate(rotation, unit(bone.axis))
    swung = Rotation.from_rotvec(np.array(swings))
    both = [(swung * Rotation.from_rotvec(math.radians(angle) * along)).as_rotvec() for angle in bone.twist]
    return np.concatenate(both)


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
