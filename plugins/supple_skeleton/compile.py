"""From bones to arrays: one row for every bone, sorted by path, so that parents come before children.

What only depends on the tree takes the name of its owner, `skeleton` here: other plugins have trees of bones too.
"""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build, Frame
from supple.core.entity import Entity
from supple.core.pose import relative_pose
from supple.mechanics.filters import ignore_pair
from supple.mechanics.mechanism import contact_capacity
from supple_rigid.mass import MassProperties
from supple_skeleton.chain_kernels import factor_chain
from supple_skeleton.components import read_coordinates, spread
from supple_skeleton.drawings import draw_rods
from supple_skeleton.forest import BoneSpec, FollowerSpec, Forest, build_forest, neutral_coordinates
from supple_skeleton.inertia_kernels import make_mass_matrix
from supple_skeleton.kinematics_kernels import follow_state
from supple_skeleton.layout import BONE, FOLLOWS, JOINTS, PARENT, Q_FIRST, SHARE, V_FIRST
from supple_skeleton.limit_kernels import LOWER, SWING, UPPER
from supple_skeleton.limits import JointLimits, JointServos
from supple_skeleton.loads import Follower
from supple_skeleton.mass import bone_mass, shapes_of_bone
from supple_skeleton.mechanism import Skeletons


def compile_skeletons(build: Build) -> None:
    """Declare the arrays of all skeletons, their mechanism, and what can be seen of them."""
    entities, skeletons = list_bones(build, "skeleton"), build.having("skeleton")
    bones = {entity.path: index for index, entity in enumerate(entities)}
    trees = {entity.path: index for index, entity in enumerate(skeletons)}
    masses = [_mass(build, entity) for entity in entities]
    specs = [describe_bone(build, *each, bones, trees) for each in zip(entities, masses, strict=True)]
    followers = _list_followers(build, bones, specs)
    forest = build_forest(specs, [FollowerSpec(bones[path], share) for path, share in followers])
    _add_loads(build, entities, followers, forest)
    q, v = find_start(build, entities, specs, forest)
    declare_tables(build, "skeleton", entities, forest)
    _declare_model(build, entities, forest)
    declare_limits(build, "skeleton", entities)
    x, rotation, axis = declare_motion(build, "skeleton", forest, entities, q, v)
    _refuse_massless(build, forest, entities, x, rotation, axis)
    declare_frames(build, "skeleton", forest, entities)
    _declare_forces(build, forest)
    limits, servos = (len(build.arrays[f"skeleton.{name}"]) for name in ("limit", "servo"))
    extra = sum(load.extra_blocks for load in build.members("bone_loads"))
    blocks = 2 * contact_capacity(build) + limits + servos + extra
    mechanism = Skeletons(forest, trees, bones, followers, blocks)
    build.add_member("mechanisms", mechanism)
    build.add_member("carriers", mechanism)
    if limits:
        build.add_member("row_sources", JointLimits(mechanism, limits))
    if servos:
        build.add_member("row_sources", JointServos(mechanism, servos))
    _show(build, entities, skeletons, forest)
    draw_rods(build, entities, forest)


def list_bones(build: Build, anchor: str) -> list[Entity]:
    """The bones below entities with the component `anchor`, sorted by path."""
    return [
        entity
        for entity in build.having("bone")
        if any(anchor in above.components for above in build.graph.ancestors(entity.path))
    ]


def _mass(build: Build, entity: Entity) -> MassProperties:
    return bone_mass(entity.path, entity.components["bone"], build.graph, build.blueprint.files)


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
    unused = {name: np.array([1.0, 0.0, 0.0]) for name, axis in axes.items() if not axis.any()}
    masses = {} if mass is None else {"mass": mass.mass, "centre": mass.centre, "inertia": mass.inertia}
    return BoneSpec(parent, bone.joint, tree, position, rotation, **{**masses, **axes, **unused})


def _list_followers(build: Build, bones: dict[str, int], specs: list[BoneSpec]) -> list[Follower]:
    """The frames between bones that loads ask for, skeleton by skeleton."""
    wanted = {each for load in build.members("bone_loads") for each in load.followers()}
    return sorted(wanted, key=lambda each: (specs[bones[each.path]].tree, *each))


def _add_loads(build: Build, entities: list[Entity], followers: list[Follower], forest: Forest) -> None:
    """What hangs on the bones is part of them while it is at rest."""
    frames = [Follower(entity.path, 1.0) for entity in entities] + followers
    for load in build.members("bone_loads"):
        for row, frame in zip(forest.inertia, frames, strict=True):
            row += load.rest_inertia(*frame)


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


def _declare_model(build: Build, entities: list[Entity], forest: Forest) -> None:
    labels, rates = frame_labels(entities, forest), rate_labels(entities, forest)
    build.add_model(
        "skeleton.inertia", forest.inertia, unit="kg, kg m, kg m^2", doc="Mass, m c, inertia at the origin.",
        labels=labels,
    )  # fmt: skip
    for name, unit, doc in (
        ("armature", "kg m^2, kg", "Inertia of the drives."),
        ("damping", "N m s/rad, N s/m", "Resistance to the rates."),
        ("stiffness", "N m/rad, N/m", "Springs towards the neutral pose."),
    ):
        numbers = [
            number
            for entity in entities
            for bone in [entity.components["bone"]]
            for number in spread(getattr(bone, name), JOINTS[bone.joint].v_count)
        ]
        build.add_model(f"skeleton.{name}", numbers, unit=unit, doc=doc, labels=rates)


def frame_labels(entities: list[Entity], forest: Forest) -> list[str]:
    """The path of every bone, and of every follower the path of its bone and its share."""
    turned = forest.bone[len(entities) :, FOLLOWS], forest.frame[len(entities) :, SHARE]
    followers = [f"{entities[bone].path} x {share:g}" for bone, share in zip(*turned, strict=True)]
    return [entity.path for entity in entities] + followers


