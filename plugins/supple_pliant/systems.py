"""The systems of pliant joints: measure them, plan their torques, look at them after the step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import TypedKernel
from supple.core.schedule import ROWS, Bound, Each, Phase, System
from supple.mechanics import warm_start_kernels
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.plans import PlansSoFar
from supple.mechanics.problem import ConstraintProblem, PartialProblem
from supple.mechanics.rescue import make_solvers, solve_with_rescue
from supple.mechanics.residual import natural_map_residual
from supple_pliant.foresight import find_flags
from supple_pliant.kernels import (
    ask_for_velocities,
    choose_groups,
    find_virtual_lead,
    follow_effort,
    measure_bone_rows,
    measure_link_rows,
    observe_characters,
    take_torques,
)
from supple_pliant.rows import PliantRows

EFFORT = (
    "pliant.character",
    "pliant.effort_first",
    "pliant.effort_at",
    "pliant.effort_factor",
    "pliant.gains",
)
BONES = ("pliant.bone_row", "skeleton.q", "skeleton.target", "skeleton.target_rate")
LINKS = (
    "pliant.link_row", "pliant.is_ball", "pliant.key_first", "pliant.key_at", "pliant.key_value",
    "joints.coordinate", "joints.q",
)  # fmt: skip


def find_rows(build: Build) -> PliantRows:
    """The source of the pliant rows."""
    rows: PliantRows = next(one for one in build.members("row_sources") if one.name == PliantRows.name)
    return rows


class MeasureJoints(System):
    """Distance from the trajectory, its velocity, and the stiffness and damping of the moment."""

    phase = Phase.ACTUATE
    writes = ("pliant.error", "pliant.desired", "pliant.gains_now")

    def __init__(self, build: Build) -> None:
        self.rows = find_rows(build)
        self.reads = (
            "run.time", *EFFORT, *(BONES if self.rows.on_bones else ()), *(LINKS if self.rows.on_links else ()),
        )  # fmt: skip

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind targets and positions."""
        time, h, begin = arrays["run.time"], arrays.h, self.rows.on_bones
        effort = [arrays[name] for name in EFFORT]
        bones = [arrays[name] for name in BONES] if self.rows.on_bones else []
        links = [arrays[name] for name in LINKS] if self.rows.on_links else []
        error, desired, gains = (arrays[name] for name in self.writes)

        def measure() -> None:
            follow_effort(time.item(0), *effort, gains)
            if bones:
                measure_bone_rows(*bones, error, desired)
            if links:
                measure_link_rows(h, time.item(0), begin, *links, error, desired)

        return measure


class PlanTorques(System):
    """The torques with which the joints would follow exactly: README eq. (5) and (6). No state is touched.

    What others have planned before is foreseen.
    """

    phase = Phase.PLAN
    contacts = (
        "contacts.count", "contacts.group", "contacts.surface", "contacts.element", "owners.first", "owners.entity",
    )  # fmt: skip
    reads = (
        *contacts, "rows.problem", "rows.last_count", "rows.last_key", "rows.last_impulse", "pliant.plans",
        "pliant.desired", "pliant.torque", *PlansSoFar.reads,
    )  # fmt: skip
    writes = ("pliant.torque.next", "pliant.residual", "pliant.touched")
    adds = (Each("mechanisms", "plan", ROWS),)

    def __init__(self, build: Build) -> None:
        self.solvers, self.rows = make_solvers(build), find_rows(build)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the problem, what the last step knew, and the mechanisms."""
        whole: ConstraintProblem = arrays.record("rows.problem")
        last = [arrays[f"rows.last_{part}"] for part in ("count", "key", "impulse")]
        contacts = [arrays[name] for name in self.contacts]
        plans, desired, torque = arrays["pliant.plans"], arrays["pliant.desired"], arrays["pliant.torque"]
        torque_next, residual = arrays["pliant.torque.next"], arrays["pliant.residual"]
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", ROWS)
        pushed = [(one.jacobian, arrays[one.plan].reshape(-1)) for one in mechanisms]
        others, ask = PlansSoFar(arrays), TypedKernel(ask_for_velocities)
        flags = find_flags(arrays.build)
        part = PartialProblem(whole.capacity, whole.capacity)
        change, warm, impulse = np.zeros((3, whole.capacity, 3))
        groups = np.zeros(whole.capacity, np.int64)
        h, rows, any_plan = whole.step, self.rows, bool(plans.any())
        touched = arrays["pliant.touched"]
        probes = any(entity.components["pliant"].probe for entity in arrays.build.having("pliant"))
        state = arrays.build.arrays.now.floats
        before = state.copy()

        def plan() -> None:
            if not probes:
                plan_torques()
                return
            before[:] = state
            plan_torques()
            touched[0] = np.count_nonzero(before.view(np.int64) != state.view(np.int64))

        def plan_torques() -> None:
            residual[0] = 0.0
            torque_next[:] = 0.0
            if not any_plan:
                return
            n = whole.count
            chosen = groups[: choose_groups(n, *contacts, flags, groups)]
            whole.cut(chosen, into=part)
            change[:n] = 0.0
            if others.add_row_velocities(change):
                part.free[: part.count] += change[chosen]
            warm_start_kernels.match_values(part.count, part.key, *last, warm)
            ask(h, rows.first, part.place, plans, desired, torque, whole.bias, part.rows, warm)
            solution, _ = solve_with_rescue(self.solvers, part, warm)
            residual[0], _ = natural_map_residual(part, solution.impulse)
            impulse[:n] = 0.0
            take_torques(h, rows.first, part.place, plans, solution.impulse, torque_next, impulse)
            for jacobian, planned in pushed:
                jacobian.add_transposed_impulses(impulse, planned)

        return plan


class ObserveJoints(System):
    """Errors after the step, torques, and the virtual trajectory."""

    phase = Phase.OBSERVE
    reads = (
        "rows.problem", "rows.impulse", "pliant.gains_now", "pliant.torque.next", "pliant.error",
        "pliant.character", "pliant.residual", Each("mechanisms", "v_next", ROWS),
    )  # fmt: skip
    writes = ("pliant.lead", "pliant.total", "pliant.observed")

    def __init__(self, build: Build) -> None:
        self.rows = find_rows(build)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind torques and the velocities after the step."""
        problem: ConstraintProblem = arrays.record("rows.problem")
        impulse, gains, torque, error, character, residual = (arrays[name] for name in self.reads[1:7])
        lead, total, observed = (arrays[name] for name in self.writes)
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", ROWS)
        moved = [(one.jacobian, arrays[one.v_next].reshape(-1)) for one in mechanisms]
        velocity = np.zeros((problem.capacity, 3))
        h, rows = problem.step, self.rows

        def observe() -> None:
            velocity[: problem.count] = 0.0
            for jacobian, v_next in moved:
                jacobian.add_row_velocities(v_next, velocity)
            find_virtual_lead(h, rows.count, rows.first, gains, torque, impulse, lead, total)
            observe_characters(h, rows.first, character, error, velocity, torque, total, residual, observed)

        return observe
