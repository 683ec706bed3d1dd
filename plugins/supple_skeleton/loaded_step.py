"""The free step of skeletons that carry loads: the same equations, with the loads asked in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from supple.core.jit import bind_kernel
from supple_skeleton.loaded_kernels import correct_loaded, factor_loaded, mix_loaded, solve_loaded
from supple_skeleton.loads import BoneLoad
from supple_skeleton.step_tables import FreeStep


def bind_loaded_step(step: FreeStep, loads: Sequence[BoneLoad]) -> Callable[[], int]:
    """A function that takes the free step and returns -1, or a rate without inertia."""
    inertia, motion, scratch = step.masses.inertia, step.motion, step.scratch
    rigid, effective = np.zeros_like(inertia), np.zeros_like(inertia)
    accelerations, forces = scratch.work[0], scratch.work[1]
    share, corrections = step.implicitness * step.h, step.corrections
    factor_matrix = bind_kernel(factor_loaded, step, rigid, effective)
    solve, mix = bind_kernel(solve_loaded, step), bind_kernel(mix_loaded, step)
    correct = bind_kernel(correct_loaded, share, step)

    def take_step() -> int:
        rigid[:] = inertia
        effective[:] = inertia
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
