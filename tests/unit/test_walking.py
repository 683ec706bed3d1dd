"""Walking: gaits and what is wrong with them, torques against a plain twin, bodies with any feet, memory and pushes."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from supple.core.pose import rotate
from supple.errors import UserError
from supple.mechanics.owners import Owners, list_owners
from supple.testing import audit_step, check_resume
from supple_contact.tables import RowContacts
from supple_simbicon import layout as at
from supple_simbicon.compile import Walker
from supple_simbicon.drive import make_scratch
from supple_simbicon.drive_kernels import drive_walker
from supple_simbicon.layout import Asked, Output, Sight
from supple_simbicon.oracle import Joint, find_rotation_vector, share_missing, turn_about
from supple_simbicon.read_gait import HOME, list_gaits, read_gait

ROOT = Path(__file__).resolve().parents[2]
SCENE = """format = 1
[run]
step = 0.004
duration = 8.0
gravity = [0, -9.8, 0]
[[entity]]
name = "floor"
plane = { friction = 2.5 }
[[entity]]
name = "walker"
biped = { BIPED }
simbicon = { gait = "GAIT", settle = 2.0, MORE }
"""
PUSH = """
[[event]]
name = "shove"
at = 0.3
gait_push = { walker = "walker", on = "walker/bones/pelvis/torso", force = [40, 0, 0], duration = 0.1, share = 0.5, stance = "right" }
"""  # noqa: E501
OWN = """format = 1
about = "Marching."
foot_point = [0, -0.02, 0.04]
[joints]
pelvis = { stiffness = 3000, damping = 300 }
torso = { stiffness = 300, damping = 30 }
head = { stiffness = 100, damping = 10 }
thigh = { stiffness = 300, damping = 30 }
shank = { stiffness = 300, damping = 30 }
foot = { stiffness = 50, damping = 5 }
toes = { stiffness = 10, damping = 1 }
upper_arm = { stiffness = 30, damping = 3 }
forearm = { stiffness = 10, damping = 1 }
[[phases]]
name = "lift"
duration = 0.25
[phases.targets]
swing_thigh = { frame = "heading", x = { angle = -0.5, speed = -0.3 }, z = { angle = 0.06, distance = 0.3, speed = 0.3 } }
swing_shank = { x = 1.0 }
swing_foot = { frame = "heading" }
stance_foot = { frame = "heading", x = { angle = 0.2, distance = 0.15, speed = 0.2 } }
stance_upper_arm = { z = -1.5 }
swing_upper_arm = { z = 1.5 }
[[phases]]
name = "lower"
duration = 0.3
until = { load = 20 }
[phases.targets]
swing_thigh = { frame = "heading", x = { angle = -0.1, distance = -0.3, speed = -0.3 }, z = { angle = 0.06, distance = 0.3, speed = 0.3 } }
swing_shank = { x = 0.1 }
swing_foot = { frame = "heading" }
stance_foot = { frame = "heading", x = { angle = 0.2, distance = 0.15, speed = 0.2 } }
stance_upper_arm = { z = -1.5 }
swing_upper_arm = { z = 1.5 }
"""  # noqa: E501


def write(folder: Path, biped: str = "", gait: str = "forward_walk", more: str = "", own: str = "") -> Path:
    file = folder / "scene.toml"
    text = SCENE.replace("BIPED", biped).replace("GAIT", gait).replace(", MORE", f", {more}" if more else "")
    file.write_text(text, encoding="utf-8")
    if own:
        (folder / gait).write_text(own, encoding="utf-8")
    return file


def test_gaits_that_come_with_the_plugin_are_read() -> None:
    assert {"forward_walk", "walk_in_place", "walk_2d", "run_2d", "crouch_2d"} <= set(list_gaits())
    for name in list_gaits():
        assert read_gait(HOME / f"{name}.toml").gait.about


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("thigh = { stiffness", "thgh = { stiffness", 3, ["thigh", "[joints.thigh]"]),
        ("swing_shank = { x = 1.0 }", "swing_shnk = { x = 1.0 }", 18, ["shnk", "shank"]),
        ("head = {", "tail = {", 6, ["no bone 'tail'", "left_tail"]),
        ("angle = -0.5,", "keys = [[0.5, 0.1], [0.2, 0.3]],", 17, ["0.2", "not later"]),
        ("foot_point", 'foot = "hoof"\nfoot_point', 3, ["no bone 'hoof'"]),
        ("duration = 0.25", "duration = -1", 15, ["duration"]),
        ("duration = 0.25", "until = { load = 20, share = 0.5 }", 13, ["share", "duration"]),
        ("[phases.targets]", "[phases.aims]", 16, ["aims", "targets"]),
        ("x = 1.0", "y = { angle = 1, speed = 2 }", 18, ["balance turns about x and z"]),
        ("stiffness = 3000", "stiffness = -3000", 5, ["stiffness"]),
    ],
)
def test_bad_gaits_are_told_by_file_and_line(tmp_path, old, new, line, words) -> None:
    file = write(tmp_path, gait="own.toml", own=OWN.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        supple.load(file)
    told = str(caught.value)
    mine = [each for each in told.splitlines() if all(word in each for word in words)]
    assert mine, told
    found = int(mine[0].split("own.toml:")[1].split(":")[0])
    assert abs(found - line) <= 2, mine[0]


@pytest.mark.parametrize(
    ("gait", "more", "words"),
    [
        ("forward_wlk", "", ["forward_walk"]),
        ("missing.toml", "", ["missing.toml"]),
        ("forward_walk", "noise = -1.0", ["noise"]),
    ],
)
def test_bad_walkers_are_refused(tmp_path, gait, more, words) -> None:
    with pytest.raises(UserError) as caught:
        supple.load(write(tmp_path, gait=gait, more=more))
    assert all(word in str(caught.value) for word in words)


def test_a_walker_needs_a_skeleton(tmp_path) -> None:
    file = write(tmp_path)
    file.write_text(file.read_text().replace("biped = {  }\n", ""), encoding="utf-8")
    with pytest.raises(UserError, match="no skeleton"):
        supple.load(file)


def test_a_push_names_what_exists(tmp_path) -> None:
    file = write(tmp_path)
    text = file.read_text()
    for old, new, words in (
        ('walker = "walker"', 'walker = "wlker"', "wlker"),
        ("/torso", "/tors", "tors"),
        ("share = 0.5", 'share = 0.5, phase = "hop"', "hop"),
        ('on = "walker/bones/pelvis/torso"', 'on = "floor"', "stands still"),
    ):
        file.write_text(text + PUSH.replace(old, new), encoding="utf-8")
        with pytest.raises(UserError, match=words):
            supple.load(file)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5))
def test_keys_are_in_the_order_of_their_shares_or_refused(shares) -> None:
    from supple_simbicon.gait import Aim

    keys = tuple((share, 0.1) for share in shares)
    rising = all(a < b for a, b in pairwise(shares))
    if rising:
        assert Aim(keys=keys).keys == keys
    else:
        with pytest.raises(ValueError, match="not later"):
            Aim(keys=keys)


# Bodies


def total(world) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre and inertia about it of all bones and their flesh at rest, by the tables of the skeleton."""
    table, x, q = (world.array(f"skeleton.{name}") for name in ("inertia", "x", "rotation"))
    mass = table[:, 0].sum()
    centre = sum(m * x[i] + rotate(q[i], table[i, 1:4]) for i, m in enumerate(table[:, 0])) / mass
    inertia = np.zeros((3, 3))
    for i, row in enumerate(table):
        if row[0] == 0.0:
            continue
        turn = np.array([rotate(q[i], e) for e in np.eye(3)]).T
        own = np.array([[row[4], row[7], row[8]], [row[7], row[5], row[9]], [row[8], row[9], row[6]]])
        c = row[1:4] / row[0]
        about = own - row[0] * (c @ c * np.eye(3) - np.outer(c, c))
        arm = x[i] + turn @ c - centre
        inertia += turn @ about @ turn.T + row[0] * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, centre, inertia


