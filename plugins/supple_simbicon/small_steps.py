"""Mixed frequency: contacts and flesh are solved once a step, walkers and their bones move in parts of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound
from supple.errors import SimulationError
from supple.mechanics.mechanism import contact_capacity
from supple.mechanics.owners import Owners, list_owners
from supple_bones.tables import Bones, Motion, name_arrays
from supple_contact.tables import RowContacts
from supple_contact.touch import Touch
from supple_contact.touch_kernels import observe_contacts
from supple_phases.member import Machines
from supple_simbicon.compile import Walker
from supple_simbicon.components import SimbiconSettings
from supple_simbicon.drive import make_scratch, prepare_drive
from supple_simbicon.layout import BALANCE_COLUMNS, Asked, Output, Pressed, Sight
from supple_simbicon.small_step_kernels import (
    find_held_force,
    move_small,
    set_contact_wrenches,
    start_small_step,
)
from supple_skeleton.flow_tables import Ended
from supple_skeleton.mechanism import Skeletons
from supple_skeleton.step_kernels import advance_bones
from supple_skeleton.step_tables import FreeStep, Gains, Masses, Tie, make_step_scratch

HELD = "simbicon.held"
OLD_TOUCH = ("touch.force", "touch.torque")


class SmallSteps:
    """Moves all skeletons of a scene by small steps; member of the collection `bone_steppers`."""

    name = "simbicon.small_steps"
    reads = ()
    makes = (HELD,)

    def __init__(self, build: Build) -> None:
        self.settings: SimbiconSettings = build.settings("simbicon")
        self.walkers: list[Walker] = build.members("walkers")
        self.skeletons = next(m for m in build.members("mechanisms") if isinstance(m, Skeletons))
        noisy = ("run.step", "run.time") if any(each.told.noise for each in self.walkers) else ()
        self.takes: Sequence[str] = (
            *name_arrays(Bones, "skeleton"), *name_arrays(Masses, "skeleton"), *name_arrays(Motion, "skeleton"),
            *name_arrays(Owners, "owners"), *name_arrays(RowContacts, "contacts"), *name_arrays(Asked, "simbicon"),
            *OLD_TOUCH, "simbicon.memory", "rows.impulse", "run.gravity", Machines.active, Machines.value, *noisy,
        )  # fmt: skip

    def bind(self, arrays: Bound) -> None:
        """All is looked up in `attach`."""

    def attach(self, arrays: Bound, after: Motion) -> Callable[[], None]:
        """Bind the small step, and whoever acts in it."""
        n, forest = self.settings.small_steps, self.skeletons.forest
        h, rates, frames = arrays.h / n, forest.v_count, len(forest.bone)
        motion, bones = arrays.take(Motion, "skeleton"), arrays.take(Bones, "skeleton")
        masses, gravity = arrays.take(Masses, "skeleton"), arrays["run.gravity"]
        output = Output(*(np.zeros(rates) for _ in Output._fields))
        wrench, held, share = np.zeros((frames, 6)), arrays[HELD], np.zeros(1)
        step = self._make_step(arrays, h, after, output, wrench)
        owners, contacts = arrays.take(Owners, "owners"), arrays.take(RowContacts, "contacts")
        touch, pressed = self._make_touch(arrays)
        v_rows = arrays["skeleton.v_rows"]
        observe = bind_kernel(
            observe_contacts, arrays.h, owners, contacts, arrays["rows.impulse"],
            np.zeros((contact_capacity(arrays.build), 3)), touch,
        )  # fmt: skip
        press_start = bind_kernel(set_contact_wrenches, share, pressed, motion.x, wrench)
        press = bind_kernel(set_contact_wrenches, share, pressed, after.x, wrench)
        hold = bind_kernel(
            find_held_force, arrays.h, step.implicitness, bones, masses, gravity, motion, arrays["skeleton.v_free"],
            v_rows, wrench, arrays.take(Asked, "simbicon"), step.scratch, held,
        )  # fmt: skip
        start, move = bind_kernel(start_small_step, held, output), bind_kernel(move_small, step)
        ended = Ended(v_rows=np.zeros(rates), v_worked=np.zeros(rates))
        advance = bind_kernel(
            advance_bones, h, bones, step.factor, after.q, step.v_free, np.zeros(rates), ended, after
        )
        drives = [self._prepare(arrays, h, walker, masses, after, output) for walker in self.walkers]
        pairs = list(zip(after, motion, strict=True))
        shares = [(j + 0.5) / n if self.settings.contact_forces == "interpolated" else 1.0 for j in range(n)]

        def take_steps() -> None:
            observe()
            share[0] = 1.0
            press_start()
            hold()
            for new, old in pairs:
                new[...] = old
            for number in range(n):
                share[0] = shares[number]
                press()
                start()
                for drive in drives:
                    drive(number)
                empty = move()
                if empty >= 0:
                    raise SimulationError(f"the mass matrix lost its inertia at rate {empty} in a small step")
                advance()

        return take_steps

    def _make_step(
        self, arrays: Bound, h: float, after: Motion, output: Output, wrench: FloatArray
    ) -> FreeStep:
        """The free step of the bones alone, flesh being a rigid part of them; springs of joints are held."""
        settings, forest = arrays.build.settings("skeleton"), self.skeletons.forest
        rates, frames = forest.v_count, len(forest.bone)
        tie = Tie(
            acceleration=np.zeros(0), row_force=np.zeros((0, 3)), row_pull=np.zeros((0, 3, 3)),
            pull=np.zeros((0, 3, 3)), mean_spin=np.zeros((0, 3)),
            taut=np.zeros(1, np.int64), taut_rates=np.zeros(1, np.int64),
        )  # fmt: skip
        gains = Gains(
            theta=np.ones(rates), damping=np.zeros(rates), stiffness=np.zeros(rates),
            gain_p=output.gain_p, gain_d=output.gain_d,
        )  # fmt: skip
        return FreeStep(
            h=h, corrections=settings.corrections, implicitness=settings.implicitness,
            bones=arrays.take(Bones, "skeleton"), masses=arrays.take(Masses, "skeleton"), gains=gains,
            gravity=arrays["run.gravity"], motion=after, wrench=wrench, force=output.force, tie=tie,
            scratch=make_step_scratch(frames, rates, len(after.axis)), factor=np.zeros(forest.entries),
            applied=np.zeros(rates), v_free=np.zeros(rates), pull=np.zeros((0, 3, 3)),
        )  # fmt: skip

    def _make_touch(self, arrays: Bound) -> tuple[Touch, Pressed]:
        """Room for what touches every entity in this step, and where of it bones find theirs."""
        owners = list_owners(arrays.build)
        n = len(owners)
        touch = Touch(
            force=np.zeros((n, 3)), torque=np.zeros((n, 3)), normal_force=np.zeros(n), count=np.zeros(n, np.int64),
            centre=np.zeros((n, 3)),
        )  # fmt: skip
        known = [(row, owners.index(path)) for path, row in self.skeletons.bones.items() if path in owners]
        table = np.array(known, np.int64).reshape(-1, 2)
        pressed = Pressed(
            bone=table[:, 0].copy(), row=table[:, 1].copy(), old_force=arrays["touch.force"],
            old_torque=arrays["touch.torque"], force=touch.force, torque=touch.torque,
        )  # fmt: skip
        return touch, pressed

    def _prepare(
        self, arrays: Bound, h: float, walker: Walker, masses: Masses, after: Motion, output: Output
    ) -> Callable[[int], None]:
        """The drive of a walker in the small step of this number."""
        sight = Sight(
            inertia=masses.inertia, x=after.x, rotation=after.rotation, twist=after.twist, axis=after.axis,
            v=after.v,
        )  # fmt: skip
        asked = Asked(*(np.zeros(len(after.v)) for _ in Asked._fields))
        return prepare_drive(
            arrays, h, self.settings.small_steps, walker, walker.rules, sight,
            make_scratch(len(walker.drives.bone)), np.zeros(BALANCE_COLUMNS), asked, output,
        )  # fmt: skip
