"""From tasks to tables: controllers sorted by path, their tasks by priority and name."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.curves import Curve, read_curve, shape_of
from supple.core.entity import Entity
from supple.errors import PluginError
from supple.math.curve_layout import SEGMENT_COLUMNS
from supple.mechanics.combined_dynamics import DynamicsRequest, ask_dynamics
from supple_bones.layout import FREE, JOINT, Q_FIRST, V_COUNT, V_FIRST
from supple_motion.targets import find_targets
from supple_phases.member import find_machines
from supple_tasks import layout
from supple_tasks.checks import find_skeletons
from supple_tasks.components import METRICS, Task, Tasks, name_metrics
from supple_tasks.library import declare_libraries

WHOLE = ("torque", "effort", "softened", "strained", "slipping", "yielded")
"""Columns of tasks.whole."""


class Curves:
    """Curves of targets and gains, one after the other."""

    def __init__(self) -> None:
        self.table: list[tuple[int, int, int]] = []
        self.segments: list[FloatArray] = [np.zeros((0, SEGMENT_COLUMNS))]
        self.used = 0

    def add(self, curve: Curve) -> int:
        """The row of the first number of a curve."""
        first = len(self.table)
        for segments in read_curve(curve):
            self.table.append((shape_of(curve.interpolation), self.used, len(segments)))
            self.segments.append(segments)
            self.used += len(segments)
        return first


class Sizes(NamedTuple):
    """Rows that postures and limits of a task have: rates, and limited coordinates, of bones."""

    rates: list[int]
    limits: list[int]


def compile_tasks(build: Build) -> None:
    """Declare the tables, the memory and the metrics of all tasks."""
    controllers, curves = build.having("tasks"), Curves()
    find_targets(build, "skeleton")
    table, numbers, during, starts, labels = [], [], [], [], []
    phases = len(find_machines(build).labels) if build.having("phases") else 1
    libraries = 0
    for entity in controllers:
        _check_subjects(build, entity, _check_carried(build, entity))
        libraries = declare_libraries(build, entity, get_tasks(entity).postures, libraries)
        first = 0
        for _, name, task in entity.components["tasks"].sorted_tasks():
            rows = count_rows(build, entity, task)
            table.append(_describe(build, entity, task, first, rows, curves))
            numbers.append(_list_numbers(task))
            during.append(_list_phases(build, entity, task, phases))
            starts.append(np.zeros(layout.START_COLUMNS))
            labels.append(f"{entity.path}.{name}")
            first += rows
    for key, values, doc in (
        ("task", table, "What every task is; columns in layout.py."),
        ("during", during, "1 for phases in which a task is active."),
        (
            "curve",
            np.array(curves.table, np.int64).reshape(-1, 3),
            "Shape, first segment and number of segments.",
        ),
    ):
        build.add_model(f"tasks.{key}", values, unit="1", doc=doc, dtype=np.int64)
    build.add_model("tasks.number", numbers, unit="SI", doc="Numbers of every task; columns in layout.py.")
    build.add_model("tasks.segment", np.concatenate(curves.segments), unit="SI", doc="From knot to knot.")
    build.add_state(
        "tasks.start", starts, unit="SI", doc="What tasks found when they became active.", labels=labels
    )
    _offer_commands(build, controllers, np.array(numbers).reshape(-1, layout.NUMBER_COLUMNS), labels)
    shape = (len(labels), len(METRICS))
    build.add_step("tasks.observed", shape, unit="SI", doc="Values of the metrics of tasks.", labels=labels)
    paths = [entity.path for entity in controllers]
    for key, width in (("whole", len(WHOLE)), ("probed", 2)):
        build.add_step(
            f"tasks.{key}",
            (len(paths), width),
            unit="SI",
            doc="Values of the metrics of controllers.",
            labels=paths,
        )
    rates = build.arrays.specs["skeleton.v"].shape[0]
    build.add_step("tasks.torque", (rates,), unit="N m, N", doc="Torques of all joints.")
    _bind_metrics(build, controllers)


def ask(build: Build, entity: Entity) -> DynamicsRequest:
    """Queries about the skeleton of an entity and what it carries."""
    (skeleton,) = find_skeletons(entity, build.graph)
    return ask_dynamics(build, skeleton.path, *get_tasks(entity).carries)


def _check_carried(build: Build, entity: Entity) -> DynamicsRequest:
    """Refuse to carry what does not move, or the same thing twice."""
    try:
        return ask(build, entity)
    except PluginError as error:
        problem = error.problems[0]
        what = f"names '{problem.path}': {problem.what}"
        raise build.refuse(
            f"{entity.path}.tasks.carries", what, "list what has a body of its own, once"
        ) from error


def _check_subjects(build: Build, entity: Entity, request: DynamicsRequest) -> None:
    """Refuse tasks about the place of what is not controlled, or about the sum of what is no whole."""
    for number, level in get_tasks(entity).levels.items():
        for name, task in level.tasks.items():
            caught = task.intercept.of if task.intercept is not None else ""
            for key, path in (("of", task.of), ("other", task.other), ("intercept.of", caught)):
                where = f"{entity.path}.tasks.levels.{number}.tasks.{name}.{key}"
                sums = key == "of" and (task.kind in ("centre", "momentum") or task.load)
                if not path or task.kind in ("posture", "limits"):
                    continue
                if sums and path not in request.keys:
                    what = f"names '{path}', which is no skeleton and no body that it controls"
                    raise build.refuse(where, what, "name one of these as a whole")
                if not sums and not _has_place(build, path, request.keys):
                    what = f"names '{path}', which has no place of its own in what it controls"
                    raise build.refuse(where, what, "name a bone, or list it under carries")


def _has_place(build: Build, path: str, controlled: Collection[str]) -> bool:
    """Whether a bone or body that is controlled moves this entity; a skeleton as a whole is nowhere."""
    for each in build.graph.ancestors(path):
        if "bone" in each.components:
            return any(each.path.startswith(f"{skeleton}/") for skeleton in controlled)
        if each.path in controlled:
            return "skeleton" not in each.components
        if each.path in build.frames:
            return False
    return False


def _offer_commands(build: Build, controllers: list[Entity], numbers: FloatArray, labels: list[str]) -> None:
    """Fixed targets and gains may be told from Python, under the names of their tasks."""
    told = np.column_stack([numbers[:, layout.TARGET : layout.TARGET + 3], numbers[:, layout.GAIN]])
    build.add_state("tasks.told", told, unit="SI", doc="Fixed targets and gains of tasks.", labels=labels)
    row = 0
    for entity in controllers:
        for _, name, task in get_tasks(entity).sorted_tasks():
            fixed = isinstance(task.target, tuple) or (task.kind == "relative" and task.target is None)
            if fixed and task.kind != "momentum" and task.reach is None and task.intercept is None:
                doc = f"Where the task {name} should be; a rotation vector for turns."
                places = (row, slice(0, 3))
                build.offer_command(
                    entity.path, f"{name}_target", "tasks.told", places, unit="m, rad", doc=doc
                )
            if isinstance(task.gain, int | float):
                place, doc = (row, layout.TOLD_GAIN), f"Stiffness by mass of the task {name}."
                build.offer_command(entity.path, f"{name}_gain", "tasks.told", place, unit="1/s^2", doc=doc)
            row += 1


def _bind_metrics(build: Build, controllers: list[Entity]) -> None:
    row = 0
    for number, entity in enumerate(controllers):
        places = {name: ("tasks.whole", (number, k)) for k, name in enumerate(WHOLE)}
        places |= {name: ("tasks.probed", (number, k)) for k, name in enumerate(("inexact", "priority_loss"))}
        build.bind_metrics(entity, "tasks", places)
        for _, name, _ in entity.components["tasks"].sorted_tasks():
            for column, metric in enumerate(name_metrics(name)):
                build.bind_metric(entity.path, metric, "tasks.observed", (row, column))
            row += 1


def find_joints(build: Build, entity: Entity, task: Task) -> Sizes:
    """Rates, and rows of the table of limits, of the bones that a posture or a task of limits is about."""
    (skeleton,) = find_skeletons(entity, build.graph)
    bones, passive = build.arrays.specs["skeleton.bone"].labels, entity.components["tasks"].passive
    root, chosen = task.of or skeleton.path, set()
    rates: list[int] = []
    for index, path in enumerate(bones):
        row = build.arrays["skeleton.bone"][index]
        if not f"{path}/".startswith(f"{root}/") or row[JOINT] == FREE or path in passive:
            continue
        chosen.add(index)
        rates += range(row[V_FIRST], row[V_FIRST] + row[V_COUNT])
    limits = build.arrays["skeleton.limit"]
    rows = [k for k in range(len(limits)) if limits[k, 1] in chosen]
    return Sizes(rates, rows)


def count_rows(build: Build, entity: Entity, task: Task) -> int:
    """Rows that a task has, active or not."""
    if task.kind == "posture":
        return len(find_joints(build, entity, task).rates)
    if task.kind == "limits":
        return len(find_joints(build, entity, task).limits)
    return 6 if task.kind == "momentum" else 3 if task.kind == "gaze" else len(task.axes)


def _describe(build: Build, entity: Entity, task: Task, first: int, rows: int, curves: Curves) -> list[int]:
    row = [0] * layout.TASK_COLUMNS
    row[layout.KIND], row[layout.FIRST], row[layout.ROWS] = layout.KINDS[task.kind], first, rows
    row[layout.MACHINE], row[layout.AXES] = -1, sum(1 << "xyz".index(axis) for axis in task.axes)
    machines = find_machines(build) if "phases" in entity.components else None
    if task.during and machines is not None:
        row[layout.MACHINE] = machines.row(entity.path)
    if task.reach is not None:
        row[layout.GOAL] = layout.CUBIC if task.reach.shape == "hermite" else layout.QUINTIC
    elif task.intercept is not None:
        row[layout.GOAL] = layout.INTERCEPT
    elif isinstance(task.target, Curve):
        row[layout.GOAL], row[layout.CURVE] = layout.CURVED, curves.add(task.target)
    elif isinstance(task.target, str) and machines is not None:
        row[layout.GOAL], row[layout.PLACE] = layout.VALUE, machines.place(entity.path, task.target).start
    elif task.target is not None or task.kind in ("relative", "momentum"):
        row[layout.GOAL] = layout.FIXED
    elif task.kind == "gaze" and task.other:
        row[layout.GOAL] = layout.AT_OTHER
    if isinstance(task.gain, Curve):
        row[layout.GAIN_FROM], row[layout.GAIN_PLACE] = layout.BY_CURVE, curves.add(task.gain)
    elif isinstance(task.gain, str) and machines is not None:
        row[layout.GAIN_FROM] = layout.BY_VALUE
        row[layout.GAIN_PLACE] = machines.place(entity.path, task.gain).start
    return row


def _list_numbers(task: Task) -> FloatArray:
    row = np.zeros(layout.NUMBER_COLUMNS)
    row[layout.GAIN] = task.gain if isinstance(task.gain, int | float) else 0.0
    row[layout.FORCE] = np.inf if task.force is None else task.force
    row[layout.MARGIN] = np.radians(task.margin)
    row[layout.AXIS : layout.AXIS + 3] = np.array(task.axis) / max(np.linalg.norm(task.axis), 1e-300)
    if isinstance(task.target, tuple):
        factor = np.pi / 180.0 if task.kind == "orientation" else 1.0
        row[layout.TARGET : layout.TARGET + 3] = factor * np.array(task.target)
    if task.reach is not None:
        row[layout.TARGET : layout.TARGET + 3] = task.reach.to
        row[layout.END_RATE : layout.END_RATE + 3] = task.reach.velocity
        row[layout.DURATION] = task.reach.duration
    if task.intercept is not None:
        size = np.linalg.norm(task.intercept.normal)
        row[layout.NORMAL : layout.NORMAL + 3] = np.array(task.intercept.normal) / size
        row[layout.OFFSET] = task.intercept.offset
    return row


def _list_phases(build: Build, entity: Entity, task: Task, count: int) -> list[int]:
    row = [0] * count
    for name in task.during:
        row[find_machines(build).phase(entity.path, name)] = 1
    return row


class Limit(NamedTuple):
    """One limit of a joint: kind, bone, its first coordinate and rate, the place within the joint, and the bound."""

    kind: int
    bone: int
    coordinate: int
    rate: int
    local: int
    bound: float


def list_limits(build: Build, rows: list[int]) -> list[Limit]:
    """These rows of the table of limits."""
    found = []
    for k in rows:
        kind, bone, local = (int(each) for each in build.arrays["skeleton.limit"][k])
        row, bound = build.arrays["skeleton.bone"][bone], float(build.arrays["skeleton.bound"][k])
        found.append(Limit(kind, bone, int(row[Q_FIRST]), int(row[V_FIRST]), local, bound))
    return found


def get_tasks(entity: Entity) -> Tasks:
    """The component of an entity that has tasks."""
    tasks: Tasks = entity.components["tasks"]
    return tasks
