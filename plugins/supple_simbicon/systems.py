"""The systems of walking: torques in ACTUATE, and what came of them in OBSERVE."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from supple.core.arrays import NEXT
from supple.core.build import Build
from supple.core.schedule import ROWS, Access, Bound, Call, Each, Phase, System, Work
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.owners import Owners
from supple.mechanics.problem_kernels import clear_groups
from supple_bones.tables import name_arrays
from supple_contact.tables import RowContacts
from supple_contact.touch import Touch
from supple_phases.member import Machines
from supple_simbicon.compile import Walker
from supple_simbicon.components import SimbiconSettings
from supple_simbicon.drive import list_arguments, make_scratch, prepare_drive
from supple_simbicon.drive_kernels import drive_walker
from supple_simbicon.layout import Asked, Contacts, Output, Rules, Sight
from supple_simbicon.observe_kernels import observe_walk
from supple_simbicon.slip_kernels import add_up_slips
from supple_simbicon.small_step_kernels import stiffen_drives

SIGHT = name_arrays(Sight, "skeleton")
ASKED = name_arrays(Asked, "simbicon")


class DriveJoints(System):
    """Torques of all walkers, from their phases, the state, and the contacts of the last step."""

    phase = Phase.ACTUATE
    writes = ("simbicon.balance", *ASKED)
    adds = ("skeleton.force", "skeleton.gain_p", "skeleton.gain_d")

    def __init__(self, build: Build) -> None:
        self.walkers: list[Walker] = build.members("walkers")
        self.settings: SimbiconSettings = build.settings("simbicon")
        noisy = ("run.step", "run.time") if any(each.told.noise for each in self.walkers) else ()
        self.reads = (*SIGHT, "touch.force", "simbicon.memory", Machines.active, Machines.value, *noisy)

    def bind(self, arrays: Bound) -> Work:
        """One call for every walker; noise is drawn before it."""
        asked, output = arrays.take(Asked, "simbicon"), arrays.take(Output, "skeleton")
        sight, balance = arrays.take(Sight, "skeleton"), arrays["simbicon.balance"]
        work: list[Callable[[], None] | Call] = []
        for walker in self.walkers:
            scratch, row = make_scratch(len(walker.drives.bone)), balance[walker.row]
            rules = find_rules(walker, self.settings)
            if walker.told.noise:
                drive = prepare_drive(
                    arrays, arrays.h, self.settings.small_steps, walker, rules, sight, scratch, row, asked, output
                )  # fmt: skip
                work.append(functools.partial(drive, 0))
            else:
                noise = np.zeros(len(sight.v))
                arguments = list_arguments(
                    arrays, arrays.h, walker, rules, sight, noise, scratch, row, asked, output
                )  # fmt: skip
                work.append(Call(drive_walker, *arguments))
            if self.settings.small_steps > 1 and self.settings.stiffness > 0:
                arguments = (arrays.h, self.settings.stiffness, walker.drives, sight.v, asked, output)
                work.append(Call(stiffen_drives, *arguments))
        return work


def find_rules(walker: Walker, settings: SimbiconSettings) -> Rules:
    """In the contact problem of small steps torques are those of the start, held by a stiffness of its own."""
    if settings.small_steps > 1 and settings.stiffness > 0:
        return walker.rules._replace(implicit=0)
    return walker.rules


class ObserveSlips(System):
    """How fast the contacts on every entity slide, by the velocities at the end of the step."""

    phase = Phase.OBSERVE
    reads: Sequence[Access] = (
        *name_arrays(Owners, "owners"), *name_arrays(RowContacts, "contacts"), "rows.impulse", "rows.problem",
        Each("mechanisms", "v_next", ROWS),
    )  # fmt: skip
    writes = ("simbicon.slips",)

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind the contacts, and the velocities of all mechanisms."""
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", ROWS)
        problem = arrays.record("rows.problem")
        velocity = np.zeros((problem.capacity, 3))
        adding = [
            one.jacobian.bind_row_velocities(arrays[one.v_next].reshape(-1), velocity) for one in mechanisms
        ]
        add_up = Call(
            add_up_slips, arrays.take(Owners, "owners"), arrays.take(RowContacts, "contacts"),
            arrays["rows.impulse"], velocity, arrays["simbicon.slips"],
        )  # fmt: skip

        return [Call(clear_groups, problem.counts, velocity), *adding, add_up]


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
            "skeleton.x_start", Machines.active, "simbicon.slips",
            f"run.time{NEXT}", *ASKED,
        )  # fmt: skip

    def bind(self, arrays: Bound) -> Work:
        """One call for every walker."""
        sight, asked = arrays.take(Sight, "skeleton", **self.sight), arrays.take(Asked, "simbicon")
        contacts = Contacts(
            step=arrays.h, before=arrays.take(Touch, "touch"), now=arrays.take(Touch, "touch", **self.touch),
            slips=arrays["simbicon.slips"],
        )  # fmt: skip
        active, start, time = (
            arrays[Machines.active], arrays["skeleton.x_start"], arrays[f"run.time{NEXT}"],
        )  # fmt: skip
        observed, memory = (arrays[name] for name in self.writes)
        return [
            Call(
                observe_walk, time, walker.drives, walker.body, walker.rules,
                active[walker.flag : walker.flag + 1], contacts, sight, start, asked, memory[walker.row],
                observed[walker.row],
            )
            for walker in self.walkers
        ]  # fmt: skip
