"""A skin as a surface that touches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.mechanics.points import PerAsker, SurfacePoints
from supple_ghost.mechanism import Ghosts
from supple_skin.components import Skin
from supple_skin.kernels import add_skin_blocks
from supple_skin.tables import BonePoses, SkinBlend


class SkinSurface:
    """Hands points on the triangles of one skin to the joints of its ghost, through the blending."""

    carrier = Ghosts.name

    def __init__(
        self, owner: str, path: str, skin: Skin, triangles: IntArray, rest: FloatArray, ghosts: Ghosts
    ) -> None:
        """`owner` begins the names of its arrays; `rest` [nv, 3] are the vertices in the neutral pose [m]."""
        self.name, self.path = owner, path
        self.positions, self.velocities = f"{owner}.position", f"{owner}.v"
        self.triangles, self.rest = triangles, rest
        self.frame_of_element: IntArray = np.zeros(len(triangles), np.int64)
        self.friction, self.restitution = skin.friction, skin.restitution
        self.thickness, self.self_contact = skin.thickness, skin.self_contact
        self.ghosts = ghosts
        self.reads = (
            "ghost.rotation",
            f"{owner}.triangles",
            *(f"{owner}.{name}" for name in SkinBlend._fields),
        )

    def bind(self, arrays: Bound) -> None:
        """Bind the blending."""
        self.number = arrays.build.members("surfaces").index(self)
        self.rotation, self.blend = arrays["ghost.rotation"], arrays.take(SkinBlend, self.name)
        self._corners = arrays[f"{self.name}.triangles"]
        self._add_blocks = PerAsker(self._bind_points)

    def _bind_points(self, points: SurfacePoints) -> Callable[[], None]:
        ghosts = self.ghosts
        poses = BonePoses(
            bone=ghosts.bone, dof=ghosts.dof, axis=ghosts.axis, x=ghosts.x, rotation=self.rotation
        )
        return bind_kernel(add_skin_blocks, poses, self.blend, self._corners, points, ghosts.jacobian.arrays)

    def add_rows(self, points: SurfacePoints) -> None:
        """Append one block for every point."""
        self.ghosts.refuse_overflow(points.span.item(1) - points.span.item(0))
        self._add_blocks(points)()


def find_main_bones(blend_bone: IntArray, blend_weight: FloatArray, triangles: IntArray) -> IntArray:
    """The bone that carries most of each triangle [nt]; of several the first."""
    bones = blend_bone[triangles].reshape(len(triangles), -1)
    weights = blend_weight[triangles].reshape(len(triangles), -1)
    total = np.zeros((len(triangles), int(blend_bone.max()) + 1))
    rows = np.repeat(np.arange(len(triangles)), bones.shape[1])
    carried = bones.reshape(-1) >= 0
    np.add.at(total, (rows[carried], bones.reshape(-1)[carried]), weights.reshape(-1)[carried])
    return np.asarray(total.argmax(axis=1))
