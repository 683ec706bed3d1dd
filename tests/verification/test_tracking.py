"""Controllers against dense formulas, closed forms, and independent inverse dynamics."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import supple
from random_skeletons import JOINTS, head, numbers, sample_bones, sample_key
from supple.testing import audit_step
from supple_bones.coordinate_kernels import integrate_coordinates
from supple_bones.layout import BALL, FREE, JOINT, Q_FIRST, V_FIRST
from supple_bones.layout import JOINTS as KINDS
from supple_skeleton.oracle import evaluate

seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    file = tmp_path_factory.mktemp("tracking") / "scene.toml"

    def load_scene(text: str):
        file.write_text(text, encoding="utf-8")
        return supple.load(file)

    return load_scene


def arm(components: str, bones: str) -> str:
    return f'[[entity]]\nname = "arm"\nskeleton = {{}}\n{components}\n{bones}'


def skeletons_of(world):
    return next(member for member in world.members("mechanisms") if member.name == "skeleton")


def errors_to(world, q: np.ndarray) -> np.ndarray:
    """The way from q to the target, by scipy's rotations."""
    forest, target = skeletons_of(world).forest, world.array("skeleton.target")
    error = np.zeros(forest.v_count)
    for row in forest.bone:
        a, k = row[Q_FIRST], row[V_FIRST]
        if row[JOINT] == BALL:
            now, then = (Rotation.from_quat(np.roll(each[a : a + 4], -1)) for each in (q, target))
            error[k : k + 3] = (now.inv() * then).as_rotvec()
        elif row[JOINT] != FREE:
            count = next(kind.v_count for kind in KINDS.values() if kind.code == row[JOINT])
            error[k : k + count] = target[a : a + count] - q[a : a + count]
    return error


def sample_tracking(
    seed: int, step: float, corrections: int, implicitness: float
) -> tuple[str, np.random.Generator]:
    rng = np.random.default_rng(seed)
    joints = ["free" if rng.random() < 0.5 else "ball", *rng.permutation(JOINTS)]
    bones, paths = sample_bones(rng, joints)
    keys = ", ".join(sample_key(rng, joints, paths, at) for at in (0.0, 0.5))
    overrides = ", ".join(
        f'"{path}" = {{ stiffness = {10 ** rng.uniform(0, 4):.6g}, damping = {10 ** rng.uniform(-1, 2):.6g} }}'
        for path in paths[1:3]
    )
    components = (
        f'motion = {{ interpolation = "hermite", keys = [{keys}] }}\n'
        f"pose_tracking = {{ stiffness = 300, damping = 7, bones = {{ {overrides} }} }}"
    )
    return head(step, corrections=corrections, implicitness=implicitness) + arm(components, bones), rng


def implicit_pd(world, q, v, coriolis: np.ndarray | float) -> np.ndarray:
    """v' from M^ (v' - v) = h (tau^ - bias - gravity), with M^ = M + h^2 K + h D + 2 h C, as dense matrices."""
    h = world.build.run.step
    dense = evaluate(skeletons_of(world).forest, q, v, world.array("run.gravity"))
    gains = world.array("tracking.gains")
    K, D = np.diag(gains[:, 0]), np.diag(gains[:, 1])
    matrix = dense.mass_matrix + h * h * K + h * D + 2 * h * coriolis
    tau = K @ errors_to(world, q) + D @ world.array("skeleton.target_rate") - (h * K + D) @ v
    return v + np.linalg.solve(matrix, h * (tau - dense.bias - dense.gravity))


@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_pose_tracking_is_the_implicit_pd_formula(load, seed) -> None:
    text, _ = sample_tracking(seed, 0.005, corrections=0, implicitness=0.5)
    world = load(text)
    q, v = world.array("skeleton.q").copy(), world.array("skeleton.v").copy()
    world.step()
    expected = implicit_pd(world, q, v, 0.0)
    found = world.array("skeleton.v_free")
    np.testing.assert_allclose(found, expected, atol=1e-12 * max(1.0, np.abs(expected).max()))