@pytest.mark.parametrize("start", ["stand", "forward"])
@pytest.mark.parametrize("feet", ["four_link", "soft"])
def test_feet_change_neither_mass_nor_inertia(tmp_path, feet, start) -> None:
    rigid = total(supple.load(write(tmp_path, f'start = "{start}"')))
    other = total(supple.load(write(tmp_path, f'feet = "{feet}", start = "{start}"')))
    assert rigid[0] == pytest.approx(70.4)
    for one, two in zip(rigid, other, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-9)


def test_soft_feet_lie_where_rigid_ones_do(tmp_path) -> None:
    """Also when the pelvis starts turned, the flesh of a foot surrounds its bone."""
    world = supple.load(write(tmp_path, 'feet = "soft", start = "forward"'))
    world.step()
    x, q = world.array("skeleton.x"), world.array("skeleton.rotation")
    member = next(m for m in world.members("mechanisms") if m.name == "skeleton")
    vertices = world.array("flesh.position")
    foot = next(row for path, row in member.bones.items() if path.endswith("left_foot"))
    back = q[foot] * np.array([1.0, -1.0, -1.0, -1.0])
    inside = [rotate(back, vertex - x[foot]) for vertex in vertices]
    near = [p for p in inside if abs(p[0]) < 0.03 and -0.06 < p[1] < 0.0 and -0.06 < p[2] < 0.11]
    assert len(near) >= 36
    assert min(p[1] for p in near) == pytest.approx(-0.053, abs=2e-3)


