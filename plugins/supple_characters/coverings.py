"""From the plan of a character to its entities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.entity import Entity, parent_path
from supple.core.pose import Pose
from supple.errors import Problem, UserError
from supple.scene.wording import read_checked
from supple_characters.limbs import Vector
from supple_characters.plan import Block, BonePlan, Mass, Plan, point
from supple_characters.springs import Springs, fit_springs
from supple_characters.surface import Surface

SEAM = 1.5
"""How far skin turns by and by around joints, in radii: then a right angle stretches nothing to twice its length."""

ANCHOR = "bones"
"""Name of the child that has the skeleton, and the flesh or the skin."""


@dataclass(frozen=True)
class Covering:
    """What an author says about the outside of a character, and about its joints."""

    kind: str
    vertices: int
    mesh: str
    flesh: Mapping[str, Any]
    skin: Mapping[str, Any]
    ghost: Mapping[str, Any]
    flesh_part: float
    friction: float
    firmness: float
    damping: float


def make_entities(entity: Entity, prefab: str, plan: Plan, covering: Covering) -> list[Entity]:
    """The anchor and all bones below it."""
    bone_part, worn = _wear(entity, prefab, plan, covering)
    springs = fit_springs(plan.bones, covering.firmness, covering.damping)
    anchor = f"{entity.path}/{ANCHOR}"
    places = {bone.path: np.array(bone.origin) for bone in plan.bones}
    made = [Entity(anchor, worn)]
    for bone in plan.bones:
        above = parent_path(bone.path)
        offset = places[bone.path] - (places[above] if above else np.zeros(3))
        component = _bone_component(bone, springs[bone.path], bone_part)
        path = f"{anchor}/{bone.path}"
        made.append(Entity(path, {"pose": Pose(position=point(offset)), "bone": component}))
        if covering.kind == "capsules":
            made.extend(
                make_shape(f"{path}/block{k}", block, places[bone.path], covering.friction)
                for k, block in enumerate(bone.blocks)
            )
    return made


def _wear(entity: Entity, prefab: str, plan: Plan, covering: Covering) -> tuple[float, dict[str, Any]]:
    """Part of the mass that the bones keep, and the components of the anchor."""
    from supple_skeleton.components import Skeleton

    if covering.kind == "capsules":
        return 1.0, {"skeleton": Skeleton()}
    if covering.kind == "flesh":
        from supple_flesh.components import Flesh

        total = sum(bone.mass.mass for bone in plan.bones if bone.mass)
        table = {"mass": covering.flesh_part * total, **_outside(plan, covering), **covering.flesh}
        flesh = read_passed_on(entity, f"{prefab}.flesh", Flesh, table)
        if flesh.mass >= total:
            what = f"the flesh has {flesh.mass:g} kg, but all of the character has {total:g} kg"
            raise UserError(Problem(None, f"{entity.path}.{prefab}.flesh.mass", what, "give it less"))
        return 1.0 - flesh.mass / total, {"skeleton": Skeleton(), "flesh": flesh}
    from supple_ghost.components import Ghost
    from supple_skin.components import Skin

    table = {**_outside(plan, covering), **covering.skin}
    return 1.0, {
        "ghost": read_passed_on(entity, f"{prefab}.ghost", Ghost, dict(covering.ghost)),
        "skin": read_passed_on(entity, f"{prefab}.skin", Skin, table),
    }


def _outside(plan: Plan, covering: Covering) -> dict[str, Any]:
    """The mesh of flesh or skin, from the author's file or around the limbs."""
    if covering.mesh:
        return {"file": covering.mesh, "friction": covering.friction}
    surface = wrap_plan(plan, covering.vertices)
    # A bone without skin of its own would be refused by nobody, but carries nothing.
    bones = [bone.path for bone in plan.bones if bone.path in set(surface.bones)]
    number = {path: k for k, path in enumerate(bones)}
    return {
        "vertices": surface.vertices.tolist(),
        "triangles": surface.triangles.tolist(),
        "bones": bones,
        "hangs_on": [number[path] for path in surface.bones],
        "seam": SEAM,
        "friction": covering.friction,
    }


