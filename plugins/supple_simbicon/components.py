"""What an author says about walking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from supple.core.component import Metric, Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.core.scene_files import SceneFiles
from supple.errors import suggest

MACHINE = "gait"
"""Name of the child that has the phases."""


@component
class SimbiconSettings:
    """Mixed frequency of scenes with walkers, in `[run.simbicon]`."""

    small_steps: int = field(
        default=1, unit="1", ge=1, le=100,
        doc="Parts of a step in which bones move and walkers drive them; contacts and flesh are solved once.",
    )  # fmt: skip
    stiffness: float = field(
        default=1000.0, unit="N m/rad", ge=0,
        doc="With small steps: by which torques give way in the contact problem; 0 takes the gains instead.",
    )  # fmt: skip
    contact_forces: Literal["interpolated", "held"] = field(
        default="interpolated", unit="",
        doc="In small steps: from those of the last contact problem to those of this one, or these at once.",
    )  # fmt: skip


@component
class Simbicon:
    """Walks the skeleton at or below this entity; makes a child `gait`, the state machine of the gait's phases."""

    gait: str = field(
        unit="", min_length=1, doc="A gait by name, or a file beside the scene that ends in .toml."
    )
    noise: float = field(
        default=0.0, unit="1", ge=0,
        doc="Deviation of the torque of a joint of 200 N m, as part of it, in 0.5 ms; weaker joints have more.",
    )  # fmt: skip
    noise_from: float = field(default=0.0, unit="s", ge=0, doc="Time from which on there is noise.")
    implicit: bool = field(
        default=True, unit="", doc="Whether gains count within the step; if not, steps must be 1 ms or less."
    )
    settle: float = field(default=5.0, unit="s", ge=0, doc="Time from which on the walk is measured.")
    metrics = (
        Metric("left_load", "N", "Vertical force on the left foot at the end."),
        Metric("right_load", "N", "Vertical force on the right foot at the end."),
        Metric("upright", "1", "1 if it has not fallen, else 0."),
        Metric("fall_time", "s", "When it fell; the time of the run if it has not."),
        Metric("distance", "m", "How far the root came along z, from the start of the run, until it fell."),
        Metric("sideways", "m", "How far it was off its line, at most."),
        Metric("speed", "m/s", "Mean speed along z, once settled."),
        Metric("heading", "rad", "Greatest turn of the root away from z, once settled."),
        Metric("steps", "1", "Steps, once settled."),
        Metric("step_period", "s", "Mean time of a step, once settled."),
        Metric("step_length", "m", "Mean way along z from foot to foot, once settled."),
        Metric("step_width", "m", "Mean distance aside from foot to foot, once settled."),
        Metric("effort", "N m", "Root of the summed squares of all torques, its mean."),
        Metric("peak_torque", "N m", "Greatest torque of a joint."),
        Metric("contacts", "1", "Contacts of both feet that press, their mean."),
        Metric("force", "N", "Contact force on the stance foot, mean over a step."),
        Metric("force_deviation", "N", "Its standard deviation within a step."),
        Metric("force_variation", "N", "Sum of its changes within a step."),
        Metric(
            "pressure_way", "m", "Way of the centre of pressure along z within a step: its total variation."
        ),
        Metric("pressure_way_aside", "m", "The same along x."),
        Metric(
            "pressure_jump",
            "m",
            "Greatest change of the centre of pressure along z from step to step of the run.",
        ),
        Metric(
            "change_width",
            "m",
            "Distance aside from foot to foot where they begin their steps, once settled.",
        ),
        Metric(
            "left_pressure", "m", "Centre of pressure of the left foot ahead of its foot_point at the end."
        ),
        Metric("right_pressure", "m", "The same of the right foot; nan while it carries no more than 20 N."),
        Metric("slip", "m", "Way that what presses of the stance foot slides within a step, its mean."),
    )

    def reads_files(self) -> tuple[str, ...]:
        """The gait, if it is a file beside the scene."""
        from supple_simbicon.read_gait import is_own_file

        return (self.gait,) if is_own_file(self.gait) else ()

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """The state machine of the gait."""
        from supple_simbicon.machine import make_machine
        from supple_simbicon.read_gait import find_gait, read_gait

        file = find_gait(self.gait, f"{entity.path}.simbicon.gait", files)
        return [
            Entity(f"{entity.path}/{MACHINE}", {"phases": make_machine(read_gait(file).gait, entity.path)})
        ]

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """There is something to walk with."""
        found = [each.path for each in graph.below(entity.path) if "skeleton" in each.components]
        if len(found) != 1:
            which = f"are {len(found)} skeletons" if found else "is no skeleton"
            yield f"there {which} at or below this entity; put simbicon where one character is, such as a biped"


@component
class GaitPush:
    """A force on a walker, for a while, from a moment of its gait on: the first one after the event's time."""

    walker: str = field(unit="", doc="Path of the entity with simbicon.")
    on: str = field(unit="", doc="Path of the entity that is pushed.")
    force: Vector = field(unit="N", doc="Force, in the world.")
    duration: float = field(unit="s", doc="How long it acts.", gt=0)
    point: Vector = field(default=(0.0, 0.0, 0.0), unit="m", doc="Where it acts, in the entity's frame.")
    stance: Literal["left", "right"] = field(default="left", unit="", doc="The foot that carries then.")
    share: float = field(
        default=0.0, unit="1", ge=0, le=1, doc="Part of the gait's phase that has passed then."
    )
    phase: str = field(default="", unit="", doc="Name of the phase in the gait; none: the first.")
    metrics = (Metric("start", "s", "When it began; negative if it has not."),)

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        """Walker and pushed entity exist."""
        paths = [other.path for other in graph if other.at is None]
        walkers = [other.path for other in graph.having("simbicon")]
        if self.walker not in walkers:
            yield f"walker '{self.walker}' does not walk; {suggest(self.walker, walkers, 'walkers are')}"
        if self.on not in paths:
            yield f"on names '{self.on}', which is no entity; {suggest(self.on, paths, 'the scene has')}"
