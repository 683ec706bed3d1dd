"""What an author says about muscles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from supple.core.component import Metric, Vector, component, field
from supple.core.curves import Curve
from supple.core.entity import Entity, SceneGraph


@component
class Helix:
    """A curve that winds about a straight axis."""

    low: Vector = field(unit="m", doc="Where its axis begins, in the entity's frame.")
    high: Vector = field(unit="m", doc="Where its axis ends.")
    radius: float = field(unit="m", doc="Distance from the axis.", gt=0)
    turns: float = field(unit="1", doc="Turns from end to end, right-handed; negative: left-handed.")
    start: float = field(default=0.0, unit="deg", doc="Where around the axis it begins.")


@component
class Fibre:
    """A muscle fibre within a body, cut into segments that contract each by itself."""

    points: tuple[Vector, ...] = field(
        default=(), unit="m", doc="Corners of a polyline in the entity's frame."
    )
    helix: Helix | None = field(default=None, unit="", doc="Winds about an axis, instead of points.")
    segments: int = field(
        default=0,
        unit="1",
        ge=0,
        le=1000,
        doc="Cut into so many pieces of one length; 0: one from point to point.",
    )
    group: str = field(
        default="longitudinal", unit="", min_length=1,
        doc="Fibres of one group share the tissue: their influences sum to 1 everywhere.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if bool(self.points) == (self.helix is not None):
            raise ValueError("give the fibre either points or a helix")
        if self.points and len(self.points) < 2:
            raise ValueError("points has one point; a fibre needs two or more")
        if self.helix is not None and self.segments == 0:
            raise ValueError("a helix needs segments; say how many")


@component
class Muscles:
    """Fibres in the tetrahedra of the entity. Each segment is a spring of changeable length, spread over the tissue."""

    fibres: dict[str, Fibre] = field(default={}, unit="", doc="Fibres by names that you choose.")
    stiffness: float = field(
        default=1e6, unit="Pa", doc="Stress for a contraction by the whole length.", gt=0
    )
    spread: float = field(
        default=0.05, unit="m", doc="Standard deviation of the influence around a fibre.", gt=0
    )
    lowest: float = field(
        default=0.5, unit="1", doc="Shortest length to ask for, relative to rest.", gt=0, lt=1
    )
    rate: float = field(default=5.0, unit="1/s", doc="Greatest change of that relative length in time.", gt=0)
    start: float = field(default=1.0, unit="1", doc="Relative length asked for at the start.", gt=0, le=1)
    measure: bool = field(
        default=False, unit="", doc="Whether stretch, bend and twist of the body are measured."
    )
    metrics = (
        Metric("contraction", "1", "Greatest contraction that was asked for.", "max"),
        Metric("shortest", "1", "Least length of a segment relative to rest.", "min"),
        Metric("tension", "Pa", "Greatest tension of a segment.", "max"),
        Metric(
            "stretch", "1", "Change of the body's length between its ends, as a part, if measured.", "last"
        ),
        Metric("bend", "deg", "Angle between its ends, if measured.", "last"),
        Metric("bend_towards_x", "1", "Where the far end leans, x, if measured.", "last"),
        Metric("bend_towards_z", "1", "Likewise, z.", "last"),
        Metric(
            "twist", "deg", "Turn of the far end against the near one about the axis, if measured.", "last"
        ),
    )

    def __post_init__(self) -> None:
        if self.start < self.lowest:
            raise ValueError(f"start is {self.start:g}, but the least is {self.lowest:g}; raise it")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is tissue to pull, and something that pulls."""
        if "tets" not in entity.components:
            yield "there are no tetrahedra; put muscles where tets is"
        if not self.fibres and not {"letter_muscles", "axis_muscles"} & set(entity.components):
            yield "there are no fibres; give fibres, or add letter_muscles = {} or axis_muscles = {}"


@component
class LetterMuscles:
    """Fibres for the muscles of a letter (tet_letter).

    I: "stand" 4 x 12 along it, "crawl" 4 x 6 and 2 across, "jump" 4 x 12 along, 4 x 12 wound, and 8 across.
    H: 4 x 6 and 2 across in each leg. F: 4 x 12. T: 4 x 12 along, 4 x 12 wound. O: 2 x 20 around. X: 4 x 6 and 4
    across in each leg.
    """

    layout: Literal["stand", "crawl", "jump"] = field(default="stand", unit="", doc="Of an I: what for.")
    depth: float = field(
        default=0.55, unit="1", gt=0, lt=1, doc="How far from the middle towards the surface the fibres lie."
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """It belongs to a letter with muscles."""
        for kind in ("tet_letter", "muscles"):
            if kind not in entity.components:
                yield f"there is no {kind} beside it; add one"


@component
class AxisMuscles:
    """Fibres for muscles of any body: beside a tree of curves through its middle, named branch0_0, branch0_1, ..."""

    fibres: int = field(default=4, unit="1", doc="Fibres around every branch.", ge=1, le=16)
    depth: float = field(
        default=0.55, unit="1", gt=0, lt=1, doc="How far from the middle towards the surface the fibres lie."
    )
    branches: int = field(default=8, unit="1", doc="At most so many branches.", ge=1, le=64)

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """It belongs to muscles."""
        if "muscles" not in entity.components:
            yield "there are no muscles beside it; add muscles = {}"


@component
class Sine:
    """A contraction that comes and goes."""

    mean: float = field(default=0.1, unit="1", doc="Mean contraction, 0 for a relaxed segment.", ge=0, le=1)
    amplitude: float = field(default=0.1, unit="1", doc="By how much it swings.", ge=0, le=1)
    period: float = field(unit="s", doc="Time of a swing.", gt=0)
    phase: float = field(default=0.0, unit="deg", doc="Phase at time 0.")
    lag: float = field(
        default=0.0,
        unit="deg",
        doc="How much later each segment of a fibre is than the one before it: a wave.",
    )


@component
class Drive:
    """Contracts fibres over time, without control."""

    fibres: tuple[str, ...] = field(
        default=("*",), unit="", min_length=1, doc="Names of fibres, or patterns with * and ?."
    )
    contraction: Curve | float | None = field(
        default=None, unit="1", doc="Contraction, 0 for a relaxed segment: a number, or a track of keys."
    )
    sine: Sine | None = field(default=None, unit="", doc="Or a swing.")

    def __post_init__(self) -> None:
        if (self.contraction is None) == (self.sine is None):
            raise ValueError("give either contraction or sine")
        if isinstance(self.contraction, Curve) and self.contraction.width != 1:
            raise ValueError("contraction has keys with several values; write [at, value]")


@component
class MuscleDrive:
    """Drives muscles of the entity by tracks and swings; where several drive a segment, contractions add up."""

    drives: tuple[Drive, ...] = field(unit="", min_length=1, doc="What drives which fibres.")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There are muscles to drive."""
        if "muscles" not in entity.components:
            yield "there are no muscles beside it; add muscles"
