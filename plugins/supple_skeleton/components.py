"""What an author says about skeletons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from supple.core.component import Metric, component, field
from supple.core.entity import Entity, SceneGraph
from supple.errors import suggest
from supple.mechanics.spring_tables import Implicitness
from supple_bones.components import LIMITED, Numbers, children_of, find_anchor
from supple_bones.layout import JOINTS

#: Joints of one coordinate.
GEARED = ("hinge", "slider")


@component
class SkeletonSettings:
    """How skeletons are advanced, in `[run.skeleton]`."""

    corrections: int = field(
        default=1, unit="1", ge=0, le=10,
        doc="How often velocity-dependent forces are brought up to date; 0 takes those of the step's start.",
    )  # fmt: skip
    implicitness: float = field(
        default=0.5, unit="1", ge=0, le=1,
        doc="Where in the step they are taken: 0.5 at its middle, which keeps energy best, 1 at its end.",
    )  # fmt: skip
    late_rows: Literal["automatic", "always", "never"] = field(
        default="automatic", unit="",
        doc="Whether velocity-dependent forces make up in the next step for what impulses of rows changed in this one, "
        "which keeps energy in impacts and on springs; automatic: in scenes with a spring, a gear or a joint between "
        "things, and where no motion or controller moves joints.",
    )  # fmt: skip
    springs: Implicitness = field(
        default="automatic", unit="1", ge=0.5, le=1,
        doc="Where in the step springs of joints are taken: 0.5 at its middle, which keeps energy, 1 at its end, which "
        "damps; automatic: at the middle unless a spring is too fast for the step.",
    )  # fmt: skip
    margin: float = field(
        default=0.05, unit="rad, m", ge=0, doc="Distance within which a limit always has a row."
    )
    recovery: float = field(
        default=0.2,
        unit="1",
        ge=0,
        le=1,
        doc="Part of the way beyond a limit that is taken back within one step.",
    )
    recovery_speed: float = field(
        default=1.0, unit="rad/s, m/s", ge=0, doc="Greatest speed of taking it back."
    )


@component
class Skeleton:
    """Bones below this entity, joined to each other and to the world. The root bones hang on this entity."""

    bones_have_mass = True
    metrics = (
        Metric("height", "m", "Height of the centre of mass.", "last"),
        Metric("speed", "m/s", "Speed of the centre of mass.", "last"),
        Metric("energy", "J", "Kinetic and potential energy, with joint springs.", "last"),
        Metric("beyond_limits", "rad, m", "How far any joint was beyond its limit.", "max"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A skeleton hangs on the world and has bones; one that floats has one root."""
        for above in graph.ancestors(entity.path):
            if above.path == entity.path:
                continue
            for kind in ("body", "bone", "skeleton"):
                if kind in above.components:
                    yield f"the skeleton lies below the {kind} {above.path}; put it beside it"
        if "bone" in entity.components or "body" in entity.components:
            yield "the skeleton is the anchor and no bone itself; give the bone an entity below it"
        roots = [child for child in children_of(entity, graph) if "bone" in child.components]
        if not roots:
            yield 'the skeleton has no bones; add an entity below it with bone = { joint = "free" }'
        floating = [root.path for root in roots if root.components["bone"].joint == "free"]
        if floating and len(roots) > 1:
            yield (
                f"the skeleton has {len(roots)} roots, and {floating[0]} floats; "
                "make it the only root, or give each a skeleton of its own"
            )


@component
class Servo:
    """Drives the joint of a bone towards a target, with a force that is bounded: a row, not part of A."""

    target: float | Numbers = field(default=0.0, unit="deg, m", doc="Where to; one, or one by coordinate.")
    stiffness: float = field(default=0.0, unit="N m/rad, N/m", doc="Force by distance from the target.", ge=0)
    damping: float = field(default=0.0, unit="N m s/rad, N s/m", doc="Force by rate.", ge=0)
    limit: float = field(unit="N m, N", doc="Greatest force.", gt=0)
    implicitness: Implicitness = field(
        default=1.0, unit="1", ge=0.5, le=1,
        doc="Where in the step it is taken: 0.5 at its middle, which keeps energy, 1 at its end, which damps, or "
        "automatic.",
    )  # fmt: skip

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A servo needs a joint that has axes, and something to do."""
        bone = entity.components.get("bone")
        anchor = find_anchor(entity, graph)
        if anchor is not None and not anchor[1].bones_have_mass:
            yield f"a {anchor[0]} follows its motion and needs no servo; set the stiffness of the bone"
        if bone is None or bone.joint not in LIMITED:
            yield f"a servo drives a bone whose joint is one of {', '.join(LIMITED)}; this entity has none"
        elif isinstance(self.target, tuple) and len(self.target) != JOINTS[bone.joint].q_count:
            count = JOINTS[bone.joint].q_count
            yield f"target has {len(self.target)} numbers; joint {bone.joint} has {count} coordinates"
        if self.stiffness == 0 and self.damping == 0:
            yield "the servo has neither stiffness nor damping; give one of them"


@component
class Gear:
    """Ties the joint of a bone to that of another: q = offset + ratio times the other's, exactly and both ways."""

    of: str = field(
        default="",
        unit="",
        doc="Bone whose joint drives this one, in any skeleton; empty holds the joint still.",
    )
    ratio: float = field(
        default=1.0, unit="1, m/rad, rad/m", doc="How far the joint moves by what the other one moves."
    )
    offset: float = field(
        default=0.0, unit="deg, m", doc="Where the joint is while the other one is at zero."
    )
    metrics = (
        Metric("gear_error", "rad, m", "Greatest distance from where the gear has the joint.", "max"),
        Metric("gear_load", "N m, N", "Greatest force of the gear on the joint, either way.", "max"),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A gear ties joints of one coordinate each."""
        bone, anchor = entity.components.get("bone"), find_anchor(entity, graph)
        if anchor is not None and not anchor[1].bones_have_mass:
            yield f"a {anchor[0]} follows its motion and has no gears; give the motion both joints"
        if bone is None or bone.joint not in GEARED:
            yield "a gear turns a bone whose joint is a hinge or a slider; this entity has none"
        if not self.of:
            return
        if self.of == entity.path:
            yield "of names the bone itself; name another one, or leave it out to hold the joint still"
        elif self.of not in graph:
            bones = [other.path for other in graph.having("bone")]
            yield f"of names no entity: '{self.of}'; {suggest(self.of, bones, 'bones are')}"
        else:
            yield from self._check_driver(graph[self.of], graph)
        if self.ratio == 0.0:
            yield "ratio is 0, so that the other joint drives nothing; leave `of` out to hold this one still"

    def _check_driver(self, other: Entity, graph: SceneGraph) -> Iterator[str]:
        bone, anchor = other.components.get("bone"), find_anchor(other, graph)
        if bone is None or bone.joint not in GEARED:
            yield f"of names {other.path}, which has no hinge and no slider; name a bone that has"
        elif anchor is not None and not anchor[1].bones_have_mass:
            yield f"of names a bone of a {anchor[0]}, which nothing can drive back; name one of a skeleton"
