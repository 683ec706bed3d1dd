"""What an author says about ghosts."""

from __future__ import annotations

from collections.abc import Iterator

from supple.core.component import Metric, component, field
from supple.core.entity import Entity, SceneGraph
from supple_bones.components import children_of


@component
class Ghost:
    """Bones below this entity that follow a motion, the free configuration, and yield to contact; no masses needed."""

    stiffness: float = field(
        default=1.0, unit="N m/rad", doc="Spring of every turning rate towards the free configuration.", gt=0
    )
    sliding_stiffness: float = field(
        default=1000.0, unit="N/m", doc="Spring of every sliding rate towards the free configuration.", gt=0
    )
    recovery: float = field(
        default=0.0, unit="s", ge=0,
        doc="Time in which a deviation decays to a third once nothing touches; 0 takes it back within one step.",
    )  # fmt: skip
    bones_have_mass = False
    metrics = (
        Metric("deviation", "rad", "Root mean square over the joint angles from the free configuration.", "max"),
        Metric("energy", "J", "Energy in the springs to the free configuration.", "last"),
    )  # fmt: skip

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A ghost hangs on the world, has bones, and is no skeleton at the same time."""
        for above in graph.ancestors(entity.path):
            for kind in ("body", "bone", "skeleton", "ghost"):
                if kind not in above.components or (above.path, kind) == (entity.path, "ghost"):
                    continue
                if above.path == entity.path:
                    yield f"the entity is both ghost and {kind}; take one of the two away"
                else:
                    yield f"the ghost lies below the {kind} {above.path}; put it beside it"
        roots = [child for child in children_of(entity, graph) if "bone" in child.components]
        if not roots:
            yield 'the ghost has no bones; add an entity below it with bone = { joint = "hinge" }'
        elif all(
            graph[bone.path].components["bone"].joint == "fixed"
            for bone in graph.below(entity.path)
            if "bone" in bone.components
        ):
            yield "no bone of the ghost can move; give one a joint other than fixed"
