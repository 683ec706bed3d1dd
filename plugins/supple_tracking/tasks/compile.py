"""From points and pressures to tasks: three rows each, with a target that changes over time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import turn
from supple_motion.layout import CLOCK_COLUMNS, TRACK_COLUMNS
from supple_motion.segments import Channel, Tracks
from supple_skeleton.mechanism import Skeletons
from supple_tracking.tasks.components import PointKey, PressureTarget, TrackedPoint
from supple_tracking.tasks.layout import POSITION, PRESSURE, SHAPE_COLUMNS, STILL, TASK_COLUMNS, TURN
from supple_tracking.tasks.pads import NOBODY, number_pads


@dataclass
class Tasks:
    """Tables that grow while the components are read; see layout.py for the columns."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    shapes: list[tuple[float, ...]] = field(default_factory=list)
    tracks: Tracks = field(default_factory=lambda: Tracks(TRACK_COLUMNS))
    labels: list[str] = field(default_factory=list)
    width: int = 0

    def add_target(self, times: list[float], values: list[FloatArray], interpolation: str) -> int:
        """Knots of a vector or a quaternion; returns where the target is found in `tracking.desired`."""
        place, table = self.width, np.array(values)
        columns = [table] if table.shape[1] == 4 else [table[:, k : k + 1] for k in range(3)]
        for local, column in enumerate(columns):
            self.tracks.add(Channel(place + local, 0, np.array(times), column), interpolation, 0.0, 0)
        self.width += table.shape[1]
        return place

    def add(self, label: str, row: tuple[int, ...], shape: tuple[float, ...]) -> None:
        """One task."""
        self.labels.append(label)
        self.rows.append(row)
        self.shapes.append(shape)


def compile_tasks(build: Build) -> None:
    """Declare all tasks, their targets, and the shift that they ask for."""
    skeletons: Skeletons = next(m for m in build.members("mechanisms") if m.name == Skeletons.name)
    pads = _list_pads(build)
    tasks = Tasks()
    for entity in build.having("point_tracking"):
        for point in entity.components["point_tracking"].points:
            _add_point(tasks, skeletons, entity, point)
    for entity in build.having("pressure_tracking"):
        for target in entity.components["pressure_tracking"].targets:
            _add_pressure(tasks, skeletons, entity, target, pads)
    _declare_tasks(build, skeletons, tasks)
    _declare_pads(build, skeletons, pads)
    _bind_metrics(build, skeletons, pads)


def _list_pads(build: Build) -> list[str]:
    """Paths of all bones whose centre of pressure some task asks for."""
    names = {
        f"{entity.path}/{name}"
        for entity in build.having("pressure_tracking")
        for target in entity.components["pressure_tracking"].targets
        for name in (target.bone, target.against)
        if name
    }
    return sorted(names)


def _add_point(tasks: Tasks, skeletons: Skeletons, entity: Entity, point: TrackedPoint) -> None:
    path = f"{entity.path}/{point.bone}"
    softness = entity.components["pose_tracking"].softness
    bone, owner = skeletons.bones[path], skeletons.skeletons[entity.path]
    placed = [key for key in point.keys if key.position is not None]
    if placed:
        values = [np.array(key.position) for key in placed]
        place = tasks.add_target([key.at for key in placed], values, point.interpolation)
        row = (POSITION, bone, NOBODY, place, NOBODY, NOBODY, owner)
        tasks.add(path, row, (*point.point, *(point.weight,) * 3, softness, 0.0))
    turned = [key for key in point.keys if key.angle is not None or key.rotation is not None]
    if turned:
        values = [_quaternion(key) for key in turned]
        place = tasks.add_target([key.at for key in turned], values, point.interpolation)
        row = (TURN, bone, NOBODY, place, NOBODY, NOBODY, owner)
        tasks.add(path, row, (*point.point, *(point.weight * point.turn_weight,) * 3, softness, 0.0))


def _quaternion(key: PointKey) -> FloatArray:
    if key.angle is not None:
        return turn(key.axis, key.angle)
    given = np.array(key.rotation, float)
    unit: FloatArray = given / np.linalg.norm(given)
    return unit