def test_rates_and_flesh_are_as_told(tmp_path) -> None:
    world = supple.load(write(tmp_path, 'feet = "soft"'))
    assert len(world.array("skeleton.v")) == 34
    assert len(world.array("flesh.mass")) == 96


def test_a_ball_of_flesh_is_closed_and_faces_outwards() -> None:
    from supple_characters.biped_plan import TOE_TIP
    from supple_characters.feet import wrap_block

    vertices, triangles = wrap_block(TOE_TIP, (1, 1, 1))
    np.testing.assert_allclose(np.linalg.norm(vertices - np.array(TOE_TIP.start), axis=1), TOE_TIP.size[0])
    edges = [(t[k], t[(k + 1) % 3]) for t in triangles for k in range(3)]
    assert len(set(edges)) == len(edges) == 60
    assert all((b, a) in edges for a, b in edges)
    volume = sum(np.dot(vertices[a], np.cross(vertices[b], vertices[c])) for a, b, c in triangles) / 6
    assert volume > 0


# Torques


@pytest.fixture(scope="module")
def walking(tmp_path_factory):
    world = supple.load(write(tmp_path_factory.mktemp("walk"), 'start = "forward"'))
    world.step(30)
    return world


def twin(world, walker: Walker, h: float) -> np.ndarray:
    """Torques along all rates by the plain twin, at the state of the world."""
    stance = at.LEFT if world.array("phases.active")[walker.flag] else at.RIGHT
    drives, rotation, twist = walker.drives, world.array("skeleton.rotation"), world.array("skeleton.twist")
    value, balance = world.array("phases.value"), world.array("simbicon.balance")[walker.row]
    turn = [np.array([rotate(q, e) for e in np.eye(3)]).T for q in rotation]
    upright = turn_about(1, 2 * np.arctan2(balance[at.HEADING_Y], balance[at.HEADING_W]))
    found = []
    for n, i in enumerate(drives.bone):
        turns = []
        for axis in drives.order[stance, n]:
            places = [table[stance, n, axis] for table in (drives.angle, drives.distance, drives.speed)]
            angle, d, v = (value[place] if place >= 0 else 0.0 for place in places)
            columns = (at.DISTANCE_X, at.SPEED_X) if axis == 2 else (at.DISTANCE_Z, at.SPEED_Z)
            turns.append((axis, angle + d * balance[columns[0]] + v * balance[columns[1]]))
        rate, frame = twist[i, 3:].copy(), upright
        if n == 0:
            frame = np.eye(3)
        elif not drives.heading[stance, n]:
            p = drives.parent[n]
            frame = turn[p]
            rate -= turn[i].T @ turn[p] @ twist[p, 3:]
        gains = drives.gains[n]
        scale = gains[at.SCALE : at.SCALE + 3]
        joint = Joint(turn[i], frame, rate, turns, gains[at.STIFFNESS] * scale, gains[at.DAMPING] * scale)
        found.append(joint.torque(h))
    hips, share = walker.body.hip, balance[at.STANCE_SHARE]
    own, other = hips[stance], hips[1 - stance]
    hangs = [found[n] for n in walker.body.hangs]
    found[own], found[other] = share_missing(found[0], hangs, found[own], found[other], share)
    root, thigh = drives.bone[0], drives.bone[own]
    yaw = (turn[root] @ twist[root, 3:])[1] - (turn[thigh] @ twist[thigh, 3:])[1]
    yaw = np.clip(yaw, -4, 4)
    found[own][1] += walker.rules.yaw_damping * yaw * abs(yaw)
    torques, axis = np.zeros(len(world.array("skeleton.v"))), world.array("skeleton.axis")
    for n in range(1, len(drives.bone)):
        for local in range(drives.rates[n]):
            torques[drives.first[n] + local] = axis[drives.row[n] + local, 3:] @ found[n]
    return torques


