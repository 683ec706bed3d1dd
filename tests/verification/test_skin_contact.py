"""Contact through the skin: the blending and its transpose, ghosts in equilibrium, the laws of contact."""

from __future__ import annotations

import numpy as np
import pytest

from supple.core.pose import multiply
from supple.mechanics.points import make_points
from supple.mechanics.residual import natural_map_residual
from supple.testing import audit_step
from supple_bones.tables import follow_coordinates
from supple_skin.finger import make_tube
from supple_skin.oracle import place_bones, place_vertex

RUN = "format = 1\n[run]\nstep = 0.005\nduration = 1.0\ngravity = [0, 0, 0]\n"
VERTICES, TRIANGLES = make_tube(0.12, 0.012, 7, 16)
#: A chain with every kind of joint, 2 cm from one to the next.
JOINTS = ("free", "ball", "hinge", "universal", "slider", "translation")


def chain(motion: str = "") -> str:
    text = f"[[entity]]\nname = 'g'\nghost = {{ stiffness = 2.0, sliding_stiffness = 300.0 }}\n{motion}"
    text += f"skin = {{ vertices = {VERTICES.tolist()}, triangles = {TRIANGLES.tolist()} }}\n"
    path = "g"
    for number, joint in enumerate(JOINTS):
        path += f"/{joint}"
        more = ", axis = [1, 0.3, 0], second_axis = [0, 0.2, 1]"
        place = f"position = [0, {0.02 if number else 0.0}, 0], axis = [0, 1, 0], angle = 20"
        text += f"[[entity]]\nname = '{path}'\npose = {{ {place} }}\n"
        text += f"bone = {{ joint = '{joint}'{more} }}\n"
    return text


def finger(b0=20, b1=10, b2=0, extra="", place="") -> str:
    keys = "{{ at = {at}, pose = {{ b0 = {0}, 'b0/b1' = {1}, 'b0/b1/b2' = {2} }} }}"
    keys = f"{keys.format(0, 0, 0, at=0)}, {keys.format(b0, b1, b2, at=0.4)}"
    return (
        f"[[entity]]\nname = 'f'\n{place}skinned_finger = {{ {extra} }}\n"
        f"[set]\n'f/ghost.motion' = {{ keys = [{keys}] }}\n"
    )


def ghosts_of(world):
    return next(each for each in world.members("mechanisms") if each.name == "ghost")


def shift(q, bone_table, k, step):
    """Coordinates moved by `step` along rate k; a quaternion turns in the axes of its bone."""
    moved = q.copy()
    row = next(row for row in bone_table if row[4] <= k < row[4] + row[5])
    joint, first, local = row[2], row[3], k - row[4]
    turning = {4: 0, 6: 3}.get(joint)
    if turning is None or local < turning:
        moved[first + local] += step
        return moved
    turn = np.zeros(4)
    turn[0], turn[1 + local - turning] = np.cos(step / 2), np.sin(step / 2)
    place = slice(first + turning, first + turning + 4)
    moved[place] = multiply(q[place], turn)
    return moved


def point_of(world, q, triangle, barycentric, owner="skin0"):
    """The point of a triangle at coordinates q, by the plain twin."""
    poses = place_bones(world.array("ghost.bone"), world.array("ghost.frame"), q)
    blend = [world.array(f"{owner}.{part}") for part in ("bone", "weight", "local")]
    corners = world.array(f"{owner}.triangles")[triangle]
    return sum(
        share * place_vertex(poses, *(part[corner] for part in blend))
        for share, corner in zip(barycentric, corners, strict=True)
    )


def numeric_jacobian(world, q, triangle, barycentric, owner="skin0"):
    bone, rates = world.array("ghost.bone"), len(world.array("ghost.dof"))
    step = 1e-5
    columns = [
        (
            point_of(world, shift(q, bone, k, step), triangle, barycentric, owner)
            - point_of(world, shift(q, bone, k, -step), triangle, barycentric, owner)
        )
        / (2 * step)
        for k in range(rates)
    ]
    return np.stack(columns, axis=1)


@pytest.fixture(params=[2, 3, 5, 7])
def bent(load_text, request):
    """The chain of all joints at random coordinates, and the random generator."""
    world, rng = load_text(RUN + chain()), np.random.default_rng(request.param)
    bone = world.array("ghost.bone")
    q = world.array("ghost.q").copy()
    for k in range(len(world.array("ghost.dof"))):
        q = shift(q, bone, k, rng.normal() * (0.005 if k < 3 else 0.4))
    world.arrays["ghost.q"][:] = q
    follow_coordinates(world.arrays, "ghost")
    return world, q, rng


def run_phases(world, *names):
    for entry, call in world.calls():
        if entry.name in names:
            call()