def rate_labels(entities: list[Entity], forest: Forest) -> list[str]:
    """The path of the bone that every rate moves first."""
    return [entities[row[BONE]].path for row in forest.dof]


def declare_limits(build: Build, owner: str, entities: list[Entity]) -> None:
    """Declare owner.limit, owner.bound, owner.servo and owner.servo_gains."""
    limits: list[tuple[int, int, int]] = []
    bounds: list[float] = []
    servos: list[tuple[int, int]] = []
    gains: list[tuple[float, ...]] = []
    for index, entity in enumerate(entities):
        bone, servo = entity.components["bone"], entity.components.get("servo")
        count = 1 if bone.joint == "ball" else JOINTS[bone.joint].v_count
        for value, code in ((bone.lower, LOWER), (bone.upper, SWING if bone.joint == "ball" else UPPER)):
            if value is not None:
                limits += [(code, index, local) for local in range(count)]
                bounds += read_coordinates(bone.joint, spread(value, count))
        if servo is not None:
            servos += [(index, local) for local in range(count)]
            targets = read_coordinates(bone.joint, spread(servo.target, count))
            gains += [(servo.stiffness, servo.damping, target, servo.limit) for target in targets]
    build.add_model(
        f"{owner}.limit", np.array(limits, np.int64).reshape(-1, 3), unit="1",
        doc="Lower, upper or swing; bone; which coordinate.", dtype=np.int64,
        labels=[entities[index].path for _, index, _ in limits],
    )  # fmt: skip
    build.add_model(f"{owner}.bound", bounds, unit="rad, m", doc="Where the limits are.")
    build.add_model(
        f"{owner}.servo", np.array(servos, np.int64).reshape(-1, 2), unit="1",
        doc="Bone and coordinate of every servo.", dtype=np.int64,
        labels=[entities[index].path for index, _ in servos],
    )  # fmt: skip
    build.add_model(
        f"{owner}.servo_gains", np.array(gains, float).reshape(-1, 4), unit="SI",
        doc="Stiffness, damping, target, greatest force.",
    )  # fmt: skip


def declare_motion(
    build: Build, owner: str, forest: Forest, entities: list[Entity], q: FloatArray, v: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Declare the state: coordinates, rates, and the poses that follow. Returns origins, rotations and axes."""
    labels, count, rows = frame_labels(entities, forest), len(forest.bone), forest.rows
    x, rotation, twist = np.zeros((count, 3)), np.zeros((count, 4)), np.zeros((count, 6))
    axis, axis_rate, spatial = np.zeros((rows, 6)), np.zeros((rows, 6)), np.zeros((count, 6))
    follow_state(forest.bone, forest.dof, forest.frame, q, v, x, rotation, twist, axis, axis_rate, spatial)
    build.add_state(f"{owner}.q", q, unit="rad, m, 1", doc="Joint coordinates.", record=True)
    build.add_state(f"{owner}.v", v, unit="rad/s, m/s", doc="Joint rates.", record=True)
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
    build.add_model(f"{owner}.x_start", x, unit="m", doc="Origins of the bones at the start.", labels=labels)
    return x, rotation, axis


def _refuse_massless(
    build: Build,
    forest: Forest,
    entities: list[Entity],
    x: FloatArray,
    rotation: FloatArray,
    axis: FloatArray,
) -> None:
    bones, matrix = len(forest.bone), np.zeros(forest.entries)
    armature = build.arrays["skeleton.armature"]
    make_mass_matrix(
        forest.bone, forest.dof, forest.inertia, armature, x, rotation, axis,
        np.zeros((bones, 10)), np.zeros((bones, 10)), matrix,
    )  # fmt: skip
    empty = factor_chain(forest.dof, matrix)
    if empty >= 0:
        path = entities[forest.dof[empty, BONE]].path
        remedy = "give it or the bones below it a mass, or the joint an armature"
        raise build.refuse(f"{path}.bone", "its joint moves something without inertia", remedy)


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


def _declare_forces(build: Build, forest: Forest) -> None:
    rates, trees = forest.v_count, len(forest.trees)
    for name, shape, unit, doc in (
        ("factor", (forest.entries,), "SI", "A = L^T D L: L, and 1 / D on the diagonal."),
        ("applied", (rates,), "N m, N", "Generalised force of wrenches and actuators."),
        ("observed", (trees, 4), "SI", "Values of the metrics of a skeleton."),
    ):
        build.add_step(f"skeleton.{name}", shape, unit=unit, doc=doc)
    for name, unit, doc in (
        ("force", "N m, N", "Generalised force of actuators."),
        ("gain_p", "N m/rad, N/m", "Implicit stiffness of actuators."),
        ("gain_d", "N m s/rad, N s/m", "Implicit damping of actuators."),
    ):
        build.add_step(f"skeleton.{name}", (rates,), unit=unit, doc=doc, accumulates=True)


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


def _show(build: Build, entities: list[Entity], skeletons: list[Entity], forest: Forest) -> None:
    """What bones show, their masses, and the metrics of skeletons."""
    show_bones(build, Skeletons.name, entities, forest)
    for index, entity in enumerate(entities):
        build.expose(entity.path, "mass", "skeleton.inertia", (index, 0))
    for index, entity in enumerate(skeletons):
        names = [metric.name for metric in entity.components["skeleton"].metrics]
        places = {name: ("skeleton.observed", (index, column)) for column, name in enumerate(names)}
        build.bind_metrics(entity, "skeleton", places)
        for column, name in enumerate(names):
            build.expose(entity.path, name, "skeleton.observed", (index, column))
