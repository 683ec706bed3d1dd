"""Limits of a field that holds several numbers are those of each: in the reader, the schema and the reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple.core.component import component, field, read_component
from supple.errors import SceneError
from supple.scene.reference import describe_components
from supple.scene.schema import make_schema
from supple.scene.wording import read_checked

PLUGIN = """
from __future__ import annotations

import supple


@supple.component
class Crate:
    '''Something with numbers.'''

    size: supple.Vector = supple.field(default=(1.0, 1.0, 1.0), unit="m", doc="Its edges.", gt=0)
    weights: tuple[float, ...] = supple.field(default=(), unit="kg", doc="Weights.", ge=0, le=10, max_length=3)
    drag: float | tuple[float, ...] = supple.field(default=1.0, unit="kg/s", doc="Drag.", ge=0)
    share: dict[str, float] = supple.field(default={}, unit="1", doc="Shares.", le=1)
    corners: tuple[supple.Vector, ...] = supple.field(default=(), unit="m", doc="Corners.", lt=5)
    count: int | None = supple.field(default=None, unit="1", doc="How many.", ge=2)


@supple.hookimpl
def supple_register(registry):
    registry.add_component(Crate)
"""
SCENE = """format = 1
[run]
step = 0.01
duration = 0.02
[[entity]]
name = "a"
crate = { %s }
"""


def load(folder: Path, text: str) -> Any:
    plugin, scene = folder / "crate.py", folder / "scene.toml"
    plugin.write_text(PLUGIN)
    scene.write_text(SCENE % text)
    return supple.load(scene, plugins=[plugin])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("size = [1, -2, 3]", "a.crate.size[1]: must be greater than 0, is -2"),
        ("size = [1, 2]", "a.crate.size: must be a list of 3 numbers, not a list of 2; size [m]: Its edges"),
        ("weights = [1, 2, 11]", "a.crate.weights[2]: must be at most 10, is 11"),
        (
            "weights = [1, 1, 1, 1]",
            "a.crate.weights: must have at most 3 elements, has 4; weights [kg]: Weights",
        ),
        ("drag = -1", "a.crate.drag: must be at least 0, is -1; drag [kg/s]: Drag"),
        ("drag = [1, -1]", "a.crate.drag[1]: must be at least 0, is -1"),
        ("drag = [1, 'x']", "a.crate.drag[1]: must be a number, not the string 'x'"),
        (
            "drag = 'x'",
            "a.crate.drag: must be a number or a list of numbers, not the string 'x'; drag [kg/s]: Drag",
        ),
        ("share = { left = 2 }", "a.crate.share.left: must be at most 1, is 2"),
        ("corners = [[1, 2, 3], [4, 5, 6]]", "a.crate.corners[1][1]: must be less than 5, is 5"),
        ("count = 1", "a.crate.count: must be at least 2, is 1; count [1]: How many"),
    ],
)
def test_the_number_that_is_beyond_its_limit_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SceneError) as caught:
        load(tmp_path, text)
    assert str(caught.value).splitlines()[0] == f"{tmp_path / 'scene.toml'}:7: {message}"


def test_what_is_within_its_limits_is_read(tmp_path: Path) -> None:
    world = load(
        tmp_path, "size = [1, 2, 3], weights = [0, 10], drag = [0], share = { a = 1 }, corners = [[1, 2, 3]]"
    )
    crate = world.build.graph["a"].components["crate"]
    assert crate.size == (1.0, 2.0, 3.0)
    assert crate.drag == (0.0,)
    assert crate.weights == (0.0, 10.0)
    assert load(tmp_path, "drag = 3").build.graph["a"].components["crate"].drag == 3.0
    registry = world.registry

    fields = {each["name"]: each for kind in describe_components(registry) for each in kind["fields"]
              if kind["kind"] == "crate"}  # fmt: skip
    ranges = {name: each["range"] for name, each in fields.items()}
    assert ranges == {
        "size": "each > 0", "weights": "at most 3 long, each >= 0, each <= 10", "drag": ">= 0",
        "share": "each <= 1", "corners": "each < 5", "count": ">= 2",
    }  # fmt: skip
    assert fields["size"]["type"] == "a list of 3 numbers"

    entity = make_schema(registry)["properties"]["entity"]["items"]["properties"]["crate"]["properties"]
    assert entity["size"]["items"] == {"type": "number", "exclusiveMinimum": 0}
    assert entity["weights"]["items"] == {"type": "number", "minimum": 0, "maximum": 10}
    assert entity["weights"]["maxItems"] == 3
    assert entity["size"]["description"] == "[m] Its edges."


@component
class Pair:
    """Two numbers."""

    both: tuple[float, float] = field(unit="1", doc="Both.", ge=-1, lt=1)


@given(st.tuples(st.floats(-3, 3), st.floats(-3, 3)))
def test_limits_hold_for_every_number(both: tuple[float, float]) -> None:
    made, complaints = read_checked(Pair, {"both": list(both)})
    beyond = [k for k, value in enumerate(both) if not -1 <= value < 1]
    assert [complaint.keys for complaint in complaints] == [("both", k) for k in beyond]
    if not beyond:
        assert made == read_component(Pair, {"both": list(both)})
        assert made.both == both


def test_a_limit_without_a_number_is_refused_when_the_class_is_made() -> None:
    with pytest.raises(TypeError, match="Word\\.word has no number that gt could limit"):

        @component
        class Word:
            """A word."""

            word: str = field(unit="", doc="A word.", gt=0)


def test_list_with_a_wrong_element_is_not_called_short() -> None:
    @component
    class Row:
        """Words."""

        words: tuple[str, ...] = field(unit="", doc="Words.", min_length=2)

    _, complaints = read_checked(Row, {"words": ["a", 3]})
    assert [(each.keys, each.what) for each in complaints] == [
        (("words", 1), "must be a string, not the number 3")
    ]
    _, complaints = read_checked(Row, {"words": ["a"]})
    assert [(each.keys, each.what) for each in complaints] == [
        (("words",), "must have at least 2 elements, has 1")
    ]
