"""From skeletons to arrays: masses and forces on the bones, and their mechanism."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.entity import Entity
from supple.mechanics.mechanism import contact_capacity
from supple_bones.chain_kernels import factor_chain, solve_chain
from supple_bones.compile import (
    declare_frames,
    declare_limits,
    declare_motion,
    declare_tables,
    describe_bone,
    find_start,
    frame_labels,
    list_bones,
    rate_labels,
    show_bones,
)
from supple_bones.components import TURNING, spread
from supple_bones.forest import BoneSpec, Follower, FollowerSpec, Forest, build_forest
from supple_bones.inertia_kernels import make_mass_matrix
from supple_bones.layout import BONE, JOINTS, V_FIRST
from supple_bones.limits import JointLimits
from supple_bones.mass import bone_mass
from supple_rigid.mass import MassProperties
from supple_skeleton.commands import COMMAND
from supple_skeleton.drawings import draw_rods
from supple_skeleton.gears import JointGears, declare_gears
from supple_skeleton.mechanism import Skeletons
from supple_skeleton.servos import JointServos, declare_servos
from supple_skeleton.tautness import may_be_taut

CONTROLLERS = ("motion", "pliant", "pose_tracking", "simbicon", "tasks")
"""Who moves joints by a plan. Their gains and claims were measured without late rows."""


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
    declare_servos(build, entities)
    declare_gears(build, entities, forest, q)
    x, rotation, axis = declare_motion(build, "skeleton", forest, entities, q, v)
    _refuse_massless(build, forest, entities, x, rotation, axis)
    declare_frames(build, "skeleton", forest, entities)
    watched = may_be_taut(build, forest)
    _declare_forces(build, forest)
    _declare_commands(build, entities, forest)
    _declare_tie(build, forest, watched)
    _declare_arrears(build, forest)
    limits, servos, gears = (len(build.arrays[f"skeleton.{name}"]) for name in ("limit", "servo", "gear"))
    extra = sum(load.extra_blocks for load in build.members("bone_loads"))
    blocks = 2 * contact_capacity(build) + limits + servos + 2 * gears + extra
    mechanism = Skeletons(forest, trees, bones, followers, blocks, watched)
    build.add_member("mechanisms", mechanism)
    build.add_member("carriers", mechanism)
    if limits:
        build.add_member("row_sources", JointLimits(mechanism, limits, build.settings("skeleton")))
    if servos:
        build.add_member("row_sources", JointServos(mechanism, servos))
    if gears:
        speed = build.settings("skeleton").recovery_speed
        build.add_member("row_sources", JointGears(mechanism, gears, speed))
    _show(build, entities, skeletons, forest)
    draw_rods(build, entities, forest)


def _mass(build: Build, entity: Entity) -> MassProperties:
    return bone_mass(entity.path, entity.components["bone"], build.graph, build.blueprint.files)


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
    _declare_response(build, forest, entities, matrix)


def _declare_response(build: Build, forest: Forest, entities: list[Entity], factor: FloatArray) -> None:
    """How easily rates move at the start, all others free: what decides how fast springs of joints swing."""
    columns = np.eye(forest.v_count)
    for column in columns:
        solve_chain(forest.dof, factor, column)
    build.add_model(
        "skeleton.response", np.diagonal(columns).copy(), unit="1/kg, 1/(kg m^2)",
        labels=rate_labels(entities, forest), doc="Rate by a unit impulse on it, at the start.",
    )  # fmt: skip


def _declare_forces(build: Build, forest: Forest) -> None:
    rates, trees = forest.v_count, len(forest.trees)
    for name, shape, unit, doc in (
        ("factor", (forest.entries,), "SI", "A = L^T D L: L, and 1 / D on the diagonal."),
        ("applied", (rates,), "N m, N", "Generalised force of wrenches and actuators."),
        ("observed", (trees, 4), "SI", "Values of the metrics of a skeleton."),
    ):
        build.add_step(f"skeleton.{name}", shape, unit=unit, doc=doc)
    bones = len(forest.bone)
    for name, shape, unit, doc in (
        ("v_rows", (rates,), "rad/s, m/s", "Rates that rows ask for: those of a step's mean motion."),
        ("v_worked", (rates,), "rad/s, m/s", "Rates after all impulses, before fast trees move on."),
        ("any_fast", (1,), "1", "Whether a tree spins fast."),
        ("fast", (bones,), "1", "1 for bones that bear a tree which spins fast."),
        ("kicked", (rates,), "rad/s, m/s", "Rates of fast trees after the forces, before they move on."),
        ("flown", (rates,), "rad/s, m/s", "The same after their free motion."),
    ):
        build.add_step(f"skeleton.{name}", shape, unit=unit, doc=doc)
    doc = "1 for bones that bore a tree which spun fast in the last step, -1 before the first one."
    build.add_state("skeleton.spun", np.full(bones, -1.0), unit="1", doc=doc)
    for name, unit, doc in (
        ("force", "N m, N", "Generalised force of actuators."),
        ("gain_p", "N m/rad, N/m", "Implicit stiffness of actuators."),
        ("gain_d", "N m s/rad, N s/m", "Implicit damping of actuators."),
    ):
        build.add_step(f"skeleton.{name}", (rates,), unit=unit, doc=doc, accumulates=True)


def _declare_arrears(build: Build, forest: Forest) -> None:
    """Declare what the bias owes after impulses: nothing where `late_rows` says so, or loads hang on the bones."""
    chosen, tied = build.settings("skeleton").late_rows, build.having("spring", "joint", "gear")
    owes = chosen == "always" or (chosen == "automatic" and bool(tied or not build.having(*CONTROLLERS)))
    count = forest.v_count if owes and not build.members("bone_loads") else 0
    doc = "What the bias of the last step owes for the impulses of rows."
    build.add_state("skeleton.arrears", np.zeros(count), unit="N m s, N s", doc=doc)


def _declare_commands(build: Build, entities: list[Entity], forest: Forest) -> None:
    """Forces on the rates that are given from Python; see `supple.core.control`."""
    doc = "Generalised forces that are given from Python."
    labels = rate_labels(entities, forest)
    build.add_state(COMMAND, np.zeros(forest.v_count), unit="N m, N", doc=doc, labels=labels)
    for row, entity in zip(forest.bone, entities, strict=False):
        joint = entity.components["bone"].joint
        first, count = int(row[V_FIRST]), JOINTS[joint].v_count
        if count and joint != "free":
            name = "torque" if joint in TURNING else "force"
            build.offer_command(
                entity.path, name, COMMAND, first if count == 1 else slice(first, first + count), wakes=True,
                unit="N m" if joint in TURNING else "N", doc="Force on the rates of the joint.",
            )  # fmt: skip


def _declare_tie(build: Build, forest: Forest, watched: bool) -> None:
    """Declare what is kept of the pulls at the bones; nothing where these are never looked at."""
    bones, rates = (len(forest.bone), forest.v_count) if watched else (0, 0)
    for name, many in (("taut", bones), ("taut_rates", rates)):
        doc = "How many of them are looked at for tension; 0 while nothing pulls so much."
        build.add_state(f"skeleton.{name}", [many], unit="1", doc=doc, dtype=np.int64)
    kept: tuple[tuple[str, tuple[int, ...], str, str], ...] = (
        ("acceleration", (rates,), "rad/s^2, m/s^2", "Change of the rates in the last step, by time."),
        ("row_force", (bones, 3), "N", "Force of rows on the bones in the last step, in their axes."),
        ("row_pull", (bones, 3, 3), "N m", "Force times lever of rows of joints, likewise."),
        ("pull", (bones, 3, 3), "N m", "Force times lever of all that hangs on the bones, likewise."),
        ("mean_spin", (bones, 3), "rad/s", "Mean of the last spins of the bones, in their axes."),
    )
    for name, size, unit, doc in kept:
        start = build.arrays["skeleton.twist"][:bones, 3:] if name == "mean_spin" else np.zeros(size)
        count = "skeleton.taut_rates" if name == "acceleration" else "skeleton.taut"
        build.add_state(f"skeleton.{name}", start, unit=unit, doc=doc, count=count if watched else "")
    build.add_step("skeleton.pulled", (bones, 3, 3), unit="N m", doc="Force times lever that FREE finds.")


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
