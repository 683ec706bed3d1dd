"""Where the frames come from: a recording, or a scene that is run for them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from supple.errors import ExitCode
from supple.run.recording import open_recording
from supple.run.stage import Stage

if TYPE_CHECKING:
    from supple.run.display import Display
    from supple.run.failure import Failure
    from supple.run.simulate import RunOptions


class RunEnded(Exception):  # noqa: N818  # it is no error of the program
    """The scene could not be run to the end: it failed, or was interrupted."""

    def __init__(self, exit_code: ExitCode, failure: Failure | None) -> None:
        self.exit_code, self.failure = exit_code, failure
        super().__init__(exit_code.name)


def is_scene(path: Path) -> bool:
    """Whether a file is meant as a scene."""
    return path.suffix.lower() == ".toml"


@contextmanager
def open_source(options: RunOptions, display: Display | None = None) -> Iterator[Stage]:
    """The stage of a recording, or of a scene after running it to `until` with a frame every 1 / `fps`.

    A run has at least one step, also for a picture of its start.
    """
    if not is_scene(options.scene):
        with open_recording(options.scene) as recording:
            yield Stage(recording)
        return
    from supple.run.simulate import read_with_plugins, simulate

    read = read_with_plugins(options)
    if options.until is not None:
        step = read[1].blueprint(variant=options.variant, overrides=options.overrides).run.step
        options = replace(options, until=max(options.until, step))
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        file = Path(folder) / "run.h5"
        result = simulate(replace(options, record=file), display, read)
        if result.exit_code in (ExitCode.SIMULATION_FAILED, ExitCode.INTERRUPTED):
            raise RunEnded(result.exit_code, result.failure)
        with open_recording(file) as recording:
            yield Stage(recording)
