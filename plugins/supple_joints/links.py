"""From components to links: pairs of anchors, each on a frame or in the world."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import multiply, relative_pose, rotate, turn
from supple_joints.codes import FIXED, KINDS, PULL, STANDS_STILL, STRETCH

Pose = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Anchor:
    """A pose in frame `frame` of carrier `carrier`; in the world if that is STANDS_STILL."""

    carrier: int
    frame: int
    position: FloatArray
    rotation: FloatArray


@dataclass(frozen=True)
class Link:
    """Two anchors that are tied together; `path` is that of the entity or event that says so."""

    path: str
    kind: int
    a: Anchor
    b: Anchor


def find_anchor(build: Build, path: str, pose: Pose) -> Anchor:
    """The anchor with this pose (in the world, at the start) on whatever moves the entity `path`."""
    place = build.pose_in_frame(path) if path else None
    if place is None:
        return Anchor(STANDS_STILL, 0, *pose)
    frame, position, rotation = place
    offset, turned = relative_pose(build.pose(path), pose)
    carriers = [carrier.name for carrier in build.members("carriers")]
    return Anchor(
        carriers.index(frame.carrier), frame.index, position + rotate(rotation, offset), multiply(rotation, turned)
    )  # fmt: skip


def make_link(build: Build, blame: str, kind: int, paths: tuple[str, str], poses: tuple[Pose, Pose]) -> Link:
    """The link between two things, of which at least one moves and which do not move together.

    `blame` is the path of the component that asks for it; an empty path stands for the world.
    """
    a, b = (find_anchor(build, path, pose) for path, pose in zip(paths, poses, strict=True))
    if (a.carrier, a.frame) == (b.carrier, b.frame):
        names = " and ".join(f"'{path}'" for path in paths if path)
        if a.carrier == STANDS_STILL:
            verb = "stand still" if paths[1] else "stands still"
            raise build.refuse(blame, f"{names} {verb}", "one of the two needs a body, or to lie below one")
        raise build.refuse(blame, f"{names} move together already", "name things on two bodies")
    return Link(blame.partition(".")[0], kind, a, b)


def link_joint(build: Build, entity: Entity) -> Link:
    """Both anchors are the entity's pose at the start, turned so that their x axis is the joint's axis."""
    if entity.path in build.frames:
        what = "a joint stands on an entity of its own, but this one is a body"
        raise build.refuse(f"{entity.path}.joint", what, "move the joint to an entity below the body")
    joint = entity.components["joint"]
    position, rotation = build.pose(entity.path)
    pose = (position, multiply(rotation, _turn_x_to(np.array(joint.axis))))
    first, second = (*joint.between, "")[:2]
    return make_link(build, f"{entity.path}.joint", KINDS[joint.kind], (first, second), (pose, pose))


def link_spring(build: Build, entity: Entity) -> Link:
    """The anchors are the two things' own poses; a thing that is alone is tied to the spring's entity."""
    spring = entity.components["spring"]
    first, second = (*spring.between, "")[:2]
    poses = build.pose(first), build.pose(second or entity.path)
    kind = PULL if spring.rest == 0.0 else STRETCH
    return make_link(build, f"{entity.path}.spring", kind, (first, second), poses)


def link_grasp(build: Build, event: Entity) -> Link:
    """Side A is the object, side B its place in the hand, which is found anew when the grasp closes."""
    grasp = event.components["grasp"]
    pose = build.pose(grasp.object)
    return make_link(build, f"{event.path}.grasp", FIXED, (grasp.object, grasp.hand), (pose, pose))


def _turn_x_to(axis: FloatArray) -> FloatArray:
    """The shortest turn that takes the x axis to the direction `axis`."""
    unit = axis / np.abs(axis).max()
    unit = unit / np.linalg.norm(unit)
    across = np.array([0.0, -unit[2], unit[1]])
    if not across.any():
        return turn((0.0, 1.0, 0.0), 0.0 if unit[0] > 0 else 180.0)
    angle = math.degrees(math.atan2(float(np.linalg.norm(across)), float(unit[0])))
    return turn((0.0, float(across[1]), float(across[2])), angle)
