"""Pages that play by themselves: they hold what the recording holds, and load nothing from anywhere."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import supple_view.thin
from made_recordings import write_recording
from supple.run.cli import run_command
from supple.run.recording import open_recording
from supple.run.stage import Stage
from supple_view.gather import POSITION_TOLERANCE, ROTATION_TOLERANCE
from supple_view.pack import unpack
from supple_view.page import SCRIPTS, read_page
from view_toys import METRICS, write_creature

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def creature(tmp_path: Path) -> Path:
    return write_creature(tmp_path / "creature.h5", travel=2.0)


def write_page(recording: Path, *options: str) -> Path:
    page = recording.with_suffix(".html")
    assert run_command(["view", str(recording), "--html", str(page), *options]) == 0
    return page


class Page:
    """A page's data, found as the player finds them."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text(encoding="utf-8")
        self.about, self._blob = read_page(self.text)
        self.things = {thing["name"]: thing for thing in self.about["things"]}

    def numbers(self, stream: int) -> np.ndarray:
        return unpack(self.about["streams"][stream], self._blob)


# Data


def test_page_holds_every_vertex_of_every_frame(creature: Path) -> None:
    page = Page(write_page(creature))
    skin = page.things["creature.skin"]
    vertices = page.numbers(skin["vertices"]) + page.numbers(skin["centre"])[:, None]
    with open_recording(creature) as recording:
        wanted = recording.array("skin.x")
        np.testing.assert_array_equal(page.numbers(skin["triangles"]), recording.model("skin.triangles"))
        pressure = recording.array("skin.pressure")
    # Its size is 1.2 m at most, so half a step of 16 bits is 9.2 um; float32 adds its own.
    np.testing.assert_allclose(vertices, wanted, atol=1e-5)
    channel = skin["channel"]
    assert (channel["says"], channel["unit"], channel["low"]) == ("pressure", "Pa", 0)
    assert channel["high"] == pytest.approx(pressure.max(), rel=1e-6)
    np.testing.assert_allclose(page.numbers(channel["values"]), pressure, atol=1.0)


def test_page_holds_the_poses_of_rigid_things(creature: Path) -> None:
    page = Page(write_page(creature))
    bone, step = page.things["creature/bone.capsule"], page.things["step.box"]
    with open_recording(creature) as recording:
        np.testing.assert_allclose(
            page.numbers(bone["position"]), recording.array("bone.x")[:, 0], atol=POSITION_TOLERANCE
        )
        turns = recording.array("bone.q")[:, 0]
        same = np.sign(np.sum(page.numbers(bone["rotation"]) * turns, axis=1))[:, None]
        np.testing.assert_allclose(page.numbers(bone["rotation"]) * same, turns, atol=ROTATION_TOLERANCE)
        thing = next(each for each in Stage(recording).things if each.drawing.name == "creature/bone.capsule")
        np.testing.assert_allclose(page.numbers(bone["rest"]), thing.rest, atol=1e-7)
        assert bone["colour"] == pytest.approx(list(thing.colour), abs=1e-4)
    # What stands still is kept once.
    assert page.numbers(step["position"]).tolist() == [pytest.approx([-1.0, 0.1, 0.0])]


def test_page_holds_tubes_as_points_and_segments(creature: Path) -> None:
    page = Page(write_page(creature))
    muscles = page.things["creature.muscles"]
    with open_recording(creature) as recording:
        points = page.numbers(muscles["vertices"]) + page.numbers(muscles["centre"])[:, None]
        np.testing.assert_allclose(points, recording.array("muscle.x"), atol=1e-5)
        np.testing.assert_array_equal(page.numbers(muscles["segments"]), recording.model("muscle.segments"))
        activation = page.numbers(muscles["channel"]["values"])
        np.testing.assert_allclose(activation, recording.array("muscle.activation"), atol=1e-3)
    assert muscles["radius"] == 0.02


