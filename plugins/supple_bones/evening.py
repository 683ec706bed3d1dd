"""Shares that change as evenly over a skin as they can: between where they are 0 and where they are 1.

A share s turns a place by s times the angle of a joint. Where s changes along the skin, this is stretched, sheared or
pressed by the lever about the joint times |grad s|. Of all s with the given ends the one is taken that makes the sum of
(lever |grad s|)^POWER over the skin least: with a high power that is nearly the one whose greatest strain is least.

Strain alone does not know which way a triangle is sheared. Those that the farthest turns of the joint nearly turn over
count as if their lever were longer, and the shares are found again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import splu
from scipy.spatial.transform import Rotation

from supple.core.arrays import BoolArray, FloatArray, IntArray
from supple.core.kept_arrays import keep_arrays

POWER: Final = 8.0
SWEEPS: Final = 40
PULL, SLACK = 10.0, 1e-3
"""Vertices within SLACK of their least share, or below it, are held there by PULL times the stiffest vertex."""
MOST_KEPT: Final = 64
"""Shares that a process keeps, besides those of the cache folder."""
UPRIGHT: Final = 0.2
"""A triangle nearly turns over if its normal has a cosine below this to where the frames of its corners turn it."""
LONGER, ROUNDS = 1.25, 6
"""So much longer count levers of such triangles, round by round."""
FLOOR: Final = 1e-3
"""Strains below this part of the greatest count as this, so that no triangle falls out of the sum."""

_KEPT: dict[str, FloatArray] = {}


def spread_share(
    points: FloatArray,
    triangles: IntArray,
    lever: FloatArray,
    fixed: BoolArray,
    start: FloatArray,
    least: FloatArray,
    origin: FloatArray,
    turns: FloatArray,
) -> FloatArray:
    """The share of every vertex: `start` where `fixed`, elsewhere about `least` or more. lever [nv] in any unit.

    turns [n, 3] are rotation vectors about `origin` that turn no triangle over, if that can be.

    It takes a tenth of a second.
    """
    given = (points, triangles, lever, fixed, start, least, origin, turns)
    return recall(__name__, given, lambda: _spread(*given))


def recall(module: str, given: Sequence[NDArray[Any]], make: Callable[[], FloatArray]) -> FloatArray:
    """What `make` makes of `given`, kept for `module`: the same skins come again in every variant and run."""
    asked = hashlib.sha256(f"scipy {scipy.__version__}".encode())
    for each in given:
        asked.update(f"{each.dtype.str} {each.shape};".encode())
        asked.update(np.ascontiguousarray(each).data)
    key = f"{module} {asked.hexdigest()}"
    if key not in _KEPT:
        if len(_KEPT) >= MOST_KEPT:
            _KEPT.clear()
        _KEPT[key] = keep_arrays(module, asked.hexdigest(), lambda: {"share": make()})["share"]
    return _KEPT[key].copy()


def _spread(
    points: FloatArray,
    triangles: IntArray,
    lever: FloatArray,
    fixed: BoolArray,
    start: FloatArray,
    least: FloatArray,
    origin: FloatArray,
    turns: FloatArray,
) -> FloatArray:
    share = start.copy()
    near = triangles[~fixed[triangles].all(axis=1)]
    if len(near) == 0:
        return share
    vertices = np.unique(near)
    corner = np.searchsorted(vertices, near)
    arm = lever[near].mean(axis=1)
    free, low = ~fixed[vertices], least[vertices]
    offset = points[near] - origin
    for _ in range(ROUNDS):
        share[vertices] = _even(points[near], corner, arm, free, start[vertices], low)
        over = find_overturned(offset, share[near], turns)
        if not over.any():
            break
        arm[over] *= LONGER
    return share


def _even(
    corners: FloatArray,
    corner: IntArray,
    arm: FloatArray,
    free: BoolArray,
    start: FloatArray,
    least: FloatArray,
) -> FloatArray:
    """Shares of the vertices that the triangles have as corners."""
    gradient, area = find_gradients(corners)
    value, low = start.copy(), least[free]
    value[free] = np.maximum(0.5, low)
    strain = np.ones(len(corner))
    for sweep in range(SWEEPS):
        weight = area * arm**2 * np.maximum(strain / strain.max(), FLOOR) ** (POWER - 2.0)
        solved = _solve(corner, gradient, weight, free, value, low)
        # A full step would swing to and fro with so high a power; this part of it never does.
        value = solved if sweep == 0 else value + (solved - value) / (POWER - 1.0)
        strain = arm * np.linalg.norm(np.einsum("tci,tc->ti", gradient, value[corner]), axis=1)
        strain = np.maximum(strain, 1e-300)
    shares: FloatArray = np.clip(value, 0.0, 1.0)
    return shares


def find_overturned(corners: FloatArray, share: FloatArray, turns: FloatArray) -> BoolArray:
    """Which triangles any of the rotation vectors [n, 3] nearly turns over; corners [nt, 3, 3] from the joint."""
    normal = find_normals(corners)
    over = np.zeros(len(corners), bool)
    for turn in turns:
        frames = Rotation.from_rotvec(share.reshape(-1, 1) * turn)
        placed = frames.apply(corners.reshape(-1, 3)).reshape(corners.shape)
        wanted = frames.apply(np.repeat(normal, 3, axis=0)).reshape(corners.shape).sum(axis=1)
        upright = np.einsum("ti,ti->t", find_normals(placed), wanted)
        over |= upright < UPRIGHT * np.linalg.norm(wanted, axis=1)
    return over


def find_normals(corners: FloatArray) -> FloatArray:
    """Unit normals [nt, 3] of triangles."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals: FloatArray = across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
    return normals


def find_gradients(corners: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Gradients of the linear functions that are 1 at one corner [nt, 3, 3], and areas [nt]."""
    opposite = np.roll(corners, -2, axis=1) - np.roll(corners, -1, axis=1)
    normal = np.cross(opposite[:, 0], opposite[:, 1])
    double = np.linalg.norm(normal, axis=1, keepdims=True)
    normal /= double
    return np.cross(normal[:, None], opposite) / double[:, :, None], 0.5 * double[:, 0]


def _solve(
    corner: IntArray,
    gradient: FloatArray,
    weight: FloatArray,
    free: BoolArray,
    value: FloatArray,
    low: FloatArray,
) -> FloatArray:
    """Least of the sum of weight |grad|^2; vertices that are not free are held, those below `low` are pulled to it."""
    entries = weight[:, None, None] * np.einsum("tai,tbi->tab", gradient, gradient)
    rows, columns = np.broadcast_arrays(corner[:, :, None], corner[:, None, :])
    count = len(free)
    whole = csr_array((entries.ravel(), (rows.ravel(), columns.ravel())), shape=(count, count))
    inner = whole[free]
    matrix, right = inner[:, free], -(inner[:, ~free] @ value[~free])
    pull = np.where(value[free] < low + SLACK, PULL * whole.diagonal().max(), 0.0)
    solved = value.copy()
    solved[free] = splu((matrix + diags_array(pull)).tocsc()).solve(right + pull * low)
    return solved
