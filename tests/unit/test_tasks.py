"""Tasks in scenes: what is refused, what is remembered, and what the commands bring about."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.errors import UserError
from supple.plugin import load_plugins
from supple.scene.load import read_scene
from supple.testing import audit_step, check_memory, check_resume
from supple_tasks.explain import explain

ARM = """
format = 1
[run]
step = 0.001
duration = 2.0

[[entity]]
name = "arm"
skeleton = {}
[entity.phases]
start = "go"
[entity.phases.phase.go]
duration = 0.5
next = "stay"
active = ["first"]
[entity.phases.phase.stay]
last = true
[entity.tasks.levels.aims]
priority = 1
tasks = { tip = { kind = "point", of = "arm/upper/lower", point = [0.4, 0, 0], axes = "xy", %s } }
[entity.tasks.levels.style]
priority = 2
tasks = { posture = { kind = "posture", gain = 50 } }

[[entity]]
name = "post"
pose = { position = [0, 0, 5] }

[[entity]]
name = "arm/upper"
pose = { position = [0, 1, 0] }
bone = { joint = "hinge", axis = [0, 0, 1], mass = 2, centre = [0.2, 0, 0], inertia = [0.01, 0.03, 0.03], start = [20] }
[[entity]]
name = "arm/upper/lower"
pose = { position = [0.4, 0, 0] }
bone = { joint = "hinge", axis = [0, 0, 1], mass = 1, centre = [0.2, 0, 0], inertia = [0.01, 0.02, 0.02], start = [40] }
[[entity]]
name = "arm/upper/lower/third"
pose = { position = [0.4, 0, 0] }
bone = { joint = "hinge", axis = [0, 0, 1], mass = 0.5, centre = [0.1, 0, 0], inertia = [0.001, 0.002, 0.002] }
"""


@pytest.fixture
def write(tmp_path: Path):
    def write(task: str, scene: str = ARM) -> Path:
        file = tmp_path / "arm.toml"
        file.write_text(scene % task if "%s" in scene else scene, encoding="utf-8")
        return file

    return write


def tip(world):
    return world.dynamics("arm").position("arm/upper/lower", (0.4, 0, 0))


def test_stabilising_is_critically_damped(write) -> None:
    """x'' = k (x_d - x) - 2 sqrt(k) x' from rest: the distance goes as (1 + w t) exp(-w t)."""
    gain, errors = 25.0, []
    for step in (0.002, 0.001):
        world = supple.load(write(f"target = [0.5, 1.3, 0], gain = {gain}"), overrides={"run.step": step})
        goal, start = np.array([0.5, 1.3]), tip(world)[:2]
        world.step(round(0.6 / step))
        wt = math.sqrt(gain) * 0.6
        expected = goal + (start - goal) * (1 + wt) * math.exp(-wt)
        errors.append(np.abs(tip(world)[:2] - expected).max())
    assert errors[1] < 2e-3
    assert errors[1] < 0.6 * errors[0]


@pytest.mark.parametrize("shape", ["hermite", "min_jerk"])
def test_a_reach_ends_in_time_and_as_fast_as_told(write, shape) -> None:
    reach = f'{{ to = [0.55, 1.2, 0], velocity = [0.5, 0.3, 0], duration = 0.5, shape = "{shape}" }}'
    world = supple.load(write(f"reach = {reach}, gain = 400"))
    world.step(500)
    assert tip(world)[:2] == pytest.approx([0.55, 1.2], abs=2e-3)
    velocity = world.dynamics("arm").velocity("arm/upper/lower", (0.4, 0, 0))[:2]
    assert velocity == pytest.approx([0.5, 0.3], abs=0.02)


def test_a_force_limit_holds_and_the_rest_of_the_command_is_told(write) -> None:
    world = supple.load(write("target = [0.1, 1.7, 0], gain = 400, force = 40"))
    world.step(300)
    metrics = world.metrics()
    assert metrics["arm.tip_force"] <= 40.0 * (1 + 1e-12)
    assert metrics["arm.tip_share"] < 1.0


def test_what_is_out_of_reach_leaves_torques_bounded(write) -> None:
    world = supple.load(write("target = [2.0, 1.5, 0], gain = 50, force = 60"))
    world.step(2000)
    metrics = world.metrics()
    assert metrics["arm.torque"] < 1000.0
    assert metrics["arm.softened"] > 0.0
    assert np.hypot(*(tip(world)[:2] - [0, 1])) > 0.7  # stretched towards it
    assert (
        np.abs(world.array("skeleton.v")).max() < 30.0
    )  # it swings about the stretched pose: README, Limitations


