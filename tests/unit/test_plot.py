"""Curves of recordings: numbers in are numbers out, labels say what they are, errors are one line."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from hand_made import add_metrics, write_contacts
from made_recordings import write_recording
from run_toys import Place
from supple.errors import UserError
from supple.run.cli import run_command
from supple.run.recording import open_recording
from supple.run.simulate import simulate
from supple_plot import panels, series

matplotlib = pytest.importorskip("matplotlib", reason="the extra supple[plot] is not installed")


def plot(*words: object) -> int:
    return run_command(["plot", *(str(word) for word in words)])


def make_bare(path: Path, metrics: dict[str, list[float]], unit: str) -> Path:
    """A recording of metrics and nothing else."""
    frames = len(next(iter(metrics.values())))
    return add_metrics(
        write_recording(path, [], times=0.1 * np.arange(frames)), metrics, [unit] * len(metrics)
    )


def texts_of(svg: Path) -> set[str]:
    """All texts of a picture."""
    found = ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")
    return {"".join(one.itertext()).strip() for one in found}


def test_series_are_the_recorded_numbers_without_the_first_frame(tmp_path: Path) -> None:
    with open_recording(write_contacts(tmp_path / "a.h5")) as recording:
        np.testing.assert_array_equal(series.step_times(recording), [0.1, 0.2, 0.3])
        np.testing.assert_array_equal(series.read_metric(recording, "ball.height"), [1.0, 4.0, 9.0])
        np.testing.assert_array_equal(series.read_metric(recording, "ball.speed"), [np.nan, 2.5, 3.5])
        np.testing.assert_array_equal(series.count_contacts(recording), [0, 2, 3])
        # Of the three forces of the last frame one is (3, 0, 4) at a wall, one leans by 37 degrees.
        np.testing.assert_allclose(series.total_forces(recording), [[0, 0], [40, 0], [21, 10]], rtol=1e-14)


def test_centre_of_pressure_is_the_weighted_mean_and_walls_bear_no_weight(tmp_path: Path) -> None:
    with open_recording(write_contacts(tmp_path / "a.h5")) as recording:
        centre = series.centre_of_pressure(recording)
    # 10 N at the origin and 30 N at (4, 8); then 10 N each at (1, 0) and (3, 2). Points lie 0.5 m apart in y.
    np.testing.assert_allclose(centre, [[np.nan] * 3, [3, -0.25, 6], [2, -0.25, 1]], rtol=1e-15)


def test_contact_force_of_a_run_is_the_weight_at_rest(tmp_path: Path) -> None:
    scene = tmp_path / "rest.toml"
    scene.write_text(
        'format = 1\n[run]\nstep = 0.01\nduration = 0.2\n[[entity]]\nname = "floor"\nplane = {}\n'
        '[[entity]]\nname = "box"\npose = { position = [0.3, 0.1, -0.7] }\nbox = { size = [0.2, 0.2, 0.2] }\n'
        "body = { mass = 2.0 }\n"
    )
    from supple.run.simulate import RunOptions

    simulate(RunOptions(scene, record=tmp_path / "rest.h5"))
    with open_recording(tmp_path / "rest.h5") as recording:
        assert recording.metric_units["box.height"] == "m"
        np.testing.assert_allclose(series.total_forces(recording)[:, 0], 2.0 * 9.81, rtol=1e-8)
        np.testing.assert_allclose(series.centre_of_pressure(recording)[-1], [0.3, 0.0, -0.7], atol=1e-8)
        made = panels.make_overview(panels.name_recordings([recording]))
    assert [one.title for one in made] == [
        "box.height", "contacts", "total contact force", "centre of pressure from above", "energy balance",
        "contact residual",
    ]  # fmt: skip


def test_page_says_units_titles_and_variants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    soft = write_contacts(tmp_path / "a.h5", variant="soft")
    rigid = write_contacts(tmp_path / "b.h5", variant="rigid", scale=2.0)
    page = tmp_path / "page.svg"
    assert plot(soft, "*.height", "ball.speed", "energy", "--against", rigid, "-o", page, "--json") == 0
    assert {
        "scene", "height", "height [m]", "time [s]", "ball.speed", "speed [m/s]", "energy [J]", "soft", "rigid",
        "kinetic", "unaccounted", "ball", "crate",
    } <= texts_of(page)  # fmt: skip
    said = json.loads(capsys.readouterr().out)
    assert said["recordings"] == ["soft", "rigid"]
    heights = {(one["recording"], one["label"]): one for one in said["panels"][0]["series"]}
    assert heights["rigid", "ball.height"]["max"] == 18.0
    assert heights["soft", "ball.height"]["mean"] == pytest.approx(14 / 3)
    assert said["panels"][1]["series"][0]["last"] == 3.5


def test_equal_recordings_give_equal_files(tmp_path: Path) -> None:
    recording = write_contacts(tmp_path / "a.h5")
    for suffix in ("png", "svg", "pdf"):
        pages = [tmp_path / f"{number}.{suffix}" for number in (1, 2)]
        for page in pages:
            assert plot(recording, "-o", page) == 0
        assert pages[0].read_bytes() == pages[1].read_bytes()
        assert pages[0].stat().st_size > 5000


def test_no_window_and_no_global_state(tmp_path: Path) -> None:
    place = Place(tmp_path)
    recording = write_contacts(tmp_path / "a.h5")
    # A backend that cannot be loaded would fail at once if anything asked for a window.
    program = (
        "import os, sys; os.environ['MPLBACKEND'] = 'module://no_such_window'\n"
        "from supple.run.cli import run_command\n"
        f"code = run_command(['plot', {str(recording)!r}, '-o', {str(tmp_path / 'x.png')!r}])\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "print('{\"code\": %d}' % code)"
    )
    assert place.json_of(sys.executable, "-c", program) == {"code": 0}


def test_a_killed_recording_is_drawn_up_to_its_last_flush(tmp_path: Path) -> None:
    import h5py

    path = write_contacts(tmp_path / "a.h5")
    with h5py.File(path, "r+") as file:
        file["frames"][0] = 3
    with open_recording(path) as recording:
        np.testing.assert_array_equal(series.read_metric(recording, "ball.height"), [1.0, 4.0])
        np.testing.assert_array_equal(series.total_forces(recording), [[0, 0], [40, 0]])
    assert plot(path, "-o", tmp_path / "a.png") == 0


def test_rows_of_arrays_are_drawn_as_recorded(tmp_path: Path) -> None:
    with open_recording(write_contacts(tmp_path / "a.h5")) as recording:
        (panel,) = panels.make_panels(panels.name_recordings([recording]), ["rigid.x:crate"])
    assert [line.label for line in panel.lines] == ["x", "y", "z"]
    np.testing.assert_array_equal(panel.lines[1].y, [4, 10, 16, 22])
    np.testing.assert_array_equal(panel.lines[1].x, [0, 0.1, 0.2, 0.3])


def test_a_metric_that_only_one_recording_has_is_drawn_for_it(tmp_path: Path) -> None:
    first = write_contacts(tmp_path / "a.h5")
    other = make_bare(tmp_path / "b.h5", {"foot.pressure": [0.0, 7.0]}, "Pa")
    with open_recording(first) as a, open_recording(other) as b:
        (panel,) = panels.make_panels(panels.name_recordings([a, b]), ["foot.pressure"])
        assert panels.make_overview(panels.name_recordings([b]))[0].y_label == "pressure [Pa]"
    assert [(line.of, line.y.tolist()) for line in panel.lines] == [("b", [7.0])]


def test_names_tell_recordings_apart(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    files = [tmp_path / "a.h5", tmp_path / "x" / "a.h5"]
    with open_recording(write_contacts(files[0])) as a, open_recording(write_contacts(files[1])) as b:
        assert [name for name, _ in panels.name_recordings([a, b])] == [str(file) for file in files]
        assert [name for name, _ in panels.name_recordings([a])] == ["a"]


def test_timings_come_from_the_summary_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"name": f"s.do_{k}", "seconds": 1.0, "us_per_step": float(k)} for k in range(12)]
    (tmp_path / "run.json").write_text(json.dumps({"timings": rows}))
    page = tmp_path / "page.svg"
    recording = write_contacts(tmp_path / "a.h5")
    assert plot(recording, "contacts", "-o", page, "--timings", tmp_path / "run.json") == 0
    assert {"time per step", "s.do_11", "s.do_4", "4 others", "time [µs]"} <= texts_of(page)
    panel = panels.panel_of_timings(tmp_path / "run.json")
    assert sum(line.y[0] for line in panel.lines) == sum(range(12))
    capsys.readouterr()
    (tmp_path / "run.json").write_text("[1]")
    assert plot(recording, "-o", page, "--timings", tmp_path / "run.json") == 2
    assert "holds no timings; give what 'supple run SCENE --json' printed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ball.hieght", "-o", "x.png"], "Did you mean 'ball.height'?"),
        (["*.depth", "-o", "x.png"], "no metric of this name"),
        (["rigid.y:crate", "-o", "x.png"], "Did you mean 'rigid.x'?"),
        (["contacts.force:ball", "-o", "x.png"], "no array contacts.force with named rows"),
        (["rigid.x:create", "-o", "x.png"], "Did you mean 'crate'?"),
        (["-o", "x.gif"], "choose from: .png, .svg, .pdf"),
        (["-o", "nowhere/x.png"], "no folder"),
        (["-o", "x.png", "--against", "none.h5"], "no such recording"),
        ([], "Missing option '-o'"),
    ],
)
def test_errors_are_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    words: list[str], said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    write_contacts(tmp_path / "a.h5")
    assert plot("a.h5", *words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert list(tmp_path.glob("x.*")) == []


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    short = make_bare(tmp_path / "a.h5", {"a.b": [0.0]}, "m")
    with open_recording(short) as recording, pytest.raises(UserError, match="fewer than two frames"):
        panels.make_panels([("a", recording)], [])
    bare = write_recording(tmp_path / "b.h5", [], times=[0.0, 1.0])
    with open_recording(bare) as recording, pytest.raises(UserError, match="does not hold what energy"):
        panels.make_panels([("a", recording)], ["energy"])
    with open_recording(bare) as recording, pytest.raises(UserError, match="nothing that can be plotted"):
        panels.make_panels([("a", recording)], [])


def test_missing_matplotlib_is_one_line(tmp_path: Path) -> None:
    place = Place(tmp_path)
    recording = write_contacts(tmp_path / "a.h5")
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from supple.run.cli import main\n"
        f"main(['plot', {str(recording)!r}, '-o', {str(tmp_path / 'x.png')!r}])"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", program], cwd=place.folder, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == 'supple plot: needs matplotlib, which is missing; pip install "supple[plot]"\n'


def test_names_with_dollars_are_no_formulas(tmp_path: Path) -> None:
    name = r"a$\frac$b.cost"
    recording = make_bare(tmp_path / "a.h5", {name: [0.0, 1.0, 2.0]}, "$")
    assert plot(recording, "-o", tmp_path / "a.svg") == 0
    assert name in texts_of(tmp_path / "a.svg")


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert plot("--help") == 0
    assert "Example: supple plot" in capsys.readouterr().out
