"""The free step of skeletons that carry loads: the same equations, with the loads asked in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import bind_kernel
from supple_bones.tables import Bones, Motion
from supple_skeleton.loaded_kernels import correct_loaded, factor_loaded, mix_loaded, solve_loaded
from supple_skeleton.loads import BoneLoad
from supple_skeleton.step_tables import Gains, Masses, StepScratch


class FreeStep(NamedTuple):
    """What the free step takes and makes, in the order of `move_freely`."""

    h: float
    corrections: int
    implicitness: float
    bones: Bones
    masses: Masses
    gains: Gains
    gravity: FloatArray
    motion: Motion
    wrench: FloatArray
    force: FloatArray
    scratch: StepScratch
    factor: FloatArray
    applied: FloatArray
    v_free: FloatArray


def bind_loaded_step(step: FreeStep, loads: Sequence[BoneLoad]) -> Callable[[], int]:
    """A function that takes the free step and returns -1, or a rate without inertia."""
    (h, corrections, implicitness, bones, masses, gains, gravity, motion, wrench, force, scratch, factor, applied,
     v_free) = step  # fmt: skip
    rigid, effective = np.zeros_like(masses.inertia), np.zeros_like(masses.inertia)
    accelerations, forces = scratch.work[0], scratch.work[1]
    share = implicitness * h

    factor_matrix = bind_kernel(
        factor_loaded, h, bones, rigid, effective, masses.armature, gains, gravity, motion, wrench, force, scratch,
        factor, applied,
    )  # fmt: skip
    solve = bind_kernel(solve_loaded, h, bones, gains, motion, applied, factor, scratch, v_free)
    mix = bind_kernel(mix_loaded, bones, motion, scratch)
    correct = bind_kernel(correct_loaded, share, bones, motion, factor, scratch, v_free)

    def take_step() -> int:
        rigid[:] = masses.inertia
        effective[:] = masses.inertia
        for load in loads:
            load.add_inertias(rigid, effective)
        empty = factor_matrix()
        if empty >= 0:
            return int(empty)
        for load in loads:
            load.add_forces(motion.spatial_velocity, accelerations, forces)
        solve()
        for _ in range(corrections):
            mix()
            for load in loads:
                load.add_mixed_forces(share, scratch.change_velocity, accelerations, forces)
            correct()
        return -1

    return take_step
