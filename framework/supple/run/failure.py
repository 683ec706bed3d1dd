"""What is left for the author when a step cannot be computed: the state before it, and how to replay it."""

from __future__ import annotations

import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.errors import SimulationError, UserError
from supple.run.checkpoint import CheckpointWriter


@dataclass(frozen=True)
class Failure:
    """A step that failed, the checkpoint of the state before it, and the command that replays it."""

    error: SimulationError
    bundle: Path | None
    replay: str
    checkpoint: Path | None

    def lines(self) -> list[str]:
        """The message: what, then where to go on from."""
        lines = [str(self.error)]
        if self.bundle is not None:
            lines.append(f"replay the failing step: {self.replay}")
        if self.checkpoint is not None:
            lines.append(f"last good checkpoint: {self.checkpoint}")
        return lines

    def as_plain(self) -> dict[str, Any]:
        """The same for `--json`."""
        error = self.error
        return {
            "what": error.what,
            "time": error.time,
            "step": error.step,
            "system": error.system,
            "entity": error.entity,
            "element": error.element,
            "bundle": str(self.bundle) if self.bundle else None,
            "replay": self.replay,
        }


def write_failure(
    error: SimulationError,
    writer: CheckpointWriter,
    *,
    scene: Path,
    checkpoint: Path | None,
    last_checkpoint: Path | None,
    command: list[str],
) -> Failure:
    """Save the state before the failing step beside the checkpoint, or else in the current folder.

    `command` is the run's own without its files; `last_checkpoint` the newest that exists by now.
    """
    folder = checkpoint.parent if checkpoint else Path()
    bundle = folder / f"{scene.stem}.failed.npz"
    try:
        writer.write(bundle)
    except UserError:
        # The failure itself matters more than a folder that cannot be written to.
        return Failure(error, None, quote_command(command), last_checkpoint)
    return Failure(error, bundle, quote_command([*command, "--resume", str(bundle)]), last_checkpoint)


def quote_command(words: list[str]) -> str:
    """A command line that can be pasted into this platform's shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
