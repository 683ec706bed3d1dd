"""Runs a scene for long, with a recording, and watches its memory: `python tests/soak.py SCENE --steps N`.

The run is a process of its own, whose resident memory is read ten times a second from when its recording is open
(Linux). It is bounded if the second half of the run needs no more than the first, but for `ALLOWED`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ALLOWED = 8.0
"""How much more memory the second half may take [MiB]: allocators keep pages, and tables double now and then."""
INTERVAL = 0.1
"""Time between two looks [s]."""


def watch(command: list[str], begun: Path) -> Iterator[float]:
    """Resident memory [MiB] of a process, look by look, once a file is there until it ends; raises if it fails.

    What is imported and built before is no matter of how long a run is.
    """
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    status = Path(f"/proc/{process.pid}/status")
    while process.poll() is None:
        try:
            text = status.read_text(encoding="utf-8")
        except OSError:  # it ended just now
            break
        resident = next((line for line in text.splitlines() if line.startswith("VmRSS:")), "")
        if resident and begun.exists():
            yield int(resident.split()[1]) / 1024
        time.sleep(INTERVAL)
    _, errors = process.communicate()
    # An expectation of a scene that runs longer than its author meant may fail; that is no matter here.
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{' '.join(command)}\nended with {process.returncode}: {errors}")


def soak(scene: Path, steps: int, variant: str = "") -> list[float]:
    """Memory [MiB] of a run of so many steps with a recording."""
    step = float(tomllib.loads(scene.read_text(encoding="utf-8"))["run"]["step"])
    with TemporaryDirectory() as folder:
        file = Path(folder) / "run.h5"
        words = ["run", scene, "--until", f"{steps * step:.9g}", "--record", file, "--quiet"]
        more = ["--variant", variant] if variant else []
        return list(watch([sys.executable, "-m", "supple", *map(str, words), *more], file))


def main() -> int:
    """Soak by hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", type=Path)
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--variant", default="")
    options = parser.parse_args()
    memory = soak(options.scene, options.steps, options.variant)
    course = [memory[k * (len(memory) - 1) // 20] for k in range(21)] if memory else []
    print("every 20th of the run [MiB]:", " ".join(f"{value:.0f}" for value in course), flush=True)
    half = len(memory) // 2
    first, second = max(memory[:half], default=0.0), max(memory[half:], default=0.0)
    # Where it levels off: the first look that is within what the whole run allows itself.
    level = next((k for k, value in enumerate(memory) if value >= second - ALLOWED), 0) / max(len(memory), 1)
    grew = second - first > ALLOWED
    print(
        f"{options.scene}: {options.steps} steps, {len(memory)} looks: {first:.0f} MiB in the first half, "
        f"{second:.0f} in the second, level after {100 * level:.0f} % of the run{'; IT GROWS' if grew else ''}"
    )
    return 1 if grew else 0


if __name__ == "__main__":
    sys.exit(main())