def test_claims_of_the_page_on_states_of_a_run(write) -> None:
    world = supple.load(write("target = [0.5, 1.3, 0]"), overrides={"arm.tasks.probe": True})
    world.step(30)
    metrics = world.metrics()
    assert metrics["arm.inexact"] < 1e-8
    assert metrics["arm.priority_loss"] < 1e-8


def test_a_run_goes_on_from_a_snapshot_and_nothing_hides_in_closures(write) -> None:
    scene = write('reach = { to = [0.5, 1.3, 0], duration = 0.3 }, during = ["go"]')
    check_resume(scene, steps=20, more=20)
    world = supple.load(scene)
    world.step(5)
    check_memory(world, 5)
    audit_step(world)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('of = "arm/upper/lower", point', 'of = "arm/uper/lower", point', "does not exist"),
        ("%s", "force = 0", "greater than 0"),
        ("priority = 2", "priority = 1", "level 1 is given twice"),
        ("posture = {", "tip = {", "two tasks are called 'tip'"),
        ("%s", 'during = ["gone"]', "no phase"),
        ("%s", 'gain = "stiff"', "no value of the phases"),
        ("%s", "target = [1, 1, 0], reach = { to = [1, 1, 0], duration = 1 }", "both say where to go"),
        ("%s", "gain = -1", "negative"),
        ('of = "arm/upper/lower", point', 'of = "post", point', "which it does not control"),
        ('kind = "posture"', 'kind = "relative", of = "arm/upper"', "other is missing"),
    ],
)
def test_bad_input_is_told_in_one_line(write, old, new, said) -> None:
    with pytest.raises(UserError) as caught:
        supple.load(write("", ARM.replace(old, new).replace("%s", "gain = 9")))
    assert said in str(caught.value)
    assert "arm.toml:" in str(caught.value).splitlines()[0]


CLAMPS = """
[[entity]]
name = "hand"
pose = { position = [0.8, 1, 0] }
joint = { kind = "fixed", between = ["arm/upper/lower", "box"] }
[[entity]]
name = "box"
pose = { position = [0.9, 1, 0] }
box = { size = [0.1, 0.1, 0.1] }
body = { mass = 1 }
collides = { ignores = ["arm"] }
"""
STRAIGHT = ARM.replace("start = [20]", "start = [0]").replace("start = [40]", "start = [0]") + CLAMPS
SCENE = STRAIGHT.replace(
    "[entity.tasks.levels.aims]", '[entity.tasks]\ncarries = ["box"]\n[entity.tasks.levels.aims]'
)
ELBOW = """
[[entity]]
name = "elbow"
pose = { position = [0.4, 1, 0] }
joint = { kind = "fixed", between = ["arm/upper"] }
"""


def test_clamps_that_say_the_same_twice_count_once(write) -> None:
    again = CLAMPS.split("[[entity]]")[1].replace('"hand"', '"again"')
    torques = []
    for scene in (SCENE, f"{SCENE}[[entity]]{again}"):
        world = supple.load(write("target = [0.5, 1.3, 0], gain = 100", scene))
        world.step(50)
        torques.append(world.array("tasks.torque"))
    assert abs(torques[0]).max() > 1.0
    assert torques[1] == pytest.approx(torques[0], rel=1e-6)


@pytest.mark.parametrize(
    ("carries", "what"),
    [
        ('"post"', "names 'post': nothing that moves has this name"),
        ('"box", "box"', "names 'box': asked for twice"),
    ],
)
def test_what_is_carried_moves_and_is_named_once(write, carries, what) -> None:
    file = write(
        "target = [0.5, 1.3, 0], gain = 100", SCENE.replace('carries = ["box"]', f"carries = [{carries}]")
    )
    (problem,) = read_scene(file, load_plugins()).check_builds()
    assert problem.where is not None
    assert "carries" in file.read_text(encoding="utf-8").split("\n")[problem.where.line - 1]
    assert problem.path == "arm.tasks.carries"
    assert problem.what.startswith(what)


