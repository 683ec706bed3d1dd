"""From flesh to arrays: first what it weighs, which skeletons must know, then its vertices on their bones."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.drawing import Channel, Drawing, Hangs, Mesh
from supple.mechanics.filters import ignore_pair
from supple.mechanics.mechanism import contact_capacity
from supple_bones.layout import PARENT
from supple_flesh.load import FleshLoad
from supple_flesh.mechanism import FleshMechanism, FleshSurface
from supple_flesh.motion_kernels import place_vertices
from supple_flesh.observe_kernels import COLUMNS
from supple_flesh.pool import Part, Pool, build_pool
from supple_flesh.probe import PROBED
from supple_flesh.strain import find_corner_normals, find_edge_lengths
from supple_flesh.tables import BoneFrames, Patches, PlacedVertices, VertexMotion
from supple_skeleton.mechanism import Skeletons

SKIN = (0.87, 0.66, 0.54)


def compile_masses(build: Build) -> None:
    """Make the load, so that bones can have the mass of what hangs on them."""
    implicit = build.settings("flesh").integration == "implicit"
    build.add_member("bone_loads", FleshLoad(build_pool(build), implicit, contact_capacity(build)))


def compile_vertices(build: Build) -> None:
    """Declare the arrays of all flesh, its mechanism, its surfaces, and what can be seen of it."""
    load = next(each for each in build.members("bone_loads") if isinstance(each, FleshLoad))
    skeletons = next(each for each in build.members("mechanisms") if isinstance(each, Skeletons))
    pool, capacity = load.pool, contact_capacity(build)
    bones = [skeletons.frame(*frame) for frame in pool.patch_frames]
    labels = [part.entity.path for part in pool.parts for _ in range(len(part.mesh.vertices))]
    _declare_model(build, pool, bones, labels)
    _declare_state(build, pool, bones, labels)
    _declare_step(build, pool, labels)
    mechanism = FleshMechanism(load, skeletons, capacity)
    build.add_member("mechanisms", mechanism)
    for number, part in enumerate(pool.parts):
        homes = np.array([skeletons.bones[path] for path in pool.region_bone])
        surface = FleshSurface(part, mechanism, homes, capacity)
        build.add_member("surfaces", surface)
        _ignore_inside(build, surface, skeletons, set(homes[pool.region_of[part.vertices]].tolist()))
        _show(build, number, part)


def _declare_model(build: Build, pool: Pool, bones: list[int], labels: list[str]) -> None:
    for name, values, unit, doc in (
        ("rest", pool.rest, "m", "Places of the vertices at rest, in the frames of their bones."),
        ("mass", pool.mass, "kg", "Masses of the vertices."),
        ("vertex_stiffness", pool.vertex_stiffness, "N/m", "Springs to their places."),
        ("damping", pool.damping, "N s/m", "Resistance to motion against the bones."),
        ("edge_stiffness", pool.edge_stiffness, "N/m", "Springs between neighbours."),
        ("edge_length", find_edge_lengths(pool), "m", "Lengths of the edges to them, as made."),
        ("corner_normal", find_corner_normals(build, pool), "1", "Normals as made, in the corners' bones."),
    ):
        rows = labels if len(values) == pool.count else ()
        build.add_model(f"flesh.{name}", values, unit=unit, doc=doc, labels=rows)
    for name, numbers, doc in (
        ("patch_bone", np.array(bones), "Bone or follower of every patch."),
        ("patch_part", np.array(pool.patch_part), "Flesh of every patch."),
        ("patch_of", pool.patch_of, "Patch of every vertex."),
        ("hangs_on", np.array(bones)[pool.patch_of][:, None], "Bone or follower of every vertex."),
        ("region_of", pool.region_of, "Region of every vertex: the bone that it is counted to."),
        ("first", pool.first, "Where the neighbours of a vertex begin."),
        ("neighbour", pool.neighbour, "Neighbours of the vertices."),
        ("triangles", pool.triangles, "Corners of the triangles, counter-clockwise from outside."),
        ("state", pool.state, "Rigid, adaptive or soft."),
        ("rings", pool.rings, "Rings around a contact that are soft."),
    ):
        build.add_model(f"flesh.{name}", numbers, unit="1", doc=doc, dtype=np.int64)


def _declare_state(build: Build, pool: Pool, bones: list[int], labels: list[str]) -> None:
    count, regions, parts = pool.count, len(pool.region_bone), len(pool.parts)
    still, position, velocity = (np.zeros((count, 3)) for _ in range(3))
    place_vertices(
        Patches(patch_bone=np.array(bones), patch_of=pool.patch_of, mass=pool.mass, rest=pool.rest),
        BoneFrames(*(build.arrays[f"skeleton.{name}"] for name in BoneFrames._fields)),
        VertexMotion(x=pool.rest, v=still),
        PlacedVertices(position=position, velocity=velocity),
    )
    for name, values, unit, doc, record in (
        ("x", pool.rest, "m", "Places of the vertices in the frames of their bones.", False),
        ("v", still, "m/s", "Their velocities there.", False),
        ("position", position, "m", "Vertices in the world.", True),
        ("velocity", velocity, "m/s", "Their velocities in the world.", False),
        ("displacement", np.zeros(count), "m", "Distances of the vertices from their places.", True),
        ("force", np.zeros((count, 3)), "N", "Contact forces on the vertices, in the world.", True),
    ):
        build.add_state(f"flesh.{name}", values, unit=unit, doc=doc, labels=labels, record=record)
    build.add_state(
        "flesh.active", np.zeros(count), unit="1", doc="Which vertices move (1), and which creep (2).", dtype=np.int64,
        record=True, bounds=(0, 2),
    )  # fmt: skip
    build.add_state(
        "flesh.pressure", np.zeros((regions, 7)), unit="N, m, N", record=True,
        doc="Contact force on every region, its centre of pressure in the world, and the sum of normal forces.",
    )  # fmt: skip
    build.add_state(
        "flesh.surge", np.zeros((len(bones), 6)), unit="m/s^2, rad/s^2",
        doc="Accelerations of the bones in the last step, in their axes.",
    )  # fmt: skip
    build.add_state(
        "flesh.impact",
        np.zeros((parts, 3)),
        unit="1, m, s",
        doc="Stage of the first impact, height, duration.",
    )
    build.add_state("flesh.loss", np.zeros(parts), unit="J", doc="Energy given up by releases so far.")


def _declare_step(build: Build, pool: Pool, labels: list[str]) -> None:
    count, patches = pool.count, len(pool.patch_bone)
    build.add_step(
        "flesh.mask",
        (count,),
        unit="1",
        doc="Vertices that move (1) or creep (2) in this step.",
        dtype=np.int64,
    )
    for name, shape, unit, doc in (
        ("lag", (count,), "1", "Part of a change of the bone's velocity that a vertex is late by."),
        ("lag_moment", (count, 3), "m", "The same of the bone's spin, as a moment."),
        ("y", (count, 3), "m/s", "Velocities that the bones do not explain."),
        ("v_free", (count, 3), "m/s", "The same after the step, if nothing touched."),
        ("creep", (count, 3), "m/s", "Changes of the velocities of creeping vertices."),
        ("y_next", (count, 3), "m/s", "The same after the step."),
        ("impulse", (count, 3), "N s", "Planned impulses and J^T lambda."),
        ("twist", (patches, 6), "m/s, rad/s", "Velocity and spin of the bones, in their axes."),
        ("twist_next", (patches, 6), "m/s, rad/s", "The same with the new rates."),
        ("parting", (patches, 6), "N s, N m s", "Momentum that released vertices leave to their bones."),
        ("loss_now", (patches,), "J", "Energy that released vertices give up in this step."),
        ("observed", (len(pool.parts), COLUMNS), "SI", "Values of the metrics."),
        ("probed", (len(pool.parts), PROBED), "1", "Errors of the dynamics against the dense twin."),
    ):
        rows = labels if shape[0] == count else ()
        build.add_step(f"flesh.{name}", shape, unit=unit, doc=doc, labels=rows)
    for name, unit, doc in (
        ("plan", "N s", "Impulses that controllers planned."),
        ("applied", "N", "Generalised force of actuators on y."),
    ):
        build.add_step(f"flesh.{name}", (count, 3), unit=unit, doc=doc, accumulates=True)


def _ignore_inside(build: Build, surface: FleshSurface, skeletons: Skeletons, bones: set[int]) -> None:
    """Shapes of the bones within the flesh, and of those that are jointed to them, do not touch it."""
    table = skeletons.forest.bone
    near = set(bones)
    for bone, row in enumerate(table[: len(skeletons.bones)]):
        if row[PARENT] in bones:
            near.add(bone)
        if bone in bones and row[PARENT] >= 0:
            near.add(int(row[PARENT]))
    for bone in near:
        ignore_pair(build, (skeletons.name, bone), (surface.name, 0))


def _show(build: Build, number: int, part: Part) -> None:
    entity = part.entity
    columns = [("flesh.observed", (number, column)) for column in range(COLUMNS)]
    columns += [("flesh.probed", (number, column)) for column in range(PROBED)]
    names = [metric.name for metric in entity.components["flesh"].metrics]
    places = dict(zip(names, columns, strict=True))
    build.bind_metrics(entity, "flesh", places)
    for name, place in places.items():
        build.expose(entity.path, name, *place)
    extent = float(np.ptp(part.mesh.vertices, axis=0).min())
    build.draw(
        Drawing(
            f"{entity.path}.flesh", entity.path, "skin",
            Mesh("flesh.position", "flesh.triangles", part.triangles.start, part.triangles.stop), colour=SKIN,
            channel=Channel("flesh.displacement", 0.0, 0.03 * extent, "m", "displacement"),
            hangs=Hangs("skeleton", "flesh.hangs_on", "flesh.rest"),
        )
    )  # fmt: skip
