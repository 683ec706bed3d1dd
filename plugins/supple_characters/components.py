"""Characters as prefabs. What they are made of is a child `bones`, with the bones below it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from supple.core.component import component, field, kind_of
from supple.core.entity import Entity
from supple.core.scene_files import SceneFiles
from supple_characters.hand_plan import FINE_TIP, FINGERS, FingerName
from supple_characters.plan import Joint, Plan

Cover = Literal["capsules", "flesh", "skin"]
Side = Literal["left", "right"]
HAND_BASES = {
    "fixed": Joint(),
    "wrist": Joint("universal", (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), lower=(-65.0, -30.0), upper=(70.0, 20.0)),
    "translation": Joint("translation"),
    "free": Joint("free"),
}


@component
class Character:
    """What all characters have in common."""

    covering: Cover = field(
        default="capsules", unit="",
        doc="What touches: rigid capsules, boxes and balls on the bones, soft flesh, or the skin of a ghost.",
    )  # fmt: skip
    vertices: int = field(
        default=800, unit="1", ge=200, le=20000, doc="Vertices of flesh or skin; triangles are twice as many."
    )
    mesh: str = field(
        default="",
        unit="",
        doc="An OBJ or STL file beside the scene as flesh or skin, instead of the generated one.",
    )
    flesh: dict[str, Any] = field(
        default={"stiffness": 1.5e4}, unit="", doc="What to pass on to the component flesh."
    )
    flesh_part: float = field(
        default=0.2, unit="1", gt=0, lt=1, doc="Part of the mass that is flesh; the bones keep the rest."
    )
    skin: dict[str, Any] = field(default={}, unit="", doc="What to pass on to the component skin.")
    ghost: dict[str, Any] = field(default={}, unit="", doc="What to pass on to the component ghost.")
    scale: float = field(
        default=1.0, unit="1", gt=0, doc="Size relative to the average man; masses go with its cube."
    )
    friction: float = field(default=0.8, unit="1", ge=0, doc="Coefficient of friction of the outside.")
    firmness: float = field(
        default=20.0, unit="1", ge=0,
        doc="Springs to the neutral pose, per rad in multiples of the weight's torque held out level; 0: limp.",
    )  # fmt: skip
    damping: float = field(
        default=1.0,
        unit="1",
        ge=0,
        doc="Damping of the joints; 1 is critical, of a limp joint as if firmness were 1.",
    )

    def plan(self) -> Plan:
        """Bones and limbs at scale 1."""
        raise NotImplementedError(f"{type(self).__name__} has no plan")

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """The skeleton or ghost with what it wears, and its bones."""
        from supple_characters.coverings import Covering, make_entities
        from supple_characters.plan import scale_plan

        kind = kind_of(type(self).__name__)
        covering = Covering(
            self.covering, self.vertices, self.mesh, self.flesh, self.skin, self.ghost,
            self.flesh_part, self.friction, self.firmness, self.damping,
        )  # fmt: skip
        return make_entities(entity, kind, scale_plan(self.plan(), self.scale), covering)


@component
class Hand(Character):
    """A hand: the wrist at the origin, fingers along z, its back up; a right hand has its thumb at +x."""

    side: Side = field(default="right", unit="", doc="Which hand.")
    fingers: tuple[FingerName, ...] = field(default=FINGERS, unit="", doc="The fingers that it has.")
    base: Literal["fixed", "wrist", "translation", "carried", "free"] = field(
        default="fixed", unit="",
        doc="How the palm moves: not, by the wrist (2), along the axes (3), along and about them (3 and 3), freely.",
    )  # fmt: skip
    fine_tip: float = field(
        default=FINE_TIP,
        unit="1",
        ge=1,
        le=10,
        doc="How much shorter edges of the mesh are at the fingertips.",
    )
    curl: float = field(default=0.0, unit="1", ge=0, le=1, doc="How far the fingers are bent at the start.")

    def __post_init__(self) -> None:
        if not self.fingers:
            raise ValueError(f"fingers is empty; name some of {', '.join(FINGERS)}")
        if len(set(self.fingers)) < len(self.fingers):
            raise ValueError("a finger is named twice; name each once")

    def plan(self) -> Plan:
        """A hand with its base."""
        from supple_characters.hand_plan import carry, curl, plan_hand
        from supple_characters.plan import mirror_plan

        made = plan_hand(self.fingers, HAND_BASES.get(self.base, Joint()), self.fine_tip)
        if self.base == "carried":
            made = carry(made)
        made = replace(made, bones=tuple(curl(bone, self.curl) for bone in made.bones))
        return made if self.side == "right" else mirror_plan(made)


@component
class Arm(Character):
    """An arm that hangs on the world by its shoulder, at the origin: straight down, the thumb in front (z)."""

    side: Side = field(default="right", unit="", doc="Which arm.")

    def plan(self) -> Plan:
        """Upper arm, forearm in two parts, and a mitten."""
        from supple_characters.limb_plans import plan_arm
        from supple_characters.plan import mirror_plan

        made = plan_arm((0.0, 0.0, 0.0), 0.0)
        return made if self.side == "left" else mirror_plan(made)


@component
class Leg(Character):
    """A leg that hangs on the world by its hip, at the origin: straight down, the toes in front (z)."""

    side: Side = field(default="right", unit="", doc="Which leg.")

    def plan(self) -> Plan:
        """Thigh, shank, foot and toes."""
        from supple_characters.limb_plans import plan_leg
        from supple_characters.plan import mirror_plan

        made = plan_leg((0.0, 0.0, 0.0))
        return made if self.side == "left" else mirror_plan(made)


@component
class UpperBody(Character):
    """Trunk, head and arms, looking along z; the origin is between the hips."""

    base: Literal["fixed", "ball"] = field(
        default="fixed", unit="", doc="How the trunk moves: not, or by turning about the hips (3)."
    )

    def plan(self) -> Plan:
        """Trunk, head and both arms, spread out."""
        from supple_characters.body_plan import plan_upper_body

        return plan_upper_body(Joint("ball", (0.0, 1.0, 0.0), upper=60.0) if self.base == "ball" else Joint())


@component
class Figure(Character):
    """A whole figure that stands on the entity's xz plane and looks along z, its arms spread out."""

    base: Literal["fixed", "free"] = field(
        default="free", unit="", doc="Whether the pelvis moves freely (6), or not at all."
    )

    def plan(self) -> Plan:
        """Trunk, head, arms and legs."""
        from supple_characters.body_plan import plan_figure

        return plan_figure(Joint(self.base))
