"""What an author says about grasps."""

from __future__ import annotations

from collections.abc import Iterator

from supple.core.component import Metric, component, field
from supple.core.entity import Entity, SceneGraph
from supple.errors import suggest
from supple_joints.paths import check_path


@component
class Grasp:
    """Holds an object from the event's time on, in the pose that it has in the hand then."""

    hand: str = field(unit="", doc="Path of what holds.")
    object: str = field(unit="", doc="Path of what is held.")
    duration: float | None = field(
        default=None, unit="s", gt=0, doc="How long it holds; by default until a release, or for good."
    )
    while_active: tuple[str, ...] = field(
        default=(),
        unit="",
        max_length=2,
        doc="Entity with phases and a name: from the event's time on it holds while a phase has this name active.",
    )
    metrics = (
        Metric("error", "m", "Greatest distance of the object from its place in the hand.", "max"),
        Metric("turn_error", "rad", "Greatest angle of the object to its place in the hand.", "max"),
        Metric("load", "N", "Greatest force that the grasp passes on.", "max"),
        Metric("moment", "N m", "Greatest torque that the grasp passes on.", "max"),
        Metric("closed", "1", "1 if it holds at the end, 0 if not.", "last"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """Hand and object exist and differ."""
        yield from check_path("hand", self.hand, graph)
        if self.object == self.hand:
            yield f"object is the hand itself, '{self.object}'; name another thing"
        else:
            yield from check_path("object", self.object, graph)
        if self.while_active:
            yield from self._check_phases(graph)

    def _check_phases(self, graph: SceneGraph) -> Iterator[str]:
        """The entity has phases, and one of them has the name active."""
        if len(self.while_active) != 2:
            yield 'while_active names an entity and what is active there, such as ["man", "hold"]'
            return
        path, name = self.while_active
        if self.duration is not None:
            yield "duration and while_active both say when it opens; leave one of them out"
        phases = graph[path].components.get("phases") if path in graph else None
        if phases is None:
            known = [each.path for each in graph.having("phases")]
            yield f"while_active names '{path}', which has no phases; {suggest(path, known, 'phases have')}"
            return
        active = sorted({each for phase in phases.phase.values() for each in phase.active})
        if name not in active:
            yield f"while_active names '{name}', which is active in no phase; {suggest(name, active)}"


@component
class Release:
    """Opens a grasp at the event's time."""

    grasp: str = field(unit="", doc="Name of the event of the grasp.")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """The grasp exists and has closed by then."""
        grasps = [event.path for event in graph.having("grasp")]
        if self.grasp not in grasps:
            yield f"grasp names no grasp: '{self.grasp}'; {suggest(self.grasp, grasps, 'the scene has')}"
            return
        closes = graph[self.grasp].at or 0.0
        if entity.at is not None and entity.at <= closes:
            yield f"the release at {entity.at:g} s comes before the grasp at {closes:g} s; let it be later"
