"""State machines in scenes: durations, conditions, mirrors, what controllers read, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.core.schedule import Phase, System
from supple.errors import PluginError, UserError
from supple.testing import audit_step
from supple_phases.mirror import resolve_phases, swap_words

ROOT = Path(__file__).resolve().parents[2]
HOPPER = ROOT / "scenes" / "phases" / "hopper.toml"
HEAD = """format = 1
[run]
step = STEP
duration = 10.0
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "ball"
pose = { position = [0, 1.1, 0] }
sphere = { radius = 0.1 }
body = { mass = 2.0 }
[[entity]]
name = "walker"
"""


def scene(phases: str, step: float = 0.01) -> str:
    return HEAD.replace("STEP", str(step)) + phases


def follow(world, seconds: float) -> list[tuple[float, str]]:
    """The phases in their order, each with the time at which it began."""
    labels = world.members("phases")[0].labels
    row = world.members("phases")[0].row("walker")
    found: list[tuple[float, str]] = [(0.0, labels[world.array("phases.current")[row]])]
    seen = 0
    while world.time < seconds - 1e-9:
        world.step()
        changed = int(world.array("phases.transitions")[row])
        if changed > seen:
            begun = float(world.array("phases.begun")[row])
            found.append((begun, labels[world.array("phases.current")[row]]))
            seen = changed
    return [(begun, label.removeprefix("walker.")) for begun, label in found]


TWO = """[entity.phases]
start = "a"
[entity.phases.phase.a]
duration = 0.3
next = "b"
[entity.phases.phase.b]
duration = 0.2
next = "a"
"""


@pytest.mark.parametrize("step", [0.01, 0.007, 0.09])
def test_durations_do_not_drift(load_text, step) -> None:
    """Phases begin when the one before is over, even where that is within a step."""
    world = load_text(scene(TWO, step))
    found = follow(world, 5.0)
    exact = [0.5 * (k // 2) + 0.3 * (k % 2) for k in range(len(found))]
    assert [label for _, label in found] == ["ab"[k % 2] for k in range(len(found))]
    np.testing.assert_allclose([begun for begun, _ in found], exact, atol=1e-6 * step + 1e-12)
    assert world.metrics()["walker.period"] == pytest.approx(0.5, abs=1e-9)
    assert world.metrics()["walker.transitions"] == len(found) - 1


def test_one_phase_may_follow_itself(load_text) -> None:
    text = '[entity.phases]\nstart = "a"\nphase = { a = { duration = 0.25, next = "a" } }\n'
    world = load_text(scene(text))
    world.step(101)  # the last transition is at 1.0 s
    assert world.metrics()["walker.transitions"] == 4
    assert world.metrics()["walker.period"] == pytest.approx(0.25, abs=1e-12)


def test_phases_without_time_are_passed_at_once(load_text) -> None:
    text = """[entity.phases]
start = "a"
[entity.phases.phase]
a = { duration = 0.05, next = "b" }
b = { duration = 0, next = "c" }
c = { duration = 0, next = "d" }
d = { last = true }
"""
    world = load_text(scene(text))
    world.step(6)
    assert world.array("phases.changed")[0] == 3
    machines = world.members("phases")[0]
    assert world.array("phases.current")[0] == machines.phase("walker", "d")
    assert world.array("phases.previous")[0] == machines.phase("walker", "c")
    world.step(100)
    assert world.metrics()["walker.transitions"] == 3


def test_a_circle_shorter_than_a_step_does_not_run_away(load_text) -> None:
    text = TWO.replace("0.3", "1e-5").replace("0.2", "1e-5")
    world = load_text(scene(text))
    world.step(50)
    assert world.array("phases.changed")[0] == 3  # one more than there are phases
    assert world.array("phases.begun")[0] == pytest.approx(world.time - 0.01)


def machine(condition: str, more: str = "") -> str:
    """A machine that goes from `a` to the last phase `b` when the condition holds."""
    return f"""[entity.phases]
