"""What an author says about the control of a soft body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from supple.core.component import Metric, Vector, component, field
from supple.core.curves import Curve
from supple.core.entity import Entity, SceneGraph
from supple_locomotion.checks import check_locomotion
from supple_tets.components import Region

Quantity = Literal[
    "centre", "momentum", "angular_momentum", "place", "offset", "lean", "turn", "area", "balance"
]  # fmt: skip


@component
class Patch:
    """Vertices of the boundary that touch the ground as one: each patch has one force."""

    part: str = field(unit="", min_length=1, doc="Part whose vertices on the boundary it consists of.")
    grid: tuple[int, int, int] = field(
        default=(1, 1, 1), unit="1", ge=1, le=100, doc="Cut along x, y and z into so many patches."
    )
    sectors: int = field(
        default=1, unit="1", ge=1, le=200, doc="Cut around the z axis through its middle into so many."
    )


@component
class Scales:
    """Scales, or bristles, on the skin of a body of tetrahedra: what touches slides easily one way only.

    Contacts that would slide backward, were there no contact forces, have the coefficient `backward`; others that of
    the pair.
    """

    ahead: Vector = field(
        default=(1.0, 0.0, 0.0),
        unit="1",
        doc="Way along which it slides easily, at the start; it turns with the body.",
    )
    backward: float = field(
        default=1.0, unit="1", ge=0, doc="Coefficient of friction against sliding backward."
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is a skin, and a way."""
        if "tets" not in entity.components:
            yield "there are no tets beside it; put scales where tets are"
        if not any(self.ahead):
            yield "ahead is zero; give a direction"


@component
class Goal:
    """Something that is wanted of the body: a quantity, where it should be or how it should change, how much it counts.

    Without stiffness, damping or push a rate is wanted: that of the target, plus gain times what is missing. With one
    of them a change of the rate is wanted: push + stiffness times what is missing - damping times the rate; `weight` is
    then that of squared accelerations (or forces, or torques).
    """

    of: Quantity = field(
        unit="",
        doc="centre: centre of mass. momentum: mass times its velocity. angular_momentum: about `about`. place: "
        "middle of a part. offset: from the part `other` to the part. lean: from the middle of a part to the centre of "
        "mass. turn: rotation of a part. area: of a part's "
        "surface from below. balance: angular momentum about the middle of the part that the body stands on, by a "
        "pressure within it.",
    )
    part: str = field(default="", unit="", doc="The part.")
    other: str = field(default="", unit="", doc="Of an offset: the part that it counts from.")
    about: Literal["contacts", "centre"] = field(
        default="contacts",
        unit="",
        doc="Of angular momentum: about the middle of what touches, or the centre of mass.",
    )
    axes: str = field(default="xyz", unit="", pattern="^x?y?z?$", min_length=1, doc="Which components count.")
    target: tuple[float, ...] | Curve = field(
        default=(),
        unit="SI, deg",
        doc="Where it should be: a number for each axis, or a curve over the time of the run; 0.",
    )
    value: str = field(
        default="", unit="", doc="Value of the phases that is added to the target, or names it alone."
    )
    counts_from: str = field(
        default="world", unit="",
        doc="What targets are counted from: world; start: its value when the goal was active first; phase: its value "
        "when the phase began; or a part, whose place it was then.",
    )  # fmt: skip
    progress: str = field(
        default="", unit="",
        doc="Value of the phases that leads from 0, where it was when the phase began, to 1, the target.",
    )  # fmt: skip
    gain: float = field(default=5.0, unit="1/s", ge=0, doc="Rate for what is missing.")
    stiffness: float = field(default=0.0, unit="1/s^2", ge=0, doc="Acceleration for what is missing.")
    damping: float = field(default=0.0, unit="1/s", ge=0, doc="Acceleration against the rate.")
    push: tuple[float, ...] | Curve = field(
        default=(), unit="SI", doc="Acceleration, force or torque: a number for each axis, or a curve."
    )
    foresees: tuple[str, ...] = field(
        default=(), unit="", doc="Of balance: events that push the body and are known before they come."
    )
    look_ahead: float = field(default=1.2, unit="s", gt=0, le=5, doc="How long before.")
    limit: float = field(
        default=0.0, unit="SI", ge=0, doc="Greatest rate, or acceleration, to ask for; 0: any."
    )
    weight: float = field(unit="1", ge=0, doc="How much it counts, of squared SI units.")
    when: tuple[str, ...] = field(
        default=(), unit="", doc="Names that phases make active, one of which is needed; none: always."
    )
    begin: float = field(default=0.0, unit="s", ge=0, doc="When it begins.")
    end: float = field(default=1e9, unit="s", ge=0, doc="When it ends.")
    ramp: float = field(default=0.0, unit="s", ge=0, doc="How long its weight takes to rise and to fall.")


