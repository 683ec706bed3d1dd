"""One walker's torques, bound to where it sees its bones and where its torques go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.jit import bind_kernel
from supple.core.noise import noise_at
from supple.core.schedule import Bound
from supple_phases.member import Machines
from supple_simbicon.compile import Walker
from supple_simbicon.drive_kernels import drive_walker
from supple_simbicon.layout import Asked, Output, Rules, Sight, WalkScratch

NOISE_STEP = 0.0005
"""Length [s] of the step that the strength of noise is told for."""


def make_scratch(drives: int) -> WalkScratch:
    """For so many driven joints."""
    return WalkScratch(*(np.zeros((drives, columns)) for columns in (4, 3, 3, 3)))


def list_arguments(
    arrays: Bound, h: float, walker: Walker, rules: Rules, sight: Sight, noise: FloatArray, scratch: WalkScratch,
    balance: FloatArray, asked: Asked, output: Output,
) -> tuple[Any, ...]:  # fmt: skip
    """What `drive_walker` takes."""
    active, value = arrays[Machines.active], arrays[Machines.value]
    return (
        h, walker.drives, walker.body, rules, active[walker.flag : walker.flag + 1], value, arrays["touch.force"],
        sight, arrays["simbicon.memory"][walker.row], noise, scratch, balance, asked, output,
    )  # fmt: skip


def prepare_drive(
    arrays: Bound, h: float, parts: int, walker: Walker, rules: Rules, sight: Sight, scratch: WalkScratch,
    balance: FloatArray, asked: Asked, output: Output,
) -> Callable[[int], None]:  # fmt: skip
    """A function that drives the walker in the part of the step with this number, of so many; noise is drawn for each.

    Noise is white: what a longer part averages over is less.
    """
    noise = np.zeros(len(sight.v))
    drive = bind_kernel(
        drive_walker,
        *list_arguments(arrays, h, walker, rules, sight, noise, scratch, balance, asked, output),
    )
    if not walker.told.noise:
        return lambda part: drive()
    step, time, seed = arrays["run.step"], arrays["run.time"], arrays.build.seed
    size = walker.told.noise * np.sqrt(NOISE_STEP / h)

    def act(part: int) -> None:
        if time[0] >= walker.told.noise_from:
            noise[:] = size * noise_at(seed, walker.name, int(step[0]) * parts + part, len(noise))
        else:
            noise[:] = 0.0
        drive()

    return act