start = "a"
[entity.phases.phase.a]
until = {condition}
next = "b"
{more}
[entity.phases.phase.b]
last = true
"""


FALL = math.sqrt(2 * 1.0 / 9.81)
"""The ball touches the floor after this time."""


@pytest.mark.parametrize(
    ("condition", "begins"),
    [
        ("{ time = 0.12 }", 0.12),
        ("{ run_time = 0.5 }", 0.5),
        ('{ metric = "ball.height", below = 0.6 }', math.sqrt(2 * 0.5 / 9.81)),
        ('{ metric = "ball.speed", above = 2.0, below = 9.0 }', 2.0 / 9.81),
        ('{ metric = "run.kinetic_energy", above = 4.0 }', 2.0 / 9.81),
        ('{ touches = "ball" }', FALL),
        ('{ gains = "ball" }', FALL),
        ('{ load = "ball", above = 15, below = 25 }', FALL),
        ('{ touches = "floor" }', FALL),
        ('{ apart = "ball" }', 0.0),
        ('{ all = [{ touches = "ball" }, { time = 0.7 }] }', 0.7),
        ('{ any = [{ touches = "ball" }, { time = 0.3 }] }', 0.3),
        ('{ all = [{ any = [{ time = 0.2 }, { touches = "ball" }] }, { time = 0.1 }] }', 0.2),
        ('{ any = [{ all = [{ touches = "ball" }, { time = 0.9 }] }, { time = 2.0 }] }', 0.9),
    ],
)
def test_conditions_end_a_phase(load_text, condition, begins) -> None:
    """Conditions are looked at once a step, after what they ask for has happened."""
    world = load_text(scene(machine(condition), 0.002))
    found = follow(world, 1.5)
    assert len(found) == 2
    assert begins - 1e-9 <= found[1][0] <= begins + 0.0081


def test_contact_is_lost_once(load_text) -> None:
    text = scene(machine('{ loses = "ball" }'), 0.002).replace(
        "radius = 0.1", "radius = 0.1, restitution = 0.9"
    )
    text = text.replace("plane = {}", "plane = { restitution = 0.9 }")
    world = load_text(text)
    found = follow(world, 1.5)
    assert found[1][0] == pytest.approx(FALL, abs=0.02)
    assert world.array("phases.known").all()


def test_parts_of_one_entity_do_not_press_it(load_text) -> None:
    """A tower of two boxes below one entity bears on the floor with both weights, and not with the inner contact."""
    parts = "".join(
        f"""[[entity]]
name = "tower/{name}"
pose = {{ position = [3, {height}, 0] }}
box = {{ size = [0.2, 0.2, 0.2] }}
body = {{ mass = 1.5 }}
"""
        for name, height in (("lower", 0.1), ("upper", 0.3))
    )
    condition = '{ all = [{ time = 5 }, { load = "tower", above = 1 }, { load = "tower/upper", above = 1 }] }'
    world = load_text(scene(machine(condition)) + '[[entity]]\nname = "tower"\n' + parts)
    world.step(100)
    assert world.array("phases.normal_force") == pytest.approx([2 * 1.5 * 9.81, 1.5 * 9.81], abs=1e-6)


def test_nothing_is_known_before_the_first_step(load_text) -> None:
    world = load_text(scene(machine('{ apart = "ball" }')))
    world.step()
    assert world.array("phases.transitions")[0] == 0
    world.step()
    assert world.array("phases.transitions")[0] == 1


def test_share_and_waiting(load_text) -> None:
    text = """[entity.phases]
start = "a"
[entity.phases.phase.a]
duration = 0.4
waits = true
until = { all = [{ share = 0.5 }, { run_time = 1.0 }] }
next = "b"
[entity.phases.phase.b]
duration = 0.4
until = { share = 0.5 }
next = "a"
"""
    world = load_text(scene(text))
    world.step(60)
    assert world.array("phases.share")[0] == 1.0
    assert world.array("phases.time")[0] == pytest.approx(0.59)
    found = follow(world, 1.5)
    np.testing.assert_allclose([begun for begun, _ in found[1:3]], [1.0, 1.2], atol=1e-9)


def test_exits_are_looked_at_in_their_order(load_text) -> None:
    text = """[entity.phases]