@component
class Gait:
    """Steps: feet that swing while phases make their names active, the body above the others."""

    feet: tuple[str, ...] = field(unit="", min_length=2, doc="Parts that are soles, around the body.")
    ankles: tuple[str, ...] = field(unit="", min_length=2, doc="Parts above them that stay upright.")
    trunk: str = field(unit="", min_length=1, doc="Part that stays upright.")
    heading: Vector = field(default=(1.0, 0.0, 0.0), unit="1", doc="Which way it walks.")
    stride: float = field(unit="m", doc="How far a foot is put ahead.", ge=0)
    ahead: float = field(
        default=0.625, unit="1", ge=0, doc="A foot comes down this part of a stride before its place of rest."
    )
    turn: float = field(default=0.0, unit="rad/s", doc="How fast the heading turns, to the left.")
    lift_off: float = field(unit="s", ge=0, doc="Since the phase began: when the foot leaves the ground.")
    touch_down: float = field(unit="s", ge=0, doc="From when on a load on it means that it has landed.")
    landed: float = field(default=0.03, unit="1", gt=0, lt=1, doc="That load, as a part of the weight.")
    schedule: Literal["none", "seed", "force"] = field(
        default="none", unit="",
        doc="Who decides that a foot leaves the ground: the solver alone, the solver with a hint, or the phases.",
    )  # fmt: skip
    opposite: float = field(
        default=0.16, unit="1", ge=0, le=1,
        doc="Of four feet: how much the one opposite of the swinging one counts in where the body should be.",
    )  # fmt: skip
    shift: bool = field(default=True, unit="", doc="Whether the body moves above the feet that stand.")
    centre_gain: float = field(default=6.0, unit="1/s", gt=0, doc="Of the centre of mass.")
    foot_gain: float = field(default=10.0, unit="1/s", gt=0, doc="Of the swinging foot.")
    turn_gain: float = field(default=6.0, unit="1/s", gt=0, doc="Of trunk and ankles.")
    centre_weight: float = field(default=400.0, unit="1", ge=0, doc="Of the centre of mass.")
    swing_weight: float = field(default=400.0, unit="1", ge=0, doc="Of a swinging foot.")
    stance_weight: float = field(default=100.0, unit="1", ge=0, doc="Of a foot that stands.")
    trunk_weight: float = field(default=4.0, unit="1", ge=0, doc="Of the trunk's rotation.")
    ankle_weight: float = field(
        default=4.0, unit="1", ge=0, doc="Of the rotation of a swinging foot; a quarter else."
    )
    load_weight: float = field(
        default=50.0, unit="1", ge=0, doc="Of the load that the value `unload` leaves."
    )


@component
class Locomotion:
    """Chooses in every step the lengths of the muscles, and with them which contacts break, stick or slide."""

    parts: dict[str, Region] = field(
        default={}, unit="", doc="Boxes in the entity's frame, by names that you choose."
    )
    patches: tuple[Patch, ...] = field(unit="", min_length=1, doc="What may touch the ground.")
    goals: dict[str, Goal] = field(default={}, unit="", doc="What is wanted, by names that you choose.")
    gait: Gait | None = field(default=None, unit="", doc="Steps.")
    trunk: str = field(
        default="",
        unit="",
        doc="Part whose rotation `turned` and `tilt` tell; that of the gait if none is named.",
    )
    limbs: tuple[str, ...] = field(
        default=(), unit="", doc="Parts whose rotation against the trunk `folded` tells."
    )
    solver: Literal["qpcc", "static"] = field(
        default="qpcc", unit="", doc="Contacts are chosen (qpcc), or all that touch are taken for static."
    )
    fallback: Literal["soft", "hold"] = field(
        default="soft", unit="",
        doc="Of the static solver where its program has no solution: soft contacts, or muscles held.",
    )  # fmt: skip
    nodes: int = field(default=6, unit="1", ge=1, le=1000, doc="Programs that may be solved in a step.")
    jumps: bool = field(
        default=False, unit="",
        doc="Whether contacts are tried broken, or held, though their forces are not zero: more programs a step.",
    )  # fmt: skip
    every: int = field(default=1, unit="1", ge=1, le=100, doc="Decide in every n-th step only; hold between.")
    neutral: dict[str, float] = field(
        default={},
        unit="1",
        gt=0,
        le=1,
        doc="Relative lengths of muscles at ease, by patterns of fibres; else 1.",
    )
    leaves: tuple[str, ...] = field(
        default=(),
        unit="",
        doc="Patterns of fibres that it does not move: they stay as long as asked for at the start.",
    )
    smoothness: float = field(
        default=100.0, unit="1", gt=0, doc="Weight of squared changes of lengths in a step."
    )
    effort: float = field(default=20.0, unit="1", ge=0, doc="Weight of squared distances from neutral.")
    sideways: float = field(
        default=0.0, unit="1", ge=0, doc="Weight of squared forces along the ground, in parts of the weight."
    )
    friction: float = field(default=0.6, unit="1", gt=0, le=1, doc="Part of the friction that is counted on.")
    relax: float = field(
        default=2.0, unit="1/s", gt=0, doc="How fast lengths return to neutral without a goal."
    )
    metrics = (
        Metric("distance", "m", "How far the centre of mass has come along the heading, or horizontally."),
        Metric("sideways", "m", "How far it is beside the heading."),
        Metric("strayed", "m", "Greatest horizontal distance of the centre of mass from its start.", "max"),
        Metric("turned", "deg", "By how much the trunk has turned about the vertical."),
        Metric("tilt", "deg", "Greatest angle between the trunk and upright.", "max"),
        Metric("folded", "deg", "Greatest rotation of a limb against the trunk.", "max"),
        Metric("stature", "1", "Least height of the centre of mass, as a part of that at the start.", "min"),
        Metric("rise", "m", "Greatest height of the centre of mass above that at the start.", "max"),
        Metric("steps", "1", "Steps of feet that are done."),
        Metric("least_lift", "m", "Least height that a foot came to in any of them."),
        Metric("jitter", "1", "Second differences of velocities, by their size: root mean squares."),
        Metric("programs", "1", "Quadratic programs in a decision, on average."),
        Metric("decisions", "1", "Decisions that were made."),
        Metric("infeasible", "1", "Decisions without a solution, in which the fallback acted."),
        Metric("pivoted", "1", "Share of decisions in which a contact that touches was not static."),
    )

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """All names are known, and there is something to control."""
        yield from check_locomotion(self, entity, graph)
