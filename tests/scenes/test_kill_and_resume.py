"""A run killed at any moment leaves a recording that opens, and resumes bit-identically."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kills import Killed
from run_toys import Place
from supple.run.recording_room import SUPERBLOCK

ROOT = Path(__file__).resolve().parents[2]
KILLS = 10

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows kills in another way")


def test_run_killed_at_random_moments_ends_as_if_never_killed(tmp_path: Path) -> None:
    run = Killed(ROOT / "scenes" / "first" / "drop.toml", tmp_path, until=40.0, every=0.2)
    run.run_whole()
    moments = random.Random(20)
    for _ in range(KILLS):
        run.kill_once(signal.SIGKILL, moments.uniform(0.0, 0.15))
    run.finish()


def test_truncated_recording_of_a_killed_run_is_refused_at_once(tmp_path: Path) -> None:
    place = Place(tmp_path)
    slow = ["--set", "swing.oscillator.dawdle=0.002", "--set", "run.duration=1000.0"]
    recording = tmp_path / "run.h5"
    process = subprocess.Popen(place.command("run", place.scene, *slow, "--record", recording, "--quiet"))
    while not recording.exists():
        assert process.poll() is None, "the run ended without a recording"
        time.sleep(0.005)
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
