"""Check the project from a fresh copy: `python3 tools/test.py [arguments of pytest]`.

Without arguments: ruff, mypy, who imports whom, the kernel rules, then all tests; fails if any of them fails.
With arguments, such as `-k flesh`, pytest alone, in the project's folder. Makes `.venv` at the first call.
As root on Debian it installs Chromium too, if it is missing: some tests look at pages.
"""

import os
import sys

from browser import prepare_browser
from environment import ROOT, Environment, run_visibly, say

MOST_WORKERS = 8
INTERRUPTED = (130, 143)

# Options that choose the workers themselves, that let a test talk to the terminal, or that run no test.
NOT_PARALLEL = {
    "-n", "--numprocesses", "--dist", "-s", "--capture", "--pdb", "--trace",
    "--collect-only", "--co", "--fixtures", "--markers", "-h", "--help", "--version",
}  # fmt: skip


def count_cores() -> int:
    """The cores that this process may use; containers and batch systems often grant a part of the machine."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def choose_workers(arguments: list[str], cores: int) -> int:
    """How many processes shall run the tests; 1 when the arguments ask for what only one can do.

    One file is such a thing, because a file goes to one worker as a whole.
    """
    options = {word.split("=")[0] if word.startswith("--") else word[:2] for word in arguments}
    files = [word for word in arguments if ".py" in word and not word.startswith("-")]
    return 1 if options & NOT_PARALLEL or len(files) == 1 else min(cores, MOST_WORKERS)


def run_checks(environment: Environment) -> list[str]:
    """Run all static checks, each under a heading, and give the names of those that failed."""
    checks = {
        "ruff": [environment.program("ruff"), "check", "--output-format", "concise"],
        "mypy": [environment.program("mypy")],
        "imports": [environment.program("python"), "tools/check_imports.py"],
        "kernel rules": [environment.program("python"), "tools/check_kernels.py"],
    }
    return [name for name, command in checks.items() if not passes(name, command)]


def passes(name: str, command: list[str]) -> bool:
    """Run one step under its heading; whether it succeeded. An interrupt ends the whole."""
    say(f"\n--- {name}")
    code = run_visibly(command, cwd=ROOT)
    if code in INTERRUPTED:
        sys.exit(code)
    return code == 0


def run_tests(environment: Environment, arguments: list[str], workers: int) -> int:
    """Run pytest; give its exit code."""
    command = [environment.program("python"), "-m", "pytest"]
    if workers == 1:
        return run_visibly([*command, *arguments], cwd=ROOT)
    # A whole file per worker: its fixtures are made once, and what only it compiles is compiled once.
    # One thread of linear algebra per worker, for the workers take all cores already.
    parallel = ["-n", str(workers), "--dist", "loadfile"]
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return run_visibly([*command, *parallel, *arguments], cwd=ROOT, defaults=threads)


def main(arguments: list[str]) -> int:
    """Prepare the environment, check, test; 0 only when everything passed."""
    environment = Environment()
    environment.prepare(extra="check", oracles="oracle")
    failed = [] if arguments else run_checks(environment)
    if not arguments:
        prepare_browser()
    workers = choose_workers(arguments, count_cores())
    # Kernels compiled beforehand are read from the disk by all workers, instead of compiled by each.
    if workers > 1 and not passes("warm-up: supple warmup", [environment.program("supple"), "warmup"]):
        failed.append("warm-up")
    if failed:
        say(f"\nFAILED before the tests: {', '.join(failed)}")
    say("\n--- pytest")
    code = run_tests(environment, arguments, workers)
    return code or (1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
