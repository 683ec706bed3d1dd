"""From components to links: pairs of anchors, each on a frame, on a surface that bends, or in the world."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.pose import multiply, relative_pose, rotate, turn
from supple.mechanics.points import HeldPoint, find_surface_of, hold_nearest, refuse_scattered
from supple_joints.codes import BALL, FIXED, KINDS, ON_SURFACE, PULL, STANDS_STILL, STRETCH

UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])

Pose = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class Anchor:
    """A pose in frame `frame` of carrier `carrier`; in the world if that is STANDS_STILL.

    If it is ON_SURFACE, the anchor is the point `held` of a surface that bends, and has no rotation of its own.
    """

    carrier: int
    frame: int
    position: FloatArray
    rotation: FloatArray
    held: HeldPoint | None = None


@dataclass(frozen=True)
class Link:
    """Two anchors that are tied together; `path` is that of the entity or event that says so."""

    path: str
    kind: int
    a: Anchor
    b: Anchor


def find_anchor(build: Build, blame: str, path: str, pose: Pose, near: FloatArray) -> Anchor:
    """The anchor with this pose (in the world, at the start) on whatever moves the entity `path`.

    On a surface that bends it is the point nearest to `near`, or to the entity if that lies below the surface's.
    """
    if not path:
        return Anchor(STANDS_STILL, 0, *pose)
    surface = find_surface_of(build, path, blame)
    if surface is not None:
        marked = path.startswith(f"{surface.path}/")
        held = hold_nearest(build, surface, build.pose(path)[0] if marked else near)
        return Anchor(ON_SURFACE, 0, held.position, UNTURNED, held)
    place = build.pose_in_frame(path)
    if place is None:
        refuse_scattered(build, blame, path)
        return Anchor(STANDS_STILL, 0, *pose)
    frame, position, rotation = place
    offset, turned = relative_pose(build.pose(path), pose)
    carriers = [carrier.name for carrier in build.members("carriers")]
    return Anchor(
        carriers.index(frame.carrier), frame.index, position + rotate(rotation, offset), multiply(rotation, turned)
    )  # fmt: skip


def make_link(
    build: Build,
    blame: str,
    kind: int,
    paths: tuple[str, str],
    poses: tuple[Pose, Pose],
    near: FloatArray | None = None,
) -> Link:
    """The link between two things, of which at least one moves and which do not move together.

    `blame` is the path of the component that asks for it; an empty path stands for the world. Where a side is a
    surface that bends, it is held nearest to `near`, or else to the other side.
    """
    a = find_anchor(build, blame, paths[0], poses[0], poses[1][0] if near is None else near)
    met = poses[0][0] if a.held is None else a.held.position
    b = find_anchor(build, blame, paths[1], poses[1], met if near is None else near)
    if a.held is None and b.held is None and (a.carrier, a.frame) == (b.carrier, b.frame):
        names = " and ".join(f"'{path}'" for path in paths if path)
        if a.carrier == STANDS_STILL:
            verb = "stand still" if paths[1] else "stands still"
            raise build.refuse(blame, f"{names} {verb}", "one of the two needs a body, or to lie below one")
        raise build.refuse(blame, f"{names} move together already", "name things on two bodies")
    return Link(blame.partition(".")[0], kind, a, b)


def refuse_turning(build: Build, blame: str, kind: str, link: Link, paths: tuple[str, str]) -> None:
    """Refuse to turn a point of a surface: only what is rigid has a direction of its own."""
    for path, anchor in zip(paths, (link.a, link.b), strict=True):
        if anchor.held is not None:
            what = (
                f"a {kind} joint also holds how things are turned, and '{path}' bends: it is held at a point"
            )
            raise build.refuse(blame, what, "use kind = 'ball', several of them to hold it all around")


def link_joint(build: Build, entity: Entity) -> Link:
    """Both anchors are the entity's pose at the start, turned so that their x axis is the joint's axis."""
    if entity.path in build.frames:
        what = "a joint stands on an entity of its own, but this one is a body"
        raise build.refuse(f"{entity.path}.joint", what, "move the joint to an entity below the body")
    joint = entity.components["joint"]
    position, rotation = build.pose(entity.path)
    pose = (position, multiply(rotation, _turn_x_to(np.array(joint.axis))))
    first, second = (*joint.between, "")[:2]
    blame = f"{entity.path}.joint"
    link = make_link(build, blame, KINDS[joint.kind], (first, second), (pose, pose), position)
    if link.kind != BALL:
        refuse_turning(build, blame, joint.kind, link, (first, second))
    return link


def link_spring(build: Build, entity: Entity) -> Link:
    """The anchors are the two things' own poses; a thing that is alone is tied to the spring's entity.

    On a thing that bends the anchor is the point nearest to the other end.
    """
    spring = entity.components["spring"]
    first, second = (*spring.between, "")[:2]
    poses = build.pose(first), build.pose(second or entity.path)
    kind = PULL if spring.rest == 0.0 else STRETCH
    return make_link(build, f"{entity.path}.spring", kind, (first, second), poses)


def link_grasp(build: Build, event: Entity) -> Link:
    """Side A is the object, side B its place in the hand, which is found anew when the grasp closes.

    Of an object that bends the hand takes the nearest point, and a hand that bends takes the object by one.
    """
    grasp, blame = event.components["grasp"], f"{event.path}.grasp"
    bends = [find_surface_of(build, path, blame) is not None for path in (grasp.object, grasp.hand)]
    if all(bends):
        what = f"'{grasp.hand}' and '{grasp.object}' both bend, and a hand holds what it touches in one place"
        raise build.refuse(blame, what, "let one of them be rigid, or tie them by a spring")
    pose = build.pose(grasp.object)
    place = build.pose(grasp.hand) if bends[0] else pose
    return make_link(build, blame, BALL if any(bends) else FIXED, (grasp.object, grasp.hand), (pose, place))


def _turn_x_to(axis: FloatArray) -> FloatArray:
    """The shortest turn that takes the x axis to the direction `axis`."""
    unit = axis / np.abs(axis).max()
    unit = unit / np.linalg.norm(unit)
    across = np.array([0.0, -unit[2], unit[1]])
    if not across.any():
        return turn((0.0, 1.0, 0.0), 0.0 if unit[0] > 0 else 180.0)
    angle = math.degrees(math.atan2(float(np.linalg.norm(across)), float(unit[0])))
    return turn((0.0, float(across[1]), float(across[2])), angle)
