"""From bones to arrays: one row for every bone, sorted by path, so that parents come before children.

All names begin with the mechanism that owns the tree, `skeleton` or `ghost`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build, Frame
from supple.core.entity import Entity
from supple.core.pose import relative_pose
from supple.mechanics.filters import ignore_pair
from supple_bones.components import read_coordinates, spread
from supple_bones.forest import BoneSpec, Forest, neutral_coordinates
from supple_bones.kinematics_kernels import follow_state
from supple_bones.layout import BONE, FOLLOWS, JOINTS, PARENT, Q_FIRST, SHARE, V_FIRST
from supple_bones.limit_kernels import LOWER, OVAL, SWING, TWIST_LOWER, TWIST_UPPER, UPPER
from supple_bones.mass import shapes_of_bone
from supple_bones.swings import find_swing_range
from supple_bones.tables import follow_coordinates
from supple_rigid.mass import MassProperties


def list_bones(build: Build, anchor: str) -> list[Entity]:
    """The bones below entities with the component `anchor`, sorted by path."""
    return [
        entity
        for entity in build.having("bone")
        if any(anchor in above.components for above in build.graph.ancestors(entity.path))
    ]


def describe_bone(
    build: Build, entity: Entity, mass: MassProperties | None, bones: dict[str, int], trees: dict[str, int]
) -> BoneSpec:
    """A bone as the tables want it; `bones` and `trees` number the paths of all bones and of their anchors."""
    bone = entity.components["bone"]
    parent = bones.get(entity.parent or "", -1)
    tree = next(trees[above.path] for above in build.graph.ancestors(entity.path) if above.path in trees)
    position, rotation = _neutral_pose(build, entity, parent)
    if bone.joint == "free":
        position, rotation = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    axes = {"axis": np.array(bone.axis), "second_axis": np.array(bone.second_axis)}
    if bone.joint == "ball":
        reach = find_swing_range(bone)
        axes |= {"second_axis": reach.focus, "focus": reach.other}
    unused = {name: np.array([1.0, 0.0, 0.0]) for name, axis in axes.items() if not axis.any()}
    masses: dict[str, Any] = (
        {} if mass is None else {"mass": mass.mass, "centre": mass.centre, "inertia": mass.inertia}
    )
    return BoneSpec(parent, bone.joint, tree, position, rotation, **{**masses, **axes, **unused})


def _neutral_pose(build: Build, entity: Entity, parent: int) -> tuple[FloatArray, FloatArray]:
    """In the frame of the parent bone; of a root, in the world."""
    if parent < 0:
        return build.pose(entity.path)
    return relative_pose(build.pose(entity.parent or ""), build.pose(entity.path))


def find_start(
    build: Build, entities: list[Entity], specs: list[BoneSpec], forest: Forest
) -> tuple[FloatArray, FloatArray]:
    """Coordinates and rates at the start."""
    q, v = neutral_coordinates(specs), np.zeros(forest.v_count)
    for row, entity, spec in zip(forest.bone[: len(specs)], entities, specs, strict=True):
        bone, kind = entity.components["bone"], JOINTS[spec.joint]
        mine = slice(row[Q_FIRST], row[Q_FIRST] + kind.q_count)
        if spec.joint == "free":
            q[mine] = np.concatenate(_neutral_pose(build, entity, spec.parent))
        elif spec.joint == "ball" and bone.start is not None:
            q[mine] = np.array(bone.start) / np.linalg.norm(bone.start)
        elif bone.start is not None:
            q[mine] = read_coordinates(spec.joint, bone.start)
        if bone.rate is not None:
            v[row[V_FIRST] : row[V_FIRST] + kind.v_count] = bone.rate
    return q, v


def declare_tables(build: Build, owner: str, entities: list[Entity], forest: Forest) -> None:
    """Declare owner.bone, owner.dof and owner.frame."""
    labels, rates = frame_labels(entities, forest), rate_labels(entities, forest)
    for name, values, unit, doc, rows, dtype in (
        ("bone", forest.bone, "1", "Topology; columns in layout.py.", labels, np.int64),
        ("dof", forest.dof, "1", "Structure of the mass matrix; columns in layout.py.", rates, np.int64),
        ("frame", forest.frame, "m, 1", "Neutral poses in the parents' frames, and axes.", labels, float),
    ):
        build.add_model(f"{owner}.{name}", values, unit=unit, doc=doc, labels=rows, dtype=dtype)
    bound = [np.concatenate(build.pose(entity.path)) for entity in entities]
    # A follower is where its bone is while all joints are neutral.
    bound += [bound[bone] for bone in forest.bone[len(entities) :, FOLLOWS]]
    values = np.array(bound).reshape(-1, 7)
    build.add_model(
        f"{owner}.bind", values, unit="m, 1", doc="Neutral poses in the world.", labels=labels, record=True
    )


def frame_labels(entities: list[Entity], forest: Forest) -> list[str]:
    """The path of every bone, and of every follower the path of its bone and its share."""
    turned = forest.bone[len(entities) :, FOLLOWS], forest.frame[len(entities) :, SHARE]
    followers = [f"{entities[bone].path} x {share:g}" for bone, share in zip(*turned, strict=True)]
    return [entity.path for entity in entities] + followers


def rate_labels(entities: list[Entity], forest: Forest) -> list[str]:
    """The path of the bone that every rate moves first."""
    return [entities[row[BONE]].path for row in forest.dof]


def coordinate_labels(entities: list[Entity], count: str) -> list[str]:
    """A name for every coordinate (`q_count`) or rate (`v_count`): the bone, with a number where it has several."""
    found = []
    for entity in entities:
        many = getattr(JOINTS[entity.components["bone"].joint], count)
        found += [entity.path] if many == 1 else [f"{entity.path}[{k}]" for k in range(many)]
    return found


def declare_limits(build: Build, owner: str, entities: list[Entity]) -> None:
    """Declare owner.limit and owner.bound."""
    limits: list[tuple[int, int, int]] = []
    bounds: list[float] = []
    for index, entity in enumerate(entities):
        bone = entity.components["bone"]
        count = count_limited(bone.joint)
        if bone.joint == "ball" and bone.upper is not None:
            reach = find_swing_range(bone)
            limits.append((OVAL if reach.is_oval else SWING, index, 0))
            bounds.append(reach.bound)
        for value, code in ((bone.lower, LOWER), (bone.upper, UPPER)):
            if value is not None and bone.joint != "ball":
                limits += [(code, index, local) for local in range(count)]
                bounds += read_coordinates(bone.joint, spread(value, count))
        if bone.twist is not None:
            limits += [(TWIST_LOWER, index, 0), (TWIST_UPPER, index, 0)]
            bounds += read_coordinates(bone.joint, bone.twist)
    build.add_model(
        f"{owner}.limit", np.array(limits, np.int64).reshape(-1, 3), unit="1",
        doc="Lower, upper, swing (cone or oval), or twist from below or above; bone; which coordinate.", dtype=np.int64,
        labels=[entities[index].path for _, index, _ in limits],
    )  # fmt: skip
    build.add_model(f"{owner}.bound", bounds, unit="rad, m", doc="Where the limits are.")


def count_limited(joint: str) -> int:
    """How many coordinates of a joint have limits and targets of their own; of a ball it is its swing."""
    return 1 if joint == "ball" else JOINTS[joint].v_count


def declare_motion(
    build: Build, owner: str, forest: Forest, entities: list[Entity], q: FloatArray, v: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Declare the state: coordinates, rates, and the poses that follow. Returns origins, rotations and axes."""
    labels, count, rows = frame_labels(entities, forest), len(forest.bone), forest.rows
    x, rotation, twist = np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 6))
    axis, axis_rate, spatial = np.zeros((rows, 6)), np.zeros((rows, 6)), np.zeros((count, 6))
    follow_state(forest.bone, forest.dof, forest.frame, q, v, x, rotation, twist, axis, axis_rate, spatial)
    for name, values, unit, doc, counted in (
        ("q", q, "rad, m, 1", "Joint coordinates.", "q_count"),
        ("v", v, "rad/s, m/s", "Joint rates.", "v_count"),
    ):
        rows_of = coordinate_labels(entities, counted)
        build.add_state(f"{owner}.{name}", values, unit=unit, doc=doc, labels=rows_of, record=True)
    for name, values, unit, doc in (
        ("x", x, "m", "Origins of the bones, as they follow from the coordinates."),
        ("rotation", rotation, "1", "Rotations of the bones, likewise."),
        ("twist", twist, "m/s, rad/s", "Velocity of the origin in the world, spin in the bone's frame."),
    ):
        build.add_state(f"{owner}.{name}", values, unit=unit, doc=doc, labels=labels, record=True)
    for name, values, unit, doc in (
        ("axis", axis, "1, m", "Spatial axes of the rates about the root's origin."),
        ("axis_rate", axis_rate, "1/s, m/s", "Their derivatives."),
        ("spatial_velocity", spatial, "m/s, rad/s", "Spatial velocities about the root's origin."),
    ):
        build.add_state(f"{owner}.{name}", values, unit=unit, doc=doc)
    for name in ("q", "v"):
        build.followed[f"{owner}.{name}"] = lambda arrays: follow_coordinates(arrays, owner)
    build.add_model(f"{owner}.x_start", x, unit="m", doc="Origins of the bones at the start.", labels=labels)
    return x, rotation, axis


