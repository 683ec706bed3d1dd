"""Motions in scenes: what is refused and how, and what a motion becomes."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from supple.core.pose import multiply, rotate, turn
from supple.errors import UserError
from supple.plugin import load_plugins
from supple.scene.load import read_scene
from supple.testing import audit_step
from supple_bones.layout import BONE
from supple_motion.bvh import parse_bvh

HEAD = """format = 1
[run]
step = 0.01
duration = 2.0
[[entity]]
name = "man"
pose = { position = [0, 2, 1], axis = [0, 1, 0], angle = 90 }
skeleton = {}
MOTION
[[entity]]
name = "man/pelvis"
pose = { position = [0, 0.1, 0], axis = [1, 0, 0], angle = 30 }
bone = { joint = "free" }
sphere = { radius = 0.1 }
[[entity]]
name = "man/pelvis/spine"
pose = { position = [0, 0.3, 0], axis = [0, 0, 1], angle = 40 }
bone = { joint = "ball", start = [0.8, 0.6, 0, 0] }
sphere = { radius = 0.1 }
[[entity]]
name = "man/pelvis/spine/arm"
pose = { position = [0, 0.3, 0] }
bone = { joint = "universal", axis = [1, 0, 0], second_axis = [0, 0, 1] }
sphere = { radius = 0.1 }
[[entity]]
name = "man/pelvis/spine/arm/hand"
pose = { position = [0, 0.3, 0] }
bone = { joint = "hinge", axis = [0, 0, 1], start = [15] }
sphere = { radius = 0.1 }
[[entity]]
name = "man/pelvis/spine/arm/hand/finger"
pose = { position = [0, 0.3, 0] }
bone = { joint = "fixed" }
sphere = { radius = 0.1 }
"""
CLIP = """HIERARCHY
ROOT pelvis
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT spine
  {
    OFFSET 0 30 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    JOINT arm
    {
      OFFSET 0 30 0
      CHANNELS 3 Xrotation Zrotation Yrotation
      End Site
      {
        OFFSET 0 30 0
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.5
10 20 30 0 0 0 0 0 0 0 0 0
10 20 50 20 0 0 30 40 50 0 0 0
"""


def scene(motion: str) -> str:
    return HEAD.replace("MOTION", f"motion = {{ {motion} }}" if motion else "")


def keys(*poses: str) -> str:
    return ", ".join(f"{{ at = {number}, pose = {{ {pose} }} }}\n" for number, pose in enumerate(poses))


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        ("", None),
        ("keys = []", ["man.motion", "either keys or a file"]),
        (f"keys = [{keys('pelvs = 1')}]", [":9", "keys[0].pose.pelvs", "Did you mean 'pelvis'"]),
        (f"keys = [{keys('pelvis = {angle = 1}', 'hand = 1')}]", [":10", "keys[1].pose.hand", "no bone"]),
        (f"keys = [{keys('pelvis/spine = 3')}]".replace("pelvis/spine", '"pelvis/spine"'), ["no such number"]),
        (f"keys = [{keys('pelvis = [1, 2, 3]')}]", ["list of 3 numbers", "quaternion"]),
        (f"keys = [{keys('pelvis = { angle = 1, rotation = [1, 0, 0, 0] }')}]", ["both an angle and"]),
        (f"keys = [{keys('pelvis = { axis = [0, 0, 0], angle = 1 }')}]", ["must not be zero"]),
        (f"keys = [{keys('pelvis = { rotation = [0, 0, 0, 0] }')}]", ["rotation is zero"]),
        (f"keys = [{keys('pelvis = {}')}]", ["says nothing"]),
        (f"keys = [{keys('pelvis = { turn = 3 }')}]", ["turn", "unknown key"]),
        (f"keys = [{keys('pelvis = true')}]", ["keys[0].pose.pelvis", "must be a number or"]),
        (f"keys = [{keys('Q = { position = [0, 0, 0] }')}]".replace("Q", '"pelvis/spine"'), ["no position"]),
        (f"keys = [{keys('Q = 3')}]".replace("Q", '"pelvis/spine/arm"'), ["has 1 numbers", "2 numbers [deg]"]),
        (f"keys = [{keys('Q = { angle = 3 }')}]".replace("Q", '"pelvis/spine/arm"'), ["no axis and angle"]),
        (f"keys = [{keys('Q = 3')}]".replace("Q", '"pelvis/spine/arm/hand/finger"'), ["is fixed"]),
        ("keys = [{ at = 1, pose = { pelvis = { angle = 1 } } }, { at = 1, pose = { pelvis = { angle = 1 } } }]",
         ["keys[1] at 1 s is not later"]),
        (f"loop = true, keys = [{keys('pelvis = { angle = 1 }')}]", ["one key makes no loop"]),
        (f"loop = true, keys = [{keys('pelvis = { angle = 1 }', 'pelvis = { angle = 2 }')}]",
         ["the loop jumps: pelvis"]),
        ('file = "walk.bvh"', ["man.motion.file", "no file 'walk.bvh'", "Did you mean 'talk.bvh'"]),
        ('file = "../talk.bvh"', ["outside the scene's folder"]),
        ('map = { a = "b" }, keys = [{ at = 0, pose = { pelvis = { angle = 1 } } }]', ["there is none"]),
        ('file = "talk.bvh", map = { torso = "pelvis" }', ["man.motion.map", "no joint 'torso'", "pelvis, spine"]),
        ('file = "talk.bvh", map = { arm = "pelvis/arm" }', ["no bone 'pelvis/arm'", "pelvis/spine/arm"]),
        ('file = "talk.bvh", map = { arm = "pelvis" }', ["both 'arm' and 'pelvis' move pelvis"]),
        ('file = "talk.bvh", map = { arm = "", pelvis = "", spine = "" }', ["no joint of the file"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(load_text, tmp_path: Path, motion, words) -> None:
    (tmp_path / "talk.bvh").write_text(CLIP)
    if words is None:
        load_text(scene(motion))
        return
    with pytest.raises(UserError) as caught:
        load_text(scene(motion))
    lines = str(caught.value).splitlines()
    assert any(all(word in line for word in words) for line in lines), lines
    assert all("scene.toml:" in line for line in lines)


def test_a_joint_is_left_out_on_purpose(load_text, tmp_path) -> None:
    (tmp_path / "talk.bvh").write_text(CLIP.replace("JOINT arm", "JOINT tail"))
    world = load_text(scene('file = "talk.bvh", scale = 0.01, map = { tail = "" }'))
    world.step()
    bones = world.build.arrays.specs["skeleton.bone"].labels
    moved = {
        bones[world.array("skeleton.dof")[rate, BONE]]
        for rate in np.flatnonzero(world.array("skeleton.tracked"))
    }
    assert moved == {"man/pelvis", "man/pelvis/spine"}


def test_check_reads_the_file(tmp_path) -> None:
    (tmp_path / "scene.toml").write_text(scene('file = "talk.bvh"'))
    (tmp_path / "talk.bvh").write_text(CLIP.replace("10 20 50 20 0", "10 20 50 20"))
    (problem,) = read_scene(tmp_path / "scene.toml", load_plugins()).check_files()
    assert "talk.bvh:25: man.motion.file: frame 2 has 11 numbers" in str(problem)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("HIERARCHY", "HIERARCHIE", 1, "begin with HIERARCHY"),
        ("ROOT pelvis", "JOINT pelvis", 2, "where ROOT should"),
        ("JOINT spine", "JOINT pelvis", 6, "two joints called 'pelvis'"),
        ("JOINT spine", "JOINT spines", 6, "'spines' is called like no bone, or like several; map it to a bone"),
        ("JOINT spine\n  {", "JOINT spine {\n", 8, "where { should"),
        ("OFFSET 0 30 0\n    CHANNELS", "OFFSET 0 30\n    CHANNELS", 8, "OFFSET x y z"),
        ("Zrotation Yrotation Xrotation", "Zrotation Yrotation", 9, "promises 3 and names 2"),
        ("Zrotation Yrotation Xrotation", "Zrotation Yrotation Zrotation", 9, "named twice"),
        ("Zrotation Yrotation Xrotation", "Zrotation Yrotation Xspin", 9, "unknown channel 'Xspin'; choose from"),
        ("CHANNELS 3 Xrotation", "CHANNELS three Xrotation", 13, "CHANNELS with their number"),
        ("End Site", "Site", 14, "'Site' is not known here"),
        ("MOTION", "MOTIONS", 21, "where MOTION should"),
        ("Frames: 2", "Frames: two", 22, "Frames: with their number"),
        ("Frames: 2", "Frames: 0", 22, "no frames"),
        ("Frames: 2", "Frames: 3", 25, "promises 3 frames and has 2"),
        ("Frames: 2", "Frames: 1", 25, "follows the last of 1 frames"),
        ("Frame Time: 0.5", "Frame Time: -1", 23, "frame time of -1 s"),
        ("10 20 50 20 0", "10 20 50 20", 25, "frame 2 has 11 numbers; the hierarchy has 12 channels"),
        ("10 20 50", "10 2O 50", 25, "'2O' is not a finite number"),
        ("10 20 50", "10 nan 50", 25, "'nan' is not a finite number"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_its_line(load_text, tmp_path, old, new, line, words) -> None:
    assert CLIP.count(old) >= 1
    (tmp_path / "talk.bvh").write_text(CLIP.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        load_text(scene('file = "talk.bvh"'))
    (message,) = str(caught.value).splitlines()
    assert f"talk.bvh:{line}: man.motion.file: " in message
    assert words in message


def test_joints_interpolate_between_the_keys_that_name_them(load_text) -> None:
    """The arm is named at 0 s and 2 s only; the hand has one key; the spine none."""
    arm, hand = '"pelvis/spine/arm"', '"pelvis/spine/arm/hand"'
    motion = keys(f"{arm} = [0, 40]", f"{hand} = 50", f"{arm} = [20, 0]")
    world = load_text(scene(f'interpolation = "linear", keys = [{motion}]'))
    world.step(50)
    target, now = world.array("skeleton.target"), world.array("skeleton.target_now")
    np.testing.assert_allclose(np.degrees(target[11:14]), [5.0, 30.0, 50.0], atol=1e-12)
    np.testing.assert_allclose(np.degrees(now[11:13]), [4.9, 30.2], atol=1e-12)
    np.testing.assert_allclose(target[7:11], [0.8, 0.6, 0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(np.degrees(world.array("skeleton.target_rate")[9:12]), [10, -20, 0], atol=1e-9)
    np.testing.assert_array_equal(world.array("skeleton.tracked"), [0] * 9 + [1, 1, 1])


def test_the_target_of_a_step_is_where_the_next_one_starts(load_text) -> None:
    motion = keys(
        "pelvis = { position = [0, 0, 0], angle = 0 }", "pelvis = { position = [1, 2, 3], angle = 90 }"
    )
    world = load_text(scene(f"speed = 1.7, keys = [{motion}]"))
    for _ in range(40):
        world.step()
        before = world.array("skeleton.target").copy()
        world.step()
        np.testing.assert_array_equal(world.array("skeleton.target_now"), before)
    audit_step(world)


def test_rates_are_the_derivative_to_first_order(load_text) -> None:
    """Against the derivative of the polynomial in the middle of the step the error is of second order."""
    motion = keys('"pelvis/spine/arm/hand" = 0', '"pelvis/spine/arm/hand" = 90')
    errors = []
    for step, count in ((0.01, 31), (0.005, 61)):
        world = load_text(scene(f"keys = [{motion}]").replace("step = 0.01", f"step = {step}"))
        world.step(count)
        u = (count - 0.5) * step
        exact = math.radians(90) * 30 * u**2 * (1 - u) ** 2
        errors.append(abs(world.array("skeleton.target_rate")[11] - exact))
    assert errors[0] < 0.01
    assert errors[1] < errors[0] / 3.5


def test_a_free_bone_is_placed_as_its_pose_would_place_it(load_text) -> None:
    motion = keys("pelvis = { position = [0, 0.1, 0], axis = [1, 0, 0], angle = 30 }")
    world = load_text(scene(f"keys = [{motion}]"))
    start = world.array("skeleton.q").copy()
    world.step()
    np.testing.assert_allclose(world.array("skeleton.target"), start, atol=1e-15)


def euler(*turns: tuple[str, float]) -> np.ndarray:
    """Turns about coordinate axes, multiplied in the order given."""
    turned = np.array([1.0, 0.0, 0.0, 0.0])
    for axis, angle in turns:
        turned = multiply(turned, turn(tuple(float(axis == each) for each in "XYZ"), angle))
    return turned


def test_a_file_turns_bones_as_its_own_joints(load_text, tmp_path) -> None:
    """The bones turn in the world, from their neutral poses, as the joints of the file turn in theirs."""
    (tmp_path / "talk.bvh").write_text(CLIP)
    world = load_text(scene('file = "talk.bvh", scale = 0.01, interpolation = "linear"'))
    world.step(50)
    target = world.array("skeleton.target")
    place = turn((0, 1, 0), 90)
    np.testing.assert_allclose(
        target[:3], np.add([0, 2, 1], rotate(place, np.array([0.1, 0.2, 0.5]))), atol=1e-14
    )
    pelvis = euler(("Z", 20), ("X", 0), ("Y", 0))
    neutral = multiply(place, turn((1, 0, 0), 30))
    in_world = multiply(multiply(place, pelvis), np.array([place[0], *-place[1:]]))
    assert abs(multiply(in_world, neutral) @ target[3:7]) == pytest.approx(1.0, abs=1e-14)
    spine = euler(("Z", 30), ("Y", 40), ("X", 50))
    neutral_spine = multiply(neutral, turn((0, 0, 1), 40))
    back = np.array([neutral_spine[0], *-neutral_spine[1:]])
    turned = multiply(multiply(place, spine), np.array([place[0], *-place[1:]]))
    expected = multiply(multiply(back, turned), neutral_spine)
    assert abs(expected @ target[7:11]) == pytest.approx(1.0, abs=1e-14)
    assert world.metrics()["man.misfit"] == pytest.approx(0.0, abs=1e-7)


def find_misfit(world) -> float:
    world.step()
    return world.metrics()["man.misfit"]


def test_what_a_joint_cannot_follow_is_reported(load_text, tmp_path) -> None:
    """The hand is a hinge about z, and in the neutral pose z of the hand is not z of the file."""
    text = CLIP.replace("JOINT arm", "JOINT hand").replace("50 0 0 0\n", "50 0 25 0\n")
    (tmp_path / "talk.bvh").write_text(text)
    flat = (
        scene('file = "talk.bvh", scale = 0.01')
        .replace("angle = 30", "angle = 0")
        .replace("angle = 40", "angle = 0")
    )
    flat = flat.replace("angle = 90", "angle = 0")
    assert find_misfit(load_text(flat)) == pytest.approx(0.0, abs=1e-7)
    crossed = flat.replace(
        'bone = { joint = "hinge", axis = [0, 0, 1]', 'bone = { joint = "hinge", axis = [1, 0, 0]'
    )
    assert find_misfit(load_text(crossed)) == pytest.approx(math.radians(25), abs=1e-7)


def test_a_looped_file_leads_back_to_its_first_frame(load_text, tmp_path) -> None:
    (tmp_path / "talk.bvh").write_text(CLIP)
    world = load_text(scene('file = "talk.bvh", scale = 0.01, interpolation = "linear", loop = true'))
    heights = []
    for _ in range(200):
        world.step()
        heights.append(world.array("skeleton.target")[0] - 0.0)
    np.testing.assert_allclose(heights[:100], heights[100:], atol=1e-13)
    np.testing.assert_allclose(heights[24], heights[74], atol=1e-13)


def test_channels_are_read_in_any_order() -> None:
    clip = parse_bvh(CLIP, "talk.bvh")
    turned = clip.rotations(clip.joints[1])[1]
    np.testing.assert_allclose(turned, euler(("Z", 30), ("Y", 40), ("X", 50)), atol=1e-15)
    np.testing.assert_array_equal(clip.positions(clip.joints[0])[1], [10, 20, 50])
    np.testing.assert_array_equal(clip.positions(clip.joints[1])[1], [0, 30, 0])


def test_all_unclear_joints_come_with_a_map_that_works(tmp_path) -> None:
    folder = Path(__file__).resolve().parents[2] / "scenes" / "tracking"
    (tmp_path / "sway.bvh").write_bytes((folder / "sway.bvh").read_bytes())
    text = (folder / "sway.toml").read_text()
    authored = re.search(r", map = (\{.*?\})", text)
    assert authored is not None
    file = tmp_path / "sway.toml"
    file.write_text(text.replace(authored[0], ""))
    (problem,) = read_scene(file, load_plugins()).check_builds()
    proposed = re.search(r"map = (\{.*?\})", problem.remedy)
    assert proposed is not None
    assert proposed[1] == authored[1]
    file.write_text(text.replace(authored[1], proposed[1]))
    assert read_scene(file, load_plugins()).check_builds() == []
