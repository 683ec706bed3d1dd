"""Tables of a sweep's axes in the report, and units of joints by their kind."""

from __future__ import annotations

import pytest

from supple.run.claim_runs import Outcome
from supple_joints.compile import pick_unit
from supple_report.axes import list_axes, make_axis_tables, read_cell
from supple_report.result import Run, SceneResult, Variant


def run(cell: str, value: float, error: str = "") -> Run:
    return Run(cell, cell, 0, Outcome({"ball.speed": value}, 0.0, error))


def test_cells_are_read_as_they_were_written() -> None:
    assert read_cell("shove.at=2.1, seed=3") == {"shove.at": "2.1", "seed": "3"}
    assert read_cell('a.b=[1,2,3], c.d="x, y", seed=0') == {"a.b": "[1,2,3]", "c.d": '"x, y"', "seed": "0"}


def test_one_table_for_every_axis_with_means_over_the_others() -> None:
    cells = [run(f"a.x={x}, b.y={y}, seed=0", x + 10 * y) for x in (1, 2) for y in (3, 5)]
    scene = SceneResult("s.toml", "", (Variant("", tuple(cells)),))
    assert list_axes(scene) == {"a.x": ["1", "2"], "b.y": ["3", "5"]}
    page = str(
        make_axis_tables(scene, ["ball.speed"], {"ball.speed": "m/s"}, lambda figure: f"<{figure.value:g}>")
    )
    assert page.count("<table") == 2
    for mean in (41, 42, 31.5, 51.5):
        assert f"{mean:g}" in page


def test_no_axis_no_table() -> None:
    scene = SceneResult("s.toml", "", (Variant("", (run("seed=0", 1.0), run("seed=1", 2.0))),))
    assert "<table" not in str(make_axis_tables(scene, ["ball.speed"], {}, str))


@pytest.mark.parametrize(
    ("unit", "turning", "sliding"),
    [
        ("rad, m", "rad", "m"), ("N m, N", "N m", "N"), ("m, rad", "rad", "m"), ("rad/s, m/s", "rad/s", "m/s"),
        ("N", "N", "N"),
    ],
)  # fmt: skip
def test_a_joint_has_one_unit(unit: str, turning: str, sliding: str) -> None:
    assert pick_unit(unit, turns=True) == turning
    assert pick_unit(unit, turns=False) == sliding