def drive(world, walker: Walker, h: float, noise: float = 0.0) -> tuple[np.ndarray, Output]:
    """Torques at the start of a step by the kernel."""
    rates = len(world.arrays["skeleton.v"])
    names = Sight._fields
    sight = Sight(**{name: world.arrays[f"skeleton.{name}"] for name in names})
    output, asked = Output(*np.zeros((3, rates))), Asked(*np.zeros((2, rates)))
    active = world.arrays["phases.active"][walker.flag : walker.flag + 1]
    drive_walker(
        h, walker.drives, walker.body, walker.rules, active, world.arrays["phases.value"], world.arrays["touch.force"],
        sight, world.arrays["simbicon.memory"][walker.row], np.full(rates, noise),
        make_scratch(len(walker.drives.bone)),
        world.arrays["simbicon.balance"][walker.row], asked, output,
    )  # fmt: skip
    return asked.push - asked.resisting * sight.v, output


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 40), st.floats(0.0, 0.01))
def test_torques_are_those_of_the_plain_twin(walking, steps, h) -> None:
    walking.step(steps)
    (walker,) = walking.members("walkers")
    torques, _ = drive(walking, walker, h)
    np.testing.assert_allclose(torques, twin(walking, walker, h), atol=1e-8)


def test_hips_give_the_root_the_torque_that_it_lacks(walking) -> None:
    """Newton's third law: what the root's joints give it is what its drive wants, whatever the load on the feet."""
    (walker,) = walking.members("walkers")
    scratch = make_scratch(len(walker.drives.bone))
    rng = np.random.default_rng(3)
    from supple_simbicon.drive_kernels import hold_upright

    sight = Sight(**{name: walking.array(f"skeleton.{name}") for name in Sight._fields})
    rules = walker.rules._replace(yaw_damping=0.0)
    for share in (0.0, 0.3, 1.0):
        scratch.torque[:] = rng.normal(size=scratch.torque.shape)
        balance = np.zeros(at.BALANCE_COLUMNS)
        balance[at.STANCE_SHARE], balance[at.LOAD] = share, 700.0
        hold_upright(walker.drives, walker.body, rules, at.LEFT, sight, balance, scratch)
        given_to_root = -scratch.torque[walker.body.hangs].sum(axis=0)
        np.testing.assert_allclose(given_to_root, scratch.torque[0], atol=1e-12)


def test_noise_is_a_part_of_the_torque(walking) -> None:
    (walker,) = walking.members("walkers")
    plain, _ = drive(walking, walker, 0.004)
    noisy, _ = drive(walking, walker, 0.004, noise=0.5)
    drives = walker.drives
    for n in range(1, len(drives.bone)):
        for k in range(drives.first[n], drives.first[n] + drives.rates[n]):
            expected = 0.5 * abs(plain[k]) * drives.gains[n, at.NOISE]
            assert noisy[k] - plain[k] == pytest.approx(expected, abs=1e-9)


def test_torques_stay_within_their_limits(walking) -> None:
    (walker,) = walking.members("walkers")
    gains = walker.drives.gains.copy()
    gains[:, at.LIMIT] = 3.0
    bounded = SimpleNamespace(**{**vars(walker), "drives": walker.drives._replace(gains=gains)})
    torques, free = drive(walking, bounded, 0.004)[0], drive(walking, walker, 0.004)[0]
    assert np.abs(torques).max() <= 3.0 + 1e-9
    inside = np.abs(free) < 3.0
    np.testing.assert_allclose(torques[inside], free[inside], atol=1e-9)
    np.testing.assert_array_equal(np.sign(torques), np.sign(free))