def test_rows_of_the_skin_are_the_derivative_of_the_blending(bent):
    world, q, rng = bent
    world.arrays.roll_back()
    run_phases(world, "skin.advance_vertices")
    np.testing.assert_allclose(
        world.array("skin0.position.next")[TRIANGLES[40]],
        [point_of(world, q, 40, e) for e in np.eye(3)],
        atol=1e-14,
    )
    surface = next(each for each in world.members("surfaces") if each.name == "skin0")
    count = 60
    side = rng.integers(0, 2, count)
    rows = np.arange(count)
    triangles, weights = rng.integers(0, len(TRIANGLES), count), rng.dirichlet(np.ones(3), count)
    directions = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    points = make_points(count)
    points.span[1] = count
    points.group[:], points.element[:], points.weights[:] = rows, triangles, weights
    points.sign[:], points.directions[:] = 1 - 2 * side, directions
    J = ghosts_of(world).jacobian
    J.clear()
    surface.add_rows(points)
    assert J.count[0] == count
    for c in rows:
        expected = directions[c] @ numeric_jacobian(world, q, triangles[c], weights[c])
        got = J.values[c] * (1 - 2 * side[c])
        assert np.abs(got - expected).max() <= 1e-7 * np.abs(expected).max()


def test_velocities_of_vertices_are_what_the_motion_wants(bent):
    world, q, rng = bent
    rate = 0.05 * rng.normal(size=len(world.array("ghost.dof")))
    world.arrays["ghost.wanted_rate"][:] = rate
    run_phases(world, "skin.follow_bones")
    for triangle in (0, 50, 150):
        at = world.array("skin0.v")[TRIANGLES[triangle, 0]]
        np.testing.assert_allclose(at, numeric_jacobian(world, q, triangle, (1, 0, 0)) @ rate, atol=1e-9)


MOTION = """motion = { keys = [
 { at = 0, pose = { free = { position = [0, 0, 0] } } },
 { at = 0.3, pose = { free = { position = [0.1, 0.05, 0], axis = [1, 1, 0], angle = 70 },
   "free/ball" = { axis = [0, 1, 2], angle = 160 }, "free/ball/hinge" = 33, "free/ball/hinge/universal" = [20, -40],
   "free/ball/hinge/universal/slider" = 0.01,
   "free/ball/hinge/universal/slider/translation" = [0.01, -0.01, 0.02] } } ] }
"""


def test_ghost_that_touches_nothing_is_the_free_configuration_to_the_last_digit(load_text):
    world = load_text(RUN + chain(MOTION))
    for _ in range(80):
        world.step()
        assert np.array_equal(world.array("ghost.q"), world.array("ghost.target"))
    assert world.metrics()["g.deviation"] == 0.0
    assert np.abs(world.array("ghost.target") - world.array("motion.ghost_start")).max() > 0.1
    audit_step(world)


def test_deviation_decays_as_recovery_says(load_text):
    world = load_text(RUN + finger(extra="recovery = 0.02"))
    world.step(100)
    world.arrays["ghost.q"][:] += [0.3, -0.2, 0.1]
    follow_coordinates(world.arrays, "ghost")
    for _ in range(20):
        before = world.array("ghost.q") - world.array("ghost.target")
        world.step()
        after = world.array("ghost.q") - world.array("ghost.target")
        np.testing.assert_allclose(after, before * 0.02 / 0.025, rtol=1e-9)


BALL = "[[entity]]\nname = 'ball'\npose = { position = [0.001, 0.06, 0.025] }\nsphere = { radius = 0.015 }\n"
WALL = "[[entity]]\nname = 'wall'\npose = { position = [0, 0, 0.012], axis = [1, 0, 0], angle = -90 }\nplane = {}\n"


@pytest.mark.parametrize("obstacle", [BALL, WALL], ids=["ball", "wall"])
def test_pressed_finger_is_in_equilibrium_with_its_springs(load_text, obstacle):
    world = load_text(RUN + obstacle + finger(b2=5))
    for _ in range(200):
        world.step()
        assert world.array("rows.residual")[0] <= 1e-9
    audit_step(world)
    metrics = world.metrics()
    assert metrics["f/ghost.penetration"] < 1e-6
    assert metrics["f/ghost.pressed"] >= 1
    q, count = world.array("ghost.q"), int(world.array("contacts.count")[0])
    assert np.abs(world.array("ghost.v")).max() < 1e-9, "it has come to rest"
    number = [each.name for each in world.members("surfaces")].index("skin0")
    torque = np.zeros(len(q))
    for c in range(count):
        side = list(world.array("contacts.surface")[c]).index(number)
        barycentric = world.array("contacts.weights")[c, side]
        J = numeric_jacobian(world, q, world.array("contacts.element")[c, side], barycentric)
        torque += (1 - 2 * side) * J.T @ world.array("contacts.force")[c]
    springs = world.array("ghost.stiffness") * (q - world.array("ghost.target"))
    assert np.abs(springs).max() > 0.1
    np.testing.assert_allclose(torque, springs, atol=1e-9)


def dense_jacobian(J, rates, groups):
    dense = np.zeros((3 * groups, rates))
    for block in range(int(J.count[0])):
        first, start = 3 * J.group[block], J.dof[block]
        dense[first : first + 3, start : start + J.width] += J.values[block]
    return dense


