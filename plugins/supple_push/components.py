"""What an author says about a push."""

from __future__ import annotations

from collections.abc import Iterator

from supple.core.component import Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.errors import suggest


@component
class Push:
    """A force on an entity from the event's time on, for a while. Its impulse does not depend on the step."""

    on: str = field(unit="", doc="Path of the entity that is pushed.")
    force: Vector = field(unit="N", doc="Force, in the world.")
    duration: float = field(unit="s", doc="How long it acts.", gt=0)
    rise: float = field(
        default=0.0,
        unit="s",
        ge=0,
        doc="How long the force takes to rise evenly from zero; 0: it is there at once.",
    )
    point: Vector = field(default=(0.0, 0.0, 0.0), unit="m", doc="Where it acts, in the entity's frame.")

    numbers = ("at", "force", "duration", "point")
    placed_by_arrays = True

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """The pushed entity must exist."""
        if self.on not in graph:
            known = [other.path for other in graph if other.at is None]
            yield f"on = '{self.on}' names no entity; {suggest(self.on, known, 'the scene has')}"
