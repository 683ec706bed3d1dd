"""The systems of pliant joints: measure them, plan their torques, look at them after the step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.build import Build
from supple.core.jit import TypedKernel, bind_kernel
from supple.core.schedule import ROWS, Bound, Call, Each, Phase, System, Work
from supple.mechanics import warm_start_kernels
from supple.mechanics.mechanism import Mechanism
from supple.mechanics.owners import Owners
from supple.mechanics.plans import PlansSoFar
from supple.mechanics.problem import ConstraintProblem, PartialProblem
from supple.mechanics.problem_kernels import clear_groups
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
from supple_pliant.tables import (
    BONES,
    EFFORT,
    LINKS,
    TOUCHING,
    BoneTargets,
    Effort,
    LinkTargets,
    Torques,
    Touching,
)


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

    def bind(self, arrays: Bound) -> list[Call]:
        """Bind targets and positions."""
        time, error, desired = arrays["run.time"], arrays["pliant.error"], arrays["pliant.desired"]
        calls = [Call(follow_effort, time, arrays.take(Effort, "pliant"), arrays["pliant.gains_now"])]
        if self.rows.on_bones:
            bones = arrays.take(BoneTargets, "skeleton", bone_row="pliant.bone_row")
            calls.append(Call(measure_bone_rows, bones, error, desired))
        if self.rows.on_links:
            links = arrays.take(LinkTargets, "pliant", coordinate="joints.coordinate", q="joints.q")
            now, then = np.zeros((2, 4 * len(links.track)))  # room for a quaternion each
            begin = self.rows.on_bones
            calls.append(Call(measure_link_rows, arrays.h, time, begin, links, now, then, error, desired))
        return calls


class PlanTorques(System):
    """The torques with which the joints would follow exactly: README eq. (5) and (6). No state is touched.

    What others have planned before is foreseen.
    """

    phase = Phase.PLAN
    reads = (
        *TOUCHING, *(f"owners.{name}" for name in Owners._fields), "rows.problem", "rows.last_count", "rows.last_key",
        "rows.last_impulse", "pliant.plans", "pliant.desired", "pliant.torque", *PlansSoFar.reads,
    )  # fmt: skip
    writes = ("pliant.torque.next", "pliant.residual", "pliant.touched")
    adds = (Each("mechanisms", "plan", ROWS),)

    def __init__(self, build: Build) -> None:
        self.solvers, self.rows = make_solvers(build), find_rows(build)

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the problem, what the last step knew, and the mechanisms."""
        whole: ConstraintProblem = arrays.record("rows.problem")
        last_count, last_key = arrays["rows.last_count"], arrays["rows.last_key"]
        last_impulse = arrays["rows.last_impulse"]
        plans, desired, torque = arrays["pliant.plans"], arrays["pliant.desired"], arrays["pliant.torque"]
        torque_next, residual = arrays["pliant.torque.next"], arrays["pliant.residual"]
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", ROWS)
        pushed = [(one.jacobian, arrays[one.plan].reshape(-1)) for one in mechanisms]
        others, ask = PlansSoFar(arrays), TypedKernel(ask_for_velocities)
        part = PartialProblem(whole.capacity, whole.capacity)
        change, warm, impulse = np.zeros((3, whole.capacity, 3))
        groups = np.zeros(whole.capacity, np.int64)
        choose = bind_kernel(
            choose_groups, whole.counts, arrays.take(Touching, "contacts"), arrays.take(Owners, "owners"),
            find_flags(arrays.build), groups,
        )  # fmt: skip
        h, rows, any_plan = arrays.h, self.rows, bool(plans.any())
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
            chosen = groups[: choose()]
            whole.cut(chosen, into=part)
            change[:n] = 0.0
            if others.add_row_velocities(change):
                part.free[: part.count] += change[chosen]
            warm_start_kernels.match_values(part.count, part.key, last_count, last_key, last_impulse, warm)
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

    def bind(self, arrays: Bound) -> Work:
        """Bind torques and the velocities after the step."""
        problem: ConstraintProblem = arrays.record("rows.problem")
        torques = arrays.take(Torques, "pliant", torque="pliant.torque.next")
        mechanisms: list[Mechanism] = arrays.build.members("mechanisms", ROWS)
        h, first, velocity = arrays.h, self.rows.first, np.zeros((problem.capacity, 3))

        return [
            Call(clear_groups, problem.counts, velocity),
            *(one.jacobian.bind_row_velocities(arrays[one.v_next].reshape(-1), velocity) for one in mechanisms),
            Call(find_virtual_lead, h, first, arrays["pliant.gains_now"], arrays["rows.impulse"], torques),
            Call(
                observe_characters, h, first, arrays["pliant.character"], arrays["pliant.error"], velocity, torques,
                arrays["pliant.observed"],
            ),
        ]  # fmt: skip
