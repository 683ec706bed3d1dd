"""Motions of other people's files: usual names, AMASS, units, a root that is driven; meshes of other formats."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.core.pose import multiply, rotate, turn
from supple.errors import UserError
from supple_motion.sampled import SMPL, read_amass
from supple_motion.usual_names import find_usual

CMU = [
    *(
        "Hips",
        "LHipJoint",
        "LeftUpLeg",
        "LeftLeg",
        "LeftFoot",
        "LeftToeBase",
        "RHipJoint",
        "RightUpLeg",
        "RightLeg",
    ),
    *(
        "RightFoot",
        "RightToeBase",
        "LowerBack",
        "Spine",
        "Spine1",
        "Neck",
        "Neck1",
        "Head",
        "LeftShoulder",
        "LeftArm",
    ),
    *(
        "LeftForeArm",
        "LeftHand",
        "LeftFingerBase",
        "LThumb",
        "RightShoulder",
        "RightArm",
        "RightForeArm",
        "RightHand",
    ),
]
MIXAMO = [
    f"mixamorig:{name}"
    for name in (
        *("Hips", "Spine", "Spine1", "Spine2", "Neck", "Head", "HeadTop_End", "LeftShoulder", "LeftArm"),
        *(
            "LeftForeArm",
            "LeftHand",
            "LeftHandThumb1",
            "RightShoulder",
            "RightArm",
            "RightForeArm",
            "RightHand",
        ),
        *(
            "LeftUpLeg",
            "LeftLeg",
            "LeftFoot",
            "LeftToeBase",
            "LeftToe_End",
            "RightUpLeg",
            "RightLeg",
            "RightFoot",
        ),
        "RightToeBase",
    )
]
FIGURE = """format = 1
[run]
step = 0.01
duration = 0.5
gravity = [0, 0, 0]
[[entity]]
name = "man"
figure = {{ covering = "skin", vertices = 200 }}
[set]
"man/bones.motion" = {{ {motion} }}
"""


def bones_of_figure() -> list[str]:
    from supple_characters.body_plan import plan_figure
    from supple_characters.plan import Joint

    return [bone.path for bone in plan_figure(Joint("free")).bones]


@pytest.mark.parametrize("names", [CMU, MIXAMO, [name for name, _ in SMPL]], ids=["cmu", "mixamo", "smpl"])
def test_usual_names_move_all_of_a_figure(names: list[str]) -> None:
    told = find_usual(names, bones_of_figure())
    assert set(told) == set(names)
    moved = {path.rpartition("/")[2] for path in told.values() if path}
    paired = ("thigh", "shank", "foot", "toes", "upper_arm", "forearm", "hand")
    sides = [f"{side}_{bone}" for side in ("left", "right") for bone in paired]
    assert moved == {"pelvis", "abdomen", "chest", "neck", "head", *sides}
    assert len([path for path in told.values() if path]) == len(moved)
    left = next(name for name in names if name.lower().endswith(("leftleg", "left_knee")))
    assert told[left].endswith("left_shank")


def write_bvh(file: Path, unit: float, frames: int = 3) -> None:
    """Hips that go along z and a knee that bends, with a joint that no figure has."""
    lines = [
        "HIERARCHY", "ROOT Hips", "{", f"OFFSET 0 {0.92 / unit} 0",
        "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation",
        "JOINT LHipJoint", "{", "OFFSET 0 0 0", "CHANNELS 3 Zrotation Xrotation Yrotation",
        "JOINT LeftUpLeg", "{", f"OFFSET {0.09 / unit} 0 0", "CHANNELS 3 Zrotation Xrotation Yrotation",
        "JOINT LeftLeg", "{", f"OFFSET 0 {-0.42 / unit} 0", "CHANNELS 3 Zrotation Xrotation Yrotation",
        "End Site", "{", f"OFFSET 0 {-0.45 / unit} 0", "}", "}", "}", "}", "}",
        "MOTION", f"Frames: {frames}", "Frame Time: 0.1",
    ]  # fmt: skip
    for frame in range(frames):
        lines.append(f"0 {0.9 / unit} {0.1 * frame / unit} 0 0 {10 * frame} 0 0 0 0 0 0 0 {20 * frame} 0")
    file.write_text("\n".join(lines) + "\n")


def load(folder: Path, motion: str):
    (folder / "scene.toml").write_text(FIGURE.format(motion=motion))
    return supple.load(folder / "scene.toml")


def test_usual_names_and_centimetres(tmp_path: Path) -> None:
    write_bvh(tmp_path / "walk.bvh", 0.01)
    with pytest.raises(UserError, match=r"centimetres; give scale = 0.01") as caught:
        load(tmp_path, 'file = "walk.bvh", usual_names = true')
    assert len(str(caught.value).splitlines()) == 1
    world = load(tmp_path, 'file = "walk.bvh", usual_names = true, scale = 0.01')
    world.step(10)
    np.testing.assert_allclose(world["man/bones/pelvis"].position, [0, 0.9, 0.1], atol=1e-9)
    knee = world["man/bones/pelvis/left_thigh/left_shank"].position
    expected = np.array([0, 0.9, 0.1]) + rotate(turn((0, 1, 0), 10.0), np.array([0.09, 0.502 - 0.9242, 0.0]))
    np.testing.assert_allclose(knee, expected, atol=1e-9)


def test_root_goes_on_from_its_start(tmp_path: Path) -> None:
    write_bvh(tmp_path / "walk.bvh", 1.0)
    world = load(tmp_path, 'file = "walk.bvh", usual_names = true, root = "from_start"')
    start = world["man/bones/pelvis"].position.copy()
    world.step(20)
    np.testing.assert_allclose(world["man/bones/pelvis"].position, start + np.array([0, 0, 0.2]), atol=1e-9)


def test_driven_root_follows_by_a_translation_bone(tmp_path: Path) -> None:
    """A skeleton moves by forces; its root hangs on a translation bone that goes where the file's root goes."""
    write_bvh(tmp_path / "walk.bvh", 1.0, frames=6)
    (tmp_path / "scene.toml").write_text("""format = 1
[run]
step = 0.005
duration = 0.5
[[entity]]
name = "man"
pose = { position = [1, 0, 0] }
skeleton = {}
motion = { file = "walk.bvh", map = { "Hips" = "place/pelvis", "LHipJoint" = "", "LeftUpLeg" = "", "LeftLeg" = "" } }
pose_tracking = { stiffness = 1e5, damping = 1e3, gravity = true }
[[entity]]
name = "man/place"
pose = { position = [0, 0.7, 0] }
bone = { joint = "translation", start = [0, 0.2, 0] }
[[entity]]
name = "man/place/pelvis"
bone = { joint = "ball", mass = 10, inertia = [0.1, 0.1, 0.1] }
""")
    world = supple.load(tmp_path / "scene.toml")
    world.step(80)
    np.testing.assert_allclose(world["man/place/pelvis"].position, [1, 0.9, 0.4], atol=2e-3)
    rotation = world["man/place/pelvis"].rotation
    assert abs(rotation @ turn((0, 1, 0), 40.0)) > math.cos(math.radians(0.5))