@given(seed=seeds)
@settings(max_examples=10, deadline=None)
def test_pose_tracking_joins_implicit_coriolis_forces(load, seed) -> None:
    """With the velocity-dependent forces at the step's end, M^ has 2 h C as well."""
    text, _ = sample_tracking(seed, 0.002, corrections=10, implicitness=1.0)
    world = load(text)
    q, v = world.array("skeleton.q").copy(), world.array("skeleton.v").copy()
    coriolis = skeletons_of(world).dynamics("arm").symmetric_coriolis()
    world.step()
    expected = implicit_pd(world, q, v, coriolis)
    np.testing.assert_allclose(
        world.array("skeleton.v_free"), expected, atol=1e-9 * max(1.0, np.abs(expected).max())
    )


WHEEL = """
[[entity]]
name = "arm/wheel"
bone = { joint = "hinge", axis = [0, 0, 1], mass = 1.0, centre = [0, 0, 0], inertia = [0.05, 0.05, 0.08] }
"""


def test_critically_damped_hinge_is_the_closed_form_of_implicit_euler(load) -> None:
    """theta_n - theta* = (A + B n) / (1 + omega h)^n: both roots of the implicit method coincide, too."""
    inertia, stiffness, h = 0.08, 500.0, 0.008
    omega = math.sqrt(stiffness / inertia)
    gains = f"stiffness = {stiffness!r}, damping = {2 * math.sqrt(stiffness * inertia)!r}"
    components = (
        f"motion = {{ keys = [{{ at = 0, pose = {{ wheel = 90 }} }}] }}\npose_tracking = {{ {gains} }}"
    )
    world = load(head(h, "[0, 0, 0]") + arm(components, WHEEL))
    root = 1.0 / (1.0 + omega * h)
    start = -math.radians(90)
    slope = start * (1.0 - (h * omega * root) ** 2) / root - start
    for n in range(1, 120):
        world.step()
        expected = (start + slope * n) * root**n
        assert world.array("skeleton.q")[0] - math.radians(90) == pytest.approx(expected, abs=1e-13)


def test_damping_follows_the_motion_unless_told_otherwise(load) -> None:
    """A ramp of 1 rad/s: with follow there is no lag in the end; at rest the damper drags by d / k."""
    keys = f"{{ at = 0, pose = {{ wheel = 0 }} }}, {{ at = 10, pose = {{ wheel = {math.degrees(10)!r} }} }}"
    lags = []
    for follow in ("true", "false"):
        motion = f'motion = {{ interpolation = "linear", keys = [{keys}] }}'
        drive = f"pose_tracking = {{ stiffness = 100, damping = 8, follow = {follow} }}"
        world = load(head(0.005, "[0, 0, 0]") + arm(f"{motion}\n{drive}", WHEEL))
        world.step(600)
        lags.append(world.array("skeleton.target_now")[0] + 0.005 - world.array("skeleton.q")[0])
    assert lags[0] == pytest.approx(0.0, abs=1e-9)
    assert lags[1] == pytest.approx(8 / 100, abs=1e-9)


def test_limits_are_respected_exactly(load) -> None:
    """Far from the target the drive gives its limit: v = n h limit / inertia to the last digits."""
    motion = "motion = { keys = [{ at = 0, pose = { wheel = 170 } }] }"
    world = load(
        head(0.004, "[0, 0, 0]")
        + arm(f"{motion}\npose_tracking = {{ stiffness = 100, damping = 20, limit = 3 }}", WHEEL)
    )
    for n in range(1, 40):
        world.step()
        assert world.array("skeleton.v")[0] == pytest.approx(n * 0.004 * 3 / 0.08, rel=1e-12)
        assert abs(world.array("tracking.torque")[0]) == pytest.approx(3.0, rel=1e-12)
    world.step(1000)
    assert world.metrics()["arm.strongest"] <= 3.0 * (1 + 1e-12)
    assert world.metrics()["arm.final_error"] < 1e-6