start = "a"
[entity.phases.phase.a]
duration = 1.0
next = "d"
exits = [
    { when = { run_time = 0.5 }, next = "b" },
    { when = { time = 0.5 }, next = "c" },
    { when = { time = 0.9 }, next = "d" },
]
[entity.phases.phase]
b = { last = true }
c = { last = true }
d = { last = true }
"""
    assert follow(load_text(scene(text)), 1.0)[1][1] == "b"


WALK = """[entity.phases]
start = "left"
negated = ["tilt"]
[entity.phases.phase.left]
duration = 0.4
until = { all = [{ share = 0.5 }, { load = "ball", above = 5 }] }
next = "right"
active = ["left_stance", "right_swing"]
values = { tilt = 0.1, right_hip = { keys = [[0, -0.5], [1, 0.2]], interpolation = "catmull_rom" }, left_hip = [0] }
[entity.phases.phase.right]
mirrors = "left"
"""


def test_a_mirrored_phase_exchanges_left_and_right(load_text) -> None:
    world = load_text(scene(WALK))
    machines = world.members("phases")[0]
    tilt = machines.place("walker", "tilt")
    for begin, stance, swing, sign in ((0.0, "left", "right", 1), (0.4, "right", "left", -1)):
        while world.time < begin + 0.1:
            world.step()
        active, value = world.array("phases.active"), world.array("phases.value")
        assert active[machines.flag("walker", f"{stance}_stance")] == 1
        assert active[machines.flag("walker", f"{swing}_stance")] == 0
        assert value[tilt] == pytest.approx(0.1 * sign)
        assert value[machines.place("walker", f"{swing}_hip")] < -0.2
        assert value[machines.place("walker", f"{stance}_hip")] == 0.0
    phases = resolve_phases(world.build.graph["walker"].components["phases"])
    assert phases["right"].next == "left"


def test_words_are_exchanged_whole() -> None:
    swap = ("left", "right")
    assert swap_words("man/left_foot", swap) == "man/right_foot"
    assert swap_words("right/leftover", swap) == "left/leftover"
    assert swap_words("toe_left.load", swap) == "toe_right.load"


def test_values_are_those_of_the_curve(load_text) -> None:
    """u = (t + h) / duration; min-jerk in closed form, with both derivatives by time."""
    text = """[entity.phases]
