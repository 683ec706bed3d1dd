"""Panels as a page. Draws with matplotlib's file backends only: there is no window and no global state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.errors import Problem, UserError
from supple.run.atomic import check_folder, replacing
from supple_plot.series import Line, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")
#: Distinct for colour-blind readers and in grey, after Okabe and Ito; yellow is too faint on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#555555")
_STYLES = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)), (0, (7, 2)), (0, (3, 1, 1, 1, 1, 1)))
_INK, _FAINT, _GREY = "#22262b", "#d9dde2", "#70767d"
_THIN, _MIDDLE, _THICK = 1.3, 1.6, 3.2
#: Three panels are as wide as a slide.
_WIDTH, _DOTS = 13.333, 150
#: Letters of names that fit side by side below a panel.
_LEGEND_LETTERS = 48
#: Height of the numbers and the label below an axis [inch].
_LABELS = 0.55
_NARROW = 7.5
#: Values that differ relatively by less are shown as constant.
_SAME = 1e-9
_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "text.color": _INK,
    "axes.edgecolor": "#8a9199",
    "axes.labelcolor": _INK,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-3, 5),
    "grid.color": _FAINT,
    "grid.linewidth": 0.7,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "xtick.labelsize": 10,
    "ytick.labelsize": 10,
    "legend.fontsize": 9.5,
    "legend.frameon": True,
    "legend.framealpha": 0.85,
    "legend.edgecolor": "none",
    "lines.linewidth": _MIDDLE,
    "figure.facecolor": "white",
    "figure.constrained_layout.h_pad": 0.09,
    "figure.constrained_layout.w_pad": 0.09,
    # Text stays text, and equal pages are equal files.
    "svg.fonttype": "none",
    "svg.hashsalt": "supple",
    "pdf.fonttype": 42,
}
_NO_DATE = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}


def check_output(path: Path) -> None:
    """Refuse early what cannot be written, or not by what is installed."""
    if path.suffix.lower() not in FORMATS:
        what = f"unknown kind of picture '{path.suffix}'"
        raise UserError(Problem(None, str(path), what, f"choose from: {', '.join(FORMATS)}"))
    check_folder(path)
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        remedy = 'pip install "supple[plot]"'
        raise UserError(Problem(None, "supple plot", "needs matplotlib, which is missing", remedy)) from error


def draw_page(panels: Sequence[Panel], path: Path, *, title: str = "") -> None:
    """Draw panels into a file, in two rows if there are more than three; equal panels give equal files."""
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = len(panels) if len(panels) <= 3 else min(4, math.ceil(len(panels) / 2))
    rows = math.ceil(len(panels) / columns)
    width = max(_NARROW, _WIDTH / 3 * columns)
    suffix = path.suffix.lower()
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width, 3.6 * rows + (0.4 if title else 0)), layout="constrained", dpi=_DOTS)
        FigureCanvasAgg(figure)
        grid = figure.subplots(rows, columns, squeeze=False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            _draw_panel(axes, panel)
        for axes in list(grid.flat)[len(panels) :]:
            axes.set_visible(False)
        if title:
            figure.suptitle(_plain(title), x=0.01, ha="left", fontsize=15, fontweight="bold")
        _draw_common_legend(figure, panels)
        with replacing(path) as file:
            figure.savefig(file, format=suffix[1:], metadata=_NO_DATE[suffix])


def _draw_panel(axes: Axes, panel: Panel) -> None:
    axes.set_title(_plain(panel.title))
    axes.set_xlabel(_plain(panel.x_label))
    axes.set_ylabel(_plain(panel.y_label))
    if panel.kind == "bars":
        _draw_bars(axes, panel)
        return
    if panel.log:
        _use_log(axes, panel)
    drawn = 0
    for line, look in zip(panel.lines, choose_looks(panel.lines), strict=True):
        y = np.where(line.y > 0, line.y, np.nan) if axes.get_yscale() == "log" else line.y
        drawn += bool(np.isfinite(y).any())
        axes.plot(line.x, y, **look)
        if panel.kind == "path":
            _mark_ends(axes, line, look["color"])
    if panel.kind == "path":
        axes.set_aspect("equal", adjustable="datalim")
        axes.invert_yaxis()
        axes.margins(0.1)
        axes.locator_params(axis="x", nbins=5)
    else:
        _set_limits(axes, panel)
    if not drawn:
        axes.text(0.5, 0.5, "nothing to show", transform=axes.transAxes, ha="center", va="center")
    else:
        _draw_legend(axes, panel)


def choose_looks(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """How each curve is drawn: colours tell recordings apart where there are several, else quantities.

    Of several recordings the later are thinner, so that equal curves show both.
    """
    owners, labels = _list_names(lines)
    looks = []
    for line in lines:
        owner, label = owners.index(line.of), labels.index(line.label)
        colour, style = (owner, label) if len(owners) > 1 else (label, label // len(COLOURS))
        width = _THIN + (_THICK - _THIN) * (1 - owner / (len(owners) - 1)) if len(owners) > 1 else _MIDDLE
        looks.append(
            {
                "color": COLOURS[colour % len(COLOURS)],
                "linestyle": _STYLES[style % len(_STYLES)],
                "linewidth": round(width, 3),
            }
        )
    return looks


def _draw_legend(axes: Axes, panel: Panel) -> None:
    """The quantities, unless the title says it already; recordings are told once for the page."""
    from matplotlib.lines import Line2D
    from matplotlib.transforms import ScaledTranslation

    owners, labels = _list_names(panel.lines)
    if len(labels) == 1:
        return
    looks: dict[str, dict[str, Any]] = {}
    for line, look in zip(panel.lines, choose_looks(panel.lines), strict=True):
        looks.setdefault(line.label, look)
    if len(owners) > 1:
        looks = {label: {**look, "color": _GREY, "linewidth": _MIDDLE} for label, look in looks.items()}
    handles = [Line2D([], [], **looks[label]) for label in labels]
    names = [_plain(_shorten(label, panel)) for label in labels]
    # Below the axis and its label: there it hides nothing, and the layout makes room for it.
    below = axes.transAxes + ScaledTranslation(0.0, -_LABELS, axes.figure.dpi_scale_trans)
    columns = max(1, min(len(names), _LEGEND_LETTERS // (6 + max(map(len, names)))))
    axes.legend(
        handles, names, loc="upper center", bbox_to_anchor=(0.5, 0.0), bbox_transform=below, ncols=columns,
        handlelength=2.4, borderaxespad=0.0,
    )  # fmt: skip


def _draw_common_legend(figure: Figure, panels: Sequence[Panel]) -> None:
    """Which colour is which recording."""
    from matplotlib.lines import Line2D

    looks: dict[str, Any] = {}
    for panel in panels:
        if panel.kind != "bars" and len({line.of for line in panel.lines}) > 1:
            for line, look in zip(panel.lines, choose_looks(panel.lines), strict=True):
                looks.setdefault(line.of, {**look, "linestyle": "-"})
    if looks:
        handles = [Line2D([], [], **look) for look in looks.values()]
        names = [_plain(name) for name in looks]
        figure.legend(handles, names, loc="outside lower center", ncols=min(len(names), 7), fontsize=11)


def _list_names(lines: Sequence[Line]) -> tuple[list[str], list[str]]:
    return list(dict.fromkeys(line.of for line in lines)), list(dict.fromkeys(line.label for line in lines))


def _shorten(label: str, panel: Panel) -> str:
    """Without the metric, where the title names it."""
    entity, _, metric = label.rpartition(".")
    return entity if entity and metric == panel.title else label


def _set_limits(axes: Axes, panel: Panel) -> None:
    """All of the time that was recorded; and no view of the last digits of what does not change."""
    times = np.concatenate([line.x for line in panel.lines])
    if times.size and times.max() > times.min():
        axes.set_xlim(min(times.min(), 0.0), times.max())
    values = np.concatenate([line.y[np.isfinite(line.y)] for line in panel.lines])
    if values.size and axes.get_yscale() == "linear":
        size = np.abs(values).max()
        if np.ptp(values) <= _SAME * size:
            around = 0.1 * size or 1.0
            axes.set_ylim(values[0] - around, values[0] + around)
        if panel.from_zero:
            axes.set_ylim(0.0, 1.08 * size if size > 0 else 1.0)
            axes.locator_params(axis="y", nbins=6, integer=panel.whole)


def _use_log(axes: Axes, panel: Panel) -> None:
    if any((line.y > 0).any() for line in panel.lines):
        axes.set_yscale("log")


def _mark_ends(axes: Axes, line: Line, colour: str) -> None:
    known = np.flatnonzero(np.isfinite(line.x) & np.isfinite(line.y))
    if known.size:
        first, last = known[0], known[-1]
        axes.plot(line.x[first], line.y[first], "o", color=colour, markerfacecolor="white", markersize=6)
        axes.plot(line.x[last], line.y[last], "o", color=colour, markersize=6)


def _draw_bars(axes: Axes, panel: Panel) -> None:
    lengths = [float(line.y[0]) for line in panel.lines]
    places = range(len(lengths))
    axes.barh(places, lengths, color=COLOURS[0], height=0.7)
    axes.set_yticks(list(places), [_plain(line.label) for line in panel.lines], fontsize=9)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")


def _plain(text: str) -> str:
    """Names are names: a dollar sign in one begins no formula."""
    return text.replace("$", r"\$")
