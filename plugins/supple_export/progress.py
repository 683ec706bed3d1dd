"""How far an export has come, on standard error: a bar on a terminal, else a line every few seconds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import rich_click as click

from supple.run.pace import Pace
from supple_export.selection import Progress

_INTERVAL, _QUIET_START = 5.0, 2.0


@contextmanager
def showing_progress(total: int, what: str) -> Iterator[Progress]:
    """A function to call with the number of frames written so far."""
    if sys.stderr.isatty():
        with click.progressbar(length=total, label=what, file=sys.stderr) as bar:
            yield lambda done: bar.update(done - bar.pos)
        return
    pace = Pace(_INTERVAL, _QUIET_START)

    def say(done: int) -> None:
        if pace.look():
            print(f"{what}: frame {done} of {total}", file=sys.stderr, flush=True)

    yield say
