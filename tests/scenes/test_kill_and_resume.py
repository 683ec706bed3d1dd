"""A run killed at any moment leaves a recording that opens, and resumes bit-identically."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kills import Killed
from run_toys import SCENE, Place
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


GRID = """
[sweep]
"swing.oscillator.start" = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
[variants]
slow = { "swing.oscillator.rate" = 1.0 }
fast = { "swing.oscillator.rate" = 3.0 }
[[claim]]
id = "grid"
says = "the fast one ends farther"
holds = "mean(fast.swing.place) > mean(slow.swing.place)"
"""


def test_claims_killed_in_the_middle_go_on_to_the_same_results(tmp_path: Path) -> None:
    """The process alone is killed, as `kill -9` does; its workers have to notice."""
    place = Place(tmp_path, SCENE.replace("oscillator = {", "oscillator = { dawdle = 0.001,") + GRID)
    whole, killed = tmp_path / "whole.json", tmp_path / "killed.json"
    command = [str(word) for word in place.command("claims", place.scene, "--jobs", 2, "--json", "--out")]
    subprocess.run([*command, str(whole)], capture_output=True, timeout=120, check=False)
    process = subprocess.Popen([*command, str(killed)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while len(known := read_runs(killed)) < 2:
        assert process.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    process.kill()
    process.wait()
    known = read_runs(killed)
    assert 2 <= len(known) < 16
    done = subprocess.run([*command, str(killed)], capture_output=True, text=True, timeout=120, check=False)
    assert f"{len(known)} of 16 runs are known already" in done.stderr
    assert read_runs(killed) == read_runs(whole)
    assert len(read_runs(whole)) == 16


def read_runs(path: Path) -> dict[str, dict[str, float]]:
    """The metrics of all runs in a results file, but how long their steps took."""
    if not path.exists():
        return {}
    runs = json.loads(path.read_text())["runs"]
    return {
        key: {name: value for name, value in run["metrics"].items() if name != "run.step_time"}
        for key, run in runs.items()
    }
