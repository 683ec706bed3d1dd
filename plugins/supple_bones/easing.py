"""Skin between two seams of one parent, where both joints together stretch it farther than each alone.

Each seam finds its shares as if the others were still, and where they meet both may let the same few triangles go from
nothing to their share. Shares come in steps, too, and such triangles are small. So their corners change their shares by
small steps, one at a time, as long as the triangles around them are better off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from scipy.spatial.transform import Rotation

from supple.core.arrays import FloatArray, IntArray
from supple_bones.evening import find_normals, recall
from supple_bones.meeting import Turning, list_pairs

STRETCHED = 2.35
"""Triangles that farthest turns stretch more than this are eased: skin is to stay below 2.5, and between the turns that
are looked at it is stretched by up to a tenth more."""

STEPS = (-1.0, -0.5, 0.5, 1.0)
"""Changes of a share that are tried, in those between neighbouring shares of its seam."""

STILL, STRANGE = -1, -2


class Branching(Turning, Protocol):
    """A seam of which is asked which bone it turns, besides."""

    @property
    def child(self) -> int:
        """Place of the bone that it turns."""
        ...

    def flatten(self) -> FloatArray:
        """All of it in one row."""
        ...


class Mesh(Protocol):
    """The skin as it was made; see `SkinMesh` of seams."""

    @property
    def vertices(self) -> FloatArray:
        """Corners [nv, 3] in m."""
        ...

    @property
    def triangles(self) -> IntArray:
        """Corners of the triangles [nt, 3]."""
        ...


@dataclass(frozen=True)
class _Skin:
    """What carries the skin around one bone: `by` [nv] is a seam, STILL, or STRANGE where neither is known."""

    seams: Sequence[Branching]
    points: FloatArray
    triangles: IntArray
    by: IntArray
    level: FloatArray

    def move(self, vertex: int, seam: int, level: float) -> _Skin:
        """The same with one vertex turned otherwise."""
        by, levels = self.by.copy(), self.level.copy()
        by[vertex], levels[vertex] = (seam, level) if level > 0.0 else (STILL, 0.0)
        return replace(self, by=by, level=levels)

    def is_known(self, triangles: IntArray) -> bool:
        """Whether it is known what carries all corners."""
        return bool((self.by[triangles] != STRANGE).all())

    def find_excess(self, triangle: IntArray) -> float:
        """How badly a triangle is stretched beyond STRETCHED; infinite if it is turned over."""
        return max(self.judge(triangle) - STRETCHED, 0.0) ** 2

    def judge(self, triangle: IntArray) -> float:
        """How far the worst farthest turns of all joints stretch a triangle; infinite if any turns it over."""
        by, level, corners = self.by[triangle], self.level[triangle], self.points[triangle]
        acting = sorted(set(by[by >= 0].tolist()))
        normal = find_normals(corners[None])[0]
        placed = np.zeros((*(len(self.seams[each].twists) for each in acting), 3, 3))
        wanted = np.zeros((*placed.shape[:-2], 3))
        for corner, (seam, share) in enumerate(zip(by.tolist(), level, strict=True)):
            if seam == STILL:
                placed[..., corner, :] = corners[corner]
                wanted += normal
                continue
            frames = Rotation.from_rotvec(share * self.seams[seam].twists)
            origin = self.seams[seam].origin
            shape = [1] * len(acting)
            shape[acting.index(seam)] = len(self.seams[seam].twists)
            placed[..., corner, :] = (origin + frames.apply(corners[corner] - origin)).reshape(*shape, 3)
            wanted += frames.apply(normal).reshape(*shape, 3)
        edges = placed[..., 1:, :] - placed[..., :1, :]
        across = np.cross(edges[..., 0, :], edges[..., 1, :])
        if (np.einsum("...i,...i->...", across, wanted) < 0.0).any():
            return math.inf
        return float(find_stretch(edges, corners[1:] - corners[0]).max())


def find_stretch(edges: FloatArray, rest: FloatArray) -> FloatArray:
    """Greatest stretch of triangles with these two edges [..., 2, 3], which were `rest` [2, 3]."""
    first = rest[0] / np.linalg.norm(rest[0])
    aside = rest[1] - (rest[1] @ first) * first
    flat = np.array([first, aside / np.linalg.norm(aside)]) @ rest.T
    gradient = np.swapaxes(edges, -1, -2) @ np.linalg.inv(flat)
    one, other = gradient[..., 0], gradient[..., 1]
    squares, product = [np.einsum("...i,...i->...", way, way) for way in (one, other)], (one * other).sum(-1)
    half = 0.5 * (squares[0] - squares[1])
    stretch: FloatArray = np.sqrt(0.5 * (squares[0] + squares[1]) + np.sqrt(half**2 + product**2))
    return stretch


class Parts(NamedTuple):
    """How seams divide the vertices of a skin [nv].

    owner  the seam that turns a vertex, or -1
    level  the share that it turns by
    least  the least share that keeps the bone inside
    step   how far one share is from the next
    """

    owner: IntArray
    level: FloatArray
    least: FloatArray
    step: FloatArray


def ease(seams: Sequence[Branching], mesh: Mesh, hangs_on: IntArray, parts: Parts) -> FloatArray:
    """Shares [nv] that stretch no triangle between two seams beyond STRETCHED, if small steps can.

    It takes a second.
    """
    given = (mesh.vertices, mesh.triangles, hangs_on, *parts, *(seam.flatten() for seam in seams))
    return recall(__name__, given, lambda: _ease(seams, mesh, hangs_on, parts))


def _ease(seams: Sequence[Branching], mesh: Mesh, hangs_on: IntArray, parts: Parts) -> FloatArray:
    eased = parts.level.copy()
    for parent in sorted({seams[first].parent for first, _ in list_pairs(seams)}):
        able = [n for n, seam in enumerate(seams) if seam.parent == parent and len(seam.twists)]
        by, turned = _find_carriers(seams, able, hangs_on, parts)
        skin = _ease_around(_Skin(seams, mesh.vertices, mesh.triangles, by, turned), parts)
        mine = np.isin(parts.owner, able)
        eased[mine] = skin.level[mine]
    return eased


def _find_carriers(
    seams: Sequence[Branching], able: list[int], hangs_on: IntArray, parts: Parts
) -> tuple[IntArray, FloatArray]:
    """Seam or state, and share, of every vertex around one bone."""
    by, turned = np.full(len(hangs_on), STRANGE), np.zeros(len(hangs_on))
    by[(hangs_on == seams[able[0]].parent) & (parts.owner < 0)] = STILL
    for each in able:
        whole, part = (hangs_on == seams[each].child) & (parts.owner < 0), parts.owner == each
        by[whole | part] = each
        turned[whole], turned[part] = 1.0, parts.level[part]
    by[(by >= 0) & (turned == 0.0)] = STILL
    return by, turned


def _ease_around(skin: _Skin, parts: Parts) -> _Skin:
    """The skin around one bone after single steps."""
    near = _find_near(skin)
    excess = np.array([skin.find_excess(each) for each in near])
    left = excess > 0.0
    while left.any():
        at = int(np.argmax(np.where(left, excess, -1.0)))
        changed = _find_step(skin, near[at], parts)
        if changed is None:
            left[at] = False
            continue
        vertex, skin = changed
        for other in np.flatnonzero((near == vertex).any(axis=1)):
            excess[other] = skin.find_excess(near[other])
        left = excess > 0.0
    return skin


def _find_near(skin: _Skin) -> IntArray:
    """Triangles that the seams turn, alone or together."""
    by = skin.by[skin.triangles]
    near: IntArray = skin.triangles[(by != STRANGE).all(axis=1) & (by != STILL).any(axis=1)]
    return near


def _find_step(skin: _Skin, triangle: IntArray, parts: Parts) -> tuple[int, _Skin] | None:
    """The corner of the triangle, and the skin with its step, that leaves the triangles around it the least excess."""
    found, gained = None, 1e-9
    for vertex in triangle.tolist():
        around = skin.triangles[(skin.triangles == vertex).any(axis=1)]
        seam = int(parts.owner[vertex])
        if seam < 0 or not skin.is_known(around):
            continue
        before = sum(skin.find_excess(each) for each in around)
        for step in STEPS:
            level = float(skin.level[vertex] + step * parts.step[vertex])
            if not parts.least[vertex] <= level <= 1.0:
                continue
            tried = skin.move(vertex, seam, level)
            gain = before - sum(tried.find_excess(each) for each in around)
            if gain > gained:
                found, gained = (vertex, tried), gain
    return found
