"""Which panels a page has: those asked for by name, or an overview."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from supple.errors import Problem, UserError, suggest
from supple.run.recording import Recording
from supple_plot.series import (
    Line,
    Panel,
    centre_of_pressure,
    count_contacts,
    has_contacts,
    metric_labels,
    read_metric,
    step_times,
    total_forces,
)

#: A recording under the name that legends give it.
Named = tuple[str, Recording]
_TIME = "time [s]"
_AXES = ("x", "y", "z", "w")
_MANY = 6
ENERGY = {
    "run.kinetic_energy": "kinetic",
    "run.potential_energy": "potential",
    "run.contact_work": "work of contacts",
    "run.applied_work": "work of forces",
    "run.energy_unaccounted": "unaccounted",
}


def name_recordings(recordings: Sequence[Recording]) -> list[Named]:
    """The shortest names that tell recordings apart: the variant, the file's name, or its whole path."""
    ways: list[list[str]] = [
        [one.header.variant for one in recordings],
        [one.path.stem for one in recordings],
        [one.path.name for one in recordings],
        [str(one.path) for one in recordings],
    ]
    names = next((way for way in ways if all(way) and len(set(way)) == len(way)), ways[-1])
    return list(zip(names, recordings, strict=True))


def make_panels(recordings: Sequence[Named], names: Sequence[str]) -> list[Panel]:
    """One panel for every name; without names an overview. Raises UserError for what no recording has."""
    if all(recording.frames < 2 for _, recording in recordings):
        where = str(recordings[0][1].path)
        remedy = "wait until it has more, or record a longer run"
        raise UserError(Problem(None, where, "has fewer than two frames, so nothing to plot", remedy))
    if not names:
        return make_overview(recordings)
    return [panel for name in names for panel in _make_named(recordings, name)]


def make_overview(recordings: Sequence[Named]) -> list[Panel]:
    """What a first look needs, as far as it was recorded."""
    panels = [_panel_of_main_metric(recordings)]
    panels += [_BUILT_IN[name](recordings) for name in _OVERVIEW]
    found = [panel for panel in panels if panel is not None]
    if not found:
        where = str(recordings[0][1].path)
        raise UserError(Problem(None, where, "holds nothing that can be plotted", "record another scene"))
    return found


def _make_named(recordings: Sequence[Named], name: str) -> list[Panel]:
    if name in _BUILT_IN:
        panel = _BUILT_IN[name](recordings)
        if panel is None:
            what = f"does not hold what {name} is made of"
            raise UserError(Problem(None, str(recordings[0][1].path), what, "plot something else"))
        return [panel]
    if ":" in name:
        return [_panel_of_row(recordings, name)]
    known = list(dict.fromkeys(label for _, one in recordings for label in metric_labels(one)))
    found = [label for label in known if fnmatchcase(label, name)]
    if not found:
        what = f"no metric of this name in {recordings[0][1].path}"
        raise UserError(Problem(None, name, what, suggest(name, [*known, *_BUILT_IN])))
    if len(found) == 1 or name in found:
        return [panel_of_metrics(recordings, [name if name in found else found[0]])]
    return _split_by_unit(recordings, found)


def _split_by_unit(recordings: Sequence[Named], found: Sequence[str]) -> list[Panel]:
    """What a pattern matches, with one panel for every kind of metric."""
    kinds: dict[str, list[str]] = {}
    for label in found:
        kinds.setdefault(label.rpartition(".")[2], []).append(label)
    return [panel_of_metrics(recordings, labels) for labels in kinds.values()]


def panel_of_metrics(recordings: Sequence[Named], names: Sequence[str]) -> Panel:
    """Metrics of one kind over time; of each recording those that it has."""
    lines = [
        Line(name, of, step_times(one), read_metric(one, name))
        for name in names
        for of, one in recordings
        if name in metric_labels(one)
    ]
    quantity = names[0].rpartition(".")[2]
    title = names[0] if len(names) == 1 else quantity
    return Panel(title, _TIME, _say_axis(quantity, _unit_of(recordings, names[0])), tuple(lines))


def _panel_of_main_metric(recordings: Sequence[Named]) -> Panel | None:
    """Heights if there are any, else the most common metric; of those nearest to the root, a handful."""
    own = [label for _, one in recordings for label in metric_labels(one) if not label.startswith("run.")]
    own = list(dict.fromkeys(own))
    kinds = [label.rpartition(".")[2] for label in own]
    if not kinds:
        return None
    kind = "height" if "height" in kinds else max(sorted(set(kinds)), key=kinds.count)
    chosen = [label for label in own if label.rpartition(".")[2] == kind]
    chosen.sort(key=lambda label: (label.count("/"), label))
    return panel_of_metrics(recordings, chosen[: _MANY if len(recordings) == 1 else 2])