def wrap_plan(plan: Plan, vertices: int) -> Surface:
    """A closed mesh of about so many vertices around all limbs of a plan."""
    from supple_characters.surface import wrap

    return wrap(plan.limbs, vertices, plan.join, plan.apart, plan.detail)


def read_passed_on(entity: Entity, where: str, cls: type, table: Mapping[str, Any]) -> Any:
    """A component from what the author passed on and what the character adds."""
    made, complaints = read_checked(cls, dict(table))
    if complaints:
        raise UserError(
            Problem(None, ".".join([entity.path, where, *map(str, each.keys)]), each.what, each.remedy)
            for each in complaints
        )
    return made


def _bone_component(bone: BonePlan, springs: Springs, part: float) -> Any:
    """The bone with `part` of its mass."""
    from supple_bones.components import Bone

    joint = bone.joint
    solid: dict[str, Any] = {}
    if bone.mass is not None:
        solid = mass_fields(bone.mass, np.array(bone.origin), part)
    has_springs = joint.kind not in ("fixed", "free")
    return Bone(
        joint=joint.kind,
        axis=joint.axis,
        second_axis=joint.second_axis,
        lower=joint.lower,
        upper=joint.upper,
        middle=joint.middle,
        twist=joint.twist,
        start=joint.start,
        stiffness=springs.stiffness if has_springs else 0.0,
        damping=springs.damping if has_springs else 0.0,
        **solid,
    )


def mass_fields(mass: Mass, origin: FloatArray, part: float) -> dict[str, Any]:
    """Fields of a bone that has this part of a mass."""
    xx, xy, xz, _, yy, yz, _, _, zz = (part * value for value in mass.inertia)
    return {
        "mass": part * mass.mass,
        "centre": point(np.array(mass.centre) - origin),
        "inertia": (xx, yy, zz, xy, xz, yz),
    }


def _turn_to(along: FloatArray, wide: Vector) -> tuple[Vector, float]:
    """Axis and angle [deg] of the turn that takes y along the block and x nearest to `wide`."""
    side = np.array(wide) - along * (along @ np.array(wide))
    if np.linalg.norm(side) < 1e-6:
        side = np.cross(along, np.roll(along, 1))
    side /= np.linalg.norm(side)
    turn = np.stack([side, along, np.cross(side, along)], axis=1)
    # The axis is the column of the symmetric part's excess over cos(angle) that is longest: exact up to 180 degrees.
    cosine = min(1.0, max(-1.0, (np.trace(turn) - 1.0) / 2.0))
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) / 2.0
    columns = (turn + turn.T) / 2.0 - cosine * np.eye(3)
    axis = columns[:, int(np.argmax(np.diag(columns)))]
    if np.linalg.norm(axis) < 1e-12:
        return (0.0, 1.0, 0.0), 0.0
    axis = axis / np.linalg.norm(axis)
    return point(axis), float(np.degrees(np.arctan2(skew @ axis, cosine)))


def make_shape(path: str, block: Block, origin: FloatArray, friction: float) -> Entity:
    """A rigid shape that moves with the bone above it."""
    from supple_collide.components import Box, Capsule, Sphere

    start, end = np.array(block.start), np.array(block.end)
    middle = point((start + end) / 2 - origin)
    if block.kind == "sphere":
        return Entity(
            path, {"pose": Pose(position=middle), "sphere": Sphere(radius=block.size[0], friction=friction)}
        )
    length = float(np.linalg.norm(end - start))
    axis, angle = _turn_to((end - start) / length, block.wide)
    pose = Pose(position=middle, axis=axis, angle=angle)
    if block.kind == "capsule":
        shape = Capsule(radius=block.size[0], length=length, friction=friction)
        return Entity(path, {"pose": pose, "capsule": shape})
    size = (2 * block.size[0], length, 2 * block.size[2])
    return Entity(path, {"pose": pose, "box": Box(size=size, friction=friction)})
