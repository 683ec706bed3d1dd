"""Tables of a sweep: for every axis, the figures by its values, over all others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from supple_report.html import Html, join, table, tag
from supple_report.intervals import Figure, find_mean
from supple_report.result import Run, SceneResult

#: Metrics that one table shows, at most.
MOST = 6
_PART = re.compile(r", (?=[^,=\s]+=)")


def read_cell(label: str) -> dict[str, str]:
    """The values of a cell's axes as they are written, from `shove.at=2.1, seed=3`."""
    parts = (part.partition("=") for part in _PART.split(label) if "=" in part)
    return {path.strip(): value for path, _, value in parts}


def list_axes(scene: SceneResult) -> dict[str, list[str]]:
    """The axes that take more than one value, each with its values in the order of the runs."""
    found: dict[str, list[str]] = {}
    for variant in scene.variants:
        for run in variant.runs:
            for path, value in read_cell(run.cell).items():
                values = found.setdefault(path, [])
                if value not in values:
                    values.append(value)
    return {path: values for path, values in found.items() if len(values) > 1 and path != "seed"}


def make_axis_tables(
    scene: SceneResult, metrics: Sequence[str], units: Mapping[str, str], say_figure: Any
) -> Html:
    """One table for each axis; a row for each value, and for each variant where there are several."""
    shown, parts = list(metrics)[:MOST], []
    for axis, values in list_axes(scene).items():
        rows = []
        for value in values:
            for variant in scene.variants:
                runs = [run for run in variant.runs if read_cell(run.cell).get(axis) == value]
                if runs:
                    name = f"{value}, {variant.title}" if len(scene.variants) > 1 else value
                    rows.append(
                        [name, *(say_figure(_mean(metric, runs)) for metric in shown), str(len(runs))]
                    )
        heads = [join([tag("code", name), _unit(units, name)]) for name in shown]
        parts += [
            tag("h3", "By ", tag("code", axis)),
            table([axis, *heads, "runs"], rows, numbers=True),
        ]
    if parts and len(metrics) > MOST:
        parts.append(tag("p", f"The first {MOST} figures; all are in metrics.csv.", class_="note"))
    return join(parts)


def _unit(units: Mapping[str, str], name: str) -> str:
    return f" [{units[name]}]" if units.get(name, "1") != "1" else ""


def _mean(metric: str, runs: Sequence[Run]) -> Figure:
    values = [run.outcome.metrics.get(metric, float("nan")) for run in runs if not run.outcome.error]
    return find_mean(metric, [value for value in values if value == value])
