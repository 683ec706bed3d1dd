"""Random skeletons in flesh, with random states, for the tests of flesh."""

from __future__ import annotations

import json

import numpy as np

from supple_bones.forest import Follower
from supple_bones.layout import JOINTS
from supple_bones.sampling import sample_rotation
from supple_bones.tables import follow_coordinates
from supple_flesh.motion_kernels import place_vertices
from supple_flesh.shapes import make_box_surface
from supple_flesh.tables import BoneFrames, Patches, PlacedVertices, VertexMotion

#: Corners touch the plane; the balls touch faces, so that all corners of a triangle take part.
FLOOR = """
[[entity]]
name = "floor"
pose = {{ position = [0, {floor}, 0] }}
plane = {{}}
[[entity]]
name = "stone"
pose = {{ position = [0.1, 0.2, 0.05] }}
sphere = {{ radius = 0.12 }}
[[entity]]
name = "rock"
pose = {{ position = [-0.15, 0.1, 0.02] }}
sphere = {{ radius = 0.12 }}
"""


def _table(values: dict) -> str:
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in values.items())


def write_scene(
    rng, joints, cells=1, rings=1, state="adaptive", floor=None, step=0.003, extra="", **flesh
) -> str:
    """A chain (with a branch) of bones with these joints, in the flesh of one box that hangs on all of them."""
    vertices, triangles = make_box_surface((0.3, 0.2, 0.25), cells)
    vertices = (np.array(vertices) + rng.normal(size=(len(vertices), 3)) * 0.01).tolist()
    paths, entities = [], []
    for index, joint in enumerate(joints):
        parent = paths[index // 2] if index >= 2 else (paths[0] if index else "")
        path = f"{parent}/b{index}" if parent else "b0"
        paths.append(path)
        axis, angle = rng.normal(size=3), float(rng.uniform(-90, 90))
        moments = rng.uniform(0.001, 0.003, 3)
        bone = {
            "joint": joint, "axis": rng.normal(size=3).tolist(), "second_axis": rng.normal(size=3).tolist(),
            "mass": float(rng.uniform(0.3, 1.5)), "centre": (0.05 * rng.normal(size=3)).tolist(),
            "inertia": (moments.sum() - moments).tolist(),
        }  # fmt: skip
        pose = {"position": (0.05 * rng.normal(size=3)).tolist(), "axis": axis.tolist(), "angle": angle}
        entities.append(
            f'[[entity]]\nname = "man/{path}"\n[entity.pose]\n{_table(pose)}\n[entity.bone]\n{_table(bone)}\n'
        )
    table = {
        "vertices": vertices, "triangles": triangles, "bones": paths,
        "hangs_on": rng.integers(0, len(paths), len(vertices)).tolist(), "mass": 0.8, "stiffness": 900.0,
        "damping": 3.0, "state": state, "rings": rings, "anywhere": True, **flesh,
    }  # fmt: skip
    plane = "" if floor is None else FLOOR.format(floor=floor)
    return f"""
format = 1
[run]
step = {step}
duration = 1.0
gravity = [0.7, -9.81, 1.3]
{extra}
{plane}
[[entity]]
name = "man"
skeleton = {{}}
[entity.flesh]
{_table(table)}
{"".join(entities)}
"""


def hang_on_followers(build, entity, mesh, hangs_on, paths, width) -> list[Follower]:
    """In place of `hang_on_seams`: of hinges and universal joints, two vertices in three hang on followers.

    Those of ball joints have no tied joints in pinocchio that could be their peers.
    """
    frames = []
    for vertex, bone in enumerate(hangs_on):
        own = build.graph[paths[bone]]
        followed = own.components["bone"].joint in ("hinge", "universal") and own.parent in paths
        frames.append(Follower(paths[bone], (0.25, 0.75, 1.0)[vertex % 3] if followed else 1.0))
    return frames


def set_random_state(world, rng, joints, active=0.7, stretch=0.01, speed=1.0) -> None:
    """Random coordinates, rates, displacements and relative velocities; a part of the vertices is active."""
    arrays, q = world.arrays, []
    for joint in joints:
        count = JOINTS[joint].q_count
        q += (
            [0.05 * rng.normal(size=count - 4), sample_rotation(rng)]
            if count in (4, 7)
            else [(0.05 if joint in ("slider", "translation") else 1.0) * rng.normal(size=count)]
        )
    arrays["skeleton.q"][:] = np.concatenate(q)
    arrays["skeleton.v"][:] = speed * rng.normal(size=len(arrays["skeleton.v"]))
    moves = rng.random(len(arrays["flesh.mass"])) < active
    moves[0], moves[-1] = False, active > 0
    arrays["flesh.active"][:] = moves
    arrays["flesh.x"][:] = arrays["flesh.rest"] + stretch * moves[:, None] * rng.normal(size=(len(moves), 3))
    arrays["flesh.v"][:] = 0.5 * speed * moves[:, None] * rng.normal(size=(len(moves), 3))
    follow_bones(world)


def follow_bones(world) -> None:
    """Bones and vertices in the world as they follow from coordinates and places that a test has set."""
    arrays = world.arrays
    follow_coordinates(arrays, "skeleton")
    place_vertices(
        *(
            group(*(arrays[f"{owner}.{name}"] for name in group._fields))
            for group, owner in (
                (Patches, "flesh"), (BoneFrames, "skeleton"), (VertexMotion, "flesh"), (PlacedVertices, "flesh"),
            )
        )
    )  # fmt: skip
    arrays.roll_back()