@pytest.mark.parametrize(
    "task",
    [
        'kind = "point", of = "arm", target = [0, 1, 0]',
        'kind = "relative", of = "arm/upper/lower", other = "arm", target = [0, 1, 0]',
        'kind = "centre", of = "arm/upper", target = [0, 1, 0]',
        'kind = "momentum", of = "arm/upper/lower", gain = 1',
    ],
)
def test_checking_finds_what_tasks_cannot_be_about(write, task) -> None:
    """A skeleton as a whole has no place, and one of its bones no centre of mass that tasks could move."""
    scene = f'{SCENE}\n[set]\n"arm.tasks.levels.aims.tasks.more" = {{ {task} }}\n'
    (problem,) = read_scene(write("target = [0.5, 1.3, 0], gain = 100", scene), load_plugins()).check_builds()
    assert problem.where is not None
    assert problem.path.startswith("arm.tasks.levels.aims.tasks.more.")
    assert "names 'arm" in problem.what


def test_clamps_win_over_tasks_and_what_they_take_is_told(write) -> None:
    """One hinge moves the hand, and it is clamped, too: the goal is missed by all of its command, without a torque."""
    base = ELBOW.replace("elbow", "base").replace("0.4, 1", "0.9, 1").replace("arm/upper", "box")
    world = supple.load(write("target = [0.8, 1.3, 0], gain = 100", SCENE + ELBOW + base))
    world.step(50)
    metrics = world.metrics()
    assert metrics["arm.tip_missed"] == pytest.approx(100 * 0.3, rel=1e-6)
    assert metrics["arm.tip_error"] == pytest.approx(0.3, rel=1e-6)
    assert abs(world.array("tasks.torque")[:2]).max() < 1e-6
    assert not world.warnings()


def test_clamps_that_contradict_each_other_are_told(write) -> None:
    base = ELBOW.replace("elbow", "base").replace("0.4, 1", "0.9, 1").replace("arm/upper", "box")
    bent = (SCENE + ELBOW + base).replace("start = [0]", "start = [2]", 1)
    world = supple.load(write("target = [0.8, 1.3, 0], gain = 100", bent))
    said = {each.path: each.what for each in world.warnings()}
    assert "14 m apart" in said["elbow.joint"]  # 0.4 m times 2 degrees
    assert "apart at the start" in said["hand.joint"]
    world.step(1)
    assert abs(world.array("tasks.torque")).max() < 100.0


def test_an_infeasible_level_says_what_stands_in_its_way(write) -> None:
    """A second hand goal on the same point cannot be met: the first one is in its way, not the posture."""
    scene = ARM.replace(
        "[entity.tasks.levels.style]\npriority = 2",
        '[entity.tasks.levels.other]\npriority = 2\ntasks = { also = { kind = "point", of = "arm/upper/lower",'
        ' point = [0.4, 0, 0], axes = "x", target = [0.9, 0, 0] } }\n[entity.tasks.levels.style]\npriority = 3',
    )
    world = supple.load(write("target = [0.5, 1.3, 0]", scene))
    world.step(1)
    found = {each.task: each for each in explain(world, "arm")}
    assert found["also"].missed > 1.0
    assert found["also"].obstacles[0][0] == "tip"
    assert found["also"].obstacles[0][1] > 0.9
    assert "tip" not in found
    assert "also misses" in str(found["also"])


def test_a_limit_that_stands_in_the_way_is_named(write) -> None:
    scene = ARM.replace(
        "[entity.tasks.levels.aims]\npriority = 1",
        """
[entity.tasks.levels.bounds]
priority = 1
tasks = { limits = { kind = "limits" } }
[entity.tasks.levels.aims]
priority = 2""",
    ).replace("priority = 2\ntasks = { posture", "priority = 3\ntasks = { posture")
    scene = scene.replace("start = [40] }", "start = [40], lower = [0], upper = [40] }")
    world = supple.load(write("target = [0.0, 1.1, 0], gain = 100", scene))
    world.step(1)
    (miss,) = [each for each in explain(world, "arm") if each.task == "tip"]
    assert "the limit of lower" in [name for name, _ in miss.obstacles]


def test_strength_that_is_used_up_is_named(write) -> None:
    scene = ARM.replace(
        "[entity.tasks.levels.aims]", '[entity.tasks]\nstrength = { "*" = 0.2 }\n[entity.tasks.levels.aims]'
    )
    world = supple.load(write("target = [0.3, 1.6, 0], gain = 100", scene))
    world.step(1)
    (miss,) = [each for each in explain(world, "arm") if each.task == "tip"]
    assert miss.obstacles[0][0].startswith("the strength of ")
    assert sum(part for name, part in miss.obstacles if name.startswith("the strength of ")) > 0.9
    assert world.metrics()["arm.yielded"] == 1.0


