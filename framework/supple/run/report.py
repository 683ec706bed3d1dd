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
_MANY = 40
_BAD = "bold red"
_DOUBTFUL = "yellow"
_JOINT_ERROR = "worst joint error"
_UNSOLVED, _HALVED = "UNSOLVED STEPS", "steps that had to be halved"
_RESIDUAL = "worst complementarity residual"
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
                said.append(f", {alarm} steps", style=_BAD)
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


def print_summary(summary: Mapping[str, Any], units: Mapping[str, str]) -> None:
    """The closing tables of a run."""
    name = f"{summary['scene']}" + (f" ({summary['variant']})" if summary["variant"] else "")
    factor = summary["realtime_factor"]
    speed = "" if math.isnan(factor) else f" ({factor:.3g}x real time)"
    print_heading(
        f"{name}: {summary['steps']} steps, {summary['time']:g} s simulated in {summary['wall']:.3g} s{speed},"
        f" seed {summary['seed']}"
    )
    own = {key: value for key, value in summary["metrics"].items() if not key.startswith("run.")}
    if own:
        rows = [(key, say(value), units.get(key, "")) for key, value in sorted(own.items())]
        if len(rows) > _MANY:
            rows = [*rows[:_MANY], (f"... and {len(rows) - _MANY} more, which --json prints", "", "")]
        print_table(("metric", "value", "unit"), rows, right=(1,))
    print_table(
        ("the whole run", "value", "unit"), _whole_run(summary), right=(1,), styles=_find_styles(summary)
    )
    slow = [(one["name"], f"{one['seconds']:.3f}", f"{one['us_per_step']:.1f}") for one in summary["timings"]]
    print_table(("system", "s", "us/step"), slow, right=(1, 2))
    if summary["expectations"]:
        print_expectations(summary["expectations"])


def _whole_run(summary: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    energy, unsolved = summary["energy"], summary["unsolved"]
    worst, deepest = summary["residual_worst"], summary["penetration_worst"]
    rows = [
        (_UNSOLVED, say(unsolved["steps"]) if unsolved["steps"] else "-", f"of {summary['steps']}"),
        (_HALVED, say(summary["halved_steps"]) if summary["halved_steps"] else "-", f"of {summary['steps']}"),
        (_RESIDUAL, say(worst), _say_moment("m/s", worst, summary["residual_worst_at"])),
        ("  in the last fifth of the run", say(summary["residual_settled"]), "m/s"),
        ("deepest penetration", say(deepest), _say_moment("m", deepest, summary["penetration_worst_at"])),
    ]
    for one in summary["headlines"]:
        unit = _say_moment(one["unit"], one["value"], one["time"])
        rows.append(
            (one["title"], say(one["value"]), f"{unit}, {one['path']}" if one["value"] else one["unit"])
        )
    rows += [
        ("energy at the start", say(energy["initial"]), "J"),
        ("energy now, kinetic", say(energy["kinetic"]), "J"),
        ("energy now, potential", say(energy["potential"]), "J"),
        ("  of it in springs and drives", say(energy["stored"]), "J"),
        ("work of contacts", say(energy["contact_work"]), "J"),
        ("work of applied forces", say(energy["applied_work"]), "J"),
        ("numerical loss of springs", say(energy["numerical_loss"]), "J"),
        ("energy unaccounted for", say(energy["unaccounted"]), "J"),
    ]
    return [row for row in rows if row[1] != "-"] or [("nothing moves by forces here", "-", "")]


def _find_styles(summary: Mapping[str, Any]) -> dict[str, str]:
    """Colours of the rows that nobody should overlook."""
    styles = {_HALVED: _DOUBTFUL, _UNSOLVED: _BAD}
    unsolved = summary["unsolved"]
    if summary["residual_worst"] > unsolved["residual_allowed"]:
        styles[_RESIDUAL] = _BAD if unsolved["steps"] else _DOUBTFUL
    if summary["joint_error_worst"] > summary["joint_error_allowed"]:
        styles[_JOINT_ERROR] = _BAD
    return styles


def _say_moment(unit: str, value: float, time: float) -> str:
    """A unit, and when it was if there was something."""
    return f"{unit} at {time:g} s" if value > 0 and not math.isnan(time) else unit


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