def declare_frames(build: Build, owner: str, forest: Forest, entities: list[Entity]) -> None:
    """Declare what a mechanism and a carrier have in every step."""
    labels, bones, rates = frame_labels(entities, forest), len(forest.bone), forest.v_count
    for name, shape, unit, doc in (
        ("v_free", (rates,), "rad/s, m/s", "Rates if nothing touched."),
        ("impulse", (rates,), "N m s, N s", "Planned impulses and J^T lambda."),
        ("observed_bone", (bones, 3), "SI", "Values of the metrics of a bone."),
    ):
        rows = labels if shape[0] == bones else ()
        build.add_step(f"{owner}.{name}", shape, unit=unit, doc=doc, labels=rows)
    for name, shape, unit, doc in (
        ("wrench", (bones, 6), "N, N m", "Applied force and torque at the origin, in the world."),
        ("plan", (rates,), "N m s, N s", "Impulses that controllers planned."),
    ):
        build.add_step(f"{owner}.{name}", shape, unit=unit, doc=doc, accumulates=True)


def show_bones(build: Build, owner: str, entities: list[Entity], forest: Forest) -> None:
    """Frames that carry shapes, metrics of bones, and what `world[path]` shows of them."""
    for index, entity in enumerate(entities):
        build.carry(entity.path, Frame(owner, index, np.zeros(3)))
        _ignore_neighbours(build, owner, entities, forest, index)
        names = [metric.name for metric in entity.components["bone"].metrics]
        places = {name: (f"{owner}.observed_bone", (index, column)) for column, name in enumerate(names)}
        build.bind_metrics(entity, "bone", places)
        build.expose(entity.path, "position", f"{owner}.x", index)
        build.expose(entity.path, "rotation", f"{owner}.rotation", index)
        build.expose(entity.path, "velocity", f"{owner}.twist", index)
        _show_joint(build, owner, entity, forest.bone[index])


