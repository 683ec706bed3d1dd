"""The systems of walking: torques in ACTUATE, and what came of them in OBSERVE."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import NEXT, FloatArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.noise import noise_at
from supple.core.schedule import Bound, Call, Phase, System, Work
from supple_bones.tables import name_arrays
from supple_contact.touch import Touch
from supple_phases.member import Machines
from supple_simbicon.compile import Walker
from supple_simbicon.drive_kernels import drive_walker
from supple_simbicon.layout import Asked, Output, Sight, WalkScratch
from supple_simbicon.observe_kernels import observe_walk

NOISE_STEP = 0.0005
"""Length [s] of the step that the strength of noise is told for."""

SIGHT = name_arrays(Sight, "skeleton")
ASKED = name_arrays(Asked, "simbicon")


class DriveJoints(System):
    """Torques of all walkers, from their phases, the state, and the contacts of the last step."""

    phase = Phase.ACTUATE
    writes = ("simbicon.balance", *ASKED)
    adds = ("skeleton.force", "skeleton.gain_p", "skeleton.gain_d")

    def __init__(self, build: Build) -> None:
        self.walkers: list[Walker] = build.members("walkers")
        noisy = ("run.step", "run.time") if any(each.told.noise for each in self.walkers) else ()
        self.reads = (*SIGHT, "touch.force", Machines.active, Machines.value, *noisy)

    def bind(self, arrays: Bound) -> Work:
        """One call for every walker; noise is drawn before it."""
        asked, output = arrays.take(Asked, "simbicon"), arrays.take(Output, "skeleton")
        sight, force = arrays.take(Sight, "skeleton"), arrays["touch.force"]
        active, value, balance = (
            arrays[name] for name in (Machines.active, Machines.value, "simbicon.balance")
        )
        work: list[Callable[[], None] | Call] = []
        for walker in self.walkers:
            noise = np.zeros(len(sight.v))
            arguments = (
                arrays.h, walker.drives, walker.body, walker.rules, active[walker.flag : walker.flag + 1], value,
                force, sight, noise, make_scratch(len(walker.drives.bone)), balance[walker.row], asked, output,
            )  # fmt: skip
            if walker.told.noise:
                work.append(_drive_noisily(arrays, walker, noise, bind_kernel(drive_walker, *arguments)))
            else:
                work.append(Call(drive_walker, *arguments))
        return work


def make_scratch(drives: int) -> WalkScratch:
    """For so many driven joints."""
    return WalkScratch(*(np.zeros((drives, columns)) for columns in (4, 3, 3, 3)))


def _drive_noisily(
    arrays: Bound, walker: Walker, noise: FloatArray, drive: Callable[[], object]
) -> Callable[[], None]:
    """White noise: what a longer step averages over is less."""
    step, time, seed = arrays["run.step"], arrays["run.time"], arrays.build.seed
    size = walker.told.noise * np.sqrt(NOISE_STEP / arrays.h)

    def act() -> None:
        if time[0] >= walker.told.noise_from:
            noise[:] = size * noise_at(seed, walker.name, int(step[0]), len(noise))
        else:
            noise[:] = 0.0
        drive()

    return act


class ObserveWalk(System):
    """Loads, steps, pressure and effort of all walkers."""

    phase = Phase.OBSERVE
    writes = ("simbicon.observed", f"simbicon.memory{NEXT}")
    after_step = ("x", "rotation", "twist", "axis", "v")

    def __init__(self, build: Build) -> None:
        self.walkers: list[Walker] = build.members("walkers")
        self.sight = {name: f"skeleton.{name}{NEXT}" for name in self.after_step}
        self.touch = {name: f"touch.{name}{NEXT}" for name in Touch._fields}
        self.reads = (
            "skeleton.inertia", *self.sight.values(), *name_arrays(Touch, "touch"), *self.touch.values(),
            "skeleton.x_start", Machines.active,
            f"run.time{NEXT}", *ASKED,
        )  # fmt: skip

    def bind(self, arrays: Bound) -> Work:
        """One call for every walker."""
        sight, touch = arrays.take(Sight, "skeleton", **self.sight), arrays.take(Touch, "touch", **self.touch)
        asked, before = arrays.take(Asked, "simbicon"), arrays.take(Touch, "touch")
        active, start, time = (
            arrays[Machines.active], arrays["skeleton.x_start"], arrays[f"run.time{NEXT}"],
        )  # fmt: skip
        observed, memory = (arrays[name] for name in self.writes)
        return [
            Call(
                observe_walk, time, walker.drives, walker.body, walker.rules,
                active[walker.flag : walker.flag + 1], before, touch, sight, start, asked, memory[walker.row],
                observed[walker.row],
            )
            for walker in self.walkers
        ]  # fmt: skip
