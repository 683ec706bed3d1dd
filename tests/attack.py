"""Attacks supple with damaged files, in processes that may die: `python tests/attack.py KIND --cases N`."""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from attack_targets import TARGETS, prepare

WORKER = Path(__file__).with_name("attack_worker.py")
BY_HAND = ("any_scene",)
"""What is attacked by hand only: scenes of every folder, the slowest of which build for seconds."""
KINDS = ("scene", *TARGETS)
SILENT = 700.0
"""A worker that says nothing for so long is dead [s]; it watches its cases itself."""
PEAK = 3000
"""How much memory a case may ever use [MiB]."""


@dataclass(frozen=True)
class Verdict:
    """How a case ended, what is wrong with that, the memory [MiB] and the processor time [s] that it took."""

    seed: str
    end: str
    fault: str
    peak: float
    seconds: float


class Worker:
    """A process that answers seeds."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER), kind, str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # threads that wait for each other use up a case's time
        )  # fmt: skip

    def ask(self, seed: str) -> Verdict:
        """How the case ended, and what is wrong with that."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{seed}\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], SILENT)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            self.stop()
            raise RuntimeError(f"the worker was lost with {seed}")
        told = json.loads(line)
        if told["peak"] > PEAK and not told["fault"]:
            told["fault"] = f"took {told['peak']} MiB"
        return Verdict(seed, told["end"], told["fault"], told["peak"], told["seconds"])

    def stop(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()


def attack(kind: str, seeds: Iterable[str], folder: Path) -> Iterator[Verdict]:
    """How every seed ended and what is wrong with that; `folder` is used for all files."""
    folder = folder / "attack"  # which has a neighbour that nobody may read
    folder.mkdir()
    prepare(kind, folder)
    worker = Worker(kind, folder)
    try:
        whole = worker.ask("whole")  # which also compiles what has to be compiled
        assert (whole.end, whole.fault) == ("fine", ""), f"the undamaged {kind} is {whole.end}: {whole.fault}"
        for seed in seeds:
            yield worker.ask(seed)
    finally:
        worker.stop()


def main() -> int:
    """Attack by hand, with new cases each time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=(*KINDS, *BY_HAND))
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", default=str(random.SystemRandom().randrange(10**9)))
    options = parser.parse_args()

    def share(job: int) -> list[Verdict]:
        seeds = [f"{options.seed}.{number}" for number in range(job, options.cases, options.jobs)]
        with tempfile.TemporaryDirectory() as folder:
            found = []
            for number, one in enumerate(attack(options.kind, seeds, Path(folder))):
                found.append(one)
                if one.fault:
                    print(f"{options.kind} {one.seed}: {one.end}: {one.fault}", flush=True)
                elif number % 100 == 99:
                    print(f"job {job}: {number + 1} of {len(seeds)}", file=sys.stderr, flush=True)
            return found

    with ThreadPoolExecutor(options.jobs) as pool:
        cases = [case for cases in pool.map(share, range(options.jobs)) for case in cases]
    ends = Counter(case.end for case in cases)
    faults = sum(1 for case in cases if case.fault)
    longest, peak = max(case.seconds for case in cases), max(case.peak for case in cases)
    print(
        f"{options.kind}, seed {options.seed}: {len(cases)} cases, {dict(ends)}, {faults} faults; the longest took "
        f"{longest:.1f} s of the processor, the largest {peak:.0f} MiB, all {sum(case.seconds for case in cases):.0f} s"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
