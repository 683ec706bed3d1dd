"""From pose tracking to gains for every rate."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple.mechanics.spring_tables import read_implicitness
from supple_bones.layout import BONE, FREE, JOINT
from supple_motion.targets import find_targets
from supple_skeleton.mechanism import Skeletons
from supple_tracking.pose.components import JointGains, PoseTracking
from supple_tracking.pose.layout import GAIN_COLUMNS, LIMIT
from supple_tracking.pose.rows import LimitedDrives


def compile_pose_tracking(build: Build) -> None:
    """Declare gains and what can be seen of the drives; limited ones become a source of rows."""
    skeletons: Skeletons = next(m for m in build.members("mechanisms") if m.name == Skeletons.name)
    find_targets(build, Skeletons.name)
    paths = list(skeletons.bones)
    entities = {entity.path: entity for entity in build.having("pose_tracking")}
    bone, dof = build.arrays["skeleton.bone"], build.arrays["skeleton.dof"]
    labels = [paths[row[BONE]] for row in dof]
    gains = np.zeros((len(dof), GAIN_COLUMNS))
    for k, path in enumerate(labels):
        owner = next((entity for root, entity in entities.items() if path.startswith(f"{root}/")), None)
        if owner is not None and bone[dof[k, BONE], JOINT] != FREE:
            gains[k] = _gains_of(owner, path)
    limited = np.flatnonzero(gains[:, LIMIT] > 0.0)
    build.add_model(
        "tracking.gains", gains, unit="SI", doc="Gains by rate; columns in layout.py.", labels=labels
    )
    build.add_model(
        "tracking.limited", limited, unit="1", doc="Rates whose force is limited.", dtype=np.int64
    )
    for name, unit, doc in (
        ("push", "N m, N", "Driving forces at the step's start."),
        ("deviation", "rad, m", "From the coordinates to the motion's target."),
        ("torque", "N m, N", "Driving forces as they came to be."),
    ):
        build.add_step(f"tracking.{name}", (len(dof),), unit=unit, doc=doc, labels=labels)
    build.add_state(
        "tracking.stored", [0.0], unit="J", doc="What drives without a limit had stored after the last step."
    )
    build.add_step(
        "tracking.observed",
        (len(skeletons.skeletons), 4),
        unit="SI",
        doc="Values of the metrics of pose tracking.",
    )
    for entity in entities.values():
        names = [metric.name for metric in PoseTracking.metrics]
        row = skeletons.skeletons[entity.path]
        build.bind_metrics(
            entity, "pose_tracking",
            {name: ("tracking.observed", (row, column)) for column, name in enumerate(names)},
        )  # fmt: skip
    if len(limited):
        build.add_member("row_sources", LimitedDrives(build, skeletons, len(limited)))


def _gains_of(entity: Entity, path: str) -> tuple[float, ...]:
    """Stiffness, damping, limit, gravity, follow of the rates of one bone."""
    tracking: PoseTracking = entity.components["pose_tracking"]
    own = tracking.bones.get(path.removeprefix(f"{entity.path}/"), JointGains())
    stiffness = tracking.stiffness if own.stiffness is None else own.stiffness
    damping = tracking.damping if own.damping is None else own.damping
    if stiffness == 0.0 and damping == 0.0:
        return (0.0,) * GAIN_COLUMNS
    limit = tracking.limit if own.limit is None else own.limit
    theta = read_implicitness(tracking.implicitness)
    return stiffness, damping, limit or 0.0, float(tracking.gravity), float(tracking.follow), theta
