"""`supple picture`: files, films and every mistake in one line."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from made_recordings import write_recording
from supple.core.drawing import Carried, Drawing, Mesh, Placed, Solid
from supple.run.cli import run_command

ROOT = Path(__file__).resolve().parents[2]
DROP = ROOT / "scenes" / "first" / "drop.toml"
BALL = Drawing("ball", "ball", "bodies", Solid("sphere", (0.5, 0, 0)), Carried("b.x", "b.q", 0))
POST = Drawing("post", "post", "bodies", Solid("box", (0.2, 0.5, 0.2)), Placed((0.0, 0.5, -1.0)))


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Eleven frames in half a second."""
    position = np.linspace([[-1, 0.5, 0]], [[1, 0.5, 0]], 11)
    rotation = np.tile([[[1.0, 0, 0, 0]]], (11, 1, 1))
    return write_recording(
        tmp_path / "run.h5",
        [BALL, POST],
        times=np.arange(11) * 0.05,
        arrays={"b.x": position, "b.q": rotation},
    )


def run(*words: object) -> int:
    return run_command(["picture", *(str(word) for word in words)])


def test_recording_becomes_a_picture_of_its_end(recording: Path, tmp_path: Path, capsys) -> None:
    file = tmp_path / "a.png"
    assert run(recording, "-o", file, "--size", "200x150", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["frames"] == [{"frame": 10, "time": 0.5}]
    assert said["size"] == [200, 150]
    assert len(said["camera"]["eye"]) == 3
    with Image.open(file) as image:
        assert image.size == (200, 150)


def test_times_and_strips_stand_side_by_side(recording: Path, tmp_path: Path, capsys) -> None:
    one, other = tmp_path / "a.png", tmp_path / "b.png"
    assert run(recording, "-o", one, "--at", "0", "--at", 0.25, "--at", 0.5, "--size", "100x80") == 0
    assert run(recording, "-o", other, "--strip", "3", "--size", "100x80", "--json") == 0
    assert [frame["frame"] for frame in json.loads(capsys.readouterr().out)["frames"]] == [0, 5, 10]
    with Image.open(one) as image, Image.open(other) as same:
        assert image.size == (308, 80)
        assert image.tobytes() == same.tobytes()


def test_gif_has_a_frame_for_each_moment(recording: Path, tmp_path: Path) -> None:
    file = tmp_path / "a.gif"
    assert run(recording, "-o", file, "--fps", "10", "--speed", "0.5", "--size", "120x90", "--quiet") == 0
    with Image.open(file) as film:
        # Half a second at half speed is one second: the moments 0, 0.1, ... 1.
        assert film.n_frames == 11
        assert film.info["duration"] == 100
        assert film.size == (120, 90)


@pytest.mark.skipif(importlib.util.find_spec("imageio_ffmpeg") is None, reason="needs the extra video")
def test_mp4_has_a_frame_for_each_moment(recording: Path, tmp_path: Path) -> None:
    import imageio_ffmpeg

    file = tmp_path / "a.mp4"
    assert run(recording, "-o", file, "--fps", "20", "--size", "121x91", "--quiet") == 0
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(file))
    assert frames == 11
    assert seconds == pytest.approx(0.55, abs=0.02)
    assert sorted(tmp_path.iterdir()) == sorted([file, recording])


def test_mp4_without_the_extra_says_what_to_do(recording: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if "imageio" in name else find(name))
    assert run(recording, "-o", tmp_path / "a.mp4") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "a.mp4").exists()


def test_scene_is_run_to_the_time_of_the_picture(tmp_path: Path, capsys) -> None:
    file = tmp_path / "a.png"
    assert run(DROP, "-o", file, "--at", "0.1", "--set", "ball.pose.position=[0,3,0]", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["frames"] == [{"frame": 10, "time": pytest.approx(0.1)}]
    # The camera sees the ball where the override put it.
    assert said["camera"]["target"][1] > 1.0
    assert [path.name for path in tmp_path.iterdir()] == ["a.png"]


def test_picture_of_the_start_of_a_scene(tmp_path: Path, capsys) -> None:
    assert run(DROP, "-o", tmp_path / "a.png", "--at", "0", "--json") == 0
    assert json.loads(capsys.readouterr().out)["frames"] == [{"frame": 0, "time": 0.0}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--at", "0.9"], "has no frame at t = 0.9 s; it runs from 0 s to 0.5 s"),
        (["--follow", "bal"], "shows no entity 'bal'; choose from: ball, post. Did you mean 'ball'?"),
        (["--hide", "flesh"], "--hide flesh: nothing of this name"),
        (["--through", "contacts"], "--through contacts: nothing of this name"),
        (["--camera", "40"], "'40' is not of the form AZIMUTH,ELEVATION[,DISTANCE]"),
        (["--camera", "40,20,0"], "the distance 0 is not above zero"),
        (["--camera", "40,95"], "the elevation 95 is not between -90 and 90 degrees"),
        (["--camera", "nan,20"], "is not of the form"),
        (["--from", "1,2"], "'1,2' is not of the form X,Y,Z"),
        (["--from", "1,2,3", "--camera", "40,20"], "exclude each other"),
        (["--from", "1,2,3", "--look-at", "1,2,3"], "is where the camera looks at"),
        (["--size", "800"], "'800' is not of the form WIDTHxHEIGHT"),
        (["--size", "0x600"], "sides are from 16 to 8192 pixels"),
        (["--fov", "0"], "the angle of view 0 is not between 1 and 150 degrees"),
        (["--at", "-1"], "the time -1 is before the start"),
        (["--strip", "1"], "1 is not in the range"),
        (["--strip", "3", "--at", "0"], "--at and --strip exclude each other"),
        (["--fps", "10"], "--fps and --speed need a film"),
        (["--variant", "soft"], "--variant needs a scene"),
        (["--set", "a.b=1"], "--set needs a scene"),
        (["--seed", "1"], "--seed needs a scene"),
    ],
)
def test_mistakes_are_one_line(
    recording: Path, tmp_path: Path, capsys, words: list[str], message: str
) -> None:
    assert run(recording, "-o", tmp_path / "a.png", *words) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not (tmp_path / "a.png").exists()


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("a.jpeg", "unknown kind of file '.jpeg'; choose from: .gif, .mp4, .png"),
        ("a", "has no suffix"),
        ("no/a.png", "no folder"),
    ],
)
def test_outputs_that_cannot_be_are_refused_at_once(
    recording: Path, tmp_path: Path, capsys, output, message
) -> None:
    assert run(recording, "-o", tmp_path / output) == 2
    assert message in capsys.readouterr().err


