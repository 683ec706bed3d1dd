"""Run a scene from a fresh copy of the project: `python3 tools/run.py SCENE [options of supple run]`.

Makes the environment `.venv` at the first call. The exit code is that of `supple run`.
"""

import sys

from environment import Environment, run_visibly


def main(arguments: list[str]) -> int:
    """Prepare the environment and hand the arguments to `supple run` in it."""
    if not arguments:
        print("usage: python3 tools/run.py SCENE [options of supple run], such as scenes/first/drop.toml")
        return 2
    environment = Environment()
    environment.prepare()
    return run_visibly([environment.program("supple"), "run", *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
