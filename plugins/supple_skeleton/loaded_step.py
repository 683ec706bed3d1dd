"""The free step of skeletons that carry loads: the same equations, with the loads asked in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple_skeleton.loaded_kernels import correct_loaded, factor_loaded, mix_loaded, solve_loaded
from supple_skeleton.loads import BoneLoad


def bind_loaded_step(
    h: float,
    corrections: int,
    implicitness: float,
    loads: Sequence[BoneLoad],
    inputs: Sequence[FloatArray],
    scratch: Sequence[FloatArray],
    outputs: Sequence[FloatArray],
) -> Callable[[], int]:
    """A function that takes the free step and returns -1, or a rate without inertia.

    The arrays are those of the system `MoveFreely`, in its order.
    """
    (bone, dof, inertia, armature, damping, stiffness, gravity, x, rotation, axis, axis_rate, velocity, q, v,
     wrench, force, gain_p, gain_d) = inputs  # fmt: skip
    own, composite, work, change_velocity, change_rate, rates = scratch
    factor, applied, v_free = outputs
    rigid, effective = np.zeros_like(inertia), np.zeros_like(inertia)
    accelerations, forces = work[0], work[1]
    share = implicitness * h

    def take_step() -> int:
        rigid[:] = inertia
        effective[:] = inertia
        for load in loads:
            load.add_inertias(rigid, effective)
        empty = factor_loaded(
            h, bone, dof, rigid, effective, armature, damping, stiffness, gravity,
            x, rotation, axis, axis_rate, velocity, v, wrench, force, gain_p, gain_d,
            own, composite, work, rates, factor, applied,
        )  # fmt: skip
        if empty >= 0:
            return int(empty)
        for load in loads:
            load.add_forces(velocity, accelerations, forces)
        solve_loaded(
            h, bone, dof, damping, stiffness, axis, q, v, gain_p, gain_d, applied, factor, work, rates, v_free
        )
        for _ in range(corrections):
            mix_loaded(
                bone, dof, own, axis, axis_rate, velocity, v, rates, change_velocity, change_rate, work
            )
            for load in loads:
                load.add_mixed_forces(share, change_velocity, accelerations, forces)
            correct_loaded(share, bone, dof, axis, v, factor, work, rates, v_free)
        return -1

    return take_step