@given(st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_rotation_vectors_of_the_twin(turns) -> None:
    matrix = turn_about(0, turns[0]) @ turn_about(1, turns[1]) @ turn_about(2, turns[2])
    vector = find_rotation_vector(matrix)
    np.testing.assert_allclose(matrix @ vector, vector, atol=1e-9)


# Walks


def test_he_walks_as_told(tmp_path) -> None:
    world = supple.load(write(tmp_path, 'start = "forward"'))
    world.step(2000)
    figures = world.metrics()
    assert figures["walker.upright"] == 1
    assert figures["walker.speed"] == pytest.approx(0.938, rel=0.1)
    assert figures["walker.step_period"] == pytest.approx(0.578, rel=0.1)
    # The stance foot stays where it is: elsewhere it slid by 4 mm a step, on softer contact.
    assert 0.0 < figures["walker.slip"] < 0.004
    # What carries him, on the average of full steps, is his weight.
    loads = []
    while figures["walker.upright"] and len(loads) < 286:  # two steps of 0.572 s
        world.step()
        figures = world.metrics()
        loads.append(figures["walker.left_load"] + figures["walker.right_load"])
    assert np.mean(loads) == pytest.approx(70.4 * 9.8, rel=0.03)


def test_pressure_is_measured_as_told(tmp_path) -> None:
    """Sums over the steps of a walk, from all contact forces at once, eq. (11) and (12)."""
    world = supple.load(write(tmp_path, 'start = "forward"'))
    (walker,) = world.members("walkers")
    rows = [walker.body.left, walker.body.right]
    samples = []
    while world.time < 4.0 - 1e-9:
        before = [world.array(f"touch.{name}").copy() for name in ("force", "normal_force", "centre")]
        world.step()
        if world.time < 2.0 - 1e-9:
            continue
        stance = 0 if world.array("phases.active")[walker.flag] else 1
        force, normal, centre = (each[rows[stance]] for each in before)
        place = (normal[:, None] * centre).sum(axis=0) / max(normal.sum(), 1e-12)
        samples.append((stance, *force.sum(axis=0), *place))
    table = np.array(samples)
    ends = np.flatnonzero(np.diff(table[:, 0]) != 0) + 1
    figures = []
    for first, last in pairwise(ends):
        step = table[first:last]
        size = np.linalg.norm(step[:, 1:4], axis=1)
        loaded = step[step[:, 2] > 20.0]
        ways = np.abs(np.diff(loaded[:, [4, 6]], axis=0))
        variation = np.abs(np.diff(size)).sum()
        figures.append(
            (size.mean(), size.std(), variation, ways[:, 1].sum(), ways[:, 0].sum(), ways[:, 1].max())
        )
    names = (
        "force",
        "force_deviation",
        "force_variation",
        "pressure_way",
        "pressure_way_aside",
        "pressure_jump",
    )
    measured = [world.metrics()[f"walker.{name}"] for name in names]
    assert len(figures) >= 2
    np.testing.assert_allclose(measured, np.mean(figures, axis=0), rtol=1e-9)


def test_slip_is_the_way_of_what_presses(tmp_path) -> None:
    """On ice feet slide: the way that their bones move where the pressure is, eq. (12)."""
    file = write(tmp_path, 'start = "forward"')
    file.write_text(file.read_text().replace("friction = 2.5", "friction = 0.05"), encoding="utf-8")
    world = supple.load(file)
    (walker,) = world.members("walkers")
    for _ in range(40):
        world.step()
        slips, touch = world.array("simbicon.slips"), world.array("touch.normal_force")
        for rows in (walker.body.left, walker.body.right):
            assert slips[rows, 1] / 0.004 == pytest.approx(touch[rows], abs=1e-9)
    (skeletons,) = (each for each in world.members("mechanisms") if each.name == "skeleton")
    owners, names = arrays_of(world, Owners, "owners"), list_owners(world.build)
    contacts = arrays_of(world, RowContacts, "contacts")
    sums = np.zeros_like(slips)
    for c in range(contacts.count[0]):
        pressing = 0.004 * world.array("contacts.force")[c] @ contacts.directions[c, 0]
        for side in range(2):
            i = owners.body[owners.first[contacts.surface[c, side]] + contacts.element[c, side]]
            if i >= 0 and names[i] in skeletons.bones:
                row = skeletons.bones[names[i]]
                twist, rotation = world.array("skeleton.twist")[row], world.array("skeleton.rotation")[row]
                arm = contacts.point[c, side] - world.array("skeleton.x")[row]
                velocity = twist[:3] + np.cross(rotate(rotation, twist[3:]), arm)
                sums[i] += pressing * np.hypot(velocity[0], velocity[2]), pressing
    feet = [*walker.body.left, *walker.body.right]
    assert sums[feet, 0].max() > 0.01
    # Contact points are those of the start of the step.
    np.testing.assert_allclose(slips[feet], sums[feet], rtol=0.05, atol=1e-9)


def arrays_of(world, kind, owner):
    return kind(**{name: world.array(f"{owner}.{name}") for name in kind._fields})


@pytest.mark.parametrize(
    ("lifted", "lowered", "slowest", "fastest"),
    [
        ("-0.4", "", -0.15, 0.15),
        ("-0.3", "angle = 0.12, ", 0.35, 0.8),
        ("-0.5", "angle = -0.1, ", -0.8, -0.35),
    ],
)
def test_the_gait_of_the_page_walks_as_it_says(tmp_path, lifted, lowered, slowest, fastest) -> None:
    page = (ROOT / "plugins" / "supple_simbicon" / "README.md").read_text(encoding="utf-8")
    gait = page.split("## Writing a gait")[1].split("```toml\n")[1].split("```")[0]
    assert gait.count("-0.4]") == 2
    feedback = "distance = -0.3, speed = -0.3"
    own = gait.replace("-0.4]", f"{lifted}]").replace(f"{{ {feedback}", f"{{ {lowered}{feedback}")
    world = supple.load(write(tmp_path, 'start = "in_place"', gait="own.toml", own=own))
    world.step(2500)
    figures = world.metrics()
    assert figures["walker.upright"] == 1
    assert figures["walker.steps"] > 12
    assert slowest < figures["walker.speed"] < fastest


def test_systems_touch_what_they_declare_and_resume(tmp_path) -> None:
    file = write(tmp_path, 'feet = "soft", start = "forward"', more="noise = 0.5")
    file.write_text(file.read_text() + PUSH, encoding="utf-8")
    world = supple.load(file)
    world.step(5)
    audit_step(world)
    check_resume(file, steps=60, more=60)


def test_a_push_waits_for_its_moment(tmp_path) -> None:
    file = write(tmp_path, 'start = "forward"')
    file.write_text(file.read_text() + PUSH, encoding="utf-8")
    world = supple.load(file)
    (machines,) = world.members("phases")
    row, phase = machines.row("walker/gait"), machines.phase("walker/gait", "right_step")
    start, before = world.array("simbicon.push_start"), -1.0
    while start[0] < 0.0:
        before = float(world.array("phases.share")[row])
        world.step()
    assert world.array("phases.current")[row] == phase
    assert world.array("phases.share")[row] >= 0.5 - 1e-6
    assert before < 0.5
    assert world.metrics()["shove.start"] >= 0.3


def test_a_fallen_walker_is_measured_no_more(tmp_path) -> None:
    file = write(tmp_path, 'start = "forward"')
    file.write_text(file.read_text() + PUSH.replace("[40, 0, 0]", "[0, 0, 3000]"), encoding="utf-8")
    world = supple.load(file)
    world.step(1000)
    fell = world.metrics()
    assert fell["walker.upright"] == 0
    assert 0.3 < fell["walker.fall_time"] < 4.0
    world.step(20)
    assert world.metrics()["walker.distance"] == fell["walker.distance"]
    assert world.metrics()["walker.fall_time"] == fell["walker.fall_time"]


def test_a_fallen_walker_only_resists(tmp_path) -> None:
    file = write(tmp_path, 'start = "forward"', more="noise = 3.0")
    world = supple.load(file)
    world.step(20)
    assert np.abs(world.array("simbicon.push")).max() > 1.0
    state = world.snapshot()
    state["simbicon.memory"][0, at.FALL_TIME] = 0.1
    world.restore(state)
    for _ in range(3):
        world.step()
        torque = world.array("simbicon.push") - world.array("simbicon.resisting") * world.array("skeleton.v")
        assert np.abs(torque).max() > 0.1
        assert torque @ world.array("skeleton.v") < 0.0
        assert world.array("skeleton.gain_p").max() == 0.0
