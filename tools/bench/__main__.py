"""Measure speed: `python3 tools/bench NAME [--json] [--repeat N]`; without a name, list what can be measured.

A Python without supple hands over to that of the environment `.venv`, which is made at the first call.

Every benchmark is a file beside this one with `measure(repeat) -> list[Result]`. Figures are the minimum and
the median of the repetitions, because machines are shared and noisy.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

HERE = Path(__file__).resolve().parent
NOT_BENCHMARKS = {"__main__", "measuring", "humanoid_model", "flesh_cases", "pile_model"}


def hand_over() -> int:
    """Do the same in the environment of the project, with the peers that can be installed."""
    sys.path.insert(0, str(HERE.parent))
    from environment import Environment, run_visibly

    environment = Environment()
    # What is printed may be read by a program.
    with contextlib.redirect_stdout(sys.stderr):
        environment.prepare(extra="check", oracles="oracle")
    return run_visibly([environment.program("python"), str(HERE), *sys.argv[1:]])


def main() -> int:
    """Run the benchmark named on the command line."""
    sys.path.insert(0, str(HERE))
    names = sorted(file.stem for file in HERE.glob("*.py") if file.stem not in NOT_BENCHMARKS)
    parser = argparse.ArgumentParser(prog="tools/bench", description=__doc__)
    parser.add_argument("name", nargs="?", help=f"one of: {', '.join(names)}")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--repeat", type=int, default=7, help="repetitions of every measurement (default 7)")
    arguments = parser.parse_args()
    if arguments.name not in names:
        print(f"choose a benchmark: {', '.join(names)}", file=sys.stderr)
        return 2
    if importlib.util.find_spec("supple") is None:
        return hand_over()
    results = importlib.import_module(arguments.name).measure(arguments.repeat)
    if arguments.json:
        print(
            json.dumps(
                {"benchmark": arguments.name, "results": [asdict(result) for result in results]}, indent=1
            )
        )
    else:
        for result in results:
            print(f"{result.name:44} min {result.minimum:10.2f}  median {result.median:10.2f}  {result.unit}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