def test_page_holds_times_contacts_and_metrics(creature: Path) -> None:
    page = Page(write_page(creature))
    contacts, metrics = page.about["contacts"], page.about["metrics"]
    with open_recording(creature) as recording:
        np.testing.assert_allclose(page.numbers(page.about["times"]), recording.times, rtol=1e-6)
        counts = page.numbers(contacts["counts"])
        np.testing.assert_array_equal(counts, np.diff(recording.offsets("contacts.point")))
        forces, points = recording.array("contacts.force"), recording.array("contacts.point").mean(axis=1)
        np.testing.assert_allclose(page.numbers(contacts["forces"]), forces, rtol=2e-5)
        np.testing.assert_allclose(page.numbers(contacts["points"]), points, atol=POSITION_TOLERANCE)
        values = recording.array("metrics.now")
    assert metrics["names"] == list(METRICS)
    measured = page.numbers(metrics["values"])
    np.testing.assert_allclose(measured[1:], values[1:], rtol=2e-5)
    # No step led to the initial state, so nothing was measured there.
    assert np.isnan(measured[0]).all()
    # First what the scene expects; what never changes is not plotted.
    assert [METRICS[column] for column in metrics["plots"]] == ["creature.energy", "creature.height"]
    assert dict(zip(metrics["names"], metrics["units"], strict=True))["creature.height"] == "m"
    largest = np.percentile(np.linalg.norm(forces, axis=1), 95)
    assert contacts["reference"] == pytest.approx(largest, rel=1e-4)


def test_page_names_the_run_whatever_characters_it_has(creature: Path) -> None:
    page = Page(write_page(creature))
    shown = {key: page.about[key] for key in ("scene", "variant", "seed")}
    assert shown == {"scene": "creature.toml", "variant": "soft </script>", "seed": 7}


# Nothing from elsewhere


class References(HTMLParser):
    """Whatever in a page may make a browser load something."""

    LOADING = frozenset(
        {"src", "href", "srcset", "action", "poster", "data", "background", "ping", "xlink:href"}
    )

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.policy = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [(tag, name) for name, _ in attrs if name in self.LOADING]
        self.found += [(tag, "element")] * (tag in ("link", "iframe", "object", "embed", "base", "img"))
        values = dict(attrs)
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values.get("content") or ""


def test_page_refers_to_nothing_elsewhere(creature: Path) -> None:
    text = write_page(creature).read_text(encoding="utf-8")
    references = References()
    references.feed(text)
    assert references.found == []
    words = r"https?://|wss?://|@import|url\(|\bfetch\(|XMLHttpRequest|WebSocket|EventSource|importScripts|sendBeacon"
    assert re.findall(words, text) == []
    # And should one have slipped in, the browser refuses it.
    rules = dict(rule.split(maxsplit=1) for rule in references.policy.split("; "))
    assert rules == {"default-src": "'none'", "script-src": "'unsafe-inline'", "style-src": "'unsafe-inline'"}


def test_player_is_packed_whole() -> None:
    folder = ROOT / "plugins" / "supple_view" / "player"
    assert sorted(SCRIPTS) == sorted(file.name for file in folder.glob("*.js"))
    assert 'supple_view = ["player/*"]' in (ROOT / "pyproject.toml").read_text()


def test_controls_of_the_page_have_names(creature: Path) -> None:
    """Every input, select and button has a text, a label around it, or an aria-label."""
    text = write_page(creature).read_text(encoding="utf-8")
    body = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    labelled = "".join(re.findall(r"<label.*?</label>", body, flags=re.DOTALL))
    controls = re.findall(r"<(?:input|select|button|canvas)\b[^>]*>[^<]*", body)
    assert len(controls) > 8
    for control in controls:
        text_after = control.partition(">")[2].strip()
        assert "aria-label=" in control or text_after or control in labelled, control


# Size


