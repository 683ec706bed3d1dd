"""Walkers as prefabs: bodies whose feet are rigid, of four links, or soft, by one word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.component import component, field
from supple.core.entity import Entity, parent_path
from supple.core.pose import Pose, rotate
from supple.core.scene_files import SceneFiles
from supple_characters.biped_plan import STARTS, Start
from supple_characters.plan import BonePlan, point

Feet = Literal["rigid", "four_link", "soft"]


@component
class Walking:
    """What both walkers have in common."""

    feet: Feet = field(default="rigid", unit="", doc="Boxes, three hinged boxes and the toes, or flesh.")
    stiffness: float = field(default=1e4, unit="N/m", gt=0, doc="Of the flesh of soft feet.")
    flesh: dict[str, Any] = field(default={}, unit="", doc="What else to pass on to the component flesh.")
    flesh_part: float = field(
        default=0.2, unit="1", gt=0, lt=1, doc="Part of the mass of soft feet that is flesh."
    )
    cells: tuple[int, int, int] = field(
        default=(2, 1, 5), unit="1", gt=0, doc="Cells of the flesh of a foot across, in height and along it."
    )
    link_stiffness: float = field(
        default=100.0, unit="N m/rad", ge=0, doc="Of the hinges in feet of four links."
    )
    link_damping: float = field(default=2.0, unit="N m s/rad", ge=0, doc="Likewise.")
    friction: float = field(default=0.8, unit="1", ge=0, doc="Coefficient of friction of the outside.")

    def make(self, entity: Entity, kind: str, bones: Sequence[BonePlan], start: Start) -> list[Entity]:
        """The skeleton, its flesh, its bones and their shapes."""
        from supple_characters.feet import split_feet

        worn: dict[str, Any] = {}
        if self.feet == "four_link":
            bones = split_feet(bones)
        if self.feet == "soft":
            bones, worn = self._soften(entity, kind, bones, start)
        return make_walker(entity, bones, start, worn, self)

    def _soften(
        self, entity: Entity, kind: str, bones: Sequence[BonePlan], start: Start
    ) -> tuple[list[BonePlan], dict[str, Any]]:
        """Feet and toes without shapes, lighter by their flesh, and that flesh."""
        from supple_characters.coverings import read_passed_on
        from supple_characters.feet import FOOT, TOES, find_vertex_masses, is_part, take_away, wrap_block
        from supple_flesh.components import Flesh

        soft = [bone for bone in bones if is_part(bone, FOOT) or is_part(bone, TOES)]
        meshes = [wrap_block(bone.blocks[0], self.cells) for bone in soft]
        first = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
        vertices = np.concatenate([points for points, _ in meshes])
        triangles = [
            (int(offset + a), int(offset + b), int(offset + c))
            for offset, (_, part) in zip(first[:-1], meshes, strict=True)
            for a, b, c in part
        ]
        mass = self.flesh_part * sum(bone.mass.mass for bone in soft if bone.mass)
        masses = find_vertex_masses(vertices, triangles, mass)
        lighter = {}
        for k, bone in enumerate(soft):
            own = slice(first[k], first[k + 1])
            assert bone.mass is not None
            lighter[bone.path] = replace(
                bone, mass=take_away(bone.mass, vertices[own], masses[own]), blocks=()
            )
        table = {
            "vertices": place_as_root(vertices, bones[0], start).tolist(),
            "triangles": [list(triangle) for triangle in triangles],
            "bones": [bone.path for bone in soft],
            "hangs_on": [k for k, (points, _) in enumerate(meshes) for _ in points],
            "mass": mass,
            "friction": self.friction,
            "stiffness": self.stiffness,
            **self.flesh,
        }
        if "tissue" in self.flesh:
            del table["stiffness"]
        worn = {"flesh": read_passed_on(entity, f"{kind}.flesh", Flesh, table)}
        return [lighter.get(bone.path, bone) for bone in bones], worn


@component
class Biped(Walking):
    """A man of 15 bones and 34 rates that stands on the entity's xz plane and looks along z."""

    start: Literal["stand", "forward", "in_place"] = field(
        default="stand",
        unit="",
        doc="Standing, or in the middle of a walk forward or in place, on the left foot.",
    )

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """The skeleton `bones`, and the bones below it."""
        from supple_characters.biped_plan import plan_biped

        return self.make(entity, "biped", plan_biped(), STARTS[self.start])


