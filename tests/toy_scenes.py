"""Components, events and solvers made by hand, for tests of scenes that need no physics."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from supple.core.component import Metric, Vector, component, field
from supple.core.entity import Entity, SceneGraph
from supple.core.pose import Pose
from supple.core.registry import Registry
from supple.core.scene_files import SceneFiles
from supple.errors import UserError
from supple.plugin import Plugins
from supple.scene.load import Scene, read_scene


@component
class Flesh:
    """Soft tissue."""

    stiffness: float = field(default=1e4, unit="N/m", doc="Stiffness of an edge.", gt=0)


@component
class Mass:
    """Something heavy."""

    mass: float = field(unit="kg", doc="How heavy it is.", gt=0)
    colour: Literal["red", "green"] = field(default="red", unit="", doc="Colour on the screen.")
    count: int = field(default=1, unit="1", doc="How many there are.", ge=0, le=10)
    label: str = field(default="", unit="", doc="A word.", pattern="^[a-z]*$", max_length=5)
    solid: bool = field(default=True, unit="", doc="Whether it is solid.")
    drag: float | Vector = field(default=0.0, unit="kg/s", doc="Drag, the same or one for each axis.")
    core: Flesh | Literal["none"] = field(default="none", unit="", doc="What is within.")
    layers: tuple[Flesh, ...] = field(default=(), unit="", doc="Layers of flesh.", max_length=2)
    limit: float | None = field(default=None, unit="m", doc="Reach, if it ends somewhere.")
    metrics = (
        Metric("height", "m", "Height of the centre."),
        Metric("travel", "m", "Distance from the start."),
    )


@component
class Biped:
    """A torso and two feet."""

    feet: Literal["rigid", "soft", "four_link"] = field(
        default="soft", unit="", doc="What the feet are made of."
    )
    flesh: Flesh = field(default=Flesh(), unit="", doc="The flesh of the feet.")
    weight: float = field(default=70.0, unit="kg", doc="Mass of all of it.", gt=0)

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        if self.weight > 1000:
            raise ValueError("nobody weighs a ton; give weight = 70 or so")
        feet = [Entity(f"{entity.path}/{side}_foot", {"mass": Mass(mass=1.0)}) for side in ("left", "right")]
        return [
            Entity(
                f"{entity.path}/torso", {"pose": Pose(position=(0, 1, 0)), "mass": Mass(mass=self.weight)}
            ),
            *feet,
        ]


@component
class Crowd:
    """Many bipeds, or crowds of them."""

    size: int = field(default=1, unit="1", doc="Number of bipeds.", ge=0)
    deeper: int = field(default=0, unit="1", doc="Crowds within crowds.", ge=0)

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        if self.deeper:
            return [Entity(f"{entity.path}/inner", {"crowd": Crowd(size=self.size, deeper=self.deeper - 1)})]
        return [Entity(f"{entity.path}/n{i}", {"biped": Biped()}) for i in range(self.size)]


@component
class Push:
    """A force for a while."""

    on: str = field(unit="", doc="Who is pushed.")
    force: Vector = field(unit="N", doc="The force.")

    def check(self, entity: Entity, graph: SceneGraph) -> Iterator[str]:
        if self.on not in graph:
            yield f"on = '{self.on}' names no entity; name one"


@component
class Blink:
    """Another event."""


@component
class DirectSettings:
    """When to stop."""

    tolerance: float = field(default=1e-9, unit="m/s", doc="Residual that counts as solved.", gt=0)


def make_plugins() -> Plugins:
    """Plugins without any module, whose registry knows the classes above."""
    registry = Registry()
    for kind in (Pose, Mass, Biped, Crowd):
        registry.add_component(kind)
    registry.add_event(Push)
    registry.add_event(Blink)
    registry.add_solver("direct", "nowhere:Direct", settings=DirectSettings)
    registry.add_solver("newton", "nowhere:Newton", settings=DirectSettings)
    return Plugins(registry)


HEAD = """\
format = 1
[run]
step = 0.01
duration = 2.0
"""


class Desk:
    """A folder to write scenes in, read with the toy plugins."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plugins = make_plugins()

    def write(self, text: str, name: str = "scene.toml") -> Path:
        """Write a file into the folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, text: str, *, allow_outside: bool = False) -> Scene:
        """The scene of this text."""
        return read_scene(self.write(text), self.plugins, allow_outside=allow_outside)

    def complaints(self, text: str, *, allow_outside: bool = False) -> list[str]:
        """All problems of a scene of this text, without the folder's name; empty when it is fine."""
        try:
            self.read(text, allow_outside=allow_outside)
        except UserError as error:
            return self.tidy(error)
        return []

    def tidy(self, error: UserError) -> list[str]:
        """The problems of an error, without the folder's name."""
        return [str(problem).replace(f"{self.folder}{os.sep}", "") for problem in error.problems]
