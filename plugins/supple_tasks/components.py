"""What an author says about tasks and their priorities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, cast

from supple.core.component import Metric, OverTime, Vector, component, field
from supple.core.curves import Curve
from supple.core.entity import Entity, SceneGraph
from supple_tasks.checks import check_tasks
from supple_tasks.postures import Library

TaskKind = Literal["point", "orientation", "centre", "momentum", "posture", "relative", "gaze", "limits"]


METRICS = (
    ("error", "m, rad", "Distance of the task {} from its goal at the end.", "last"),
    ("error_worst", "m, rad", "Greatest distance of the task {} from its goal.", "max"),
    ("force", "N, N m", "Greatest force of the task {}, if it is limited.", "max"),
    ("share", "1", "What the force limit left of the command of the task {}, on average.", "mean"),
    ("missed", "m/s^2, rad/s^2", "Acceleration of the task {} that higher ones made impossible, on average.", "mean"),
    ("active", "1", "Part of the run in which the task {} was active.", "mean"),
    ("rate_error", "m/s, rad/s", "Distance of the rate of the task {} from that of its goal at the end.", "last"),
)  # fmt: skip
"""What can be seen of a task; the columns of tasks.observed."""


def name_metrics(task: str) -> list[Metric]:
    """The metrics of a task."""
    return [
        Metric(f"{task}_{key}", unit, doc.format(task), cast(OverTime, over_time))
        for key, unit, doc, over_time in METRICS
    ]


@component
class Reach:
    """A path from where the task is when it becomes active to a place, at a velocity, within a time."""

    to: Vector = field(unit="m", doc="Where it ends.")
    velocity: Vector = field(default=(0.0, 0.0, 0.0), unit="m/s", doc="Velocity there.")
    duration: float = field(unit="s", gt=0, doc="How long it takes.")
    shape: Literal["hermite", "min_jerk"] = field(
        default="min_jerk",
        unit="",
        doc="A cubic, or a quintic that begins and ends without acceleration.",
    )


@component
class Intercept:
    """Where something that flies will pass through a plane; the last such place when it has passed."""

    of: str = field(unit="", min_length=1, doc="Path of what flies.")
    normal: Vector = field(default=(0.0, 0.0, 1.0), unit="1", doc="Normal of the plane.")
    offset: float = field(unit="m", doc="Distance of the plane from the world's origin along the normal.")

    def __post_init__(self) -> None:
        if not any(self.normal):
            raise ValueError("normal is zero; give normal = [0, 0, 1] or another direction")


@component
class Task:
    """Something that the character shall do; without target, reach or intercept it holds what it finds."""

    kind: TaskKind = field(unit="", doc="What is controlled.")
    of: str = field(
        default="",
        unit="",
        doc="Path of the bone or body; for a posture, of a bone with all below it, by default all.",
    )
    point: Vector = field(default=(0.0, 0.0, 0.0), unit="m", doc="The point, in the frame of `of`.")
    other: str = field(
        default="", unit="", doc="Path of what a relative position refers to, or what is gazed at."
    )
    other_point: Vector = field(default=(0.0, 0.0, 0.0), unit="m", doc="The point in the frame of `other`.")
    axes: str = field(default="xyz", unit="", pattern="^x?y?z?$", doc="Directions in the world that count.")
    axis: Vector = field(
        default=(0.0, 0.0, 1.0), unit="1", doc="Line of sight of a gaze, in the frame of `of`."
    )
    target: Vector | Curve | str | None = field(
        default=None,
        unit="m, deg, kg m/s",
        doc="Place, rotation vector or momentum; a curve over the time of the task; or a value of the phases.",
    )
    reach: Reach | None = field(default=None, unit="", doc="A path to a place.")
    intercept: Intercept | None = field(default=None, unit="", doc="A place where something will pass.")
    gain: float | Curve | str = field(
        default=100.0,
        unit="1/s^2",
        doc="Stiffness by mass, damped critically; a curve over the time of the task, or a value of the phases.",
    )
    force: float | None = field(
        default=None, unit="N, N m", gt=0, doc="Greatest force of the task; by default without bound."
    )
    load: bool = field(
        default=False,
        unit="",
        doc="Whether `force` is what acts on the body `of` alone, its weight included; else on all that moves along.",
    )
    during: tuple[str, ...] = field(
        default=(), unit="", doc="Phases in which it is active; by default always."
    )
    library: str = field(
        default="",
        unit="",
        doc="Poses that a posture stays near, by their name in `postures`; else the motion.",
    )
    margin: float = field(default=5.0, unit="deg", gt=0, doc="How far from a limit it begins to act.")


@component
class Level:
    """Tasks of one priority."""

    priority: int = field(unit="1", ge=1, doc="1 is the most important.")
    tasks: dict[str, Task] = field(unit="", min_length=1, doc="The tasks, by names of your choice.")


@component
class Tasks:
    """Joint torques that do tasks in the order of their priority, on a skeleton here or below."""

    levels: dict[str, Level] = field(
        unit="", min_length=1, doc="The tasks, level by level, under names of your choice."
    )
    carries: tuple[str, ...] = field(
        default=(),
        unit="",
        doc="Paths of other things that are held, tied or caught, and so are known to it.",
    )
    passive: tuple[str, ...] = field(default=(), unit="", doc="Paths of bones without torque.")
    postures: dict[str, Library] = field(
        default={}, unit="", doc="Libraries of poses, under names of your choice."
    )
    inverse: Literal["damped", "truncated"] = field(
        default="damped", unit="", doc="What is done with small singular values."
    )
    threshold: float = field(
        default=0.1,
        unit="1",
        gt=0,
        lt=1,
        doc="Singular values are small below this part of the smallest row of their level, by kinetic energy.",
    )
    contacts: Literal["clamped", "honest"] = field(
        default="clamped",
        unit="",
        doc="Whether it counts on joints alone, or stands on contacts that push and rub but never pull.",
    )
    stands: tuple[str, ...] = field(
        default=(), unit="", doc="Paths of bones that stand on contacts; by default all, with `honest`."
    )
    strength: dict[str, float | tuple[float, float]] = field(
        default={},
        unit="N m, N",
        doc="Greatest torques by names of bones, `*` for any letters: one number, or least and greatest.",
    )
    probe: bool = field(
        default=False,
        unit="",
        doc="Whether every step is held against a solution by other means; slow, for claims.",
    )
    metrics = (
        Metric("torque", "N m, N", "Greatest torque of any joint.", "max"),
        Metric("effort", "N m, N", "Greatest torque of any joint, on average.", "mean"),
        Metric("softened", "1", "Directions whose singular values are small, on average.", "mean"),
        Metric("strained", "1", "Rates whose torque is all that there is, on average.", "mean"),
        Metric("slipping", "1", "Contacts that are asked for all their friction, on average.", "mean"),
        Metric("yielded", "1", "Part of the run in which strength or contacts took from wishes.", "mean"),
        Metric(
            "inexact", "1", "Accelerations by forward dynamics off what was planned, relative; probe.", "max"
        ),
        Metric("priority_loss", "1", "What lower levels cost higher ones, relative; probe.", "max"),
    )

    def __post_init__(self) -> None:
        priorities = [level.priority for level in self.levels.values()]
        for priority in sorted(set(priorities)):
            if priorities.count(priority) > 1:
                raise ValueError(f"level {priority} is given twice; give every level a priority of its own")
        for name, value in self.strength.items():
            low, high = (-value, value) if isinstance(value, int | float) else value
            if not low < 0.0 < high:
                raise ValueError(
                    f"strength.{name} leaves no torque to one side; give a number above 0, or [below 0, above 0]"
                )
        names = [name for level in self.levels.values() for name in level.tasks]
        for name in sorted(set(names)):
            if names.count(name) > 1:
                raise ValueError(f"two tasks are called '{name}'; give each a name of its own")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is one skeleton; paths, phases and values exist; every task has what its kind needs."""
        yield from check_tasks(self, entity, graph)

    def reads_files(self) -> tuple[str, ...]:
        """The clips of libraries."""
        return tuple(each.motion.file for each in self.postures.values() if each.motion and each.motion.file)

    def list_metrics(self) -> list[Metric]:
        """What can be seen of every task, by its name."""
        return [metric for _, name, _ in self.sorted_tasks() for metric in name_metrics(name)]

    def sorted_tasks(self) -> list[tuple[int, str, Task]]:
        """Level counted from 0, name and task, in the order of priority and name."""
        levels = sorted(self.levels.values(), key=lambda level: level.priority)
        return [
            (number, name, level.tasks[name])
            for number, level in enumerate(levels)
            for name in sorted(level.tasks)
        ]
