"""A rigged figure with a walking clip as a glTF file, by pygltflib: rig, weights, bind matrices, animation."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from supple.core.pose import multiply, rotate, turn

#: Name, parent, place in the world and turn of its axes, as bound.
JOINTS = (
    ("mixamorig:Hips", -1, (0.0, 0.9, 0.0), turn((0, 1, 0), 20.0)),
    ("mixamorig:Spine", 0, (0.0, 1.1, 0.0), turn((1, 0, 0), -30.0)),
    ("mixamorig:Head", 1, (0.0, 1.5, 0.0), turn((0, 0, 1), 10.0)),
    ("mixamorig:LeftUpLeg", 0, (0.1, 0.85, 0.0), turn((0, 0, 1), 180.0)),
    ("mixamorig:LeftLeg", 3, (0.1, 0.48, 0.0), turn((1, 0, 0), 170.0)),
    ("mixamorig:RightUpLeg", 0, (-0.1, 0.85, 0.0), turn((0, 0, 1), 180.0)),
    ("mixamorig:RightLeg", 5, (-0.1, 0.48, 0.0), turn((1, 0, 0), 170.0)),
    ("mixamorig:Toe_End", 6, (-0.1, 0.05, 0.0), turn((1, 0, 0), 0.0)),
)
#: Limbs: joints along them with heights at which each begins, x, radius, top and bottom.
LIMBS = (
    ((2, 1, 0), (1.5, 1.1), 0.0, 0.14, 1.75, 0.82),
    ((3, 4), (0.48,), 0.1, 0.07, 0.86, 0.03),
    ((5, 6), (0.48,), -0.1, 0.07, 0.86, 0.03),
)
SIDES, RINGS = 10, 12
DURATION, FRAMES, SPEED = 1.0, 25, 0.6


def make_mesh() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Closed tubes around the limbs, with weights that blend over 8 cm around the joints."""
    points, triangles, weights = [], [], []
    for joints, borders, x, radius, top, bottom in LIMBS:
        first = len(points)
        for ring in range(RINGS + 1):
            height = top + (bottom - top) * ring / RINGS
            for side in range(SIDES):
                angle = 2 * math.pi * side / SIDES
                points.append((x + radius * math.cos(angle), height, radius * math.sin(angle)))
        points += [(x, top, 0.0), (x, bottom, 0.0)]
        for _, height, _ in points[first:]:
            row = np.zeros(len(JOINTS))
            left = 1.0
            for joint, border in zip(joints, borders, strict=False):
                share = left * float(np.clip((height - border) / 0.08 + 0.5, 0.0, 1.0))
                row[joint] += share
                left -= share
            row[joints[-1]] += left
            weights.append(row)
        for ring in range(RINGS):
            for side in range(SIDES):
                a, b = first + ring * SIDES + side, first + ring * SIDES + (side + 1) % SIDES
                triangles += [(a, b, a + SIDES), (b, b + SIDES, a + SIDES)]
        cap, end = first + (RINGS + 1) * SIDES, first + RINGS * SIDES
        for side in range(SIDES):
            following = (side + 1) % SIDES
            triangles += [(cap, first + following, first + side), (cap + 1, end + side, end + following)]
    return np.array(points), np.array(triangles), np.array(weights)


def local_pose(joint: int) -> tuple[np.ndarray, np.ndarray]:
    _, parent, place, rotation = JOINTS[joint]
    if parent < 0:
        return np.array(place), rotation
    back = JOINTS[parent][3] * np.array([1, -1, -1, -1])
    return rotate(back, np.array(place) - np.array(JOINTS[parent][2])), multiply(back, rotation)


def swing(joint: int, time: float) -> np.ndarray:
    """Turn of a joint about the world's axes against the bound pose, before its own parents turn it."""
    phase = 2 * math.pi * time / DURATION
    angle = {
        3: 25 * math.sin(phase),
        5: -25 * math.sin(phase),
        1: 5 * math.sin(2 * phase),
        0: 4 * math.sin(phase),
    }
    knee = {4: 30 * (1 - math.cos(phase)) / 2, 6: 30 * (1 + math.cos(phase)) / 2}
    axis = (0.0, 1.0, 0.0) if joint == 0 else (1.0, 0.0, 0.0)
    return turn(axis, {**angle, **knee}.get(joint, 0.0))


def local_at(joint: int, time: float) -> tuple[np.ndarray, np.ndarray]:
    """Translation and rotation of a node in the clip."""
    place, _ = local_pose(joint)
    own, parent = JOINTS[joint][3], JOINTS[joint][1]
    back = JOINTS[parent][3] * np.array([1, -1, -1, -1]) if parent >= 0 else np.array([1.0, 0, 0, 0])
    turned = multiply(multiply(back, swing(joint, time)), own)
    if parent < 0:
        place = place + np.array([0.0, 0.02 * math.cos(4 * math.pi * time / DURATION), SPEED * time])
    return place, turned