def _show_joint(build: Build, owner: str, entity: Entity, row: IntArray) -> None:
    """The coordinates and rates of a bone's joint; of a hinge as angle, of a slider as displacement."""
    joint = entity.components["bone"].joint
    kind, q, v = JOINTS[joint], int(row[Q_FIRST]), int(row[V_FIRST])
    if kind.v_count:
        build.expose(entity.path, "coordinates", f"{owner}.q", slice(q, q + kind.q_count))
        build.expose(entity.path, "rates", f"{owner}.v", slice(v, v + kind.v_count))
    if joint in ("hinge", "slider"):
        build.expose(entity.path, "angle" if joint == "hinge" else "displacement", f"{owner}.q", q)
        build.expose(entity.path, "rate", f"{owner}.v", v)


def _ignore_neighbours(build: Build, owner: str, entities: list[Entity], forest: Forest, index: int) -> None:
    """A joint lies within the shapes of both bones that meet there, so these do not touch each other.

    Joints of several axes are often written as bones without shapes: the neighbour is the first that has one.
    """
    above = int(forest.bone[index, PARENT])
    while above >= 0:
        ignore_pair(build, (owner, above), (owner, index))
        if any(True for _ in shapes_of_bone(entities[above].path, build.graph)):
            return
        above = int(forest.bone[above, PARENT])
