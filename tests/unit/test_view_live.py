"""The live viewer: what it shows when, how it follows a run that goes on, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from supple.run.recording import open_recording
from supple_view.guard import find_objection
from supple_view.history import POINTS, History
from supple_view.live_run import LiveRun, RunEndedError
from supple_view.metrics import Metrics
from supple_view.playhead import Playhead
from supple_view.serve import Viewer
from supple_view.source import Source
from view_toys import write_creature

ROOT = Path(__file__).resolve().parents[2]
DROP = ROOT / "scenes" / "first" / "drop.toml"


# The playhead


def test_playhead_runs_in_real_time_and_begins_again() -> None:
    head = Playhead(np.arange(11) * 0.1, at_end=False)
    head.pass_time(0.42)
    assert head.frame == 4
    head.speed = 0.5
    head.pass_time(0.4)
    assert head.time == pytest.approx(0.62)
    head.pass_time(1.0)
    assert (head.time, head.playing) == (0.0, True)
    head.repeats = False
    head.pass_time(3.0)
    assert (head.frame, head.playing) == (10, False)
    head.toggle()
    assert (head.frame, head.playing) == (0, True)


def test_playhead_keeps_to_the_newest_frame_until_somebody_seeks() -> None:
    head = Playhead(np.array([0.0]), at_end=True)
    for count in (5, 9):
        head.times = np.arange(count) * 1.0
        head.pass_time(0.01)
        assert head.frame == count - 1
    head.seek(3)
    head.times = np.arange(20) * 1.0
    head.pass_time(5.0)
    assert head.frame == 3


# History


class Ramp:
    """Metrics whose only value is the number of the frame; every third one is missing."""

    names, units = ("a.ramp",), [""]

    def read(self, frame: int) -> np.ndarray:
        return np.array([np.nan if frame % 3 == 1 else float(frame)])


@pytest.mark.parametrize("sizes", [[1], [5, 700], [1, 100, 10_000], [POINTS * 20]])
def test_history_covers_the_whole_run_with_few_points(sizes: list[int]) -> None:
    history = History(Ramp())
    for size in sizes:
        history.follow(np.arange(size) * 0.5)
    times, values, cursor = history.curve(0, 0.25)
    assert len(times) == len(values) == len(cursor) <= 2 * POINTS + 3
    assert np.all(np.diff(times) >= 0)
    stride = max(1, round(np.diff(times).max() / 0.5))
    assert times[-1] >= (sizes[-1] - 1 - stride) * 0.5
    known = values[np.isin(times, np.arange(sizes[-1]) * 0.5)]
    # What is missing keeps the last value, and nothing comes from the future.
    assert np.all(known <= times[np.isin(times, np.arange(sizes[-1]) * 0.5)] / 0.5)
    assert (cursor.min(), cursor.max()) == (values.min(), values.max())
    assert times[np.argmax(cursor)] == 0.25 or values.min() == values.max()


def test_history_reads_what_the_recording_holds(tmp_path: Path) -> None:
    with open_recording(write_creature(tmp_path / "a.h5")) as recording:
        history = History(Metrics(recording, {}))
        history.follow(recording.times)
        np.testing.assert_array_equal(history.values[1:], recording.array("metrics.now")[1:])
        assert np.isnan(history.values[0]).all()


# Runs that go on


def test_scene_is_followed_while_it_runs_and_survives_a_kill(tmp_path: Path) -> None:
    with LiveRun(Source(DROP, until=1000.0, fps=100.0), quiet=True) as run:
        recording = run.wait_for_frames(lambda: False)
        assert recording is not None
        with recording:
            seen = [recording.frames]
            deadline = time.monotonic() + 60
            while len(seen) < 4 and time.monotonic() < deadline:
                if recording.refresh() > seen[-1]:
                    seen.append(recording.frames)
                    times = recording.times
                    np.testing.assert_allclose(
                        times, np.arange(len(times)) * (times[1] - times[0]), atol=1e-9
                    )
            assert len(seen) == 4
            assert run.is_running
            copy = tmp_path / "part.h5"
            os.kill(run._process.pid, signal.SIGKILL)
            run._process.wait()
            assert run.failed
            copy.write_bytes(recording.path.read_bytes())
            folder = recording.path.parent
    assert not folder.exists()
    page = tmp_path / "part.html"
    words = [sys.executable, "-m", "supple", "view", str(copy), "--html", str(page), "--json"]
    said = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    with open_recording(copy) as recording:
        assert said["recorded"] == recording.frames >= seen[-1]
        assert said["to"] == recording.times[-1]


def test_scene_that_cannot_be_run_ends_the_viewer_with_its_code(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    scene = tmp_path / "bad.toml"
    scene.write_text("format = 1\n[run]\nstep = -1\n")
    with LiveRun(Source(scene), quiet=True) as run, pytest.raises(RunEndedError) as ended:
        run.wait_for_frames(lambda: False)
    assert ended.value.code == 2
    said = capfd.readouterr().err
    assert said.count("\n") >= 1
    assert f"{scene}:3" in said


def test_viewer_stops_waiting_when_asked() -> None:
    with LiveRun(Source(DROP), quiet=True) as run:
        assert run.wait_for_frames(lambda: True) is None


# Serving


class Finished:
    """A run that is over."""

    is_running = failed = False


def test_viewer_brings_everything_to_the_frame(tmp_path: Path) -> None:
    viser = pytest.importorskip("viser")
    server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        with open_recording(write_creature(tmp_path / "a.h5")) as recording:
            viewer = Viewer(recording, Metrics(recording, {}), live=False)
            viewer.begin(server)
            names = [thing.drawing.name for thing in viewer.stage.things]
            for frame, channel in ((7, ""), (8, "pressure"), (9, "activation"), (10, "")):
                viewer.playhead.seek(frame)
                viewer.scene.channel, viewer.panel.stale = channel, True
                viewer.tick(Finished())
                nodes = viewer.scene._nodes
                np.testing.assert_allclose(
                    nodes["creature/bone.capsule"].position, recording.rows("bone.x", frame)[0], atol=1e-7
                )
                coloured = {"pressure": "creature.skin", "activation": "creature.muscles"}.get(channel)
                for name in ("creature.skin", "creature.muscles"):
                    kind = type(nodes[name]).__name__
                    assert (kind == "GlbHandle") == (name == coloured)
                if channel == "":
                    thing = viewer.stage.things[names.index("creature.skin")]
                    np.testing.assert_allclose(
                        nodes["creature.skin"].vertices, thing.vertices(frame), atol=1e-6
                    )
            point, end = viewer.scene._arrows.points[0]
            # The recorded force on the first points down; the arrow shows the one on the second, upwards.
            np.testing.assert_allclose(point, recording.rows("contacts.point", 10)[0].mean(axis=0), atol=1e-7)
            assert (end - point)[1] > 0
            assert viewer.scene.covers == ["bodies", "skin"]
            for veiled in ({"skin"}, set()):
                viewer.scene.veiled, viewer.scene.channel, viewer.panel.stale = veiled, "pressure", True
                viewer.tick(Finished())
                nodes = viewer.scene._nodes
                # What is seen through has no colours of single vertices, which cannot be seen through.
                assert (type(nodes["creature.skin"]).__name__ == "GlbHandle") == (not veiled)
                assert getattr(nodes["creature.skin"], "opacity", None) == (0.35 if veiled else None)
                assert nodes["creature.muscles"].opacity is None
            viewer.panel.follow = "creature"
            viewer.playhead.seek(12)
            viewer.tick(Finished())
    finally:
        server.stop()


FOREIGN = (
    {"Host": "evil.example"},
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Upgrade": "websocket", "Origin": "http://evil.example"},
)


@pytest.mark.parametrize(
    ("headers", "served_on", "fine"),
    [
        ({"Host": "localhost:8080"}, "127.0.0.1", True),
        ({"Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080"}, "127.0.0.1", True),
        ({"Host": "[::1]:8080"}, "::1", True),
        ({"Host": "LOCALHOST:8080", "Origin": "http://localhost:8080"}, "127.0.0.1", True),
        ({"Host": "192.168.1.5:8080"}, "0.0.0.0", True),
        ({"Host": "desk:8080"}, "desk", True),
        ({"Host": "192.168.1.5:8080"}, "127.0.0.1", False),
        ({"Host": "localhost.evil.example:8080"}, "127.0.0.1", False),
        ({"Host": "evil.example:8080"}, "0.0.0.0", False),
        ({"Host": "localhost:8080", "Origin": "http://localhost:9090"}, "127.0.0.1", False),
        ({"Host": "localhost:8080", "Origin": "null"}, "127.0.0.1", False),
        ({"Host": ""}, "127.0.0.1", False),
        ({}, "127.0.0.1", False),
    ],
)
def test_only_the_page_of_the_viewer_itself_may_talk_to_it(
    headers: dict[str, str], served_on: str, fine: bool
) -> None:
    assert (find_objection(headers, served_on) == "") is fine


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for other processes")
@pytest.mark.parametrize("kind", ["recording", "scene"])
def test_viewer_serves_on_this_machine_only_and_ends_cleanly(tmp_path: Path, kind: str) -> None:
    pytest.importorskip("viser")
    source = DROP if kind == "scene" else write_creature(tmp_path / "a.h5")
    words = [sys.executable, "-m", "supple", "view", str(source), "--no-browser", "--port", "0", "--json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    said = ""
    while not said.endswith("}\n"):
        line = process.stdout.readline()
        assert line, process.stderr.read()
        said += line
    address = json.loads(said)["address"]
    with urllib.request.urlopen(address, timeout=20) as answer:
        assert answer.status == 200
    for foreign in FOREIGN:
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(urllib.request.Request(address, headers=foreign), timeout=20)
    port = int(address.rpartition(":")[2])
    if Path("/proc/net/tcp").exists():
        listening = [
            line.split()[1].partition(":")[0]
            for name in ("tcp", "tcp6")
            for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]
            if line.split()[3] == "0A" and int(line.split()[1].partition(":")[2], 16) == port
        ]
        assert listening == ["0100007F"]
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert output == ""
    assert "Traceback" not in errors