def test_sparse_delassus_operator_is_the_dense_one(load_text):
    two = finger(b2=5).split("[set]\n")
    other = two[0].replace("'f'", "'e'").replace("skinned", "pose = { position = [0.03, 0, 0] }\nskinned")
    text = RUN + WALL + two[0] + other + "[set]\n" + two[1] + two[1].replace("'f/", "'e/")
    world = load_text(text)
    world.step(60)
    problem, J = world.arrays.records["rows.problem"], ghosts_of(world).jacobian
    assert problem.count >= 6
    dense = dense_jacobian(J, len(world.array("ghost.dof")), problem.count)
    h, K = 0.005, world.array("ghost.stiffness")
    expected = dense @ np.diag(1.0 / (h * h * K)) @ dense.T
    got = problem.W.to_dense(problem.size[: problem.count])
    assert np.abs(got - expected).max() <= 1e-12 * np.abs(expected).max()


def test_object_and_hand_are_one_problem_and_friction_is_coulombs(load_text):
    rod = "[[entity]]\nname = 'rod'\npose = { position = [0, 0.06, 0] }\nbody = { mass = 0.1 }\n"
    rod += "box = { size = [0.3, 0.03, 0.01], friction = 0.3 }\n[[event]]\nname = 'pull'\nat = 0.5\n"
    rod += "push = { on = 'rod', force = [2, 0, 0], duration = 1 }\n"
    pair = finger(b0=8, b1=0, place="pose = { position = [0, 0, -0.0145] }\n").split("[set]\n")
    other = pair[0].replace("'f'", "'e'").replace("-0.0145] }", "0.0145], angle = 180 }")
    world = load_text(RUN + rod + pair[0] + other + "[set]\n" + pair[1] + pair[1].replace("'f/", "'e/"))
    world.step(95)
    assert np.abs(world["rod"].velocity).max() < 1e-6, "held from both sides"
    held = world.metrics()["f/ghost.force"]
    assert held > 0.5
    world.step(30)
    count = int(world.array("contacts.count")[0])
    force, normal = world.array("contacts.force")[:count], world.array("contacts.normal")[:count]
    along = np.einsum("ij,ij->i", force, normal)
    across = np.linalg.norm(force - along[:, None] * normal, axis=1)
    np.testing.assert_allclose(across, 0.3 * along, atol=1e-8)
    assert world["rod"].velocity[0] > 0.1
    total = np.abs(force[:, 0]).sum()
    problem = world.arrays.records["rows.problem"]
    assert natural_map_residual(problem, world.array("rows.impulse"))[0] <= 1e-9
    before = world["rod"].velocity[0]
    world.step()
    np.testing.assert_allclose((world["rod"].velocity[0] - before) / 0.005, (2 - total) / 0.1, rtol=1e-3)
    assert world.metrics()["run.penetration_worst"] < 1e-6
    assert abs(world.metrics()["run.energy_unaccounted"]) < 1e-9


def test_bones_carry_shapes_and_wrenches_push_them_against_the_springs(load_text):
    text = RUN + "[[entity]]\nname = 'g'\nghost = { stiffness = 2.0 }\n"
    text += "[[entity]]\nname = 'g/arm'\nbone = { joint = 'hinge', axis = [0, 0, 1] }\n"
    text += "[[entity]]\nname = 'g/arm/pad'\npose = { position = [0.5, 0, 0] }\nsphere = { radius = 0.1 }\n"
    text += (
        "[[event]]\nname = 'p'\nat = 0.0\npush = { on = 'g/arm/pad', force = [0, 0.4, 0], duration = 9 }\n"
    )
    world = load_text(text)
    world.step(200)
    angle = world.array("ghost.q")[0]
    assert angle == pytest.approx(0.5 * 0.4 * np.cos(angle) / 2.0, rel=1e-9)
    assert np.abs(world["g/arm"].position).max() == 0.0


def test_probe_finds_no_gap_and_would_find_one(load_text):
    world = load_text(
        RUN
        + finger(extra="stiffness = 0.4").replace("[set]\n", "[set]\n'f/ghost.skin.probe' = true\n")
        + "[[entity]]\nname = 'wall'\npose = { position = [0, 0.05, 0.03] }\nbox = { size = [0.1, 0.1, 0.02] }\n"
    )
    world.step(61)
    metrics = world.metrics()
    assert world.array("skin0.observed")[1] > 0, "the finger presses"
    assert 0 < metrics["f/ghost.jacobian_gap"] < 1e-8
    assert 0 < metrics["f/ghost.delassus_gap"] < 1e-13
    # The same rows and a wrong entry in one of them, at the state of a step that is probed.
    world.step(19)
    world.compute_step()
    ghosts, probed = ghosts_of(world), world.array("skin0.probed")
    assert probed.max() < 1e-8
    ghosts.jacobian.values[: ghosts.jacobian.count[0], 0] *= 1.001
    run_phases(world, "skin.probe_rows")
    assert probed[0] > 1e-4
