"""What an author says about a motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from supple.core.component import Metric, Vector, component, field
from supple.core.curves import Interpolation, check_times
from supple.core.entity import Entity, SceneGraph
from supple.core.scene_files import SceneFiles
from supple.errors import suggest

Quaternion = tuple[float, float, float, float]


@component
class JointPose:
    """Where a ball, free or translation joint is in a key; a free joint may be given position, turn or both."""

    position: Vector | None = field(
        default=None, unit="m", doc="Place of a free bone in its parent's frame, as its pose would say."
    )
    axis: Vector = field(default=(0.0, 1.0, 0.0), unit="1", doc="Axis of the turn.")
    angle: float | None = field(default=None, unit="deg", doc="Angle of the turn about the axis.")
    rotation: Quaternion | None = field(
        default=None, unit="1", doc="Quaternion w, x, y, z, instead of axis and angle."
    )

    def __post_init__(self) -> None:
        if self.angle is not None and self.rotation is not None:
            raise ValueError("has both an angle and a rotation; give one of them")
        if self.angle is None and self.rotation is None and self.position is None:
            raise ValueError("says nothing; give axis and angle, or rotation, or position")
        if self.angle is not None and not any(self.axis):
            raise ValueError(
                "the axis of a turn must not be zero; give axis = [0, 1, 0] or another direction"
            )
        if self.rotation is not None and not any(self.rotation):
            raise ValueError("rotation is zero; a quaternion has length 1, such as [1, 0, 0, 0]")


JointValue = float | tuple[float, ...] | JointPose


@component
class Key:
    """The pose of some joints at one time."""

    at: float = field(unit="s", doc="Time of the key in the motion.", ge=0)
    pose: dict[str, JointValue] = field(
        unit="deg, m",
        doc="By path of the bone below this entity: coordinates, or axis and angle.",
        min_length=1,
    )


@component
class PhaseMotion:
    """The motion while one phase lasts."""

    keys: tuple[Key, ...] = field(unit="deg, m, s", min_length=1, doc="Poses in the order of their times.")
    over: Literal["share", "time"] = field(
        default="share",
        unit="",
        doc="Whether `at` is the share of the phase's duration, or seconds since it began.",
    )
    interpolation: Interpolation = field(default="min_jerk", unit="", doc="Between the keys.")

    def __post_init__(self) -> None:
        check_times((key.at for key in self.keys), "" if self.over == "share" else " s")


@component
class Motion:
    """A reference motion for the bones below this entity. Others track it; by itself it moves nothing."""

    keys: tuple[Key, ...] = field(default=(), unit="deg, m, s", doc="Poses in the order of their times.")
    file: str = field(
        default="",
        unit="",
        doc="A BVH, glTF (.glb, .gltf) or AMASS (.npz) file beside the scene, instead of keys.",
    )
    clip: str = field(default="", unit="", doc="Animation of a glTF file; none: its first one.")
    phases: dict[str, PhaseMotion] = field(
        default={}, unit="deg, m, s", doc="By phase of the same entity: what moves joints while it lasts."
    )
    map: dict[str, str] = field(
        default={}, unit="", doc="Bone for joints of the file that are called otherwise; '' leaves one out."
    )
    usual_names: bool = field(
        default=False, unit="",
        doc="Joints are called as by CMU, Mixamo or SMPL and move the bones of a figure; others are left out.",
    )  # fmt: skip
    root: Literal["as_written", "from_start"] = field(
        default="as_written", unit="",
        doc="Where the root of a file moves: where it says, or on from where its bone starts.",
    )  # fmt: skip
    scale: float = field(default=1.0, unit="m", doc="Metres per unit of the file; 0.01 for cm.", gt=0)
    interpolation: Interpolation | None = field(
        default=None, unit="", doc="Between keys min_jerk unless given, between frames of a file hermite."
    )
    loop: bool = field(default=False, unit="", doc="Whether it starts over; else it holds the last pose.")
    offset: float = field(
        default=0.0, unit="s", doc="Time within the motion at which the run starts; negative starts it later."
    )
    speed: float = field(default=1.0, unit="1", doc="How much faster than written it goes.", gt=0)
    metrics = (
        Metric(
            "misfit", "rad", "Greatest turn of the file that the joints cannot follow; 0 for keys.", "last"
        ),
    )

    def __post_init__(self) -> None:
        if self.keys and self.file:
            raise ValueError("give the motion either keys or a file")
        if not self.keys and not self.file and not self.phases:
            raise ValueError("the motion says nothing; give the motion either keys or a file, or phases")
        for key in ("map", "clip", "usual_names"):
            if getattr(self, key) and not self.file:
                raise ValueError(f"{key} speaks of a file, but there is none; give the file")
        check_times(key.at for key in self.keys)
        if self.loop and not self.file and len(self.keys) == 0:
            raise ValueError("there is nothing to loop; phases repeat by themselves")
        if self.loop and len(self.keys) == 1:
            raise ValueError("one key makes no loop; give a second one, or no loop")

    def reads_files(self) -> tuple[str, ...]:
        """The clip."""
        return (self.file,) if self.file else ()

    def check_files(self, entity: Entity, files: SceneFiles) -> None:
        """Refuse what is no clip."""
        if self.file:
            from supple_motion.clips import read_clip

            path = f"{entity.path}.motion.file"
            read_clip(files.find(self.file, path), path, self.clip)

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """A motion belongs to a skeleton."""
        if "skeleton" not in entity.components and "ghost" not in entity.components:
            yield "a motion goes with a skeleton or a ghost, and this entity is neither; move it to one"
        if not self.phases:
            return
        if "phases" not in entity.components:
            yield "phases are named, but the entity has none; add the component phases, or use keys"
            return
        known = entity.components["phases"].phase
        for name, motion in self.phases.items():
            if name not in known:
                yield f"phases names '{name}', which is no phase; {suggest(name, known, 'the phases are')}"
            elif motion.over == "share" and not known[name].duration:
                yield f"phases.{name} goes by the share of a phase without duration; give it one, or over = 'time'"
