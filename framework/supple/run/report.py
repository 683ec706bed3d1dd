"""What people see on a terminal. The only user of rich, besides the help of the command line."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from supple.core.world import World
from supple.run.display import Display
from supple.run.gauge import Gauge
from supple.run.pace import Pace
from supple.run.runner import NEVER

_LIVE_INTERVAL = 0.15
_LINE_INTERVAL = 5.0
_QUIET_START = 2.0
BAD = "bold red"
_COMPILING = "compiling kernels (first run after a change)"


def make_console(*, to_errors: bool = False) -> Console:
    """A console for standard output or standard error; where that is no terminal, lines are wide and plain."""
    stream = sys.stderr if to_errors else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else 120, highlight=False, soft_wrap=False)


def choose_display(*, quiet: bool) -> Display:
    """Live on a terminal, else plain lines; quiet shows problems only. All of it goes to standard error."""
    if quiet:
        return QuietDisplay()
    return LiveDisplay() if sys.stderr.isatty() else PlainDisplay()


class QuietDisplay:
    """Shows notes only."""

    def note(self, text: str) -> None:
        """Print a line."""
        print(text, file=sys.stderr)

    def compiling(self, owner: str) -> None:
        """Show nothing."""

    def begin(self, world: World, last: int) -> None:
        """Show nothing."""

    def observe(self, world: World) -> int:
        """Ask not to be called again."""
        return NEVER

    def end(self) -> None:
        """Show nothing."""


class PlainDisplay:
    """Lines for logs and pipes: one every few seconds, none for short runs."""

    def __init__(self) -> None:
        self._compiled = False

    def note(self, text: str) -> None:
        """Print a line."""
        print(text, file=sys.stderr, flush=True)

    def compiling(self, owner: str) -> None:
        """Say whose kernels are compiled, one line each."""
        self._compiled = True
        self.note(f"{_COMPILING}: {owner} ...")

    def begin(self, world: World, last: int) -> None:
        """Start measuring."""
        self._gauge, self._pace = Gauge(world, last), Pace(_LINE_INTERVAL, _QUIET_START)

    def observe(self, world: World) -> int:
        """Print a line if it is time."""
        if self._compiled:
            self._compiled = False
            self._gauge.restart()
        if self._pace.look():
            alarm = self._gauge.alarm()
            line = f"{self._gauge.fraction:4.0%}  {self._gauge.describe()}"
            self.note(f"{line}, {alarm} steps" if alarm else line)
        return world.steps + self._pace.stride

    def take_arrays(self, world: World) -> None:
        """Measure the arrays that the world has now."""
        self._gauge.take_arrays()

    def end(self) -> None:
        """Nothing is left to do."""


class LiveDisplay:
    """A bar and its figures, redrawn a few times a second. Drawn by the stepping thread itself, so that no
    second thread competes with it."""

    def __init__(self) -> None:
        self._live = Live(console=make_console(to_errors=True), auto_refresh=False, transient=True)
        self._owners: list[str] = []
        self._compiled = False

    def note(self, text: str) -> None:
        """Print a line above the bar."""
        self._live.console.print(escape(text))

    def compiling(self, owner: str) -> None:
        """Show the list of owners so far instead of the bar."""
        self._compiled = True
        self._owners.append(owner)
        if not self._live.is_started:
            self._live.start()
        self._live.update(Text(f"{_COMPILING}: {', '.join(self._owners)} ..."), refresh=True)

    def begin(self, world: World, last: int) -> None:
        """Start measuring and drawing."""
        self._gauge, self._pace = Gauge(world, last), Pace(_LIVE_INTERVAL, _LIVE_INTERVAL)
        if not self._live.is_started:
            self._live.start()

    def observe(self, world: World) -> int:
        """Redraw if it is time."""
        if self._compiled:
            self._compiled = False
            self._gauge.restart()
        if self._pace.look():
            line = Table.grid(padding=(0, 1))
            bar = ProgressBar(total=1.0, completed=self._gauge.fraction, width=40)
            line.add_row(bar, Text(f"{self._gauge.fraction:4.0%}"))
            said, alarm = Text(self._gauge.describe()), self._gauge.alarm()
            if alarm:
                said.append(f", {alarm} steps", style=BAD)
            self._live.update(Group(line, said), refresh=True)
        return world.steps + self._pace.stride

    def take_arrays(self, world: World) -> None:
        """Measure the arrays that the world has now."""
        self._gauge.take_arrays()

    def end(self) -> None:
        """Remove the bar."""
        self._live.update(Text(""), refresh=True)
        self._live.stop()


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    right: Iterable[int] = (),
    styles: Mapping[str, str] | None = None,
) -> None:
    """A table on standard output; `right` are the columns with numbers, `styles` those of rows by their first cell."""
    numbers = set(right)
    table = Table(box=SIMPLE_HEAD, title=title or None, title_justify="left", pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*(escape(cell) for cell in row), style=(styles or {}).get(row[0]))
    make_console().print(table)


def print_heading(text: str) -> None:
    """A line that stands out."""
    make_console().print(Text(text, style="bold"))


def print_expectations(verdicts: Iterable[Mapping[str, Any]]) -> None:
    """Expectations with their verdicts, and the scenes where there are several."""
    rows: list[tuple[str, ...]] = []
    for one in verdicts:
        scene = " ".join(one[key] for key in ("scene", "variant") if one.get(key))
        reason = one.get("why") or one["because"]
        rows.append(
            (_say_verdict(one["holds"]), scene, one["metric"], say(one["value"]), say_bounds(one), reason)
        )
    columns = ["expectation", "scene", "metric", "value", "expected", "because"]
    if not any(row[1] for row in rows):
        del columns[1]
        rows = [(row[0], *row[2:]) for row in rows]
    print_table(columns, rows, right=(columns.index("value"),))


def print_claims(claims: Iterable[Mapping[str, Any]]) -> None:
    """Claims with their verdicts and the figures that decided."""
    rows = []
    for one in claims:
        figures = ", ".join(f"{name} = {say(value)}" for name, value in one["figures"].items())
        rows.append((_say_verdict(one["holds"]), one["id"], one["says"], one.get("why") or figures))
    if rows:
        print_table(("claim", "id", "says", "figures"), rows)


class ClaimsProgress:
    """Counts finished runs on standard error: a bar on a terminal, else a line every few seconds."""

    def __init__(self) -> None:
        self._console = make_console(to_errors=True)
        self._total = self._done = 0

    def note(self, text: str) -> None:
        """Print a line."""
        self._console.print(escape(text))

    @contextmanager
    def counting(self, total: int, missing: int) -> Iterator[None]:
        """Count from what is known already to the total."""
        self._total, self._done = total, total - missing
        self._pace = Pace(_LINE_INTERVAL, 0.0)
        if self._done:
            self.note(f"{self._done} of {total} runs are known already")
        if not self._console.is_terminal:
            yield
            return
        with Live(console=self._console, auto_refresh=False, transient=True) as live:
            self._live = live
            yield

    def finished(self, label: str, seconds: float, error: str) -> None:
        """One more run is done."""
        self._done += 1
        line = f"{self._done} of {self._total} runs: {label} took {seconds:.1f} s"
        if error:
            self.note(f"{label}: {error}")
        if self._console.is_terminal:
            bar = ProgressBar(total=self._total, completed=self._done, width=24)
            grid = Table.grid(padding=(0, 1))
            grid.add_row(bar, Text(line))
            self._live.update(grid, refresh=True)
        elif self._pace.look() or self._done == self._total:
            self.note(line)


def say_bounds(verdict: Mapping[str, Any]) -> str:
    """`above 1, below 2`."""
    words = [f"{name} {verdict[name]:g}" for name in ("above", "below", "equals") if name in verdict]
    if verdict.get("tolerance"):
        words.append(f"within {verdict['tolerance']:g}")
    return ", ".join(words)


def _say_verdict(holds: bool | None) -> str:
    return "not judged" if holds is None else "holds" if holds else "DOES NOT HOLD"


def say(value: float | None) -> str:
    """A number for people; a dash for one that was not measured."""
    return "-" if value is None or math.isnan(value) else f"{value:.6g}"
