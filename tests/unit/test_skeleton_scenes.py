"""How skeletons are written: what is refused and how, and what a scene becomes."""

from __future__ import annotations

import numpy as np
import pytest

from supple.core.pose import rotate
from supple.errors import PluginError, UserError
from supple.mechanics.mechanism import PointRows

HEAD = """
format = 1
[run]
step = 0.002
duration = 1.0
[[entity]]
name = "arm"
pose = { position = [0, 2, 0] }
skeleton = {}
"""
UPPER = """
[[entity]]
name = "arm/upper"
bone = { joint = "hinge" }
sphere = { radius = 0.1 }
"""


def bone(values: str, name: str = "arm/upper", more: str = "sphere = { radius = 0.1 }") -> str:
    return f'[[entity]]\nname = "{name}"\nbone = {{ {values} }}\n{more}\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (bone("joint = 'hinge'", "hand"), ["hand.bone", "it has no parent", "skeleton = {}"]),
        (
            '[[entity]]\nname = "box"\nbox = { size = [1, 1, 1] }\n'
            + bone("joint = 'hinge'", "box/hand")
            + UPPER,
            ["box/hand.bone", "its parent box has neither"],
        ),
        (bone("joint = 'hinge'", more=""), ["arm/upper.bone", "has no inertia", "a shape"]),
        (bone("joint = 'hinge', mass = 1, inertia = [1, 1, 3]", more=""), ["bone.inertia", "no solid"]),
        (bone("joint = 'hinge', inertia = [1, 1, 1]", more=""), ["bone.inertia", "without a mass"]),
        (bone("joint = 'hinge', mass = 1, inertia = [1, 1]", more=""), ["bone.inertia", "has 2 numbers"]),
        (bone("joint = 'hinge', mass = 1", more=""), ["bone.mass", "without shape or inertia"]),
        (bone("joint = 'hinge', lower = 1.0, upper = -1.0"), ["bone.lower", "1 is not below", "-1"]),
        (bone("joint = 'universal', lower = [0.0, 1.0], upper = 0.5"), ["bone.lower", "1 is not below"]),
        (bone("joint = 'translation', upper = [1.0, 1.0]"), ["bone.upper", "has 2 numbers", "3 coordinates"]),
        (bone("joint = 'free', upper = 1.0"), ["bone.upper", "not for a free joint", "hinge, slider"]),
        (bone("joint = 'ball', lower = 0.1"), ["bone.lower", "only an upper limit"]),
        (bone("joint = 'ball', upper = 190.0"), ["bone.upper", "between 0 and 180"]),
        (bone("joint = 'hinge', start = [1.0, 2.0]"), ["bone.start", "has 2 numbers", "has 1 coordinates"]),
        (bone("joint = 'free', start = [0.0]"), ["bone.start", "starts at the bone's pose"]),
        (bone("joint = 'ball', start = [0.0, 0.0, 0.0, 0.0]"), ["bone.start", "no rotation"]),
        (bone("joint = 'ball', rate = [1.0]"), ["bone.rate", "has 1 numbers", "3 rates"]),
        (bone("joint = 'ball', damping = [1.0]"), ["bone.damping", "has 1 numbers"]),
        (bone("joint = 'hinge', damping = -1.0"), ["bone.damping", "negative"]),
        (bone("joint = 'free', stiffness = 1.0"), ["bone.stiffness", "not for a free joint"]),
        (bone("joint = 'hinge', axis = [0, 0, 0]"), ["bone.axis", "must not be zero"]),
        (bone("joint = 'universal', second_axis = [2, 0, 0]"), ["bone.second_axis", "parallel"]),
        (bone("joint = 'hinge'", more="sphere = { radius = 0.1 }\nbody = {}"), ["both body and bone"]),
        (
            UPPER + '[[entity]]\nname = "arm/upper/stone"\nsphere = { radius = 0.1 }\nbody = {}\n',
            ["arm/upper/stone lies below the bone"],
        ),
        (UPPER + '[[entity]]\nname = "arm/upper/floor"\nplane = {}\n', ["a plane cannot move"]),
        ("", ["arm.skeleton", "has no bones"]),
        (
            bone("joint = 'free'") + bone("joint = 'free'", "arm/other"),
            ["arm.skeleton", "2 roots", "floats"],
        ),
        (UPPER + '[[entity]]\nname = "arm/upper/more"\nskeleton = {}\n', ["below the bone arm/upper"]),
        (bone("joint = 'hing'"), ["bone.joint", "'hing'", "Did you mean 'hinge'"]),
        (
            bone("joint = 'ball'") + "servo = { stiffness = 1, limit = 1 }\n",
            ["arm/upper.servo", "hinge, slider"],
        ),
        (UPPER + "servo = { limit = 1 }\n", ["neither stiffness nor damping"]),
        (
            UPPER + "servo = { limit = 1, damping = 1, target = [1.0, 2.0] }\n",
            ["servo.target", "has 2 numbers"],
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line(load_text, text, words) -> None:
    with pytest.raises(UserError) as caught:
        load_text(HEAD + text)
    lines = str(caught.value).splitlines()
    assert any(all(word in line for word in words) for line in lines), lines
    assert all("scene.toml:" in line for line in lines)


def test_a_joint_that_moves_no_inertia_is_refused(load_text) -> None:
    """The bone below has mass, but on the axis of the massless one."""
    text = bone("joint = 'hinge', axis = [0, 1, 0]", more="") + bone(
        "joint = 'fixed', mass = 1.0, inertia = [0.0, 0.0, 0.0]", "arm/upper/tip", more=""
    )
    with pytest.raises(UserError) as caught:
        load_text(HEAD + text)
    assert "arm/upper.bone" in str(caught.value)
    assert "without inertia" in str(caught.value)
    load_text(HEAD + text.replace("axis = [0, 1, 0]", "axis = [0, 1, 0], armature = 0.1")).step()


CHAIN = (
    HEAD
    + """
[[entity]]
name = "arm/upper"
pose = { position = [0, 0, 1], axis = [1, 0, 0], angle = 90 }
bone = { joint = "hinge", axis = [0, 0, 1], start = [90], rate = [2.0] }
[[entity]]
name = "arm/upper/lower"
pose = { position = [0, -1, 0] }
bone = { joint = "slider", axis = [1, 0, 0], start = [0.5] }
box = { size = [0.1, 0.2, 0.3] }
"""
)


def test_poses_and_velocities_are_those_of_the_geometry(load_text) -> None:
    """A quarter turn about the world's -y, which the bone's z axis points along after its neutral turn."""
    world = load_text(CHAIN)
    # In the bone's frame the lower bone is at (0.5, -1, 0); the hinge turns x to y and y to -x: (1, 0.5, 0).
    # The neutral turn about x by 90 degrees takes y to z and z to -y.
    assert world["arm/upper"].position == pytest.approx([0, 2, 1])
    assert world["arm/upper/lower"].position == pytest.approx([1, 2, 1.5])
    assert world["arm/upper/lower"].velocity == pytest.approx([-2 * 0.5, 0, 2 * 1, 0, 0, 2])
    assert world["arm/upper/lower"].mass == pytest.approx(0.006 * 1000)
    world.step()
    assert world["arm/upper"].position == pytest.approx([0, 2, 1]), "what a hinge holds does not move"


def test_free_bones_start_at_their_pose_and_turn_in_their_own_axes(load_text) -> None:
    text = HEAD.replace("[0, 2, 0] }", "[0, 2, 0], axis = [0, 1, 0], angle = 90 }") + bone(
        "joint = 'free', rate = [1, 2, 3, 0, 0, 4]"
    ).replace("bone =", "pose = { position = [1, 0, 0], axis = [1, 0, 0], angle = 30 }\nbone =")
    world = load_text(text)
    view = world["arm/upper"]
    assert view.position == pytest.approx([0, 2, -1])
    assert view.velocity == pytest.approx([1, 2, 3, 0, 0, 4]), (
        "velocity in the world, spin in the bone's axes"
    )
    half = np.radians(15)
    turned = np.array([np.cos(half), np.sin(half), 0, 0])
    quarter = np.array([1, 0, 1, 0]) / np.sqrt(2)
    product = np.array([
        quarter[0] * turned[0], quarter[0] * turned[1], quarter[2] * turned[0], -quarter[2] * turned[1],
    ])  # fmt: skip
    assert view.rotation == pytest.approx(product)


def test_queries_name_what_exists(load_text) -> None:
    world = load_text(CHAIN)
    mechanism = next(m for m in world.members("mechanisms") if m.name == "skeleton")
    with pytest.raises(PluginError, match="arm"):
        mechanism.dynamics("leg")
    dynamics = mechanism.dynamics("arm")
    with pytest.raises(PluginError, match="arm/upper/lower"):
        dynamics.point_jacobian("arm/lower")
    velocity = dynamics.point_jacobian("arm/upper/lower") @ world.array("skeleton.v")
    assert velocity == pytest.approx(world["arm/upper/lower"].velocity[:3])


def test_a_skeleton_that_cannot_move_stands_still(load_text) -> None:
    world = load_text(HEAD + bone("joint = 'fixed'"))
    world.step(10)
    assert world["arm/upper"].position == pytest.approx([0, 2, 0])


def test_rows_on_bones_are_the_jacobians_that_queries_give(load_text) -> None:
    """Two skeletons of different size, so that the blocks of the smaller one lie in a wider window."""
    other = HEAD.split("duration = 1.0\n")[1].replace('"arm"', '"zeta"') + bone("joint = 'ball'", "zeta/only")
    world = load_text(CHAIN + other)
    world.step()
    world.compute_step()
    mechanism = next(m for m in world.members("mechanisms") if m.name == "skeleton")
    rng, rows, J = np.random.default_rng(3), PointRows(2), mechanism.jacobian
    J.clear()
    rows.count, rows.frame[:], rows.group[:], rows.sign[:] = 2, (1, 2), (0, 1), (1.0, -1.0)
    rows.directions[:] = rng.normal(size=(2, 3, 3))
    offset = np.array([0.1, 0.2, -0.3])
    paths, trees = ("arm/upper/lower", "zeta/only"), ("arm", "zeta")
    for k, path in enumerate(paths):
        rows.point[k] = world[path].position + rotate(world[path].rotation, offset)
    mechanism.add_point_rows(rows)
    mechanism.add_turn_rows(rows)
    for k, (path, tree) in enumerate(zip(paths, trees, strict=True)):
        dynamics = mechanism.dynamics(tree)
        v = rng.normal(size=len(world.array("skeleton.v")))
        mine = v[dynamics.tree.v]
        for block, jacobian in (
            (k, dynamics.point_jacobian(path, offset)),
            (2 + k, dynamics.rotation_jacobian(path)),
        ):
            velocity = J.values[block] @ v[J.dof[block] : J.dof[block] + J.width]
            assert velocity == pytest.approx(rows.sign[k] * rows.directions[k] @ jacobian @ mine, abs=1e-12)


def test_the_mass_of_a_bone_comes_from_its_hull(load_text) -> None:
    world = load_text("""
    format = 1
    [run]
    step = 0.01
    duration = 1.0
    [[entity]]
    name = "thing"
    skeleton = {}
    [[entity]]
    name = "thing/cube"
    bone = { joint = "free", density = 500 }
    convex = { points = [[0,0,0],[2,0,0],[0,1,0],[0,0,1],[2,1,0],[2,0,1],[0,1,1],[2,1,1]] }
    """)
    skeleton = next(each for each in world.members("mechanisms") if each.name == "skeleton")
    matrix = skeleton.dynamics("thing").mass_matrix()
    assert matrix[:3, :3] == pytest.approx(1000 * np.eye(3), abs=1e-9)
    # A cuboid of 2 x 1 x 1 m turning about its edge along x: m (1 + 1) / 3.
    assert matrix[3, 3] == pytest.approx(1000 * 2 / 3)