def test_large_recordings_are_thinned_and_it_is_said(
    creature: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_recording(creature) as recording:
        stage = Stage(recording)
        per_frame = supple_view.thin.estimate_frame(stage)
    monkeypatch.setattr(supple_view.thin, "BUDGET", 10 * per_frame)
    page = Page(write_page(creature))
    steps = page.numbers(page.about["steps"]).tolist()
    assert steps == [*range(0, 30, 3), 29]
    assert "kept 11 of 30 frames" in capsys.readouterr().err
    # Who asks for a rate gets it.
    assert len(Page(write_page(creature, "--fps", "50")).numbers(page.about["steps"])) == 30
    steps = Page(write_page(creature, "--fps", "10"))
    assert steps.numbers(steps.about["steps"]).tolist() == [0, 5, 10, 15, 20, 25, 29]


def test_estimate_of_a_frame_is_what_a_frame_takes(tmp_path: Path) -> None:
    small, large = (write_creature(tmp_path / f"{n}.h5", n) for n in (20, 60))
    sizes = [sum(one["bytes"] for one in Page(write_page(file)).about["streams"]) for file in (small, large)]
    with open_recording(small) as recording:
        estimate = supple_view.thin.estimate_frame(Stage(recording))
    assert (sizes[1] - sizes[0]) / 40 == pytest.approx(estimate, rel=0.02)


# Commands


def test_json_describes_the_page(creature: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = write_page(creature, "--json")
    said = json.loads(capsys.readouterr().out)
    assert said["page"] == str(page)
    assert said["bytes"] == page.stat().st_size
    assert (said["frames"], said["recorded"], said["scene"]) == (30, 30, "creature.toml")
    assert (said["from"], said["to"]) == (0.0, pytest.approx(0.58))


def test_scene_is_run_first_and_leaves_only_the_page(tmp_path: Path) -> None:
    page = tmp_path / "drop.html"
    scene = ROOT / "scenes" / "first" / "drop.toml"
    words = [
        "view",
        str(scene),
        "--html",
        str(page),
        "--until",
        "0.5",
        "--fps",
        "20",
        "--seed",
        "3",
        "--json",
    ]
    assert run_command(words) == 0
    made = Page(page)
    assert made.about["seed"] == 3
    np.testing.assert_allclose(made.numbers(made.about["times"]), np.arange(0, 0.51, 0.05), atol=2e-3)
    assert [path.name for path in tmp_path.iterdir()] == ["drop.html"]


def refuse(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert run_command(["view", *words]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    return output.err


@pytest.mark.parametrize("serving", [False, True])
def test_files_that_cannot_be_shown_are_refused_in_one_line(
    tmp_path: Path, creature: Path, capsys: pytest.CaptureFixture[str], serving: bool
) -> None:
    if serving:
        pytest.importorskip("viser")
    target = ["--no-browser", "--port", "0"] if serving else ["--html", str(tmp_path / "page.html")]
    whole = creature.read_bytes()
    cut, foreign, newer, empty = (tmp_path / f"{name}.h5" for name in ("cut", "foreign", "newer", "empty"))
    cut.write_bytes(whole[: len(whole) // 2])
    foreign.write_text("not a recording")
    write_recording(newer, [], attributes={"format": 99})
    write_recording(empty, [], times=())
    assert "truncated" in refuse(capsys, str(cut), *target)
    assert "is not an HDF5 file" in refuse(capsys, str(foreign), *target)
    assert "update supple" in refuse(capsys, str(newer), *target)
    assert "has no frames yet" in refuse(capsys, str(empty), *target)
    assert "no such recording" in refuse(capsys, str(tmp_path / "none.h5"), *target)
    assert "none.toml" in refuse(capsys, str(tmp_path / "none.toml"), *target)
    assert not (tmp_path / "page.html").exists()


def test_options_and_places_that_make_no_sense_are_refused(
    tmp_path: Path, creature: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = str(tmp_path / "page.html")
    assert "--variant is for scenes" in refuse(capsys, str(creature), "--html", page, "--variant", "soft")
    assert "--seed is for scenes" in refuse(capsys, str(creature), "--html", page, "--seed", "0")
    assert "no folder" in refuse(capsys, str(creature), "--html", str(tmp_path / "no" / "page.html"))
    assert "is a folder" in refuse(capsys, str(creature), "--html", str(tmp_path))
    assert "'-3' is not a number above zero" in refuse(capsys, str(creature), "--html", page, "--fps", "-3")


def test_missing_viser_is_said_in_one_line(
    creature: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    said = refuse(capsys, str(creature), "--no-browser")
    assert "pip install 'supple[view]'" in said
    assert "--html FILE" in said
