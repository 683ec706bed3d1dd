"""What an author says about tracking poses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from supple.core.component import Metric, component, field
from supple.core.entity import Entity, SceneGraph
from supple.errors import suggest
from supple.mechanics.spring_tables import Implicitness

DRIVEN = ("hinge", "slider", "universal", "ball", "translation")
"""Joints that have muscles; what floats is moved by contact alone."""


def bones_below(entity: Entity, graph: SceneGraph) -> dict[str, str]:
    """The joints of the bones below an entity, by the rest of their paths."""
    return {
        other.path.removeprefix(f"{entity.path}/"): other.components["bone"].joint
        for other in graph.below(entity.path)
        if "bone" in other.components
    }


def check_bones(entity: Entity, graph: SceneGraph, key: str, names: Iterable[str]) -> Iterator[str]:
    """Complaints about names that are no bones of this skeleton."""
    bones = bones_below(entity, graph)
    for name in names:
        if name not in bones:
            yield f"{key} names '{name}', which is no bone here; {suggest(name, bones, 'the bones are')}"


@component
class JointGains:
    """What differs for the joint of one bone."""

    stiffness: float | None = field(
        default=None, unit="N m/rad, N/m", ge=0, doc="Force by distance from the target."
    )
    damping: float | None = field(default=None, unit="N m s/rad, N s/m", ge=0, doc="Force by rate.")
    limit: float | None = field(default=None, unit="N m, N", gt=0, doc="Greatest force of each rate.")


@component
class PoseTracking:
    """Drives all joints of a skeleton towards its motion, or towards its start where it has none."""

    stiffness: float = field(unit="N m/rad, N/m", ge=0, doc="Force by distance from the target.")
    damping: float = field(unit="N m s/rad, N s/m", ge=0, doc="Force by rate.")
    limit: float | None = field(
        default=None, unit="N m, N", gt=0, doc="Greatest force of each rate; by default there is none."
    )
    bones: dict[str, JointGains] = field(
        default={},
        unit="SI",
        doc="Other gains by path of the bone below this entity; stiffness 0 leaves one limp.",
    )
    gravity: bool = field(
        default=False, unit="", doc="Whether the weight of the bones is carried beforehand."
    )
    follow: bool = field(
        default=True, unit="", doc="Whether damping refers to the rates of the motion, or to rest."
    )
    implicitness: Implicitness = field(
        default=1.0, unit="1", ge=0.5, le=1,
        doc="Where in the step drives are taken: 0.5 at its middle, which keeps energy, 1 at its end, which damps, or "
        "automatic.",
    )  # fmt: skip
    softness: float = field(
        default=0.02, unit="1", ge=1e-4, le=1,
        doc="Directions in which a limb moves its point less than this part of others are spared.",
    )  # fmt: skip
    largest_shift: float = field(
        default=60.0, unit="deg", gt=0, doc="Greatest shift of a joint's target by points and pressure."
    )
    metrics = (
        Metric(
            "effort", "N m, N", "Root of the sum of the squares of all driving forces, on average.", "mean"
        ),
        Metric("strongest", "N m, N", "Greatest driving force of any rate.", "max"),
        Metric("error", "rad, m", "Root mean square distance from the motion, on average.", "mean"),
        Metric("final_error", "rad, m", "The same at the end.", "last"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """It needs a skeleton with joints to drive, and something to drive them with."""
        if "skeleton" not in entity.components:
            yield "pose tracking goes with a skeleton, and this entity has none; move it to one"
            return
        yield from check_bones(entity, graph, "bones", self.bones)
        joints = bones_below(entity, graph)
        for name, gains in self.bones.items():
            if joints.get(name, "hinge") not in DRIVEN:
                yield f"bones names '{name}', whose joint is {joints[name]}; driven are {', '.join(DRIVEN)}"
            stiffness = self.stiffness if gains.stiffness is None else gains.stiffness
            damping = self.damping if gains.damping is None else gains.damping
            if gains.limit is not None and stiffness == 0 and damping == 0:
                yield f"bones gives '{name}' a limit without gains; give it stiffness or damping"
        if not any(joint in DRIVEN for joint in joints.values()):
            yield f"the skeleton has no joint to drive; give a bone one of {', '.join(DRIVEN)}"