def _panel_of_row(recordings: Sequence[Named], name: str) -> Panel:
    """`rigid.x:crate`: the numbers of one row of an array, as recorded in every frame."""
    array, _, label = name.partition(":")
    lines = []
    unit = ""
    for of, one in recordings:
        if array not in one.names or one.is_ragged(array) or not one.labels(array):
            labelled = [each for each in one.names if one.labels(each) and not one.is_ragged(each)]
            what = f"no array {array} with named rows in {one.path}"
            raise UserError(Problem(None, name, what, suggest(array, labelled)))
        labels = one.labels(array)
        if label not in labels:
            raise UserError(Problem(None, name, f"{array} has no row {label}", suggest(label, labels)))
        rows = np.asarray(one.array(array)[:, labels.index(label)], float).reshape(one.frames, -1)
        unit = one.unit(array)
        axes = _AXES if rows.shape[1] == 3 else [str(k) for k in range(rows.shape[1])]
        for k, column in enumerate(rows.T):
            lines.append(Line(axes[k] if rows.shape[1] > 1 else label, of, np.asarray(one.times), column))
    return Panel(name, _TIME, _say_axis(array, unit), tuple(lines))


def _panel_of_energy(recordings: Sequence[Named]) -> Panel | None:
    lines = [
        Line(label, of, step_times(one), read_metric(one, name))
        for name, label in ENERGY.items()
        for of, one in recordings
        if name in metric_labels(one)
    ]
    return Panel("energy balance", _TIME, "energy [J]", tuple(lines)) if lines else None


def _panel_of_residual(recordings: Sequence[Named]) -> Panel | None:
    name = "run.residual_worst"
    lines = [
        Line("residual", of, step_times(one), read_metric(one, name))
        for of, one in recordings
        if name in metric_labels(one)
    ]
    return Panel("contact residual", _TIME, "residual [m/s]", tuple(lines), log=True) if lines else None


def _panel_of_contacts(recordings: Sequence[Named]) -> Panel | None:
    lines = [
        Line("contacts", of, step_times(one), count_contacts(one))
        for of, one in recordings
        if has_contacts(one)
    ]
    if not lines:
        return None
    return Panel("contacts", _TIME, "contact points", tuple(lines), from_zero=True, whole=True)


def _panel_of_force(recordings: Sequence[Named]) -> Panel | None:
    lines = [
        Line(label, of, step_times(one), total_forces(one)[:, column])
        for column, label in enumerate(("normal", "friction"))
        for of, one in recordings
        if has_contacts(one)
    ]
    return Panel("total contact force", _TIME, "force [N]", tuple(lines), from_zero=True) if lines else None


def _panel_of_pressure_path(recordings: Sequence[Named]) -> Panel | None:
    lines = []
    for of, one in recordings:
        if has_contacts(one):
            centre = centre_of_pressure(one)
            # Seen from above with x to the right, z points towards the reader, so down: the axis is turned.
            lines.append(Line("path", of, centre[:, 0], centre[:, 2]))
    if not lines:
        return None
    return Panel("centre of pressure from above", "x [m]", "z [m]", tuple(lines), kind="path")


def _panel_of_pressure(recordings: Sequence[Named]) -> Panel | None:
    lines = []
    for of, one in recordings:
        if has_contacts(one):
            centre = centre_of_pressure(one)
            lines += [Line(_AXES[k], of, step_times(one), centre[:, k]) for k in (0, 2)]
    return Panel("centre of pressure", _TIME, "position [m]", tuple(lines)) if lines else None


_BUILT_IN: dict[str, Callable[[Sequence[Named]], Panel | None]] = {
    "contacts": _panel_of_contacts,
    "contact_force": _panel_of_force,
    "pressure_path": _panel_of_pressure_path,
    "pressure": _panel_of_pressure,
    "energy": _panel_of_energy,
    "residual": _panel_of_residual,
}
_OVERVIEW = ("contacts", "contact_force", "pressure_path", "energy", "residual")


def panel_of_timings(path: Path) -> Panel:
    """The time of every system, from what `supple run --json` printed."""
    import json

    remedy = "give what 'supple run SCENE --json' printed"
    try:
        timings = json.loads(path.read_bytes())["timings"]
        rows = [(str(one["name"]), float(one["us_per_step"])) for one in timings]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(Problem(None, str(path), "holds no timings", remedy)) from error
    rows.sort(key=lambda row: -row[1])
    kept, rest = rows[:8], rows[8:]
    if rest:
        kept.append((f"{len(rest)} others", sum(time for _, time in rest)))
    lines = [Line(name, path.stem, np.zeros(1), np.array([time])) for name, time in kept]
    return Panel("time per step", "time [\u00b5s]", "", tuple(lines), kind="bars")


def _unit_of(recordings: Sequence[Named], metric: str) -> str:
    return next((one.metric_units[metric] for _, one in recordings if metric in one.metric_units), "")


def _say_axis(quantity: str, unit: str) -> str:
    words = quantity.replace("_", " ")
    return f"{words} [{unit}]" if unit and unit != "1" else words
