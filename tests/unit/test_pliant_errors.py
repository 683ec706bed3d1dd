"""Bad pliant components: one line that says what would be right."""

import pytest

from supple.errors import UserError

SCENE = """
format = 1
[run]
step = 0.004
duration = 1.0
[[entity]]
name = "arm"
{anchor}
pliant = {{ {pliant} }}
[[entity]]
name = "arm/upper"
{bone}
box = {{ size = [0.1, 0.3, 0.1] }}
"""
SKELETON = {"anchor": "skeleton = {}", "bone": 'bone = { joint = "hinge" }'}


@pytest.mark.parametrize(
    ("pliant", "words"),
    [
        ("stiffness = 0, damping = 0", ["neither stiffness nor damping"]),
        ("stiffness = -1, damping = 0", ["stiffness"]),
        ('stiffness = 1, damping = 0, carries = ["flor"]', ["flor", "does not exist"]),
        ("stiffness = 1, damping = 0, bones = { uper = [1, 1] }", ["uper", "upper"]),
        ("stiffness = 1, damping = 0, bones = { upper = [0, 0] }", ["upper", "not both 0"]),
        ("stiffness = 1, damping = 0, co_contraction = [[1, 1], [0, 2]]", ["co_contraction", "not later"]),
        ("stiffness = 1, damping = 0, co_contraction = [[1, -1]]", ["negative"]),
        (
            "stiffness = 1, damping = 0, co_contraction = { keys = [[0, 1, 2]] }",
            ["co_contraction", "two numbers"],
        ),
        ("stiffness = 1, damping = 0, co_contraction = { keys = [[0, -1]] }", ["negative"]),
        ("stiffness = 1, damping = 0, keys = [[0, 1]]", ["motion"]),
    ],
)
def test_bad_skeleton(load_text, pliant, words):
    with pytest.raises(UserError) as caught:
        load_text(SCENE.format(pliant=pliant, **SKELETON))
    text = str(caught.value)
    assert ".toml:" in text
    assert all(word in text for word in words), text


@pytest.mark.parametrize(
    ("joint", "pliant", "words"),
    [
        ("fixed", "keys = [[0, 1]]", ["nothing to drive"]),
        ("hinge", "", ["needs keys"]),
        ("hinge", "keys = [[0, 1, 2]]", ["2 numbers, not 3"]),
        ("ball", "keys = [[0, 1]]", ["4 numbers, not 2"]),
        ("hinge", "keys = [[0, 1], [0, 2]]", ["keys", "not later"]),
        ("hinge", "keys = [[0, 1]], probe = true", ["probe"]),
    ],
)
def test_bad_joint(load_text, joint, pliant, words):
    anchor = f'joint = {{ kind = "{joint}", between = ["arm/upper"] }}'
    pliant = ", ".join(part for part in ("stiffness = 1, damping = 1", pliant) if part)
    with pytest.raises(UserError) as caught:
        load_text(SCENE.format(anchor=anchor, bone="body = {}", pliant=pliant))
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_nothing_to_drive(load_text):
    with pytest.raises(UserError, match="drives a skeleton or a joint"):
        load_text(SCENE.format(anchor="", bone="body = {}", pliant="stiffness = 1, damping = 1"))
