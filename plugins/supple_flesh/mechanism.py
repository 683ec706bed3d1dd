"""The velocities of vertices as a mechanism, and the skins as surfaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.jit import bind_first_arguments, bind_kernel
from supple.core.schedule import Bound, Call
from supple.errors import CapacityError, PluginError, Problem, suggest
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.dynamics import Arrays
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.points import PerAsker, SurfacePoints
from supple_bones.layout import TREE
from supple_flesh.dynamics import READS, FleshDynamics
from supple_flesh.load import FleshLoad
from supple_flesh.multiply_kernels import multiply_columns, multiply_patches
from supple_flesh.pool import Part
from supple_flesh.row_kernels import add_flesh_delassus, make_rows
from supple_flesh.tables import HungVertices, WeightedSums, make_delassus_scratch, make_product
from supple_skeleton.dynamics import FORCE
from supple_skeleton.loads import WeightedRows

if TYPE_CHECKING:
    from supple_skeleton.mechanism import Skeletons

CORNERS = 3
"""Blocks on vertices that a point of the skin may need."""


class FleshMechanism:
    """The velocities y of the vertices that the bones do not explain; A = A_s (x) 1_3, patch by patch.

    y = x' + A_xx^-1 A_xr r makes the coupled matrix of bones and flesh block-diagonal: README eq. (6). All of a
    vertex that is not active is zero. Every patch is one coupling unit.
    """

    name = "flesh"
    v, v_next, v_free = "flesh.y", "flesh.y_next", "flesh.v_free"
    plan, impulse, force = "flesh.plan", "flesh.impulse", "flesh.applied"
    reads = ("flesh.mask", "flesh.patch_of", "flesh.pressure", "flesh.force")
    dynamics_reads, dynamics_forces = READS, (FORCE,)

    def __init__(self, load: FleshLoad, skeletons: Skeletons, contacts: int) -> None:
        """`skeletons` are what the load hangs on; `contacts` is the room for contacts."""
        self.load, self.pool, self.skeletons = load, load.pool, skeletons
        self.dynamics_keys = tuple(f"{part.entity.path}.flesh" for part in self.pool.parts)
        self.unit_count = len(self.pool.patch_bone)
        # Three corners on each side of a contact.
        self.jacobian = JacobianBlocks(6 * contacts, 3)
        self._active = load.active.arrays
        self._right, self._product = np.zeros((self.pool.count, 3)), make_product(self.pool.count)
        self._multiply = bind_kernel(multiply_patches, self._active, self._right, self._product)
        self._scratch = make_delassus_scratch(6 * contacts, self.unit_count)
        self._add_delassus = bind_first_arguments(
            add_flesh_delassus, (self._active, self.jacobian.arrays, self._scratch), (BlockMatrix().blocks,)
        )

    def bind(self, arrays: Bound) -> None:
        """Bind what queries ask for."""
        self._pressure, self._force = arrays["flesh.pressure"], arrays["flesh.force"]

    def add_delassus(self, W: BlockMatrix) -> None:
        """W += J A^-1 J^T, patch by patch."""
        self._add_delassus(W.blocks)

    def bind_delassus(self, W: BlockMatrix) -> Call:
        """The same as a call for every step."""
        return Call(add_flesh_delassus, self._active, self.jacobian.arrays, self._scratch, W.blocks)

    def apply_inverse(self, x: FloatArray, out: FloatArray) -> None:
        """out = A^-1 x, both [n, 3]; zero for vertices that are not active."""
        used = self._active.start[-1]
        mine = self._active.vertex[:used]
        self._right[:used] = x[mine]
        self._multiply()
        out.fill(0.0)
        out[mine] = self._product[:, :used].T

    def response(self, columns: FloatArray, out: FloatArray) -> None:
        """out[k] = A^-1 columns[k], both [columns, 3 n]; zero for vertices that are not active."""
        multiply_columns(self._active, columns, out)

    # Queries

    def bind_dynamics(
        self, keys: Sequence[str], arrays: Arrays, build: Build, acts: bool = False
    ) -> list[FleshDynamics]:
        """Queries about flesh together with the skeleton that it hangs on, for each such skeleton."""
        names = list(self.skeletons.skeletons)
        found: dict[str, None] = {}
        for key in keys:
            part = self.dynamics_keys.index(key)
            patch = self.pool.patch_part.index(part)
            bone = self.skeletons.forest.bone[self.skeletons.frame(*self.pool.patch_frames[patch])]
            found[names[bone[TREE]]] = None
        return [FleshDynamics(arrays, self, path, build, acts) for path in found]

    def part(self, path: str) -> Part:
        """The flesh of the entity at `path`: which vertices of the pool are its."""
        names = {part.entity.path: part for part in self.pool.parts}
        if path not in names:
            raise PluginError(Problem(None, path, "no flesh of this name", suggest(path, names)))
        return names[path]

    def region(self, path: str, bone: str) -> int:
        """The row of `flesh.pressure` for what hangs of the flesh at `path` on the bone at `bone`."""
        part = self.pool.parts.index(self.part(path))
        rows = {
            name: p
            for p, (name, owner) in enumerate(zip(self.pool.region_bone, self.pool.region_part, strict=True))
            if owner == part
        }
        if bone not in rows:
            raise PluginError(Problem(None, bone, f"no flesh of {path} hangs on it", suggest(bone, rows)))
        return rows[bone]

    def pressure(self, path: str, bone: str) -> tuple[FloatArray, FloatArray]:
        """Contact force [N] in the last step on a region, and its centre of pressure [m], both in the world.

        Without force the centre is the world's origin. A system that asks declares `flesh.pressure`.
        """
        row = self._pressure[self.region(path, bone)]
        return row[:3].copy(), row[3:6].copy()

    def forces(self, path: str) -> FloatArray:
        """Contact force [N] on every vertex of the flesh at `path` in the last step, in the world [n, 3]."""
        forces: FloatArray = self._force[self.part(path).vertices].copy()
        return forces


def find_strangers(region_of: IntArray, triangles: IntArray) -> IntArray:
    """Which regions may touch [regions, regions]: not those that the skin joins, for it creases where bones bend."""
    count = int(region_of.max()) + 1
    strangers: IntArray = np.ones((count, count), np.int64)
    corners = region_of[triangles]
    for k in range(3):
        strangers[corners[:, k], corners[:, k]] = 0
        strangers[corners[:, k], corners[:, k - 1]] = strangers[corners[:, k - 1], corners[:, k]] = 0
    return strangers


def find_thickness(points: FloatArray) -> float:
    """How thin points are along the axis in which they vary least [m]."""
    middle = points - points.mean(axis=0)
    _, axes = np.linalg.eigh(middle.T @ middle)
    return float(np.ptp(middle @ axes[:, 0]))


class FleshSurface:
    """The skin of one flesh; see `PooledSurface` and `FramedSurface`."""

    rotation = "skeleton.rotation"
    reads = (*(f"flesh.{name}" for name in HungVertices._fields if name != "rotation"), rotation)
    carrier = "skeleton"

    def __init__(self, part: Part, mechanism: FleshMechanism, bones: IntArray, contacts: int) -> None:
        """bones [regions] are rows of the skeleton."""
        self.part, self.mechanism, self.vertices = part, mechanism, part.vertices
        self.path = part.entity.path
        self.name = f"flesh {self.path}"
        self.positions, self.velocities = "flesh.position", "flesh.velocity"
        self.rest, self.triangles = part.mesh.vertices, part.mesh.triangles
        self.friction, self.restitution = part.flesh.friction, part.flesh.restitution
        self.self_contact = part.flesh.self_contact
        self.parts = mechanism.pool.region_of[part.vertices]
        # Of three corners the middle one has the bone of two, if two belong to one.
        self.frame_of_element = bones[np.sort(self.parts[self.triangles], axis=1)[:, 1]]
        self.parts_meet = find_strangers(self.parts, self.triangles)
        self.overlap = 0.5 * min(find_thickness(self.rest[self.parts == p]) for p in set(self.parts.tolist()))
        self.thickness = float(np.ptp(self.rest, axis=0).min()) / 2
        self.rows = WeightedRows(6 * contacts)
        self._sums = WeightedSums(*(getattr(self.rows, name) for name in WeightedSums._fields))

    def bind(self, arrays: Bound) -> None:
        """Bind the vertices."""
        self.hung = arrays.take(HungVertices, "flesh", rotation=self.rotation)
        self.number = arrays.build.members("surfaces").index(self)
        members = arrays.build.members("mechanisms")
        self.skeletons: Skeletons = next(each for each in members if each.name == "skeleton")
        self._make_rows = PerAsker(self._bind_points)

    def _bind_points(self, points: SurfacePoints) -> Callable[[], int]:
        blocks, first_triangle = self.mechanism.jacobian.arrays, self.part.triangles.start
        return bind_kernel(make_rows, self.hung, first_triangle, points, self._sums, blocks)

    def add_rows(self, points: SurfacePoints) -> None:
        """Append the Jacobian of points: on the vertices, and on the bones that they hang on."""
        J, rows = self.mechanism.jacobian, self.rows
        asked = points.span.item(1) - points.span.item(0)
        if J.count.item(0) + CORNERS * asked > J.capacity:
            what = f"room for {J.capacity} blocks of rows on flesh is used up; raise run.capacity.contacts"
            raise CapacityError(what, entity=self.path)
        rows.count = self._make_rows(points)()
        if rows.count:
            self.skeletons.add_weighted_rows(rows)
