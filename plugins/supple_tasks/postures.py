"""What an author says about poses that characters favour: libraries, from motions or made by rules."""

from __future__ import annotations

from supple.core.component import Vector, component, field
from supple_motion.components import Motion


@component
class Lifts:
    """Poses of a figure that stands, bends down to the floor, rises, and carries something before its chest."""

    style: float = field(default=0.0, unit="1", ge=0, le=1, doc="0: from the knees; 1: from the back.")


@component
class Reaches:
    """Poses that bring a point to the places of a grid, near to the pose at the start."""

    of: str = field(unit="", min_length=1, doc="Path of the bone, below this entity.")
    point: Vector = field(default=(0.0, 0.0, 0.0), unit="m", doc="The point, in the frame of `of`.")
    moves: dict[str, float] = field(
        unit="1", min_length=1, doc="How readily joints move, by path of their bone below this entity."
    )
    lowest: Vector = field(unit="m", doc="One corner of the grid, in the world.")
    highest: Vector = field(unit="m", doc="The other corner.")
    count: tuple[int, int, int] = field(default=(6, 7, 7), unit="1", doc="Places along x, y and z.")

    def __post_init__(self) -> None:
        if min(self.count) < 1:
            raise ValueError("count has no places along one axis; give 1 or more")
        for name, ease in self.moves.items():
            if not ease > 0.0:
                raise ValueError(f"moves.{name} is not above 0; leave out joints that stay as they are")


@component
class Library:
    """Poses, of which a posture task takes the one nearest to how the character is now."""

    motion: Motion | None = field(default=None, unit="", doc="Keys or a BVH file, sampled.")
    lifts: Lifts | None = field(default=None, unit="", doc="Lifts of a figure.")
    reaches: Reaches | None = field(default=None, unit="", doc="A grid of places that are reached.")
    rate: float = field(default=30.0, unit="1/s", gt=0, doc="Poses per second of a motion.")
    anchor: str = field(
        default="",
        unit="",
        doc="Path below this entity of a bone that is in every pose where it is at the start; the root follows.",
    )
    markers: dict[str, float] = field(
        default={},
        unit="1",
        doc="What is compared, by path of bones below this entity, and how much each counts; by default all alike.",
    )

    def __post_init__(self) -> None:
        given = [name for name in ("motion", "lifts", "reaches") if getattr(self, name) is not None]
        if len(given) != 1:
            what = f"{' and '.join(given)} are given" if given else "has no poses"
            raise ValueError(f"{what}; give one of motion, lifts and reaches")
        if self.motion is not None and self.motion.phases:
            raise ValueError("a library has no phases; give the motion keys or a file")
        for name, weight in self.markers.items():
            if not weight > 0.0:
                raise ValueError(f"markers.{name} counts for nothing; leave it out, or give a number above 0")
