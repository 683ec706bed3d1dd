"""`repeat`: rows and grids of like entities with all below them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.errors import UserError, suggest
from supple.scene.repeat import Repeat

HEAD = "format = 1\n[run]\nstep = 0.01\nduration = 0.1\ngravity = [0, 0, 0]\n"
BALL = """[[entity]]
name = "ball"
pose = {{ position = [1, 2, 3] }}
sphere = {{ radius = 0.1 }}
body = {{}}
repeat = {}
"""


def test_row_and_grid(load_text) -> None:
    world = load_text(HEAD + BALL.format("{ count = 3, spacing = [0.5, 0.1, 0] }"))
    places = [world[f"ball{k}"].position for k in range(3)]
    np.testing.assert_allclose(places, [[1, 2, 3], [1.5, 2.1, 3], [2, 2.2, 3]])
    world = load_text(HEAD + BALL.format("{ count = [2, 1, 2], spacing = [1, 9, 2] }"))
    places = [world[f"ball{k}"].position for k in range(4)]
    np.testing.assert_allclose(places, [[1, 2, 3], [2, 2, 3], [1, 2, 5], [2, 2, 5]])


def test_children_nested_rows_and_overrides(load_text) -> None:
    text = (
        HEAD
        + """
[[entity]]
name = "rack"
repeat = { count = 2, spacing = [1, 0, 0] }
[[entity]]
name = "rack/ball"
sphere = { radius = 0.1 }
body = {}
repeat = { count = 2, spacing = [0, 0, 0.5] }
[set]
"rack1/ball0.body.mass" = 7
"""
    )
    world = load_text(text)
    assert world["rack1/ball0"].mass == pytest.approx(7)
    np.testing.assert_allclose(world["rack1/ball1"].position, [1, 0, 0.5])


@pytest.mark.parametrize(
    ("repeat", "words"),
    [
        ("{ count = 0 }", "count"),
        ("{ count = 3, spacign = [1, 0, 0] }", "spacign"),
        ("3", "repeat"),
        ("{ count = [100, 100, 100] }", "at most 10000"),
    ],
)
def test_mistakes_get_one_line(load_text, repeat: str, words: str) -> None:
    with pytest.raises(UserError) as caught:
        load_text(HEAD + BALL.format(repeat))
    lines = str(caught.value).splitlines()
    assert len(lines) == 1
    assert words in lines[0]
    assert "scene.toml:" in lines[0]


def test_name_that_is_taken(load_text) -> None:
    with pytest.raises(UserError, match="'ball1'"):
        load_text(
            HEAD + BALL.format("{ count = 2 }") + '[[entity]]\nname = "ball1"\nsphere = { radius = 1 }\n'
        )


@settings(deadline=None)
@given(st.tuples(*[st.integers(1, 6)] * 3), st.tuples(*[st.floats(-5, 5)] * 3))
def test_grids_have_all_places_once(count, spacing) -> None:
    shifts = Repeat(count=count, spacing=spacing).shifts()
    assert len(shifts) == np.prod(count)
    assert shifts[0] == (0.0, 0.0, 0.0)
    steps = np.array([spacing[k] * (count[k] - 1) for k in range(3)])
    np.testing.assert_allclose(shifts[-1], steps)


def test_one_number_of_seeds_says_what_it_could_mean(load_text) -> None:
    with pytest.raises(
        UserError, match=r"3 seeds are seeds = \[0, 1, 2\]; the seed 3 alone is seeds = \[3\]"
    ):
        load_text(HEAD + BALL.format("{ count = 1 }") + "[sweep]\nseeds = 3\n")


def test_suggestions_go_by_the_last_part_of_a_path() -> None:
    paths = ["man/bones/pelvis/left_thigh", "man/bones/pelvis/left_thigh/left_shank", "floor"]
    assert suggest("man/left_shank", paths).endswith("Did you mean 'man/bones/pelvis/left_thigh/left_shank'?")
    assert suggest("left_shnak", paths).endswith("Did you mean 'man/bones/pelvis/left_thigh/left_shank'?")
    assert "mean" not in suggest("sky", paths)