@component
class Biped_2d(Walking):  # noqa: N801 - the kind is biped_2d
    """A walker of seven links in the plane x = 0, of 9 rates, that looks along z."""

    start: Literal["stand", "walk"] = field(
        default="walk", unit="", doc="Standing, or in the middle of a walk, on the left foot."
    )

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        """The skeleton `bones`, and the bones below it."""
        from supple_characters.biped_plan import PLANE_STARTS, plan_biped_2d

        return self.make(entity, "biped_2d", plan_biped_2d(), PLANE_STARTS[self.start])


def place_as_root(points: FloatArray, root: BonePlan, start: Start) -> FloatArray:
    """Points of the neutral pose where they are while the root is where it starts and no joint is bent."""
    turn = np.array(start.rotation) / np.linalg.norm(start.rotation)
    away = points - np.array(root.origin)
    placed: FloatArray = np.array([rotate(turn, each) for each in away]) + np.array(start.position)
    return placed


def make_walker(
    entity: Entity, bones: Sequence[BonePlan], start: Start, worn: dict[str, Any], told: Walking
) -> list[Entity]:
    """The anchor, which passes through itself, and the bones below it with their shapes."""
    from supple_characters.coverings import ANCHOR, make_shape
    from supple_collide.mesh_components import Collides
    from supple_skeleton.components import Skeleton

    anchor = f"{entity.path}/{ANCHOR}"
    made = [Entity(anchor, {"skeleton": Skeleton(), "collides": Collides(ignores=(anchor,)), **worn})]
    places = {bone.path: np.array(bone.origin) for bone in bones}
    for bone in bones:
        above = parent_path(bone.path)
        pose = Pose(position=point(places[bone.path] - places[above])) if above else _pose_root(start)
        path = f"{anchor}/{bone.path}"
        made.append(Entity(path, {"pose": pose, "bone": _make_bone(bone, start, told)}))
        made.extend(
            make_shape(f"{path}/block{k}", block, places[bone.path], told.friction)
            for k, block in enumerate(bone.blocks)
        )
    return made


def _pose_root(start: Start) -> Pose:
    turn = np.array(start.rotation) / np.linalg.norm(start.rotation)
    size = float(np.linalg.norm(turn[1:]))
    if size == 0.0:
        return Pose(position=start.position)
    angle = 2 * np.degrees(np.arctan2(size, turn[0]))
    return Pose(position=start.position, axis=point(turn[1:] / size), angle=float(angle))


def _make_bone(bone: BonePlan, start: Start, told: Walking) -> Any:
    from supple_bones.components import Bone
    from supple_characters.biped_plan import start_coordinates
    from supple_characters.coverings import mass_fields

    joint = bone.joint
    fields: dict[str, Any] = {"joint": joint.kind, "axis": joint.axis, "second_axis": joint.second_axis,
                              "lower": joint.lower, "upper": joint.upper}  # fmt: skip
    if bone.mass is not None:
        fields |= mass_fields(bone.mass, np.array(bone.origin), 1.0)
    if bone.path.endswith(("_heel", "_front")):
        fields |= {"stiffness": told.link_stiffness, "damping": told.link_damping}
    if joint.kind == "free":
        turn = np.array(start.rotation) / np.linalg.norm(start.rotation)
        spin = rotate(turn * np.array([1.0, -1.0, -1.0, -1.0]), np.array(start.spin))
        fields["rate"] = (*start.velocity, *point(spin))
    else:
        fields |= start_coordinates(bone, start)
    return Bone(**fields)
