"""A run killed at any moment leaves a recording that opens, and resumes bit-identically."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from run_toys import Place
from supple.run.recording import open_recording
from supple.run.recording_room import SUPERBLOCK

ROOT = Path(__file__).resolve().parents[2]
KILLS = 10

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows kills in another way")


def command(folder: Path, name: str, *more: str) -> list[str]:
    """A run of falling bodies long enough to be hit."""
    scene = ROOT / "scenes" / "first" / "drop.toml"
    words = [sys.executable, "-m", "supple", "run", scene, "--quiet", "--until", "40", "--every", "0.2"]
    files = ["--record", folder / f"{name}.h5", "--checkpoint", folder / f"{name}.npz"]
    return [str(word) for word in (*words, *files, *more)]


def test_run_killed_at_random_moments_ends_as_if_never_killed(tmp_path: Path) -> None:
    subprocess.run(command(tmp_path, "whole"), check=True)
    recording, checkpoint = tmp_path / "part.h5", tmp_path / "part.npz"
    moments = random.Random(20)
    for _ in range(KILLS):
        before = recording.stat().st_ino if recording.exists() else 0
        process = subprocess.Popen(command(tmp_path, "part", *resume_from(checkpoint)))
        wait_for_new(recording, before, process)
        time.sleep(moments.uniform(0.0, 0.15))
        process.kill()
        process.wait()
        # Whatever is there is a beginning of the whole.
        with open_recording(recording) as partial:
            frames = partial.frames
        check_beginning(tmp_path / "whole.h5", frames, recording)
    subprocess.run(command(tmp_path, "part", *resume_from(checkpoint)), check=True)
    assert checkpoint.read_bytes() == (tmp_path / "whole.npz").read_bytes()
    check_beginning(tmp_path / "whole.h5", None, recording)


def resume_from(checkpoint: Path) -> list[str]:
    return ["--resume", str(checkpoint)] if checkpoint.exists() else []


def wait_for_new(path: Path, before: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until the run has put its recording in the place of an earlier one."""
    while not path.exists() or path.stat().st_ino == before:
        assert process.poll() is None, "the run ended without a recording"
        time.sleep(0.005)


def check_beginning(whole: Path, frames: int | None, part: Path) -> None:
    with open_recording(whole) as one, open_recording(part) as other:
        frames = one.frames if frames is None else frames
        assert other.frames == frames
        assert one.names == other.names
        np.testing.assert_array_equal(one.steps[:frames], other.steps)
        for name in one.names:
            if one.is_ragged(name):
                last = one.offsets(name)[frames]
                np.testing.assert_array_equal(one.offsets(name)[: frames + 1], other.offsets(name))
                np.testing.assert_array_equal(one.array(name)[:last], other.array(name))
            else:
                np.testing.assert_array_equal(one.array(name)[:frames], other.array(name))


def test_truncated_recording_of_a_killed_run_is_refused_at_once(tmp_path: Path) -> None:
    place = Place(tmp_path)
    slow = ["--set", "swing.oscillator.dawdle=0.002", "--set", "run.duration=1000.0"]
    recording = tmp_path / "run.h5"
    process = subprocess.Popen(place.command("run", place.scene, *slow, "--record", recording, "--quiet"))
    wait_for_new(recording, 0, process)
    time.sleep(1.0)
    process.kill()
    process.wait()
    content = recording.read_bytes()
    # Behind what was written lies the space that was taken for more.
    *_, end = SUPERBLOCK.unpack(content[: SUPERBLOCK.size])
    recording.write_bytes(content[: end // 2])
    command = [sys.executable, "-m", "supple", "info", str(recording)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "truncated" in done.stderr
    assert len(done.stderr.splitlines()) == 1
