"""What authors can get wrong about joints, springs, motors and grasps: one line each, at the right place."""

from __future__ import annotations

import pytest

from supple.errors import UserError

BASE = """format = 1
[run]
step = 0.01
duration = 1.0
[[entity]]
name = "box"
box = { size = [0.1, 0.1, 0.1] }
body = {}
[[entity]]
name = "ball"
pose = { position = [1, 0, 0] }
sphere = { radius = 0.1 }
body = {}
[[entity]]
name = "ball/tip"
pose = { position = [0, 0.1, 0] }
[[entity]]
name = "wall"
[[entity]]
name = "hinge"
joint = { kind = "hinge", between = ["box"], axis = [0, 0, 1] }
[[entity]]
name = "socket"
joint = { kind = "ball", between = ["ball"] }
[[entity]]
name = "new"
"""
LINE = BASE.count("\n") + 1

CASES = [
    (
        'joint = { kind = "ball", between = ["bix"] }',
        "between",
        "names no entity: 'bix'",
        "Did you mean 'box'?",
    ),
    (
        'joint = { kind = "ball", between = ["box", "box"] }',
        "between",
        "names 'box' twice",
        "name two things",
    ),
    ('joint = { kind = "ball", between = ["wall"] }', "", "'wall' stands still", "needs a body"),
    (
        'joint = { kind = "ball", between = ["wall", "new"] }',
        "",
        "'wall' and 'new' stand still",
        "needs a body",
    ),
    ('joint = { kind = "ball", between = ["ball", "ball/tip"] }', "", "move together already", "two bodies"),
    ('joint = { kind = "ball", between = [] }', "between", "", ""),
    ('joint = { kind = "wheel", between = ["box"] }', "kind", "wheel", "hinge"),
    (
        'joint = { kind = "hinge", between = ["box"], axis = [0, 0, 0] }',
        "axis",
        "is zero",
        "another direction",
    ),
    (
        'joint = { kind = "hinge", between = ["box"], lower = 20, upper = -20 }',
        "lower",
        "not below upper",
        "swap",
    ),
    (
        'joint = { kind = "slider", between = ["box"], lower = 0.1 }',
        "lower",
        "lies above the start",
        "0 or less",
    ),
    (
        'joint = { kind = "slider", between = ["box"], upper = -1 }',
        "upper",
        "lies below the start",
        "0 or more",
    ),
    (
        'joint = { kind = "ball", between = ["box"], upper = 20 }',
        "upper",
        "a ball joint has none",
        "hinge or slider",
    ),
    (
        'joint = { kind = "fixed", between = ["box"], friction = 1 }',
        "friction",
        "fixed joint has none",
        "hinge",
    ),
    ("motor = { speed = 1, strongest = 1 }", "", "'new' has no joint", "hinge, socket"),
    ('motor = { on = "socket", speed = 1, strongest = 1 }', "on", "without a free axis", "choose a hinge"),
    ('motor = { on = "hing", speed = 1, strongest = 1 }', "on", "names no entity", "Did you mean 'hinge'?"),
    ('motor = { on = "box", speed = 1, strongest = 1 }', "on", "'box' has no joint", "hinge, socket"),
    ('motor = { on = "hinge", speed = 1, strongest = 0 }', "strongest", "", ""),
    ('spring = { between = ["box"] }', "", "neither stiffness nor damping", "one of them"),
    ('spring = { between = ["box"], on = "hinge", stiffness = 1 }', "on", "both given", "either"),
    (
        'spring = { between = ["box", "bal"], stiffness = 1 }',
        "between",
        "names no entity",
        "Did you mean 'ball'?",
    ),
    ('spring = { between = ["wall"], stiffness = 1 }', "", "'wall' stands still", "needs a body"),
    ('spring = { between = ["box"], stiffness = 1, rest = -1 }', "rest", "is no length", "0 or more"),
    (
        'spring = { between = ["box"], stiffness = 1, rest = 0, strongest = 2 }',
        "rest",
        "towards a point",
        "leave",
    ),
    ('spring = { on = "socket", stiffness = 1 }', "on", "without a free axis", "choose a hinge"),
]
EVENTS = [
    ('grasp = { hand = "box", object = "bal" }', "object", "names no entity", "Did you mean 'ball'?"),
    ('grasp = { hand = "bx", object = "ball" }', "hand", "names no entity", "Did you mean 'box'?"),
    ('grasp = { hand = "box", object = "box" }', "object", "the hand itself", "another thing"),
    ('grasp = { hand = "wall", object = "new" }', "", "stand still", "needs a body"),
    ('grasp = { hand = "ball", object = "ball/tip" }', "", "move together already", "two bodies"),
    ('grasp = { hand = "box", object = "ball", duration = 0 }', "duration", "", ""),
    ('release = { grasp = "hold" }', "grasp", "names no grasp: 'hold'", "the scene has"),
]


def complain(load_text, text: str) -> str:
    with pytest.raises(UserError) as caught:
        load_text(text)
    assert len(caught.value.problems) == 1, str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("line", "key", "what", "remedy"), CASES)
def test_bad_component_is_refused_in_one_line(load_text, line, key, what, remedy) -> None:
    message = complain(load_text, f"{BASE}{line}\n")
    kind = line.split(" ")[0]
    assert f"scene.toml:{LINE}: new.{kind}{'.' if key else ''}{key}" in message
    assert what in message
    assert remedy in message


@pytest.mark.parametrize(("line", "key", "what", "remedy"), EVENTS)
def test_bad_event_is_refused_in_one_line(load_text, line, key, what, remedy) -> None:
    message = complain(load_text, f'{BASE}[[event]]\nname = "late"\nat = 0.5\n{line}\n')
    kind = line.split(" ")[0]
    assert f"scene.toml:{LINE + 3}: late.{kind}{'.' if key else ''}{key}" in message
    assert what in message
    assert remedy in message


def test_a_release_before_its_grasp_is_refused(load_text) -> None:
    message = complain(
        load_text,
        BASE
        + """
[[event]]
name = "hold"
at = 0.5
grasp = { hand = "box", object = "ball" }
[[event]]
name = "drop"
at = 0.2
release = { grasp = "hold" }
""",
    )
    assert "drop.release" in message
    assert "comes before the grasp at 0.5 s" in message


def test_a_joint_on_a_body_is_refused(load_text) -> None:
    joint = 'body = {}\njoint = { kind = "ball", between = ["box"] }'
    message = complain(load_text, BASE.replace("body = {}", joint, 1))
    assert "box.joint: a joint stands on an entity of its own" in message


def test_the_base_is_fine(load_text) -> None:
    world = load_text(BASE)
    world.step(5)
    assert world.steps == 5
