"""Attacks supple with damaged files, in processes that may die: `python tests/attack.py KIND --cases N`."""

from __future__ import annotations

import argparse
import json
import random
import select
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORKER = Path(__file__).with_name("attack_worker.py")
KINDS = ("scene", "checkpoint", "recording", "mesh", "motion", "results")
LONGEST = 30.0
"""How long one case may take [s]."""
PEAK = 3000
"""How much memory a worker may ever use [MiB]."""


def prepare(kind: str, folder: Path) -> None:
    """Write the whole files that this kind of attack damages."""
    scene = ROOT / "scenes" / "first" / "drop.toml"
    if kind in ("checkpoint", "recording"):
        shutil.copy(scene, folder)
        files = ["--record", folder / "whole.h5", "--checkpoint", folder / "whole.npz"]
        _run("run", folder / "drop.toml", "--quiet", "--until", "0.05", *files)
    elif kind == "mesh":
        triangles = _cube()
        corners = "\n".join(f"v {x} {y} {z}" for triangle in triangles for x, y, z in triangle)
        faces = "\n".join(f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(len(triangles)))
        (folder / "whole.obj").write_text(f"{corners}\n{faces}\n")
        rows = b"".join(struct.pack("<12fH", 0, 0, 0, *sum(each, ()), 0) for each in triangles)
        (folder / "whole.stl").write_bytes(bytes(80) + struct.pack("<I", len(triangles)) + rows)
        for suffix in ("obj", "stl"):
            mesh = f'[[entity]]\nname = "a"\nbody = {{}}\nmesh = {{ file = "damaged.{suffix}" }}\n'
            (folder / f"mesh_{suffix}.toml").write_text(
                f"format = 1\n[run]\nstep = 0.01\nduration = 1\n{mesh}"
            )
    elif kind == "motion":
        shutil.copy(ROOT / "scenes" / "tracking" / "sway.bvh", folder / "whole.bvh")
        text = (ROOT / "scenes" / "tracking" / "sway.toml").read_text(encoding="utf-8")
        (folder / "motion.toml").write_text(text.replace("sway.bvh", "damaged.bvh"), encoding="utf-8")
    elif kind == "results":
        shutil.copy(scene, folder)
        _run("claims", folder / "drop.toml", "--jobs", "1", "-o", folder / "whole.json")


def _cube() -> list[tuple[tuple[float, ...], ...]]:
    """Twelve triangles around a cube of 1 m, counter-clockwise from outside."""
    found = []
    for axis in range(3):
        for side in (0.0, 1.0):
            square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            points = []
            for u, v in square if side else square[::-1]:
                point = [u, v]
                # With the axes in cyclic order, the square is counter-clockwise seen from its positive side.
                place = {axis: side, (axis + 1) % 3: point[0], (axis + 2) % 3: point[1]}
                points.append(tuple(place[k] for k in range(3)))
            found += [(points[0], points[1], points[2]), (points[0], points[2], points[3])]
    return found


def _run(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "supple", *map(str, words)], check=False, capture_output=True)


class Worker:
    """A process that answers seeds; a new one takes the place of one that dies or hangs."""

    def __init__(self, kind: str, folder: Path, longest: float) -> None:
        self.kind, self.folder, self.longest = kind, folder, longest
        self._start()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), self.kind, str(self.folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def ask(self, seed: str) -> tuple[str, str]:
        """How the case ended, and what is wrong with that."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{seed}\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], self.longest)
        line = self.process.stdout.readline() if ready else ""
        if line:
            verdict = json.loads(line)
            if verdict["peak"] > PEAK:
                self.stop()
                self._start()
                return verdict["end"], verdict["fault"] or f"took {verdict['peak']} MiB"
            return verdict["end"], verdict["fault"]
        self.stop()
        code = self.process.returncode
        fault = f"the process died with {code}" if ready else f"took longer than {self.longest:g} s"
        self._start()
        return "lost", fault

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


def attack(
    kind: str, seeds: Iterable[str], folder: Path, longest: float = LONGEST
) -> Iterator[tuple[str, str, str]]:
    """Every seed with how it ended and what is wrong with that; `folder` is used for all files."""
    prepare(kind, folder)
    worker = Worker(kind, folder, longest=600.0)
    try:
        end, fault = worker.ask("whole")  # which also compiles what has to be compiled
        worker.longest = longest
        assert (end, fault) == ("fine", ""), f"the undamaged {kind} is {end}: {fault}"
        for seed in seeds:
            yield (seed, *worker.ask(seed))
    finally:
        worker.stop()


def main() -> int:
    """Attack by hand, with new cases each time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(10**9)))
    options = parser.parse_args()

    def share(job: int) -> list[tuple[str, str, str]]:
        seeds = [f"{options.seed}.{number}" for number in range(job, options.cases, options.jobs)]
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for number, (seed, end, fault) in enumerate(attack(options.kind, seeds, Path(folder))):
                found.append((seed, end, fault))
                if fault:
                    print(f"{options.kind} {seed}: {end}: {fault}", flush=True)
                elif number % 100 == 99:
                    print(f"job {job}: {number + 1} of {len(seeds)}", file=sys.stderr, flush=True)
            return found

    with ThreadPoolExecutor(options.jobs) as pool:
        cases = [case for cases in pool.map(share, range(options.jobs)) for case in cases]
    ends = Counter(end for _, end, _ in cases)
    faults = sum(1 for _, _, fault in cases if fault)
    print(f"{options.kind}, seed {options.seed}: {len(cases)} cases, {dict(ends)}, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
