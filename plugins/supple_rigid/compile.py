"""From bodies to arrays: one row for every body, sorted by path."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build, Frame
from supple.core.entity import Entity
from supple.core.noise import noise_at
from supple.core.pose import rotate
from supple.mechanics.mechanism import contact_capacity
from supple_rigid.mass import MassProperties, mass_properties
from supple_rigid.mechanism import RigidBodies

START = 0
"""The step whose noise scatters the start."""


def compile_bodies(build: Build) -> None:
    """Declare the arrays of all bodies, their mechanism, and what can be seen of them."""
    entities = build.having("body")
    labels = [entity.path for entity in entities]
    files = build.blueprint.files
    masses = [mass_properties(each.path, each.components["body"], build.graph, files) for each in entities]
    for entity, mass in zip(entities, masses, strict=True):
        if not np.isfinite(mass.inertia).all() or np.linalg.eigvalsh(mass.inertia)[0] <= 0 or mass.mass <= 0:
            raise build.refuse(
                f"{entity.path}.body", "the body has no inertia", "make its shapes or density larger"
            )
    starts = [_start(build, entity, mass) for entity, mass in zip(entities, masses, strict=True)]
    x, q, v = (np.array([start[part] for start in starts]) for part in range(3))
    _declare_masses(build, labels, masses)
    _declare_motion(build, labels, x, q, v)
    _declare_step(build, labels)
    mechanism = RigidBodies(labels, 2 * contact_capacity(build))
    build.add_member("mechanisms", mechanism)
    build.add_member("carriers", mechanism)
    for index, (entity, mass) in enumerate(zip(entities, masses, strict=True)):
        build.carry(entity.path, Frame(mechanism.name, index, mass.centre))
        _show_body(build, entity, index)


def _declare_masses(build: Build, labels: list[str], masses: list[MassProperties]) -> None:
    inertia = np.array([mass.inertia for mass in masses])
    for name, values, unit, doc in (
        ("mass", [mass.mass for mass in masses], "kg", "Masses."),
        ("inertia", inertia, "kg m^2", "Inertia in the body frame."),
        ("inverse_inertia", np.linalg.inv(inertia), "1/(kg m^2)", "Its inverse."),
    ):
        build.add_model(f"rigid.{name}", values, unit=unit, doc=doc, labels=labels, plain=True)


def _declare_motion(build: Build, labels: list[str], x: FloatArray, q: FloatArray, v: FloatArray) -> None:
    build.add_model(
        "rigid.x_start", x, unit="m", doc="Centres of mass at the start.", labels=labels, plain=True
    )
    for name, values, unit, doc in (
        ("x", x, "m", "Centres of mass."),
        ("q", q, "1", "Rotations (w, x, y, z)."),
        ("v", v, "m/s, rad/s", "Velocity in the world, then angular velocity in the body frame."),
    ):
        build.add_state(f"rigid.{name}", values, unit=unit, doc=doc, labels=labels, record=True)
    none = np.zeros((len(labels), 3, 3))
    for name, values, unit, doc in (
        ("x_half", x, "m", "Centres of mass at half time."),
        ("pull", none, "N m", "Sum of force times lever of joints, in the body frame."),
        ("pull_before", none, "N m", "The same in the step before."),
        ("mean_spin", v[:, 3:], "rad/s", "Mean of the last spins, in the body frame."),
    ):
        build.add_state(f"rigid.{name}", values, unit=unit, doc=doc, labels=labels)


def _declare_step(build: Build, labels: list[str]) -> None:
    count, velocity, momentum = len(labels), "m/s, rad/s", "N s, N m s"
    for name, shape, unit, doc in (
        ("response", (3, 3), "1/(kg m^2)", "Inverse of what answers impulses."),
        ("middle", (4,), "rad/s, s", "Of fast bodies: spin amid a free step, and its time."),
        (
            "turned",
            (6,),
            velocity,
            "What turning adds to the mean of velocities before and after, as impacts see it.",
        ),
        ("v_rows", (6,), velocity, "Velocities that rows ask for: those of a step's mean motion."),
        ("v_worked", (6,), velocity, "Velocities after all impulses, before fast bodies turn."),
        ("v_free", (6,), velocity, "Velocity if nothing touched."),
        ("impulse", (6,), momentum, "Planned impulses and J^T lambda."),
        ("observed", (6,), "SI", "Values of the metrics of a body."),
    ):
        build.add_step(f"rigid.{name}", (count, *shape), unit=unit, doc=doc, labels=labels)
    for name, unit, doc in (
        ("wrench", "N, N m", "Applied force and torque, in the world."),
        ("force", "N, N m", "Generalised force; the torque is in the body frame."),
        ("plan", momentum, "Impulses that controllers planned."),
    ):
        build.add_step(f"rigid.{name}", (count, 6), unit=unit, doc=doc, labels=labels, accumulates=True)


def _show_body(build: Build, entity: Entity, index: int) -> None:
    """Let metrics and names of the body lead to its row."""
    metrics = entity.components["body"].metrics
    places = {metric.name: ("rigid.observed", (index, column)) for column, metric in enumerate(metrics)}
    build.bind_metrics(entity, "body", places)
    for attribute, array in (
        ("position", "rigid.x"),
        ("rotation", "rigid.q"),
        ("velocity", "rigid.v"),
        ("mass", "rigid.mass"),
    ):
        build.expose(entity.path, attribute, array, index)


def compile_aims(build: Build) -> None:
    """One row for every body that is thrown."""
    entities, bodies = build.having("aim"), [entity.path for entity in build.having("body")]
    labels = [entity.path for entity in entities]
    rows = [bodies.index(path) for path in labels]
    build.add_model("aim.body", rows, unit="1", doc="The body.", dtype=np.int64, labels=labels)
    wanted = [entity.components["aim"].direction for entity in entities]
    build.add_model("aim.direction", wanted, unit="1", doc="Where it should fly to.", labels=labels)
    count = len(entities)
    build.add_state(
        "aim.launch",
        np.zeros((count, 6)),
        unit="m/s, rad/s",
        doc="Velocity when last touched.",
        labels=labels,
    )
    build.add_step(
        "aim.observed", (count, 5), unit="deg, m/s, rad/s", doc="Values of the metrics.", labels=labels
    )
    for index, entity in enumerate(entities):
        metrics = entity.components["aim"].metrics
        places = {metric.name: ("aim.observed", (index, column)) for column, metric in enumerate(metrics)}
        build.bind_metrics(entity, "aim", places)


def compile_tilts(build: Build) -> None:
    """One row for every body whose tilt is watched."""
    entities, bodies = build.having("tilt"), [entity.path for entity in build.having("body")]
    labels = [entity.path for entity in entities]
    rows = [bodies.index(path) for path in labels]
    axes = [np.array(entity.components["tilt"].axis) for entity in entities]
    axes = [axis / np.linalg.norm(axis) for axis in axes]
    starts = [rotate(build.arrays["rigid.q"][row], axis) for row, axis in zip(rows, axes, strict=True)]
    build.add_model("tilt.body", rows, unit="1", doc="The body.", dtype=np.int64, labels=labels)
    build.add_model("tilt.axis", axes, unit="1", doc="The axis, in the body.", labels=labels)
    build.add_model("tilt.start", starts, unit="1", doc="Where it pointed at the start.", labels=labels)
    build.add_step("tilt.observed", (len(rows), 2), unit="deg", doc="Values of the metrics.", labels=labels)
    for index, entity in enumerate(entities):
        names = [metric.name for metric in entity.components["tilt"].metrics]
        build.bind_metrics(
            entity, "tilt", {name: ("tilt.observed", (index, column)) for column, name in enumerate(names)}
        )


def _start(build: Build, entity: Entity, mass: MassProperties) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre of mass, rotation and velocity of a body at the start, scattered if the author wants so."""
    body, scatter = entity.components["body"], entity.components.get("scatter")
    position, rotation = build.pose(entity.path)
    velocity, spin = np.array(body.velocity), np.array(body.spin)
    if scatter is not None:
        noise = noise_at(build.seed, entity.path, START, 9)
        position = position + scatter.position * noise[:3]
        velocity = velocity + scatter.velocity * noise[3:6]
        spin = spin + scatter.spin * noise[6:]
    inverse = rotation * np.array([1.0, -1.0, -1.0, -1.0])
    centre = position + rotate(rotation, mass.centre)
    return centre, rotation, np.concatenate([velocity, rotate(inverse, spin)])