start = "a"
values = { gain = 3.0, way = [0.0, 1.0] }
[entity.phases.phase.a]
duration = 0.5
next = "b"
values.way = { keys = [[0, 1, 0], [1, 3, 0]] }
values.late = { keys = [[0.1, 0], [0.3, 4]], interpolation = "linear", over = "time" }
[entity.phases.phase.b]
duration = 0.5
next = "a"
values = { gain = 1.5, late = 9.0 }
"""
    world = load_text(scene(text))
    machines = world.members("phases")[0]
    way, gain, late = (machines.place("walker", name) for name in ("way", "gain", "late"))
    for k in range(50):
        world.step()
        u = (k + 1) * 0.01 / 0.5
        value, rate, acceleration = (world.array(f"phases.{n}") for n in ("value", "rate", "acceleration"))
        assert value[way] == pytest.approx([1 + 2 * (10 * u**3 - 15 * u**4 + 6 * u**5), 0.0])
        assert rate[way][0] == pytest.approx(2 * 30 * u**2 * (1 - u) ** 2 / 0.5, abs=1e-9)
        assert acceleration[way][0] == pytest.approx(2 * 60 * u * (1 - u) * (1 - 2 * u) / 0.25, abs=1e-9)
        assert value[gain] == [3.0]
        assert value[late] == pytest.approx([np.interp((k + 1) * 0.01, [0.1, 0.3], [0, 4])])
    world.step()
    assert world.array("phases.value")[gain] == [1.5]
    assert world.array("phases.value")[way] == pytest.approx([0.0, 1.0])
    assert world.array("phases.value")[late] == [9.0]
    assert not world.array("phases.rate").any()


def test_two_machines_do_not_mix(load_text) -> None:
    other = '[[entity]]\nname = "arm"\n' + TWO.replace("0.3", "0.13").replace(
        'next = "a"', 'next = "a"\nactive = ["grip"]\nvalues = { force = 3 }'
    ).replace('next = "b"', 'next = "b"\nvalues = { force = 1 }')
    world = load_text(scene(TWO) + other)
    alone = load_text(scene(TWO))
    for _ in range(100):
        world.step()
        alone.step()
        machines = world.members("phases")[0]
        row, arm = machines.row("walker"), machines.row("arm")
        assert world.array("phases.begun")[row] == alone.array("phases.begun")[0]
        held = world.array("phases.current")[arm] == machines.phase("arm", "b")
        assert world.array("phases.active")[machines.flag("arm", "grip")] == held
        assert world.array("phases.value")[machines.place("arm", "force")] == (3 if held else 1)


def test_a_hopper_goes_on_where_it_was(tmp_path) -> None:
    whole, part = supple.load(HOPPER), supple.load(HOPPER)
    whole.step(400)
    kept = whole.snapshot()
    assert kept["phases.transitions"][0] == 3
    whole.step(300)
    part.restore(kept)
    part.step(300)
    for name, values in whole.snapshot().items():
        assert values.tobytes() == part.snapshot()[name].tobytes(), name
    assert whole.metrics() == pytest.approx(part.metrics(), nan_ok=True, abs=0)


def test_systems_touch_what_they_declare() -> None:
    world = supple.load(HOPPER)
    for _ in range(3):  # in flight, on the ground, and in flight again
        audit_step(world)
        world.step(150)


def test_a_motion_follows_the_phase() -> None:
    world = supple.load(HOPPER)
    machines = world.members("phases")[0]
    row = world.build.arrays.specs["skeleton.bone"].labels.index("hopper/body/foot")
    exact = {
        "flight": lambda t: 0.05 - 0.05 * _min_jerk(min(t / 0.1, 1.0)),
        "crouch": lambda t: -0.12 * _min_jerk(min(t / 0.3, 1.0)),
        "push": lambda t: -0.12 + 0.17 * min(t / 0.1, 1.0),
    }
    for _ in range(500):
        world.step()
        name = machines.labels[world.array("phases.current")[0]].removeprefix("hopper.")
        time, h = world.array("phases.time")[0], 0.002
        now, target = exact[name](time), exact[name](time + h)
        assert world.array("skeleton.target_now")[row] == pytest.approx(now, abs=1e-12)
        assert world.array("skeleton.target")[row] == pytest.approx(target, abs=1e-12)
        assert world.array("skeleton.target_rate")[row] == pytest.approx((target - now) / h, abs=1e-9)


def _min_jerk(u: float) -> float:
    return 10 * u**3 - 15 * u**4 + 6 * u**5


def replaced(old: str, new: str, text: str = TWO) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("phases", "words"),
    [
        (replaced('start = "a"', 'start = "c"'), [":16", "start names 'c'", "the phases are: a, b"]),
        (replaced('next = "b"', 'next = "bb"'), [":19", "phase.a.next names 'bb'", "Did you mean 'b'"]),
        (replaced('next = "b"\n', ""), ["phase.a ends, and nothing follows", "name the phase in next"]),
        (replaced("duration = 0.3\n", ""), ["phase.a never ends", "or say last = true"]),
        (replaced("duration = 0.3", "last = true"), ["phase.a.last says that it never ends"]),
        (replaced("duration = 0.3", "duration = 0.3\nwaits = true"), ["phase.a never ends"]),
        (replaced("duration = 0.3", "waits = true\nuntil = { time = 1 }"), ["for phases with a duration"]),
        (TWO.replace("0.3", "0").replace("0.2", "0"), [":18", "in the circle a -> b -> a", "let one of them last"]),
        (TWO + "[entity.phases.phase.c]\nlast = true\n", [":23", "phase.c is never reached"]),
        (replaced("0.3", "-0.3"), [":18", "phase.a.duration", "at least 0"]),
        (replaced("duration = 0.3", "until = {}"), [":18", "says nothing", "give one of time, share"]),
        (replaced("duration = 0.3", 'until = { time = 1, touches = "ball" }'), ["says time and touches"]),
        (replaced("duration = 0.3", 'until = { touches = "bal" }'), ["touches 'bal'", "Did you mean 'ball'"]),
        (replaced("duration = 0.3", 'until = { touches = "walker" }'), ["'walker', which has no surface"]),
        (replaced("duration = 0.3", 'until = { load = "ball" }'), ["load has no bound", "above or below"]),
        (replaced("duration = 0.3", 'until = { load = "ball", above = 2, below = 1 }'), ["nothing is above 2"]),
        (replaced("duration = 0.3", "until = { time = 1, above = 2 }"), ["above and below go with load"]),
        (replaced("duration = 0.3", 'until = { metric = "ball.hight", below = 1 }'), ["Did you mean 'height'"]),
        (replaced("duration = 0.3", 'until = { metric = "bal.height", below = 1 }'), ["Did you mean 'ball'"]),
        (replaced("duration = 0.3", 'until = { metric = "run.contact", below = 1 }'), ["'run.contacts'"]),
        (replaced("duration = 0.3", "until = { share = 0.5 }"), ["a share of its duration, and has none"]),
        (replaced("duration = 0.3", "until = { all = [] }"), ["at least 1"]),
        (replaced("duration = 0.3", "until = { any = [{ all = [{ tim = 1 }] }] }"), ["unknown key"]),
        (replaced("duration = 0.3", 'duration = 0.3\nexits = [{ when = { time = 1 }, next = "z" }]'), ["leads to 'z'"]),
        (replaced("duration = 0.3", "duration = 0.3\nvalues = { x = 1 }"), ["phase.b has no value 'x'"]),
        (TWO.replace("0.3", "0.3\nvalues = { x = 1 }") + "values = { x = [1, 2] }\n", ["different numbers"]),
        (TWO.replace("0.3", "0.3\nvalues = { x = [] }") + "values = { x = [] }\n", ["'x' is a list of no numbers"]),
        (replaced("duration = 0.3", "until = { time = 1 }\nvalues = { x = { keys = [[0, 1]] } }"), ["no duration"]),
        (replaced("duration = 0.3", "duration = 0.3\nvalues = { x = { keys = [[1, 1], [0, 1]] } }"), ["not later"]),
        (TWO + '[entity.phases.phase.c]\nmirrors = "z"\n', ["phase.c.mirrors names 'z'"]),
        (TWO + '[entity.phases.phase.c]\nmirrors = "a"\nduration = 1\n', ["and says something itself"]),
        (TWO.replace('start = "a"', 'start = "a"\nnegated = ["q"]'), ["negated names 'q'"]),
        (replaced("phase.a]", 'phase."a b"]'), ["which is no name"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(load_text, phases, words) -> None:
    with pytest.raises(UserError) as caught:
        load_text(scene(phases))
    lines = str(caught.value).splitlines()
    assert any(all(word in line for word in words) for line in lines), lines
    assert all("scene.toml:" in line for line in lines)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("motion.phases.push]", "motion.phases.pus]", "phases names 'pus', which is no phase"),
        ("duration = 0.3", "until = { time = 0.3 }", "phases.crouch goes by the share of a phase without duration"),
        ('"body/foot" = -0.12 } }, { at = 1', '"body/foot" = -0.12 } }, { at = 0', "keys[1] at 0 is not later"),
        ('foot" = 0.05 } }, { at = 0.1', 'fot" = 0.05 } }, { at = 0.1', "no bone of this name"),
    ],
)  # fmt: skip
def test_bad_motions_of_phases_are_refused(load_text, old, new, words) -> None:
    with pytest.raises(UserError, match=r"scene\.toml:") as caught:
        load_text(replaced(old, new, HOPPER.read_text()))
    assert words in str(caught.value)


def test_a_motion_of_phases_needs_phases(load_text) -> None:
    text = HOPPER.read_text()
    begin, end = text.index("[entity.phases]"), text.index("[entity.motion.phases.flight]")
    with pytest.raises(UserError, match="the entity has none; add the component phases"):
        load_text(text[:begin] + text[end:])


def test_the_member_says_what_exists(load_text) -> None:
    machines = load_text(scene(WALK)).members("phases")[0]
    for ask, words in (
        (lambda: machines.row("walkr"), "Did you mean 'walker'"),
        (lambda: machines.phase("walker", "lft"), "Did you mean 'left'"),
        (lambda: machines.flag("walker", "stance"), "the names are: left_stance"),
        (lambda: machines.place("walker", "hip"), "the values are: left_hip"),
    ):
        with pytest.raises(UserError, match=words):
            ask()


class Lift(System):
    """A controller from outside: a force while a name is active, as great as a value says."""

    phase = Phase.ACTUATE
    adds = ("rigid.wrench",)

    def __init__(self, build) -> None:
        from supple_phases.member import find_machines

        self.machines = find_machines(build)
        self.reads = (self.machines.active, self.machines.value)

    def bind(self, arrays):
        flag, place = self.machines.flag("walker", "lift"), self.machines.place("walker", "force")
        active, value = (arrays[name] for name in self.reads)
        wrench = arrays["rigid.wrench"]

        def push() -> None:
            if active[flag]:
                wrench[0, 1] += value[place][0]

        return push


def test_a_controller_asks_for_phases(load_text, tmp_path) -> None:
    """The ball is lifted by the force of its weight and 2 N more from 0.5 s on: a = 1 m/s^2."""
    plugin = tmp_path / "lifter.py"
    plugin.write_text(
        "from supple import hookimpl\nfrom test_phases import Lift\n\n\n@hookimpl\ndef supple_register(registry):\n"
        "    registry.add_system('lifter.push', Lift, when=['phases'])\n"
    )
    text = """[entity.phases]
