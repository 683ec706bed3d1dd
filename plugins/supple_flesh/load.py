"""Flesh as a load on the bones of skeletons."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.schedule import Bound
from supple_flesh.active import ActiveSet
from supple_flesh.free_kernels import correct_bones, push_bones, weigh_flesh
from supple_flesh.multiply_kernels import add_push, find_push
from supple_flesh.pool import Pool
from supple_skeleton.loads import Follower

MODEL = (
    "flesh.patch_bone", "flesh.patch_of", "flesh.mass", "flesh.rest", "flesh.vertex_stiffness", "flesh.damping",
    "flesh.first", "flesh.neighbour", "flesh.edge_stiffness",
)  # fmt: skip
"""Arrays of the pool that the step looks at."""


class FleshLoad:
    """Eliminates the velocities of active vertices from the equations of the skeletons; see `BoneLoad`."""

    name = "flesh"
    reads = ()
    takes = (
        *MODEL, "run.gravity", "skeleton.bone", "skeleton.x", "skeleton.rotation",
        "flesh.x", "flesh.v", "flesh.active", "flesh.mask", "flesh.applied",
    )  # fmt: skip
    makes = (
        "flesh.lag", "flesh.lag_moment", "flesh.twist", "flesh.y", "flesh.v_free", "flesh.parting",
        "flesh.loss_now",
    )  # fmt: skip

    def __init__(self, pool: Pool, implicit: bool, contacts: int) -> None:
        """`implicit` says whether springs and dampers look ahead; `contacts` is the room for contacts."""
        self.pool, self.implicit = pool, implicit
        self.active = ActiveSet(pool, 0.0)
        # A triangle may hang on three bones, and both sides of a contact may be flesh.
        self.extra_blocks = 4 * contacts if len(set(pool.patch_frames)) > 1 else 0
        n, patches = pool.count, len(pool.patch_bone)
        self._right, self._product = np.zeros((3, n)), np.zeros((3, n))
        self._change, self._latest = np.zeros((3, n)), np.zeros((3, n))
        self._push, self._pushes = np.zeros((3, n)), False
        self._origin, self._change_twist = np.zeros((patches, 6)), np.zeros((patches, 6))

    def followers(self) -> list[Follower]:
        """The frames over joints that patches hang on."""
        return sorted({frame for frame in self.pool.patch_frames if frame.share != 1.0})

    def rest_inertia(self, path: str, share: float = 1.0) -> FloatArray:
        """Mass, first moment and inertia about the origin of all vertices that hang on a bone or follower."""
        patches = [p for p, frame in enumerate(self.pool.patch_frames) if frame == (path, share)]
        mine = np.isin(self.pool.patch_of, patches)
        m, x = self.pool.mass[mine], self.pool.rest[mine]
        second = np.einsum("i,ij,ik->jk", m, x, x)
        about = np.trace(second) * np.eye(3) - second
        entries = [about[0, 0], about[1, 1], about[2, 2], about[0, 1], about[0, 2], about[1, 2]]
        return np.array([m.sum(), *(m @ x), *entries])

    def bind(self, arrays: Bound) -> None:
        """All is looked up in `attach`."""

    def attach(self, arrays: Bound) -> None:
        """Bind the pool, the state and what is made of them. Springs and dampers look a step ahead, or not at all."""
        self.h, self.ahead = arrays.h, arrays.h if self.implicit else 0.0
        self.active.look_ahead(self.ahead)
        self.model = [arrays[name] for name in MODEL]
        self.gravity: FloatArray = arrays["run.gravity"]
        self.frames = [arrays[f"skeleton.{name}"] for name in ("bone", "x", "rotation")]
        self.local, self.relative = arrays["flesh.x"], arrays["flesh.v"]
        self.before: IntArray = arrays["flesh.active"]
        self.mask: IntArray = arrays["flesh.mask"]
        self.applied: FloatArray = arrays["flesh.applied"]
        self.lag, self.lag_moment, self.twist, self.y, self.v_free, self.parting, self.loss = (
            arrays[name] for name in self.makes
        )

    def add_inertias(self, rigid_out: FloatArray, effective_out: FloatArray) -> None:
        """Follow the mask, and say what inertia bones have in A."""
        active = self.active
        active.update(self.mask)
        weigh_flesh(
            *self.model[:4], self.local, active.lag, active.vertex, active.start, active.inverse_start,
            active.inverse, self._right, self._product, self.lag, self.lag_moment, rigid_out, effective_out,
        )  # fmt: skip

    def add_forces(self, velocity: FloatArray, acceleration: FloatArray, force_out: FloatArray) -> None:
        """Bias, weight, springs and dampers of the active vertices; momentum of those that are released."""
        active = self.active
        self._velocity = velocity
        push_bones(
            self.h, self.ahead, self.gravity, *self.model, *self.frames, self.local, self.relative, self.before,
            self.mask, active.vertex, active.slot, active.start, active.inverse_start, active.inverse, self.lag,
            self.lag_moment, velocity, acceleration,
            self._origin, self._right, self._product, self._change, self._latest,
            self.twist, self.y, self.v_free, self.parting, self.loss, force_out,
        )  # fmt: skip
        self._pushes = find_push(
            self.h, self.applied, active.vertex, active.start, active.inverse_start, active.inverse, self._right,
            self._push,
        )  # fmt: skip
        self._add_push()

    def _add_push(self) -> None:
        """What actuators do to the free velocities of y, which forces on the bones know nothing of."""
        if self._pushes:
            add_push(self._push, self.active.vertex, self.active.start[-1], self.v_free)

    def add_mixed_forces(
        self, share: float, velocity: FloatArray, acceleration: FloatArray, force_out: FloatArray
    ) -> None:
        """Bring velocity-dependent forces up to date."""
        active = self.active
        correct_bones(
            share, *self.model[:3], *self.frames, self.local, self.relative, active.vertex, active.start,
            active.inverse_start, active.inverse, self.lag, self.lag_moment, self.twist, self.y, self._change,
            self._velocity, velocity, acceleration,
            self._change_twist, self._origin, self._right, self._product, self._latest, self.v_free, force_out,
        )  # fmt: skip
        self._add_push()