def world_at(joint: int, time: float) -> tuple[np.ndarray, np.ndarray]:
    place, rotation = local_at(joint, time)
    parent = JOINTS[joint][1]
    if parent < 0:
        return place, rotation
    outer = world_at(parent, time)
    return outer[0] + rotate(outer[1], place), multiply(outer[1], rotation)


def skinned_at(time: float) -> np.ndarray:
    """Vertices of the figure in the world by linear blending, from the definition."""
    points, _, weights = make_mesh()
    moved = np.zeros_like(points)
    for joint, (_, _, place, rotation) in enumerate(JOINTS):
        now = world_at(joint, time)
        back = rotation * np.array([1, -1, -1, -1])
        seen = now[0] + rotate(now[1], rotate(back, points - np.array(place)))
        moved += weights[:, joint : joint + 1] * seen
    return moved


def write_walker(file: Path, unit: float = 1.0, with_clip: bool = True) -> Path:
    """The figure below an armature node of the scale `unit`, as Blender and Mixamo write it."""
    import pygltflib as gl

    points, triangles, weights = make_mesh()
    gltf, blob = gl.GLTF2(), b""

    def add(values: np.ndarray, kind: int, shape: str) -> int:
        nonlocal blob
        dtype = {gl.FLOAT: "<f4", gl.UNSIGNED_SHORT: "<u2", gl.UNSIGNED_INT: "<u4"}[kind]
        raw = np.ascontiguousarray(values, dtype).tobytes()
        gltf.bufferViews.append(gl.BufferView(buffer=0, byteOffset=len(blob), byteLength=len(raw)))
        gltf.accessors.append(
            gl.Accessor(
                bufferView=len(gltf.bufferViews) - 1, componentType=kind, count=len(values), type=shape
            )
        )
        blob += raw + b"\0" * (-len(raw) % 4)
        return len(gltf.accessors) - 1

    order = np.argsort(-weights, axis=1, kind="stable")[:, :4]
    shares = np.take_along_axis(weights, order, axis=1)
    attributes = gl.Attributes(
        POSITION=add(points / unit, gl.FLOAT, "VEC3"),
        JOINTS_0=add(order, gl.UNSIGNED_SHORT, "VEC4"),
        WEIGHTS_0=add(shares, gl.FLOAT, "VEC4"),
    )
    indices = add(triangles.reshape(-1, 1), gl.UNSIGNED_INT, "SCALAR")
    gltf.meshes = [gl.Mesh(primitives=[gl.Primitive(attributes=attributes, indices=indices)])]
    count = len(JOINTS)
    gltf.nodes = [gl.Node(name="Armature", scale=[unit] * 3, children=[1, count + 1])]
    for joint, (name, _, _, _) in enumerate(JOINTS):
        place, (w, x, y, z) = local_pose(joint)
        children = [1 + other for other, (_, parent, _, _) in enumerate(JOINTS) if parent == joint]
        node = gl.Node(
            name=name, translation=(place / unit).tolist(), rotation=[x, y, z, w], children=children
        )
        gltf.nodes.append(node)
    gltf.nodes.append(gl.Node(name="Body", mesh=0, skin=0))
    gltf.scenes, gltf.scene = [gl.Scene(nodes=[0])], 0
    inverse = []
    for _, _, place, rotation in JOINTS:
        matrix = np.eye(4)
        matrix[:3, :3] = np.array([rotate(rotation, axis) for axis in np.eye(3)]).T
        matrix[:3, 3] = np.array(place) / unit
        inverse.append(np.linalg.inv(matrix).T.reshape(-1))
    joints = list(range(1, count + 1))
    gltf.skins = [gl.Skin(joints=joints, inverseBindMatrices=add(np.array(inverse), gl.FLOAT, "MAT4"))]
    if with_clip:
        times = DURATION * np.arange(FRAMES) / (FRAMES - 1)
        clock, animation = add(times[:, None], gl.FLOAT, "SCALAR"), gl.Animation(name="walk")
        for joint in range(count):
            frames = [local_at(joint, time) for time in times]
            tracks = {"rotation": (np.array([turned[[1, 2, 3, 0]] for _, turned in frames]), "VEC4")}
            if joint == 0:
                tracks["translation"] = (np.array([place for place, _ in frames]) / unit, "VEC3")
            for path, (values, shape) in tracks.items():
                sampler = gl.AnimationSampler(
                    input=clock, output=add(values, gl.FLOAT, shape), interpolation="LINEAR"
                )
                target = gl.AnimationChannelTarget(node=joint + 1, path=path)
                animation.channels.append(gl.AnimationChannel(sampler=len(animation.samplers), target=target))
                animation.samplers.append(sampler)
        gltf.animations = [animation]
    gltf.buffers = [gl.Buffer(byteLength=len(blob))]
    gltf.set_binary_blob(blob)
    gltf.save_binary(str(file))
    return file
