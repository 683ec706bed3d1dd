"""Skin over a joint: which share of its angles vertices turn by, and what bending does to the skin."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

RADIUS, LENGTH = 0.01, 0.1


def make_tube(rings: int, around: int) -> tuple[np.ndarray, list[list[int]]]:
    """A closed tube along y from 0 to LENGTH with two points at its ends."""
    angles = 2 * math.pi * np.arange(around) / around
    heights = np.linspace(0.0, LENGTH, rings)
    points = [[RADIUS * math.cos(a), y, RADIUS * math.sin(a)] for y in heights for a in angles]
    triangles = []
    for ring in range(rings - 1):
        for k in range(around):
            a, b = ring * around + k, ring * around + (k + 1) % around
            triangles += [[a, a + around, b], [b, a + around, b + around]]
    low, high = len(points), len(points) + 1
    last = (rings - 1) * around
    for k in range(around):
        triangles += [[low, k, (k + 1) % around], [high, last + (k + 1) % around, last + k]]
    return np.array([*points, [0, 0, 0], [0, LENGTH, 0]]), triangles


def write(angle=0.0, seam=1.5, rings=41, around=12, joint="hinge", state="rigid") -> str:
    points, triangles = make_tube(rings, around)
    bone = "mass = 0.02, centre = [0, 0.025, 0], inertia = [1e-5, 1e-5, 1e-5]"
    start = f"start = [{angle}]" if joint == "hinge" else f"start = [{angle}, 0]"
    return f"""
format = 1
[run]
step = 0.001
duration = 0.01
[[entity]]
name = "limb"
skeleton = {{}}
[entity.flesh]
vertices = {json.dumps(points.tolist())}
triangles = {json.dumps(triangles)}
mass = 0.01
stiffness = 1e4
state = "{state}"
seam = {seam}
[[entity]]
name = "limb/upper"
bone = {{ joint = "fixed", {bone} }}
[[entity]]
name = "limb/upper/lower"
pose = {{ position = [0, 0.05, 0] }}
bone = {{ joint = "{joint}", axis = [1, 0, 0], second_axis = [0, 0, 1], {start}, {bone} }}
"""


def read_shares(world) -> tuple[np.ndarray, np.ndarray]:
    """Height and share of every vertex; 0 on the upper bone."""
    pool = next(each for each in world.members("mechanisms") if each.name == "flesh").pool
    frames = [pool.patch_frames[p] for p in pool.patch_of]
    shares = np.array([share if path.endswith("lower") else 0.0 for path, share in frames])
    return pool.parts[0].mesh.vertices[:, 1], shares


def test_the_share_grows_evenly_along_the_limb(load_text) -> None:
    height, share = read_shares(load_text(write()))
    wanted = np.clip(0.5 + (height - 0.05) / (2 * 1.5 * RADIUS), 0.0, 1.0)
    steps = 1.0 / np.diff(np.unique(share)).min()
    # The ends of the tube have points on its axis, so its radius is measured a little too small.
    assert np.abs(share - wanted).max() < 0.5 / steps + 0.03
    assert len(np.unique(share)) > 10


def test_without_a_seam_vertices_hang_on_bones_alone(load_text) -> None:
    _, share = read_shares(load_text(write(seam=0.0)))
    assert set(share) == {0.0, 1.0}


@pytest.mark.parametrize("joint", ["hinge", "universal"])
@pytest.mark.parametrize("angle", [-90, 90])
@pytest.mark.parametrize(("rings", "around"), [(21, 8), (41, 16)])
def test_a_right_angle_tears_and_folds_nothing(load_text, joint, angle, rings, around) -> None:
    """Of the middle line nothing is stretched; at the distance r from it, evenly bent skin is by r times the bend."""
    world = load_text(write(angle, rings=rings, around=around, joint=joint))
    world.step()
    metrics = world.metrics()
    bend = math.radians(abs(angle)) / 3.0
    worst = math.hypot(1.0 + bend, 1.5 * bend)  # at the ends of the seam, on the outside
    assert metrics["limb.inverted"] == 0
    assert metrics["limb.stretch_worst"] < worst + 0.25
    assert metrics["limb.stretch_worst"] > 1.0 + 0.5 * bend


def test_without_a_seam_a_right_angle_tears_the_skin(load_text) -> None:
    world = load_text(write(90, seam=0.0))
    world.step()
    assert world.metrics()["limb.stretch_worst"] > 3.0


def test_skin_of_a_seam_counts_to_the_nearer_bone(load_text) -> None:
    world = load_text(write())
    mechanism = next(each for each in world.members("mechanisms") if each.name == "flesh")
    height, share = read_shares(world)
    upper, lower = (mechanism.region("limb", f"limb/{bone}") for bone in ("upper", "upper/lower"))
    np.testing.assert_array_equal(mechanism.pool.region_of, np.where(share >= 0.5, lower, upper))
    assert np.abs(height[share >= 0.5] - 0.05).min() < 0.002
    assert len(world.array("flesh.pressure")) == 2


def test_soft_skin_over_a_joint_is_at_rest_in_every_pose(load_text) -> None:
    """Springs act on displacements from the blended place, so a bent limb has none."""
    world = load_text(write(70, state="soft").replace("[run]", "[run]\ngravity = [0, 0, 0]"))
    world.step(5)
    assert world.metrics()["limb.displacement"] < 1e-12


def test_a_piece_of_skin_by_itself_stays_on_its_bone(load_text) -> None:
    """A ring around the joint that hangs together with nothing else turns with the bone that it hangs on."""
    points, triangles = make_tube(9, 8)
    apart = points * [1.5, 0.1, 1.5] + [0, 0.044, 0]
    scene = write().replace(
        json.dumps(make_tube(41, 12)[0].tolist()), json.dumps([*points.tolist(), *apart.tolist()])
    )
    more = [[corner + len(points) for corner in each] for each in triangles]
    scene = scene.replace(json.dumps(make_tube(41, 12)[1]), json.dumps([*triangles, *more]))
    low = (points[:, 1] <= 0.05).astype(int)
    hangs = [*(1 - low).tolist(), *([0] * len(apart))]
    scene = scene.replace(
        "mass = 0.01\n", f'mass = 0.01\nbones = ["upper", "upper/lower"]\nhangs_on = {hangs}\n'
    )
    _, share = read_shares(load_text(scene))
    assert (share[len(points) :] == 0.0).all()
    assert ((share[: len(points)] > 0.0) & (share[: len(points)] < 1.0)).any()


def test_the_dynamics_of_flesh_over_ball_joints_agree_with_the_twin(load_text) -> None:
    scene = """
format = 1
[run]
step = 0.002
duration = 0.02
[[entity]]
name = "man"
[entity.upper_body]
covering = "flesh"
vertices = 300
firmness = 0
flesh = { stiffness = 1e4, state = "soft", probe = 2 }
[set]
"man/bones/trunk/left_upper_arm.bone.start" = [0.8, 0.1, -0.5, 0.3]
"man/bones/trunk/left_upper_arm.bone.rate" = [2, -1, 3]
"""
    world = load_text(scene)
    pool = next(each for each in world.members("mechanisms") if each.name == "flesh").pool
    assert any(path.endswith("upper_arm") and 0 < share < 1 for path, share in pool.patch_frames)
    world.step(10)
    metrics = world.metrics()
    for name in ("mass", "bias", "gravity", "folding"):
        assert 0.0 < metrics[f"man/bones.probed_{name}"] < 1e-9