def write_amass(file: Path, rng: np.random.Generator, frames: int = 4) -> tuple[np.ndarray, np.ndarray]:
    poses, trans = rng.normal(scale=0.4, size=(frames, 156)), rng.normal(size=(frames, 3))
    np.savez(
        file, poses=poses, trans=trans, mocap_framerate=np.array(10.0), betas=np.zeros(16), gender="neutral"
    )
    return poses, trans


def test_amass_turns_joints_by_rotation_vectors(tmp_path: Path) -> None:
    """World rotations, composed along the tree from the definition, in a y-up world."""
    poses, trans = write_amass(tmp_path / "a.npz", np.random.default_rng(1))
    clip = read_amass(tmp_path / "a.npz", "")
    upright = turn((1, 0, 0), -90.0)
    for frame in range(len(poses)):
        theirs, ours = [], []
        for number, (_, parent) in enumerate(SMPL):
            vector = poses[frame, 3 * number : 3 * number + 3]
            own = turn(tuple(vector), math.degrees(float(np.linalg.norm(vector))))
            theirs.append(multiply(theirs[parent] if parent >= 0 else upright, own))
            local = clip.rotations(clip.joints[number])[frame]
            ours.append(multiply(ours[parent], local) if parent >= 0 else local)
        likeness = np.abs(np.einsum("ij,ij->i", np.array(theirs), np.array(ours)))
        np.testing.assert_allclose(likeness, 1.0, atol=1e-12)
        x, y, z = trans[frame]
        np.testing.assert_allclose(clip.positions(clip.joints[0])[frame], [x, z, -y], atol=1e-12)


def test_amass_moves_a_figure(tmp_path: Path) -> None:
    write_amass(tmp_path / "a.npz", np.random.default_rng(2))
    world = load(tmp_path, 'file = "a.npz", usual_names = true, root = "from_start"')
    world.step(15)
    assert np.abs(world.array("ghost.q")).max() > 0.1


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04rubbish", b"\x93NUMPY"])
def test_bad_archive_gets_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(UserError) as caught:
        load(tmp_path, 'file = "a.npz", usual_names = true')
    assert len(str(caught.value).splitlines()) == 1


def test_archive_of_something_else_gets_one_line(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", weights=np.zeros(3))
    with pytest.raises(UserError, match="nothing of poses, trans and mocap_framerate"):
        load(tmp_path, 'file = "a.npz", usual_names = true')


MESH = """format = 1
[run]
step = 0.01
duration = 0.1
[[entity]]
name = "it"
mesh = {{ file = "{}" }}
body = {{}}
"""


@pytest.mark.parametrize("suffix", ["ply", "glb", "off", "stl", "obj"])
def test_meshes_of_other_formats_are_the_same_body(suffix: str, tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh", reason="the extra supple[mesh] is not installed")
    box = trimesh.creation.box(extents=(0.2, 0.3, 0.5))
    box.export(tmp_path / f"box.{suffix}")
    (tmp_path / "scene.toml").write_text(MESH.format(f"box.{suffix}"))
    world = supple.load(tmp_path / "scene.toml")
    assert world["it"].mass == pytest.approx(30.0, rel=1e-6)


def test_large_obj_is_read_the_same_by_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimesh = pytest.importorskip("trimesh", reason="the extra supple[mesh] is not installed")
    from supple_collide import mesh_files

    trimesh.creation.icosphere(subdivisions=3).export(tmp_path / "ball.obj")
    own = mesh_files.read_triangles(tmp_path / "ball.obj", "")
    monkeypatch.setattr(mesh_files, "LARGE", 10)
    other = mesh_files.read_triangles(tmp_path / "ball.obj", "again")
    np.testing.assert_allclose(own.vertices[own.triangles], other.vertices[other.triangles], atol=1e-9)


def test_broken_ply_gets_one_line(tmp_path: Path) -> None:
    pytest.importorskip("trimesh", reason="the extra supple[mesh] is not installed")
    (tmp_path / "box.ply").write_bytes(b"ply\nformat ascii 1.0\nelement vertex 3\n")
    (tmp_path / "scene.toml").write_text(MESH.format("box.ply"))
    with pytest.raises(UserError) as caught:
        supple.load(tmp_path / "scene.toml")
    assert len(str(caught.value).splitlines()) == 1