def _add_pressure(
    tasks: Tasks, skeletons: Skeletons, entity: Entity, target: PressureTarget, pads: list[str]
) -> None:
    path, other = f"{entity.path}/{target.bone}", f"{entity.path}/{target.against}"
    values = [np.array(key.vector) for key in target.keys]
    place = tasks.add_target([key.at for key in target.keys], values, target.interpolation)
    row = (
        PRESSURE, skeletons.bones[path], skeletons.bones[other] if target.against else NOBODY, place,
        pads.index(path), pads.index(other) if target.against else NOBODY, skeletons.skeletons[entity.path],
    )  # fmt: skip
    softness = entity.components["pose_tracking"].softness
    shape = (0.0, 0.0, 0.0, *target.weights, softness, target.least)
    tasks.add(path, row, shape)
    if target.against and not all(target.weights):
        _, bone, other_bone, _, pad, other_pad, owner = row
        tasks.add(other, (STILL, other_bone, bone, place, other_pad, pad, owner), shape)


def _declare_tasks(build: Build, skeletons: Skeletons, tasks: Tasks) -> None:
    integers = {
        "task": (
            np.array(tasks.rows).reshape(-1, TASK_COLUMNS),
            "Tasks; columns in layout.py.",
            tasks.labels,
        ),
        "track": (tasks.tracks.table, "Targets that change over time.", ()),
    }
    for name, (values, doc, labels) in integers.items():
        build.add_model(f"tracking.{name}", values, unit="1", doc=doc, labels=labels, dtype=np.int64)
    largest = np.full(len(skeletons.skeletons), math.inf)
    for entity in build.having("pose_tracking"):
        shift = entity.components["pose_tracking"].largest_shift
        largest[skeletons.skeletons[entity.path]] = math.radians(shift)
    floats = {
        "task_shape": (np.array(tasks.shapes).reshape(-1, SHAPE_COLUMNS), "SI", "Points, weights, softness."),
        "clock": (
            np.array([[0.0, 1.0, 0.0]]).reshape(-1, CLOCK_COLUMNS),
            "s, 1",
            "Targets follow the run's time.",
        ),
        "segment": (np.concatenate(tasks.tracks.segments), "SI", "From knot to knot."),
        "largest": (largest, "rad, m", "Greatest shift of each skeleton."),
    }
    for name, (values, unit, doc) in floats.items():
        build.add_model(f"tracking.{name}", values, unit=unit, doc=doc)
    rates = len(build.arrays["skeleton.dof"])
    build.add_step("tracking.desired", (tasks.width,), unit="m, 1", doc="Targets at the step's end.")
    build.add_step("tracking.shift", (rates,), unit="rad, m", doc="Shift of the pose that is tracked.")
    build.add_step(
        "tracking.miss", (len(skeletons.skeletons), 3), unit="m, rad", doc="Greatest miss by kind of task."
    )


def _declare_pads(build: Build, skeletons: Skeletons, pads: list[str]) -> None:
    bones = [skeletons.bones[path] for path in pads]
    for name, values, doc in (
        ("pad", bones, "Bones whose pressure is asked for."),
        ("pad_of_bone", number_pads(skeletons, pads), "Pad of every bone, or -1."),
    ):
        labels = pads if name == "pad" else ()
        build.add_model(f"tracking.{name}", values, unit="1", doc=doc, labels=labels, dtype=np.int64)
    build.add_state(
        "tracking.pad_point", np.zeros((len(pads), 3)), unit="m", doc="Centres of pressure in the bones' frames.",
        labels=pads,
    )  # fmt: skip
    build.add_state(
        "tracking.pad_load", np.zeros((len(pads), 3)), unit="N", doc="Normal forces on the bones, in the world.",
        labels=pads,
    )  # fmt: skip
    build.add_state("tracking.pad_force", np.zeros(len(pads)), unit="N", doc="Normal forces.", labels=pads)


def _bind_metrics(build: Build, skeletons: Skeletons, pads: list[str]) -> None:
    for entity in build.having("point_tracking"):
        row = skeletons.skeletons[entity.path]
        build.bind_metrics(
            entity, "point_tracking",
            {"miss": ("tracking.miss", (row, POSITION)), "turn_miss": ("tracking.miss", (row, TURN))},
        )  # fmt: skip
    for entity in build.having("pressure_tracking"):
        row = skeletons.skeletons[entity.path]
        pad = pads.index(f"{entity.path}/{entity.components['pressure_tracking'].targets[0].bone}")
        build.bind_metrics(
            entity, "pressure_tracking",
            {"pressure_miss": ("tracking.miss", (row, PRESSURE)), "pressure": ("tracking.pad_force.next", pad)},
        )  # fmt: skip
