"""How tracking is written: what is refused and how."""

from __future__ import annotations

import pytest

from supple.errors import UserError

HEAD = """format = 1
[run]
step = 0.01
duration = 1.0
[[entity]]
name = "arm"
skeleton = {}
TRACKING
[[entity]]
name = "arm/upper"
bone = { joint = "free" }
sphere = { radius = 0.1 }
[[entity]]
name = "arm/upper/lower"
pose = { position = [0, 1, 0] }
bone = { joint = "hinge" }
sphere = { radius = 0.1 }
"""
GAINS = "stiffness = 1, damping = 1"
POSE = f"pose_tracking = {{ {GAINS} }}\n"


def points(more: str) -> str:
    return POSE + f'point_tracking = {{ points = [{{ bone = "upper/lower", {more} }}] }}'


def pressure(more: str) -> str:
    return POSE + f'pressure_tracking = {{ targets = [{{ bone = "upper/lower", {more} }}] }}'


VECTOR = "keys = [{ at = 0, vector = [0, 0, 0] }]"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"pose_tracking = {{ {GAINS}, bones = {{ lower = {{}} }} }}", ["tracking.bones", "'lower'", "upper/lower"]),
        (f"pose_tracking = {{ {GAINS}, bones = {{ upper = {{}} }} }}", ["pose_tracking.bones", "joint is free"]),
        ("pose_tracking = { stiffness = -1, damping = 1 }", ["pose_tracking.stiffness", "at least 0"]),
        ("pose_tracking = { stiffness = 1 }", ["pose_tracking.damping", "is missing"]),
        (
            'pose_tracking = { stiffness = 0, damping = 0, bones = { "upper/lower" = { limit = 3 } } }',
            ["pose_tracking.bones", "without gains"],
        ),
        ('point_tracking = { points = [{ bone = "upper", keys = [{ at = 0, angle = 3 }] }] }', ["add pose_tracking"]),
        (points("keys = []"), ["points[0].keys", "at least 1"]),
        (points("keys = [{ at = 0 }]"), ["says nothing"]),
        (points("keys = [{ at = 0, angle = 3, rotation = [1, 0, 0, 0] }]"), ["both an angle and"]),
        (points("keys = [{ at = 0, angle = 3, axis = [0, 0, 0] }]"), ["must not be zero"]),
        (points("keys = [{ at = 0, rotation = [0, 0, 0, 0] }]"), ["rotation is zero"]),
        (points("keys = [{ at = 1, angle = 3 }, { at = 1, angle = 3 }]"), ["keys[1] at 1 s is not later"]),
        (points("keys = [{ at = 1, angle = 3 }]").replace('"upper/lower"', '"uper"'), ["'uper'", "mean 'upper'"]),
        (pressure(f"{VECTOR}, weights = [0, 0, 0]"), ["weights", "not all 0"]),
        (pressure(f'{VECTOR}, against = "upper/lower"'), ["against is the bone itself"]),
        (pressure(f'{VECTOR}, against = "thumb"'), ["pressure_tracking.targets", "'thumb'"]),
        (pressure("keys = [{ at = 1, vector = [0, 0, 0] }, { at = 0, vector = [0, 0, 0] }]"), ["not later"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(load_text, text, words) -> None:
    with pytest.raises(UserError) as caught:
        load_text(HEAD.replace("TRACKING", text))
    lines = str(caught.value).splitlines()
    assert any(all(word in line for word in words) for line in lines), lines
    assert all("scene.toml:" in line for line in lines)


def test_tracking_belongs_to_a_skeleton(load_text) -> None:
    text = (
        HEAD.replace("TRACKING", "")
        + f'[[entity]]\nname = "ball"\nsphere = {{ radius = 1 }}\nbody = {{}}\n{POSE}'
    )
    with pytest.raises(UserError, match="goes with a skeleton"):
        load_text(text)


def test_a_skeleton_that_only_floats_has_nothing_to_drive(load_text) -> None:
    text = HEAD.replace("TRACKING", POSE).replace('"hinge"', '"fixed"')
    with pytest.raises(UserError, match="no joint to drive"):
        load_text(text)


def test_other_skeletons_are_left_alone(load_text) -> None:
    """Only the skeleton that asks for it is driven; its free root is not."""
    other = HEAD[HEAD.index("[[entity]]") :].replace("TRACKING", "").replace("arm", "leg")
    world = load_text(HEAD.replace("TRACKING", POSE) + other)
    gains = world.array("tracking.gains")
    assert gains[:, :2].tolist() == [[0, 0]] * 6 + [[1, 1]] + [[0, 0]] * 7
    world.step(3)
