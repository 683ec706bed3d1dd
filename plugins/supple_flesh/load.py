"""Flesh as a load on the bones of skeletons."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import bind_first_arguments
from supple.core.schedule import Bound
from supple_bones.forest import Follower
from supple_bones.tables import name_arrays
from supple_flesh.active import ActiveSet
from supple_flesh.free_kernels import correct_bones, push_bones, weigh_flesh
from supple_flesh.pool import Pool
from supple_flesh.tables import BoneMotion, FreeFlesh, Patches, Springs, VertexState, make_free_scratch


class FleshLoad:
    """Eliminates the velocities of active vertices from the equations of the skeletons; see `BoneLoad`."""

    name = "flesh"
    reads = ()
    takes = (
        *name_arrays(Patches, "flesh"),
        *name_arrays(Springs, "flesh"),
        *name_arrays(VertexState, "flesh"),
        *name_arrays(BoneMotion, "skeleton"),
        "run.gravity",
    )
    makes = name_arrays(FreeFlesh, "flesh")

    def __init__(self, pool: Pool, implicit: bool, contacts: int) -> None:
        """`implicit` says whether springs and dampers look ahead; `contacts` is the room for contacts."""
        self.pool, self.implicit = pool, implicit
        self.active = ActiveSet(pool, 0.0)
        # A triangle may hang on three bones, and both sides of a contact may be flesh.
        self.extra_blocks = 4 * contacts if len(set(pool.patch_frames)) > 1 else 0

    def followers(self) -> list[Follower]:
        """The frames over joints that patches hang on."""
        return sorted({frame for frame in self.pool.patch_frames if frame.share != 1.0})

    def rest_inertia(self, path: str, share: float = 1.0) -> FloatArray:
        """Mass, first moment and inertia about the origin of all vertices that hang on a bone or follower."""
        wanted = np.array([frame == (path, share) for frame in self.pool.patch_frames], bool)
        mine = wanted[self.pool.patch_of]
        m, x = self.pool.mass[mine], self.pool.rest[mine]
        second = np.einsum("i,ij,ik->jk", m, x, x)
        about = np.trace(second) * np.eye(3) - second
        entries = [about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]]
        return np.array([m.sum(), *(m @ x), *entries])

    def bind(self, arrays: Bound) -> None:
        """All is looked up in `attach`."""

    def attach(self, arrays: Bound) -> None:
        """Bind the pool, the state and what is made of them. Springs and dampers look a step ahead, or not at all."""
        h, ahead = arrays.h, arrays.h if self.implicit else 0.0
        self.active.look_ahead(ahead)
        self._mask = arrays["flesh.mask"]
        active, patches = self.active.arrays, arrays.take(Patches, "flesh")
        springs, vertices = arrays.take(Springs, "flesh"), arrays.take(VertexState, "flesh")
        bones, free = arrays.take(BoneMotion, "skeleton"), arrays.take(FreeFlesh, "flesh")
        scratch = make_free_scratch(self.pool.count, len(patches.patch_bone))
        inertia, motion = np.zeros((1, 10)), np.zeros((1, 6))
        self._weigh = bind_first_arguments(
            weigh_flesh, (patches, vertices, active, self.active.lag, scratch, free), (inertia, inertia)
        )
        self._push = bind_first_arguments(
            push_bones, (h, ahead, arrays["run.gravity"], patches, springs, bones, vertices, active, scratch, free),
            (motion, motion),
        )  # fmt: skip
        self._correct = bind_first_arguments(
            correct_bones, (patches, bones, vertices, active, scratch, free), (h, motion, motion, motion)
        )

    def add_inertias(self, rigid_out: FloatArray, effective_out: FloatArray) -> None:
        """Follow the mask, and say what inertia bones have in A."""
        self.active.update(self._mask)
        self._weigh(rigid_out, effective_out)

    def add_forces(self, velocity: FloatArray, acceleration: FloatArray, force_out: FloatArray) -> None:
        """Bias, weight, springs and dampers of the active vertices; momentum of those that are released.

        `velocity` is `skeleton.spatial_velocity`, which is bound already.
        """
        self._push(acceleration, force_out)

    def add_mixed_forces(
        self, share: float, velocity: FloatArray, acceleration: FloatArray, force_out: FloatArray
    ) -> None:
        """Bring velocity-dependent forces up to date."""
        self._correct(share, velocity, acceleration, force_out)
