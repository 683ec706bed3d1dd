"""What an author says about a rigged figure."""

from __future__ import annotations

from typing import Any, Literal

from supple.core.component import component, field
from supple.core.entity import Entity
from supple.core.scene_files import SceneFiles


@component
class Rig:
    """A figure of a glTF file with a skin: child `bones` with the joints of the file below it, and what they wear."""

    file: str = field(unit="", doc="A glTF file (.glb, .gltf) beside the scene, with one skin.", min_length=1)
    covering: Literal["skin", "flesh", "capsules"] = field(
        default="skin", unit="",
        doc="A ghost with the file's skin, or a skeleton with soft flesh or rigid capsules fitted to that skin.",
    )  # fmt: skip
    clip: str = field(
        default="", unit="", doc="Animation of the file that it follows; none: the first, if there is any."
    )
    still: bool = field(default=False, unit="", doc="Whether animations of the file are left alone.")
    loop: bool = field(default=False, unit="", doc="Whether the animation starts over.")
    base: Literal["driven", "free", "fixed"] = field(
        default="driven", unit="",
        doc="How the root moves: along the animation, freely, or not at all. A ghost with a free root follows, too.",
    )  # fmt: skip
    scale: float = field(default=1.0, unit="1", gt=0, doc="Metres per unit of the file.")
    mass: float = field(
        default=0.0, unit="kg", ge=0, doc="Of a skeleton with all that it wears; 0 takes it from the density."
    )
    density: float = field(default=1000.0, unit="kg/m^3", gt=0, doc="Of a skeleton, if no mass is given.")
    stiffness: float = field(
        default=100.0, unit="1", ge=0,
        doc="Drives of a skeleton towards its animation, per rad in multiples of the weight's torque held out level.",
    )  # fmt: skip
    flesh: dict[str, Any] = field(
        default={"stiffness": 1.5e4}, unit="", doc="What to pass on to the component flesh."
    )
    flesh_part: float = field(
        default=0.2, unit="1", gt=0, lt=1, doc="Part of the mass that is flesh; the bones keep the rest."
    )
    skin: dict[str, Any] = field(default={}, unit="", doc="What to pass on to the component skin.")
    ghost: dict[str, Any] = field(default={}, unit="", doc="What to pass on to the component ghost.")
    friction: float = field(default=0.8, unit="1", ge=0, doc="Coefficient of friction of the outside.")

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """The anchor with what it wears, and the bones of the file."""
        from supple_rig.figure import make_figure

        return make_figure(self, entity.path, files)
