"""Links against their oracle, springs against implicit recursions, grasps in any motion, files in any order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import supple
from supple_joints import codes
from supple_joints.measure_kernels import measure_links
from supple_joints.oracle import measure_link, step_spring
from supple_joints.tables import Anchors, make_measured

# A single row is solved to round-off by one sweep, if the warm start is not taken for good enough.
EXACT = "[run.gauss_seidel]\ntolerance = 1e-14\nmax_sweeps = 20\n"
HEAD = (
    "format = 1\n[run]\nstep = {h!r}\nduration = 10.0\ngravity = [0, {gravity!r}, 0]\n"
    + 'solver = "gauss_seidel"\n'
)


def load(folder, text):
    file = folder / "scene.toml"
    file.write_text(text, encoding="utf-8")
    return supple.load(file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("joints")


def unit_quaternion(numbers):
    q = np.array(numbers)
    assume(np.linalg.norm(q) > 0.1)
    return q / np.linalg.norm(q)


numbers = st.floats(-1, 1)
quaternions = st.tuples(numbers, numbers, numbers, numbers).map(unit_quaternion)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
small = st.floats(-1e-3, 1e-3)


@pytest.mark.parametrize(
    "kind", [codes.BALL, codes.HINGE, codes.SLIDER, codes.FIXED, codes.STRETCH, codes.PULL]
)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_links_measure_what_the_oracle_measures(kind, data) -> None:
    x = np.array([[data.draw(vectors), data.draw(vectors)]])
    q = np.array([[data.draw(quaternions), data.draw(quaternions)]])
    axis_a, axis_b = Rotation.from_quat(q[0], scalar_first=True).apply([1.0, 0, 0])
    assume(axis_a @ axis_b > -0.99)
    measured = make_measured(1)
    measure_links(np.array([kind]), Anchors(x=x, q=q), np.zeros(1), measured)
    axes, error, position = measured.axes, measured.error, measured.coordinate
    expected = measure_link(kind, x[0], q[0])
    assert error[0, 0] @ axes[0, 0] == pytest.approx(expected.distance, abs=1e-12)
    # At half a turn the two rotation vectors of opposite sign mean the same.
    if np.linalg.norm(expected.turn) < np.pi - 1e-6:
        assert error[0, 1] @ axes[0, 1] == pytest.approx(expected.turn, abs=1e-9)
    difference = position[0] - expected.position
    assert (np.remainder(difference + np.pi, 2 * np.pi) - np.pi if kind == codes.HINGE else difference) == (
        pytest.approx(0.0, abs=1e-9)
    )
    if kind != codes.STRETCH:
        assert axes[0, 1] @ axes[0, 1].T == pytest.approx(np.eye(3), abs=1e-12)
        assert axes[0, 0] @ axes[0, 0].T == pytest.approx(np.eye(3), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(quaternions, quaternions, vectors, small, small)
def test_measures_do_not_depend_on_who_looks(turn, other, shift, dx, angle) -> None:
    """Moving the world moves directions along and changes no error; swapping the sides turns their sign."""
    b = Rotation.from_quat(other, scalar_first=True)
    a = b * Rotation.from_rotvec([0.7, angle, -angle])
    x = np.array([[b.apply([dx, 0.2, dx]), np.zeros(3)]])
    q = np.array([[a.as_quat(scalar_first=True), other]])
    world = Rotation.from_quat(turn, scalar_first=True)
    moved_x = (world.apply(x[0]) + shift)[None]
    moved_q = np.array([[(world * one).as_quat(scalar_first=True) for one in (a, b)]])
    results = []
    for where, turned in ((x, q), (moved_x, moved_q), (x[:, ::-1].copy(), q[:, ::-1].copy())):
        found = make_measured(1)
        measure_links(np.array([codes.HINGE]), Anchors(x=where, q=turned), np.zeros(1), found)
        errors = np.array([found.error[0, m] @ found.axes[0, m] for m in range(2)])
        results.append((errors, found.coordinate[0], found.point[0, 0]))
    assert results[1][0] == pytest.approx(world.apply(results[0][0]), abs=1e-12)
    assert results[1][1] == pytest.approx(results[0][1], abs=1e-12)
    assert results[2][0] == pytest.approx(-results[0][0], abs=1e-12)
    assert results[2][1] == pytest.approx(-results[0][1], abs=1e-12)
    assert results[2][2] == pytest.approx(results[0][2], abs=1e-15), "both sides are acted on at one point"


@settings(max_examples=40, deadline=None)
@given(
    stiffness=st.floats(1, 1e7), damping=st.floats(0, 1e4), h=st.floats(1e-4, 0.05), mass=st.floats(0.1, 100),
    offset=st.floats(-5, 5), strongest=st.one_of(st.none(), st.floats(5, 100)), speed=st.floats(-2, 2),
)  # fmt: skip
def test_a_spring_is_implicit_to_round_off(
    folder, stiffness, damping, h, mass, offset, strongest, speed
) -> None:
    more = f"rest = 8, offset = {offset!r}" + ("" if strongest is None else f", strongest = {strongest!r}")
    world = load(folder, HEAD.format(h=h, gravity=-9.81) + EXACT + f"""
    [[entity]]
    name = "weight"
    pose = {{ position = [0, 0, 0] }}
    sphere = {{ radius = 0.1 }}
    body = {{ mass = {mass!r}, velocity = [0, {speed!r}, 0] }}
    [[entity]]
    name = "foot"
    pose = {{ position = [0, -8, 0] }}
    spring = {{ between = ["weight"], stiffness = {stiffness!r}, damping = {damping!r}, implicitness = 1.0, {more} }}
    """)  # fmt: skip
    x, v = 0.0, speed
    for _ in range(30):
        if strongest is None:
            x, v = step_spring(mass, stiffness, damping, h, x, v, offset - 9.81 * mass, np.inf)
        else:
            # The bound holds for spring, damper and offset together: move the rest by the offset instead.
            shift = offset / stiffness
            moved, v = step_spring(mass, stiffness, damping, h, x - shift, v, -9.81 * mass, strongest)
            x = moved + shift
        world.step()
        # Round-off of the length of 8 m is 1e-15 m; divided by h it shows in the velocity of a stiff spring.
        assert world["weight"].velocity[1] == pytest.approx(v, rel=1e-12, abs=2e-14 / h)
        assert world["weight"].position[1] == pytest.approx(x, rel=1e-12, abs=1e-14)
        x, v = world["weight"].position[1], world["weight"].velocity[1]
        if x < -6.0:
            break  # a weak spring lets the weight fall past its foot, where the line turns round


@settings(max_examples=20, deadline=None)
@given(st.floats(0.1, 1e5), st.floats(0, 1e3), st.floats(1e-3, 0.02), st.floats(-40, 40), st.floats(-3, 3))
def test_a_torsion_spring_is_implicit_to_round_off(folder, stiffness, damping, h, rest, spin) -> None:
    world = load(folder, HEAD.format(h=h, gravity=-9.81) + EXACT + f"""
    [[entity]]
    name = "wheel"
    sphere = {{ radius = 0.5 }}
    body = {{ mass = 2, spin = [{spin!r}, 0, 0] }}
    [[entity]]
    name = "axle"
    joint = {{ kind = "hinge", between = ["wheel"], axis = [1, 0, 0] }}
    spring = {{ stiffness = {stiffness!r}, damping = {damping!r}, rest = {rest!r}, implicitness = 1.0 }}
    """)  # fmt: skip
    inertia, start = 0.4 * 2 * 0.5**2, np.radians(rest)
    angle, rate = 0.0, spin
    for _ in range(30):
        x, rate = step_spring(inertia, stiffness, damping, h, angle - start, rate, 0.0, np.inf)
        angle = x + start
        world.step()
        assert world["axle"].position == pytest.approx(angle, abs=1e-12)
        angle, rate = world["axle"].position, world["wheel"].velocity[3]


CATCH = """
[[entity]]
name = "hand"
pose = {{ position = [0, 0, 0], axis = [1, 1, 0], angle = 30 }}
box = {{ size = [0.3, 0.1, 0.2] }}
body = {{ mass = 1.5, velocity = [0.1, 0.5, 0], spin = {spin} }}
[[entity]]
name = "thing"
pose = {{ position = [0.8, 0.1, 0.2] }}
sphere = {{ radius = 0.2 }}
body = {{ mass = 0.5, velocity = [-0.2, 0.3, 0.1], spin = [0, 3, 1] }}
[[event]]
name = "catch"
at = {at!r}
grasp = {{ hand = "hand", object = "thing"{duration} }}
"""


def pose_in_hand(world):
    hand, thing = (Rotation.from_quat(world[name].rotation, scalar_first=True) for name in ("hand", "thing"))
    return hand.inv().apply(world["thing"].position - world["hand"].position), (
        hand.inv() * thing
    ).as_matrix()


@settings(max_examples=15, deadline=None)
@given(
    st.tuples(st.floats(-2, 2), st.floats(-2, 2), st.floats(-2, 2)), st.floats(0, 0.1), st.floats(0.05, 0.2)
)
def test_a_grasp_keeps_the_pose_it_closed_in_and_then_lets_go(folder, spin, at, duration) -> None:
    h = 0.002
    text = CATCH.format(spin=list(spin), at=at, duration=f", duration = {duration!r}")
    world = load(folder, HEAD.format(h=h, gravity=-9.81) + text)
    while world.time < at - 1e-9 * h:
        world.step()
    place, turn = pose_in_hand(world)
    passed = 0.0
    while world.time < at + duration - 1e-9 * h:
        world.step()
        now, turned = pose_in_hand(world)
        # What is left is the curvature of one step: h^2 w^2 r / 2 with the spins after the catch.
        w = np.linalg.norm(world.array("rigid.v")[:, 3:], axis=1).max()
        assert np.abs(now - place).max() <= h**2 * w**2 * 1.1 + 1e-9
        assert np.abs(turned - turn).max() <= 1e-9, "both turn alike, and turns do not add up to errors"
        assert world["catch"].closed == 1
        passed = max(passed, np.linalg.norm(world["catch"].force))
    assert passed > 0.0
    before = world["thing"].velocity
    world.step(10)
    assert world["catch"].closed == 0
    assert world["thing"].velocity[:3] - before[:3] == pytest.approx([0, -9.81 * 10 * h, 0], abs=1e-12)


def test_a_held_thing_in_a_standing_clamp_does_not_move(folder) -> None:
    text = CATCH.format(spin=[0, 0, 0], at=0.0, duration="").replace("body = { mass = 1.5", "# ", 1)
    world = load(folder, HEAD.format(h=0.002, gravity=-9.81) + text)
    start = world["thing"].position
    world.step(1000)
    assert np.abs(world["thing"].position - start).max() <= 1e-9
    assert world["catch"].force == pytest.approx([0, 0.5 * 9.81, 0], abs=1e-6)


@pytest.mark.parametrize("pause", [20, 25, 26, 40, 75])
def test_a_resumed_run_repeats_every_bit(folder, pause) -> None:
    text = HEAD.format(h=0.002, gravity=-9.81) + CATCH.format(
        spin=[1, 2, 0], at=0.05, duration=", duration = 0.1"
    )
    through, first, second = (load(folder, text) for _ in range(3))
    through.step(100)
    first.step(pause)
    second.restore(first.snapshot())
    second.step(100 - pause)
    one, other = through.snapshot(), second.snapshot()
    for name in one:
        assert one[name].tobytes() == other[name].tobytes(), name


PLANK = '[[entity]]\nname = "{}"\npose = {{ position = [{}, 0, 0] }}\nbox = {{ size = [0.4, 0.1, 0.1] }}\nbody = {{}}\n'
PARTS = [
    PLANK.format("a", 0.0),
    PLANK.format("b", 0.5),
    PLANK.format("c", 1.0),
    """
    [[entity]]
    name = "ab"
    pose = { position = [0.25, 0, 0] }
    joint = { kind = "hinge", between = ["a", "b"], axis = [0, 1, 1], upper = 30 }
    """,
    """
    [[entity]]
    name = "top"
    pose = { position = [-0.25, 0, 0] }
    joint = { kind = "ball", between = ["a"] }
    """,
    """
    [[entity]]
    name = "drive"
    motor = { on = "ab", speed = 2, strongest = 10 }
    spring = { on = "ab", stiffness = 20 }
    """,
    """
    [[entity]]
    name = "band"
    spring = { between = ["c", "b"], stiffness = 300, damping = 5 }
    """,
    """
    [[event]]
    name = "hold"
    at = 0.1
    grasp = { hand = "b", object = "c", duration = 0.1 }
    """,
]


@settings(max_examples=10, deadline=None)
@given(st.permutations(PARTS))
def test_the_order_of_the_file_changes_no_bit(folder, parts) -> None:
    head = HEAD.format(h=0.004, gravity=-9.81)
    snapshots = []
    for order in (PARTS, parts):
        world = load(folder, head + "".join(order))
        world.step(80)
        snapshots.append(world.snapshot())
    for name, values in snapshots[0].items():
        assert values.tobytes() == snapshots[1][name].tobytes(), name
