"""Who touches whom: groups and names in the scene, and frames that plugins keep apart."""

from types import SimpleNamespace

import numpy as np
import pytest

from supple.errors import UserError
from supple.mechanics.filters import ignore_pair

RUN = """
format = 1
[run]
step = 0.004
duration = 1.0
"""
HULL = (
    "convex = { points = [[0.1, 0, 0], [-0.1, 0, 0], [0, 0.1, 0], [0, -0.1, 0], [0, 0, 0.1], [0, 0, -0.1]] }"
)
SHAPES = {"sphere": "sphere = { radius = 0.1 }", "box": "box = { size = [0.2, 0.2, 0.2] }", "convex": HULL}


def thing(name, shape, x=0.0, more=""):
    return f'[[entity]]\nname = "{name}"\npose = {{ position = [{x}, 0, 0] }}\n{SHAPES[shape]}\nbody = {{}}\n{more}\n'


def count_contacts(world):
    world.step()
    return int(world.array("contacts.count")[0])


def pairs_of(world):
    """The pairs of objects that have contacts."""
    count = count_contacts(world)
    return {int(key) for key in world.array("contacts.key")[:count, 0]}


@pytest.mark.parametrize("one", SHAPES)
@pytest.mark.parametrize("other", SHAPES)
def test_ignored_entities_pass_through_each_other(load_text, one, other):
    touching = RUN + thing("a", one) + thing("b", other, 0.15)
    assert count_contacts(load_text(touching)) > 0
    for more in ('collides = { ignores = ["b"] }', 'collides = { group = "g", ignores = ["b", "g"] }'):
        assert count_contacts(load_text(RUN + thing("a", one, 0.0, more) + thing("b", other, 0.15))) == 0
    wary = thing("b", other, 0.15, 'collides = { ignores = ["a"] }')
    assert count_contacts(load_text(RUN + thing("a", one) + wary)) == 0


def test_group_covers_the_tree_below_and_the_nearest_one_counts(load_text):
    text = RUN + '[[entity]]\nname = "arm"\ncollides = { group = "arm", ignores = ["arm"] }\n'
    text += thing("arm/upper", "sphere") + thing("arm/lower", "sphere", 0.15)
    assert count_contacts(load_text(text)) == 0
    text += thing("arm/hand", "sphere", 0.3, 'collides = { group = "hand" }')
    # lower ignores the group arm, to which the hand does not belong; the hand inherits that it ignores arm.
    assert count_contacts(load_text(text)) == 0
    text += thing("ball", "sphere", 0.45)
    assert count_contacts(load_text(text)) == 1, "the hand meets what is not of the arm"


def test_a_group_can_be_named_from_outside(load_text):
    text = RUN + thing("a", "sphere", 0.0, 'collides = { group = "red" }') + thing("b", "sphere", 0.15)
    assert count_contacts(load_text(text)) == 1
    text += thing("c", "sphere", -0.15, 'collides = { ignores = ["red"] }')
    world = load_text(text)
    assert pairs_of(world) == {0 * 3 + 1}


def test_frames_that_a_plugin_keeps_apart(load_text, tmp_path):
    plugin = tmp_path / "apart.py"
    plugin.write_text(
        """
from supple.mechanics.filters import ignore_pair
from supple.plugin import hookimpl

def keep_apart(build):
    ignore_pair(build, ("rigid", 1), ("rigid", 0))

@hookimpl
def supple_register(registry):
    registry.add_compiler("apart", keep_apart, components=(), provides=["row_sources"])
"""
    )
    for shape in SHAPES:
        text = RUN + thing("a", shape) + thing("b", shape, 0.15) + thing("c", shape, 0.3)
        assert len(pairs_of(load_text(text))) == 2
        assert pairs_of(load_text(text, plugins=[plugin])) == {1 * 3 + 2}


def test_pairs_of_frames_have_no_direction():
    build = SimpleNamespace(ignored_pairs=set())
    ignore_pair(build, ("b", 0), ("a", 7))
    ignore_pair(build, ("a", 7), ("b", 0))
    assert build.ignored_pairs == {(("a", 7), ("b", 0))}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("collides = {}", "says nothing"),
        ('collides = { ignores = ["legs"] }', "'legs', which is no group and no entity"),
        ('collides = { group = "leg", ignores = ["leh"] }', "Did you mean 'leg'?"),
    ],
)
def test_bad_filter_is_refused_in_one_line(load_text, more, says):
    with pytest.raises(UserError) as caught:
        load_text(RUN + thing("a", "sphere", 0.0, more))
    assert "\n" not in str(caught.value)
    assert says in str(caught.value)


def test_shapes_of_one_body_do_not_touch(load_text):
    text = (
        RUN
        + thing("a", "sphere")
        + f'[[entity]]\nname = "a/more"\npose = {{ position = [0.1, 0, 0] }}\n{HULL}\n'
    )
    world = load_text(text)
    assert count_contacts(world) == 0
    assert np.isfinite(world["a"].position).all()
