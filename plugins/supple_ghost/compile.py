"""From ghosts to arrays. The tree of bones is that of supple_bones, under the owner `ghost`."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.drawing import Drawing, Lines
from supple.core.entity import Entity
from supple.mechanics.mechanism import contact_capacity
from supple_bones.compile import (
    declare_frames,
    declare_limits,
    declare_motion,
    declare_tables,
    describe_bone,
    find_start,
    list_bones,
    rate_labels,
    show_bones,
)
from supple_bones.components import spread
from supple_bones.forest import FollowerSpec, Forest, build_forest
from supple_bones.layout import JOINTS, PARENT
from supple_bones.limits import JointLimits
from supple_ghost.mechanism import Ghosts
from supple_motion.targets import find_targets

#: Radius of the lines that show the bones [m].
BONE_RADIUS = 0.002


def slides(joint: str, local: int) -> bool:
    """Whether a rate of a joint is in m/s."""
    return joint in ("slider", "translation") or (joint == "free" and local < 3)


def follow_targets(build: Build) -> None:
    """Ghosts go where a motion says; it is read once all bones are known."""
    find_targets(build, "ghost")


def compile_ghosts(build: Build) -> None:
    """Declare the arrays of all ghosts, their mechanism, and what can be seen of them."""
    entities, ghosts = list_bones(build, "ghost"), build.having("ghost")
    bones = {entity.path: index for index, entity in enumerate(entities)}
    trees = {entity.path: index for index, entity in enumerate(ghosts)}
    specs = [describe_bone(build, entity, None, bones, trees) for entity in entities]
    wanted = {each for rider in build.members("bone_riders") for each in rider.followers()}
    followers = sorted(wanted, key=lambda each: (specs[bones[each.path]].tree, *each))
    forest = build_forest(specs, [FollowerSpec(bones[path], share) for path, share in followers])
    q, v = find_start(build, entities, specs, forest)
    declare_tables(build, "ghost", entities, forest)
    declare_limits(build, "ghost", entities)
    declare_motion(build, "ghost", forest, entities, q, v)
    declare_frames(build, "ghost", forest, entities)
    _declare_springs(build, entities, ghosts, forest)
    _declare_steps(build, len(ghosts), forest)
    limits = len(build.arrays["ghost.limit"])
    mechanism = Ghosts(forest, trees, bones, followers, 2 * contact_capacity(build) + limits)
    build.add_member("mechanisms", mechanism)
    build.add_member("carriers", mechanism)
    if limits:
        build.add_member("row_sources", JointLimits(mechanism, limits, build.settings("skeleton")))
    show_bones(build, "ghost", entities, forest)
    _show_ghosts(build, ghosts, forest)


def _declare_springs(build: Build, entities: list[Entity], ghosts: list[Entity], forest: Forest) -> None:
    """K and the time of recovery, which make A: README eq. (3)."""
    stiffness, turning, recovery = [], [], []
    for entity in entities:
        bone = entity.components["bone"]
        ghost = next(each for each in ghosts if entity.path.startswith(f"{each.path}/")).components["ghost"]
        for local, own in enumerate(spread(bone.stiffness, JOINTS[bone.joint].v_count)):
            sliding = slides(bone.joint, local)
            stiffness.append(own or (ghost.sliding_stiffness if sliding else ghost.stiffness))
            turning.append(not sliding)
            recovery.append(ghost.recovery)
    labels = rate_labels(entities, forest)
    for name, values, unit, doc in (
        ("stiffness", stiffness, "N m/rad, N/m", "Springs towards the free configuration."),
        ("recovery", recovery, "s", "Time in which deviations decay."),
    ):
        build.add_model(f"ghost.{name}", values, unit=unit, doc=doc, labels=labels)
    build.add_model(
        "ghost.turning", turning, unit="1", doc="1: a rate in rad/s.", dtype=np.int64, labels=labels
    )


def _declare_steps(build: Build, ghosts: int, forest: Forest) -> None:
    for name, shape, unit, doc in (
        ("wanted", (forest.q_count,), "rad, m, 1", "Where the ghost goes if nothing touches."),
        ("wanted_rate", (forest.v_count,), "rad/s, m/s", "Rates that lead there within the step."),
        ("pushed", (forest.v_count,), "N m s, N s", "Impulse of the applied wrenches and forces."),
        ("observed", (ghosts, 2), "SI", "Values of the metrics of a ghost."),
    ):
        build.add_step(f"ghost.{name}", shape, unit=unit, doc=doc)
    doc = "Generalised force of actuators."
    build.add_step("ghost.force", (forest.v_count,), unit="N m, N", doc=doc, accumulates=True)


def _show_ghosts(build: Build, ghosts: list[Entity], forest: Forest) -> None:
    """Metrics, and the bones as lines from parent to child."""
    for index, (entity, tree) in enumerate(zip(ghosts, forest.trees, strict=True)):
        names = [metric.name for metric in entity.components["ghost"].metrics]
        places = {name: ("ghost.observed", (index, column)) for column, name in enumerate(names)}
        build.bind_metrics(entity, "ghost", places)
        rows = range(tree.bones.start, tree.bones.stop)
        segments = [(forest.bone[row, PARENT], row) for row in rows if forest.bone[row, PARENT] >= 0]
        if segments:
            build.add_model(
                f"ghost.lines{index}", segments, unit="1", doc="Bones as lines from parent to child.", dtype=np.int64
            )  # fmt: skip
            form = Lines("ghost.x", f"ghost.lines{index}", BONE_RADIUS)
            build.draw(Drawing(f"{entity.path}.ghost", entity.path, "bones", form))