def test_explaining_somebody_without_tasks_is_refused(write) -> None:
    world = supple.load(write("target = [0.5, 1.3, 0]"))
    with pytest.raises(UserError, match="has no tasks"):
        explain(world, "leg")


LIBRARY = "[entity.tasks.postures.poses]\nmotion.keys = [%s]\n[entity.tasks.levels.aims]"
KEYS = '{ at = 0, pose = { "upper" = 0, "upper/lower" = 0 } }, { at = 1, pose = { "upper" = 60, "upper/lower" = 90 } }'


def test_a_posture_stays_near_the_poses_of_its_library(write) -> None:
    """The tip is led along; the joints, which have one freedom left, keep to the line of the library."""
    scene = ARM.replace("[entity.tasks.levels.aims]", LIBRARY % KEYS)
    scene = scene.replace('kind = "posture"', 'kind = "posture", library = "poses"')
    scene = scene.replace("start = [20]", "start = [10]").replace("start = [40]", "start = [15]")
    world = supple.load(write("target = [0, 1.4, 0], gain = 20", scene.replace('axes = "xy"', 'axes = "y"')))
    world.step(1500)
    angles = np.degrees(world.array("skeleton.q")[:2])
    assert tip(world)[1] == pytest.approx(1.4, abs=0.01)
    assert angles[1] == pytest.approx(1.5 * angles[0], abs=2.0)
    check_memory(world, 5)
    audit_step(world)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('library = "poses"', 'library = "pose"', "which postures does not have"),
        ('"upper/lower" = 90', '"upper/lover" = 90', "no bone of this name"),
        ("motion.keys", 'anchor = "uper"\nmotion.keys', "no bone 'uper'"),
        ("motion.keys", "lifts = {}\nmotion.keys", "give one of motion, lifts and reaches"),
        ("motion.keys", 'markers = { "upper" = 0 }\nmotion.keys', "counts for nothing"),
        ("gain = 9", "load = true, gain = 9", "load limits the force on a body"),
    ],
)
def test_bad_libraries_are_told_in_one_line(write, old, new, said) -> None:
    scene = ARM.replace("[entity.tasks.levels.aims]", LIBRARY % KEYS).replace("%s", "gain = 9")
    scene = scene.replace('kind = "posture"', 'kind = "posture", library = "poses"').replace(old, new)
    with pytest.raises(UserError) as caught:
        supple.load(write("", scene))
    assert said in str(caught.value)
    assert "arm.toml:" in str(caught.value).splitlines()[0]


def test_targets_and_gains_are_dragged_and_the_run_repeats(write, tmp_path) -> None:
    """A user leads the tip about and tugs at the arm; the recording repeats it without him."""
    scene = write("target = [0.5, 1.3, 0], gain = 100")
    world = supple.load(scene)

    @world.on_step(rate=50)
    def drag(world) -> None:
        t = world.time
        world["arm"].tip_target = [0.5 + 0.1 * math.sin(5 * t), 1.2 + 0.1 * t, 0.0]
        world["arm"].posture_gain = 50.0 + 10.0 * t
        world["arm/upper"].apply_force([0.0, 20.0 * math.sin(9 * t), 0.0])

    with supple.record(world, tmp_path / "run.h5", fps=50):
        world.step(400)
    assert tip(world)[:2] == pytest.approx([0.5 + 0.1 * math.sin(5 * 0.38), 1.2 + 0.038], abs=0.05)
    again = supple.load(scene)
    supple.replay(again, tmp_path / "run.h5")
    again.step(400)
    assert (again.array("skeleton.q") == world.array("skeleton.q")).all()
    assert (again.array("tasks.told") == world.array("tasks.told")).all()


def test_what_cannot_be_dragged_is_refused(write) -> None:
    world = supple.load(write("reach = { to = [0.5, 1.3, 0], duration = 0.3 }"))
    with pytest.raises(AttributeError, match="tip_gain"):
        world["arm"].tip_target = [0.5, 1.0, 0.0]
    with pytest.raises(UserError):
        world["arm"].tip_gain = [1.0, 2.0]
