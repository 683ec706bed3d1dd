"""What an author says about pliant joints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from supple.core.component import Metric, component, field
from supple.core.curves import Curve, Interpolation, check_times
from supple.core.entity import Entity, SceneGraph
from supple.errors import suggest

Key = tuple[float, ...]
Pair = tuple[float, float]
SIZE_OF_KEY = {"hinge": 2, "slider": 2, "ball": 4}
"""Numbers in a key of a joint between bodies: the time, and its position."""


@component
class Pliant:
    """Joints that follow a trajectory by planned torques, with springs and dampers for what was not foreseen.

    On an entity with a skeleton it drives all its joints but free ones, along the skeleton's `motion`. On an entity
    with a joint between bodies it drives that joint along `keys`.
    """

    stiffness: float = field(unit="N m/rad, N/m", ge=0, doc="Spring towards the trajectory.")
    damping: float = field(unit="N m s/rad, N s/m", ge=0, doc="Resistance to leaving its velocity.")
    bones: dict[str, Pair] = field(
        default_factory=dict,
        unit="N m/rad, N m s/rad",
        doc="Stiffness and damping of single bones, by their paths below the skeleton.",
    )
    plan: bool = field(
        default=True,
        unit="",
        doc="Whether torques are planned; without a plan it is a simple implicit PD controller.",
    )
    carries: tuple[str, ...] = field(
        default=(),
        unit="",
        doc="Things whose contacts with the character, and with each other, the plan foresees: the ground, a tool.",
    )
    co_contraction: tuple[Pair, ...] | Curve = field(
        default=(),
        unit="s, 1",
        doc="Factor on stiffness and damping over time: pairs of time and factor, linear in between, or a curve.",
    )
    keys: tuple[Key, ...] = field(
        default=(),
        unit="s, deg, m",
        doc="For a joint between bodies: each is time and angle, displacement, or rotation vector.",
    )
    interpolation: Interpolation = field(default="min_jerk", unit="", doc="Between the keys.")
    probe: bool = field(
        default=False,
        unit="",
        doc="Whether every plan is checked against the inverse dynamics; slow, for claims about exactness.",
    )
    metrics = (
        Metric("error", "rad, m", "Root mean square distance of the joints from the trajectory.", "last"),
        Metric("error_worst", "rad, m", "Greatest root mean square distance of the joints.", "max"),
        Metric("torque", "N m, N", "Greatest planned torque of any joint.", "max"),
        Metric("effort", "N m, N", "Greatest torque of any joint, plan and spring together.", "max"),
        Metric("pull", "N m, N", "Greatest torque of spring and damper of any joint, on average.", "mean"),
        Metric("plan_residual", "m/s", "Worst natural-map residual of the plan.", "max"),
        Metric(
            "plan_gap",
            "1",
            "Greatest distance of the plan from the inverse dynamics, relative; probe.",
            "max",
        ),
        Metric("state_changed", "1", "Numbers of the state that a plan changed; probe.", "max"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """It stands on something with joints; names, times and keys make sense."""
        if "skeleton" not in entity.components and "joint" not in entity.components:
            yield "pliant drives a skeleton or a joint, and the entity has neither; add one of them"
            return
        yield from self._check_gains(entity, graph)
        for path in self.carries:
            if path not in graph:
                yield f"carries names '{path}', which does not exist; {suggest(path, [each.path for each in graph])}"
        yield from self._check_effort()
        if "joint" in entity.components:
            yield from self._check_keys(entity.components["joint"].kind)
            if self.probe:
                yield "probe asks a skeleton for its inverse dynamics; leave it out for joints between bodies"
        elif self.keys:
            yield "keys are for joints between bodies; a skeleton follows its component motion"

    def _check_gains(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        if self.stiffness == 0 and self.damping == 0:
            yield "pliant has neither stiffness nor damping; give one of them, however small"
        bones = [
            each.path.removeprefix(f"{entity.path}/")
            for each in graph.below(entity.path)
            if "bone" in each.components
        ]
        for path, (stiffness, damping) in self.bones.items():
            if path not in bones:
                yield f"bones names '{path}', which is no bone below {entity.path}; {suggest(path, bones)}"
            if min(stiffness, damping) < 0 or max(stiffness, damping) == 0:
                yield f"bones.'{path}' needs a stiffness and a damping of 0 or more, not both 0"

    def _check_effort(self) -> Iterator[str]:
        told = self.co_contraction
        rows = told.keys if isinstance(told, Curve) else told
        yield from _check_times("co_contraction", (row[0] for row in rows))
        if any(len(row) != 2 for row in rows):
            yield "a key of co_contraction has two numbers: the time, and the factor"
        elif any(factor < 0 for _, factor in rows):
            yield "a factor of co_contraction is negative; use 0 or more"

    def _check_keys(self, kind: str) -> Iterator[str]:
        if kind not in SIZE_OF_KEY:
            yield f"a {kind} joint has nothing to drive; choose a hinge, a slider or a ball"
            return
        yield from _check_times("keys", (key[0] for key in self.keys if key))
        if not self.keys:
            yield "a joint between bodies needs keys, such as keys = [[0, 0], [1, 90]]"
        for key in self.keys:
            if len(key) != SIZE_OF_KEY[kind]:
                yield f"a key of a {kind} has {SIZE_OF_KEY[kind]} numbers, not {len(key)}: the time, and its position"


def _check_times(name: str, times: Iterable[float]) -> Iterator[str]:
    """A complaint about keys that are not in the order of their times."""
    try:
        check_times(times)
    except ValueError as error:
        yield f"{name}: {error}"


def read_effort(told: tuple[Pair, ...] | Curve) -> Curve | None:
    """What `co_contraction` says as a curve, if it says anything."""
    if isinstance(told, Curve):
        return told
    return Curve(keys=told, interpolation="linear") if told else None
