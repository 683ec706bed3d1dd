"""`supple view --html`: one page that holds the recording and its player."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import rich_click as click

from supple.run.atomic import check_folder, replacing
from supple.run.json_text import write_json
from supple.run.pace import Pace
from supple.run.recording import open_recording
from supple.run.stage import Stage
from supple_view.gather import gather
from supple_view.metrics import Metrics, find_units
from supple_view.page import write_page
from supple_view.source import Source, finished_recording
from supple_view.thin import choose_frames

_QUIET_START, _INTERVAL = 2.0, 2.0


def export_page(source: Source, target: Path, *, as_json: bool) -> int:
    """Write the page; returns the exit code of the run, if there was one."""
    from supple.plugin import load_plugins

    check_folder(target)
    units = find_units(load_plugins(source.plugins, source.disabled).registry)
    with finished_recording(source, quiet=as_json) as (recording, code):
        stage = Stage(recording)
        # A scene was recorded at the rate asked for.
        frames, note = choose_frames(stage, None if source.is_scene else source.fps)
        about, blob = gather(
            stage, Metrics(recording, units), frames, _Progress(len(frames), quiet=as_json).tell
        )
        with replacing(target) as file:
            write_page(file, about, blob)
        if as_json:
            click.echo(write_json(_describe(stage, target, frames)))
        else:
            for line in filter(None, (note, f"wrote {target}: {len(frames)} frames, {_tell_size(target)}")):
                click.echo(line, err=True)
    return int(code)


def write_player(recording: Path, target: Path, fps: float | None) -> None:
    """Write the page of a recording without a word."""
    from supple.plugin import load_plugins

    units = find_units(load_plugins().registry)
    with open_recording(recording) as opened:
        stage = Stage(opened)
        frames, _ = choose_frames(stage, fps)
        about, blob = gather(stage, Metrics(opened, units), frames, lambda done: None)
        with replacing(target) as file:
            write_page(file, about, blob)


class _Progress:
    """A line now and then while a long recording is read."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self._total, self._quiet = total, quiet
        self._pace, self._due = Pace(_INTERVAL, _QUIET_START), 0

    def tell(self, done: int) -> None:
        """Print how many frames are read, if it is time for a line."""
        if self._quiet or done < self._due:
            return
        if self._pace.look():
            print(
                f"{done / self._total:4.0%}  {done} of {self._total} frames read", file=sys.stderr, flush=True
            )
        self._due = done + self._pace.stride


def _describe(stage: Stage, target: Path, frames: Sequence[int]) -> dict[str, Any]:
    return {
        "page": str(target),
        "bytes": target.stat().st_size,
        "frames": len(frames),
        "recorded": stage.frames,
        "from": float(stage.times[0]),
        "to": float(stage.times[-1]),
        "scene": stage.recording.header.scene,
        "variant": stage.recording.header.variant,
        "seed": stage.recording.header.seed,
    }


def _tell_size(file: Path) -> str:
    size = file.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