start = "fall"
values = { force = 0.0 }
[entity.phases.phase.fall]
duration = 0.1
next = "lift"
[entity.phases.phase.lift]
last = true
active = ["lift"]
values = { force = 21.62 }
"""
    world = load_text(scene(text), plugins=[plugin])
    world.step(30)
    assert world["ball"].velocity[1] == pytest.approx(-9.81 * 0.1 + 1.0 * 0.2)
    audit_step(world)


def test_targets_are_sampled_for_who_asks(load_text) -> None:
    text = HOPPER.read_text()
    begin, end = text.index("[entity.phases]"), text.index('[[entity]]\nname = "hopper/body"')
    still = text[:begin] + text[end : text.index("[[expect]]")]
    world = load_text(still)
    (targets,) = world.members("targets")
    assert (targets.name, targets.is_sampled) == ("skeleton", True)
    world.step()
    np.testing.assert_array_equal(world.array(targets.target), [0.0, 0.0])
    begin, end = still.index("[entity.pose_tracking]"), still.index('[[entity]]\nname = "hopper/body"')
    world = load_text(still[:begin] + still[end:])
    assert not world.members("targets")[0].is_sampled
    assert "skeleton.target" not in world.arrays.specs
    world.step()


def test_asking_for_targets_of_nobody_is_an_error(load_text) -> None:
    from supple_motion.targets import find_targets

    world = load_text(scene(TWO))
    with pytest.raises(PluginError, match="asks for the targets of ghost, which nobody provides"):
        find_targets(world.build, "ghost")