@given(seed=seeds)
@settings(max_examples=8, deadline=None)
def test_a_limit_that_is_never_reached_changes_nothing(load, seed) -> None:
    """Rows inside their bounds and gains in A are the same controller, unless a tree turns fast within a step."""
    text, _ = sample_tracking(seed, 0.0005, corrections=0, implicitness=0.5)
    worlds = [load(text)]
    worlds.append(load(text.replace("damping = 7,", "damping = 7, limit = 1e9,")))
    for world in [*worlds] * 5:
        world.step()
        assume(not world.array("skeleton.any_fast").any())
    states, torques = (
        [world.array(f"{name}") for world in worlds] for name in ("skeleton.v", "tracking.torque")
    )
    assert len(worlds[1].array("tracking.limited")) > 0
    np.testing.assert_allclose(*states, atol=1e-7 * max(1.0, np.abs(states[0]).max()))
    np.testing.assert_allclose(*torques, atol=1e-6 * max(1.0, np.abs(torques[0]).max()))


def test_carried_weight_is_the_inverse_dynamics_of_rest(load) -> None:
    rng = np.random.default_rng(5)
    bones, _ = sample_bones(rng, ["ball", "hinge", "universal", "ball"], speed=0.0)
    world = load(head(0.01) + arm("pose_tracking = { stiffness = 50, damping = 2, gravity = true }", bones))
    start = world.array("skeleton.q").copy()
    expected = skeletons_of(world).dynamics("arm").inverse_dynamics(np.zeros(9))
    world.step(100)
    np.testing.assert_allclose(world.array("skeleton.q"), start, atol=1e-12)
    np.testing.assert_allclose(world.array("tracking.torque"), expected, atol=1e-10)
    assert world.metrics()["arm.effort"] == pytest.approx(np.linalg.norm(expected), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_stiff_gains_are_stable_at_large_steps(load, seed) -> None:
    rng = np.random.default_rng(seed)
    joints = ["ball", *rng.permutation(["ball", "hinge", "universal", "hinge", "ball", "hinge"])]
    bones, paths = sample_bones(rng, joints)
    keys = ", ".join(sample_key(rng, joints, paths, at) for at in (0.0, 0.8))
    components = f"motion = {{ keys = [{keys}] }}\npose_tracking = {{ stiffness = 1e5, damping = 1e3, gravity = true }}"
    world = load(head(0.008, corrections=1) + arm(components, bones))
    world.step(200)
    assert world.metrics()["arm.final_error"] < 1e-5
    assert np.abs(world.array("skeleton.v")).max() < 1e-3


LIMBS = ["ball", "hinge", "ball", "hinge"]


def pull(rng: np.random.Generator, world, paths: list[str], reach: float) -> tuple[str, list[np.ndarray]]:
    """Points on two bones, with targets that some pose of the skeleton brings both to."""
    dynamics = skeletons_of(world).dynamics("arm")
    points = [(path, 0.2 * rng.normal(size=3)) for path in paths]
    q, v = world.array("skeleton.q"), world.array("skeleton.v")
    kept = q.copy()
    turned = np.zeros_like(q)
    integrate_coordinates(1.0, world.array("skeleton.bone"), kept, reach * rng.normal(size=len(v)), turned)
    q[:] = turned
    targets = [dynamics.position(f"arm/{path}", local) for path, local in points]
    q[:] = kept
    here = [dynamics.position(f"arm/{path}", local) for path, local in points]
    listed = ", ".join(
        f'{{ bone = "{path}", point = {numbers(local)}, keys = [{{ at = 0, position = {numbers(target)} }}] }}'
        for (path, local), target in zip(points, targets, strict=True)
    )
    return f"point_tracking = {{ points = [{listed}] }}", [t - h for t, h in zip(targets, here, strict=True)]


@pytest.mark.parametrize("seed", range(6))
def test_points_come_to_reachable_targets(load, seed) -> None:
    """Two points at once; the pose alone would leave them where they started."""
    rng = np.random.default_rng(seed)
    bones, paths = sample_bones(rng, LIMBS, speed=0.0)
    drive = "pose_tracking = { stiffness = 300, damping = 20, softness = 1e-3 }"
    plain = load(head(0.005, "[0, 0, 0]") + arm(drive, bones))
    points, ways = pull(rng, plain, [paths[1], paths[3]], 0.15)
    world = load(head(0.005, "[0, 0, 0]") + arm(f"{drive}\n{points}", bones))
    world.step(600)
    assert max(map(np.linalg.norm, ways)) > 0.01
    assert world.metrics()["arm.miss"] < 2e-5


@given(seed=seeds)
@settings(max_examples=15, deadline=None)
def test_points_move_towards_their_targets(load, seed) -> None:
    """The sign of the shift: within the first steps all points together come nearer, never farther."""
    rng = np.random.default_rng(seed)
    bones, paths = sample_bones(rng, LIMBS, speed=0.0)
    drive = "pose_tracking = { stiffness = 1e4, damping = 1.0, softness = 1e-3 }"
    plain = load(head(0.01, "[0, 0, 0]") + arm(drive, bones))
    points, ways = pull(rng, plain, [paths[3]], 0.1)
    world = load(head(0.01, "[0, 0, 0]") + arm(f"{drive}\n{points}", bones))
    world.step(3)
    assert world.metrics()["arm.miss"] < np.linalg.norm(ways[0])


@given(seed=seeds)
@settings(max_examples=15, deadline=None)
def test_the_shift_is_the_least_squares_solution(load, seed) -> None:
    """Against numpy, with Jacobians from the queries: (J J^T + softness) y = asked, shift = J^T y."""
    rng = np.random.default_rng(seed)
    bones, paths = sample_bones(rng, ["free", *LIMBS], speed=0.0)
    drive = "pose_tracking = { stiffness = 300, damping = 20, softness = 0.01, largest_shift = 1e4 }"
    path, local, target = paths[4], 0.2 * rng.normal(size=3), rng.normal(size=3)
    keys = f"[{{ at = 0, position = {numbers(target)}, axis = [0, 1, 0], angle = 25 }}]"
    point = f'bone = "{path}", point = {numbers(local)}, keys = {keys}, turn_weight = 0.3'
    points = f"point_tracking = {{ points = [{{ {point} }}] }}"
    motion = f"motion = {{ keys = [{sample_key(rng, ['free', *LIMBS], paths, 0.0)}] }}"
    world = load(head(0.01, "[0, 0, 0]") + arm(f"{motion}\n{drive}\n{points}", bones))
    q = world.array("skeleton.q").copy()
    dynamics = skeletons_of(world).dynamics("arm")
    J = np.concatenate(
        [dynamics.point_jacobian(f"arm/{path}", local), dynamics.rotation_jacobian(f"arm/{path}")]
    )
    J[:, :6] = 0.0  # what floats is not driven
    way = target - dynamics.position(f"arm/{path}", local)
    rotation = Rotation.from_quat(np.roll(dynamics.rotation(f"arm/{path}"), -1))
    turn = (Rotation.from_rotvec([0, math.radians(25), 0]) * rotation.inv()).as_rotvec()
    world.step()
    asked = np.concatenate([way, turn]) - J @ errors_to(world, q)
    weights = np.array([1.0] * 3 + [0.3] * 3)
    J *= weights[:, None]
    softness = 0.01**2 * np.repeat((J**2).sum(1).reshape(2, 3).mean(1), 3)
    expected = J.T @ np.linalg.solve(J @ J.T + np.diag(softness), weights * asked)
    found = world.array("tracking.shift")
    np.testing.assert_allclose(found, expected, atol=1e-9 * max(1.0, np.abs(expected).max()))


def test_a_shift_is_bounded_as_a_whole(load) -> None:
    """A target far out of reach; the direction of the shift is kept."""
    rng = np.random.default_rng(3)
    bones, paths = sample_bones(rng, LIMBS, speed=0.0)
    shifts = []
    for largest in (1e6, 20):
        drive = f"pose_tracking = {{ stiffness = 300, damping = 20, largest_shift = {largest} }}"
        point = f'bone = "{paths[3]}", keys = [{{ at = 0, position = [9, 9, 9] }}]'
        points = f"point_tracking = {{ points = [{{ {point} }}] }}"
        world = load(head(0.01, "[0, 0, 0]") + arm(f"{drive}\n{points}", bones))
        world.step()
        shifts.append(world.array("tracking.shift"))
    assert np.abs(shifts[1]).max() == pytest.approx(math.radians(20), rel=1e-12)
    np.testing.assert_allclose(shifts[1] / shifts[1].max(), shifts[0] / shifts[0].max(), atol=1e-12)


PRESS = """
[[entity]]
name = "table"
box = { size = [1, 0.2, 1] }
[[entity]]
name = "arm/lift"
pose = { position = [0.05, 0.2, 0.02] }
bone = { joint = "slider", axis = [0, 1, 0], mass = 2.0, centre = [0.03, 0, -0.01], inertia = [0.1, 0.1, 0.1] }
box = { size = [0.4, 0.2, 0.3] }
"""


def test_pressure_on_a_box_that_a_slider_guides_is_its_weight(load) -> None:
    """A slider carries no weight along its axis, so the table carries all of it."""
    components = (
        "pose_tracking = { stiffness = 1e-9, damping = 0 }\n"
        'pressure_tracking = { targets = [{ bone = "lift", keys = [{ at = 0, vector = [0, 0, 0] }] }] }'
    )
    world = load(head(0.01) + arm(components, PRESS))
    world.step(50)
    assert world.array("tracking.pad_force")[0] == pytest.approx(2 * 9.81, rel=1e-9)
    np.testing.assert_allclose(world.array("tracking.pad_load")[0], [0, 2 * 9.81, 0], atol=1e-8)
    audit_step(world)


FLOAT = """
[[entity]]
name = "table"
box = { size = [1, 0.2, 1] }
[[entity]]
name = "arm/foot"
pose = { position = [0.05, 0.2, 0.02] }
bone = { joint = "free", mass = 2.0, centre = [0.06, 0, -0.04], inertia = [0.1, 0.1, 0.1] }
SHAPE
[[entity]]
name = "arm/foot/toe"
pose = { position = [0, 0.3, 0] }
bone = { joint = "hinge", axis = [0, 1, 0], mass = 1e-9, centre = [0, 0, 0], inertia = [1e-9, 1e-9, 1e-9] }
"""


@pytest.mark.parametrize(
    "shape",
    [
        "box = { size = [0.4, 0.2, 0.3] }",
        "mesh = { vertices = [[-0.2, -0.1, -0.15], [0.2, -0.1, -0.15], [0.2, -0.1, 0.15], [-0.2, -0.1, 0.15],"
        " [0, 0.3, 0]],"
        " triangles = [[0, 1, 2], [0, 2, 3], [1, 0, 4], [2, 1, 4], [3, 2, 4], [0, 3, 4]] }",
    ],
    ids=["box", "mesh"],
)
def test_centre_of_pressure_of_a_foot_is_below_its_centre_of_mass(load, shape) -> None:
    components = (
        "pose_tracking = { stiffness = 1.0, damping = 0.1 }\n"
        'pressure_tracking = { targets = [{ bone = "foot", keys = [{ at = 0, vector = [0, 0, 0] }] }] }'
    )
    world = load(head(0.005) + arm(components, FLOAT.replace("SHAPE", shape)))
    world.step(200)
    assert world.array("tracking.pad_force")[0] == pytest.approx(2 * 9.81, rel=1e-6)
    np.testing.assert_allclose(world.array("tracking.pad_point")[0], [0.06, -0.1, -0.04], atol=1e-5)
