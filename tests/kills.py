"""Kills runs at random moments and lets them go on: `python tests/kills.py SCENE [--variant V] --until T --kills N`.

By hand, every kill has a run of its own, which then goes on to its end, and the end is compared to the bit. A kill
that came after the end does not count. `--passed` waits for the first checkpoint before it kills.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from supple.run.recording import open_recording

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)
INTERRUPTED = 130
"""Exit code of a run that was asked to end."""


@dataclass(frozen=True)
class Killed:
    """A run that is killed again and again, beside one that is left alone."""

    scene: Path
    folder: Path
    until: float
    every: float
    """How often a checkpoint is written [s of simulated time]."""
    more: Sequence[str] = ()

    def command(self, name: str, *more: str) -> list[str]:
        """A run with recording and checkpoint."""
        words = [sys.executable, "-m", "supple", "run", self.scene, "--quiet"]
        times = ["--until", self.until, "--every", self.every]
        files = ["--record", self.folder / f"{name}.h5", "--checkpoint", self.folder / f"{name}.npz"]
        return [str(word) for word in (*words, *times, *files, *self.more, *more)]

    def resume(self) -> list[str]:
        """The run that goes on from wherever it was."""
        checkpoint = self.folder / "part.npz"
        return self.command("part", *(["--resume", str(checkpoint)] if checkpoint.exists() else []))

    def run_whole(self) -> float:
        """The run that is left alone; returns how long it took [s]."""
        began = time.perf_counter()
        subprocess.run(self.command("whole"), check=False, capture_output=True)
        return time.perf_counter() - began

    def start(self) -> subprocess.Popen[bytes]:
        """Start the run, or let it go on; returns once it has its recording open."""
        recording = self.folder / "part.h5"
        before = recording.stat().st_ino if recording.exists() else 0
        process = subprocess.Popen(self.resume(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not recording.exists() or recording.stat().st_ino == before:
            if process.poll() is not None:
                raise AssertionError("the run ended without a recording")
            time.sleep(0.005)
        return process

    def kill_once(self, by: signal.Signals, delay: float, passed: bool = False) -> int:
        """Let the run go on for a while, end it, and look at what it left; returns its exit code."""
        process = self.start()
        while passed and process.poll() is None and not (self.folder / "part.npz").exists():
            time.sleep(0.005)
        time.sleep(delay)
        process.send_signal(by)
        code = process.wait()
        recording = self.folder / "part.h5"
        with open_recording(recording) as partial:
            frames = partial.frames
        check_beginning(self.folder / "whole.h5", frames, recording)
        return code

    def finish(self) -> None:
        """The killed run ends as if nothing had happened."""
        subprocess.run(self.resume(), check=False, capture_output=True)
        assert self.is_over(), "the checkpoints at the end differ"
        check_beginning(self.folder / "whole.h5", None, self.folder / "part.h5")
        left = sorted(each.name for each in self.folder.iterdir())
        assert left == ["part.h5", "part.npz", "whole.h5", "whole.npz"], f"something was left behind: {left}"

    def is_over(self) -> bool:
        """Whether the checkpoint is that of the end."""
        whole, part = self.folder / "whole.npz", self.folder / "part.npz"
        return part.exists() and part.read_bytes() == whole.read_bytes()

    def forget(self) -> None:
        """Begin again."""
        (self.folder / "part.h5").unlink()
        (self.folder / "part.npz").unlink()


def check_beginning(whole: Path, frames: int | None, part: Path) -> None:
    """Whatever a killed run wrote is a beginning of the whole; all of it, if `frames` is None."""
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


def main() -> int:
    """Kill by hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", type=Path)
    parser.add_argument("--variant", default="")
    parser.add_argument("--until", type=float, required=True)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--passed", action="store_true", help="kill after the first checkpoint only")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    options = parser.parse_args()
    moments = random.Random(options.seed)
    more = ["--variant", options.variant] if options.variant else []
    with TemporaryDirectory() as folder:
        run = Killed(options.scene, Path(folder), options.until, options.until / 50, more)
        run.run_whole()  # compiles what has to be compiled
        process = run.start()
        began = time.perf_counter()
        process.wait()
        took = time.perf_counter() - began
        run.finish()
        run.forget()
        done, late = 0, 0
        while done < options.kills:
            by = SIGNALS[done % len(SIGNALS)]
            code = run.kill_once(by, moments.uniform(0.0, 0.9 * took), options.passed)
            over = run.is_over()
            wanted = -signal.SIGKILL if by == signal.SIGKILL else INTERRUPTED
            assert over or code == wanted, f"{by.name} ended the run with {code}"
            with open_recording(Path(folder) / "part.h5") as partial:
                frames = partial.frames
            run.finish()
            run.forget()
            if over:
                late += 1
                continue
            done += 1
            print(f"{done}: {by.name}, exit {code}, {frames} frames readable, the end is equal", flush=True)
    print(
        f"{options.scene} to {options.until:g} s: {done} kills (seed {options.seed}), {done} ends equal to the bit, "
        f"{late} came too late"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
