"""What `supple view` is given: a recording, or a scene that is run to get one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import rich_click as click

from supple.errors import ExitCode
from supple.run.recording import Recording, open_recording

#: Frames per simulated second of a scene that is run for the sake of being seen.
SCENE_FPS = 60.0


@dataclass(frozen=True)
class Source:
    """A file and, if it is a scene, how to run it."""

    path: Path
    overrides: tuple[str, ...] = ()
    variant: str = ""
    seed: int | None = None
    until: float | None = None
    fps: float | None = None
    plugins: tuple[Path, ...] = ()
    disabled: tuple[str, ...] = ()
    allow_outside: bool = False
    touch: bool = False
    record: Path | None = None

    @property
    def is_scene(self) -> bool:
        """Scenes are TOML; everything else is taken for a recording, and refused as such if it is none."""
        return self.path.suffix.lower() == ".toml"

    def check(self) -> None:
        """Options for running a scene make no sense for what has been run."""
        given = {
            "--set": self.overrides, "--variant": self.variant, "--seed": self.seed is not None,
            "--until": self.until is not None, "--allow-outside": self.allow_outside,
            "--touch": self.touch, "--record": self.record is not None,
        }  # fmt: skip
        idle = [name for name, value in given.items() if value]
        if idle and not self.is_scene:
            raise click.UsageError(
                f"{idle[0]} is for scenes, and {self.path} is none; leave it out, or give a .toml"
            )


@contextmanager
def finished_recording(source: Source, *, quiet: bool) -> Iterator[tuple[Recording, ExitCode]]:
    """The recording of the source; a scene is run to its end first, and its recording vanishes afterwards.

    The exit code tells of a run that failed or was interrupted: what there is of it can still be seen.
    """
    if not source.is_scene:
        with open_recording(source.path) as recording:
            yield recording, ExitCode.FINE
        return
    with tempfile.TemporaryDirectory(prefix="supple-view-") as folder:
        path = Path(folder) / "run.h5"
        code = _run(source, path, quiet=quiet)
        with open_recording(path) as recording:
            yield recording, code


def _run(source: Source, record: Path, *, quiet: bool) -> ExitCode:
    from supple.run.report import choose_display
    from supple.run.simulate import RunOptions, simulate

    options = RunOptions(
        source.path, source.overrides, source.variant, source.seed, source.until, record=record,
        fps=source.fps or SCENE_FPS, plugins=source.plugins, disabled=source.disabled,
        allow_outside=source.allow_outside,
    )  # fmt: skip
    result = simulate(options, choose_display(quiet=quiet))
    for line in result.failure.lines() if result.failure else []:
        click.echo(line, err=True)
    if result.exit_code is ExitCode.DOES_NOT_HOLD:
        # Expectations are a matter of `supple run`; here the run is looked at.
        return ExitCode.FINE
    return result.exit_code