def test_films_take_no_single_times(recording: Path, tmp_path: Path, capsys) -> None:
    assert run(recording, "-o", tmp_path / "a.gif", "--at", "0") == 2
    assert "a film shows all frames" in capsys.readouterr().err


def test_files_that_are_no_recordings_are_refused(recording: Path, tmp_path: Path, capsys) -> None:
    foreign = tmp_path / "foreign.h5"
    foreign.write_text("not at all")
    cut = tmp_path / "cut.h5"
    cut.write_bytes(recording.read_bytes()[:3000])
    newer = write_recording(tmp_path / "newer.h5", [BALL], attributes={"format": 99})
    for file, message in (
        (tmp_path / "missing.h5", "no such recording"),
        (foreign, "is not an HDF5 file"),
        (cut, "cannot be opened"),
        (newer, "has the recording format 99"),
        (tmp_path / "missing.toml", "missing.toml"),
    ):
        assert run(file, "-o", tmp_path / "a.png") == 2
        said = capsys.readouterr().err
        assert message in said
        assert said.count("\n") == 1


def test_failed_scene_leaves_no_picture(tmp_path: Path, monkeypatch, capsys) -> None:
    from run_toys import Place

    monkeypatch.chdir(tmp_path)
    place = Place(tmp_path)
    words = ["--plugin", place.plugin, "--set", "swing.oscillator.fail_at=20", "-o", tmp_path / "a.png"]
    assert run(place.scene, *words) == 3
    assert "the spring broke" in capsys.readouterr().err
    assert not (tmp_path / "a.png").exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows kills in another way")
def test_recording_of_a_killed_run_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "part.h5"
    words = ["run", str(DROP), "--until", "1000", "--quiet", "--record", str(file)]
    process = subprocess.Popen([sys.executable, "-m", "supple", *words], cwd=ROOT)
    deadline = time.monotonic() + 120
    while not (file.exists() and file.stat().st_size > 12_000_000) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert run(file, "-o", tmp_path / "a.png", "--strip", "3", "--size", "64x48") == 0
    with Image.open(tmp_path / "a.png") as image:
        assert image.size == (3 * 64 + 8, 48)


def test_help_has_an_example_and_loads_no_compiler() -> None:
    code = (
        "import sys; from supple.run.cli import run_command; code = run_command(['picture', '--help']);"
        "sys.exit(code or 9 * bool({'numba', 'PIL', 'h5py'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert "Example: supple picture" in done.stdout


def test_large_recording_is_drawn_within_little_memory(tmp_path: Path) -> None:
    """Sixty frames of 50 000 vertices, 72 MB: the whole process takes less than that on top of what is loaded."""
    rows, frames = 250, 60
    x, z = np.meshgrid(np.linspace(-1, 1, 200), np.linspace(-1, 1, rows))
    corner = (np.arange(rows - 1)[:, None] * 200 + np.arange(199)).ravel()
    triangles = np.vstack(
        [
            np.stack([corner, corner + 200, corner + 1], 1),
            np.stack([corner + 1, corner + 200, corner + 201], 1),
        ]
    )
    phases = np.arange(frames)[:, None, None] / 10
    heights = 0.1 * np.sin(6 * x + phases) * np.cos(5 * z)
    points = np.stack([np.broadcast_to(x, heights.shape), heights, np.broadcast_to(z, heights.shape)], -1)
    file = write_recording(
        tmp_path / "large.h5", [Drawing("s", "s", "skin", Mesh("s.x", "s.t"))], times=np.arange(frames) * 0.04,
        arrays={"s.x": points.reshape(frames, -1, 3)}, model={"s.t": triangles},
    )  # fmt: skip
    code = (
        "import resource, sys; from supple.run.cli import run_command;"
        "assert run_command(['picture', *sys.argv[1:]]) == 0;"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    resource = pytest.importorskip("resource")
    assert resource is not None
    small = write_recording(
        tmp_path / "small.h5", [BALL], arrays={"b.x": np.zeros((1, 1, 3)), "b.q": [[[1.0, 0, 0, 0]]]}
    )
    peaks = []
    for recording, words in ((small, ("a.png",)), (file, ("a.png", "--strip", "12"))):
        command = [sys.executable, "-c", code, str(recording), "--size", "64x48", "-o", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout) * (1 if sys.platform == "darwin" else 1024))
    assert peaks[1] - peaks[0] < points.nbytes
