"""Sweeps: which cells there are, in which order, what they are called, and what is refused."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.errors import Problem, Where
from supple.scene.lines import KeyPath, locate_keys, nearest_line
from supple.scene.sweep import Cell, check_sweep, expand_sweep, split_sweep

SWEEP = """\
[sweep]
"shove.push.force" = [[0, 0, 250], [0, 0, 350]]
"shove.at" = [2.0, 2.5]
seeds = [3, 1]
"""


def check(text: str) -> list[str]:
    lines = locate_keys(text)

    def where_of(path: KeyPath) -> Where:
        return Where("scene.toml", nearest_line(lines, path))

    return [str(problem) for problem in check_sweep(tomli.loads(text)["sweep"], where_of)]


def test_cells_in_order() -> None:
    axes, seeds = split_sweep(tomli.loads(SWEEP)["sweep"])
    cells = expand_sweep(axes, seeds)
    assert check(SWEEP) == []
    assert [cell.label for cell in cells] == [
        "shove.at=2, shove.push.force=[0,0,250], seed=3",
        "shove.at=2, shove.push.force=[0,0,250], seed=1",
        "shove.at=2, shove.push.force=[0,0,350], seed=3",
        "shove.at=2, shove.push.force=[0,0,350], seed=1",
        "shove.at=2.5, shove.push.force=[0,0,250], seed=3",
        "shove.at=2.5, shove.push.force=[0,0,250], seed=1",
        "shove.at=2.5, shove.push.force=[0,0,350], seed=3",
        "shove.at=2.5, shove.push.force=[0,0,350], seed=1",
    ]
    assert cells[1].overrides == (("shove.at", 2.0), ("shove.push.force", [0, 0, 250]))
    assert cells[1].seed == 1


def test_no_sweep_is_one_cell() -> None:
    assert expand_sweep(*split_sweep({}, default_seed=7)) == (Cell((), 7),)
    assert Cell((), 7).label == "seed=7"


def test_the_key_is_the_same_in_every_process() -> None:
    cell = Cell((("b", {"y": 1, "x": "é"}), ("a", [1.5, True])), 3)
    code = (
        "from supple.scene.sweep import Cell;"
        "print(Cell((('a', [1.5, True]), ('b', {'x': '\\u00e9', 'y': 1.0})), 3).key())"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == cell.key()
    assert len(cell.key()) == 64


@pytest.mark.parametrize(
    "other",
    [
        Cell((("a", 1),), 1),
        Cell((("a", 2),), 0),
        Cell((("b", 1),), 0),
        Cell((("a", True),), 0),
        Cell((("a", "1"),), 0),
        Cell((("a", [1]),), 0),
        Cell((), 0),
    ],
)
def test_cells_that_differ_have_different_keys(other: Cell) -> None:
    assert other != Cell((("a", 1),), 0)
    assert len({other, Cell((("a", 1),), 0), Cell((("a", 1.0),), 0)}) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sweep = 3", "scene.toml:1: sweep: is not a table; write [sweep]"),
        ("[sweep]\n\n'a.b' = 2.5", "scene.toml:3: sweep.a.b: is not a list of values; write [2.5]"),
        ("[sweep]\na.b = [1]", "scene.toml:2: sweep.a: is a table, not a list of values; write the path in"),
        ("[sweep]\n'a.b' = []", "scene.toml:2: sweep.a.b: is an empty list"),
        ("[sweep]\n'' = [1]", "scene.toml:2: sweep: an axis has no path"),
        ("[sweep]\n'a.b' = [1,\n2,\n1.0]", "scene.toml:4: sweep.a.b: the value 1 stands here twice"),
        ("[sweep]\n'a.b' = [[1],\n[1]]", "scene.toml:3: sweep.a.b: the value [1] stands here twice"),
        ("[sweep]\n'a.b' = [1979-05-27,\n1979-05-27]", "scene.toml:3: sweep.a.b: the value"),
        (
            "[sweep]\nseeds = 3",
            "scene.toml:2: sweep.seeds: is one number, and could mean two things; 3 seeds are seeds = [0, 1, 2]; "
            "the seed 3 alone is seeds = [3]",
        ),
        ("[sweep]\nseeds = []", "scene.toml:2: sweep.seeds: is an empty list"),
        ("[sweep]\nseeds = [1,\n-1]", "scene.toml:3: sweep.seeds: -1 is not a seed; write whole numbers"),
        ("[sweep]\nseeds = [1.0]", "scene.toml:2: sweep.seeds: 1 is not a seed"),
        ("[sweep]\nseeds = [true]", "scene.toml:2: sweep.seeds: true is not a seed"),
        ("[sweep]\nseeds = ['1']", "scene.toml:2: sweep.seeds: \"1\" is not a seed"),
        (f"[sweep]\nseeds = [{2**63}]", "scene.toml:2: sweep.seeds: 9223372036854775808 is not a seed"),
        ("[sweep]\nseeds = [1,\n1]", "scene.toml:3: sweep.seeds: the value 1 stands here twice"),
    ],
)  # fmt: skip
def test_what_is_refused(text: str, expected: str) -> None:
    (message,) = check(text)
    assert message.startswith(expected)


def test_every_problem_is_told() -> None:
    assert len(check("[sweep]\n'a.b' = []\n'c.d' = 1\nseeds = [-1, 2, 2]")) == 4


def test_the_number_of_cells_is_bounded() -> None:
    def where_of(_path: KeyPath) -> None:
        return None

    allowed: dict[str, Any] = {"a": list(range(1000)), "b": list(range(10)), "seeds": list(range(10))}
    assert check_sweep(allowed, where_of) == ()
    problems = check_sweep({**allowed, "seeds": list(range(11))}, where_of)
    assert problems == (
        Problem(None, "sweep", "has 110000 cells, and 100000 are allowed", "sweep fewer values"),
    )


AXES = st.dictionaries(
    st.text("abc.", min_size=1, max_size=4),
    st.lists(st.one_of(st.integers(-5, 5), st.text("xy", max_size=2)), min_size=1, max_size=3, unique=True),
    max_size=3,
)
SEEDS = st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=3, unique=True)


@settings(max_examples=50, deadline=None)
@given(AXES, SEEDS, st.randoms(use_true_random=False))
def test_every_combination_once_whatever_the_order_of_the_lines(axes: Any, seeds: Any, dice: Any) -> None:
    shuffled = list(axes.items())
    dice.shuffle(shuffled)
    cells = expand_sweep(axes, seeds)
    assert cells == expand_sweep(dict(shuffled), seeds)
    assert len(set(cells)) == len(cells)
    assert len({cell.label for cell in cells}) == len(cells)
    combinations = itertools.product(*[[(path, value) for value in axes[path]] for path in axes], seeds)
    expected = {(frozenset(chosen), seed) for *chosen, seed in combinations}
    assert {(frozenset(cell.overrides), cell.seed) for cell in cells} == expected
