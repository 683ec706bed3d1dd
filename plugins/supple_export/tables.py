"""CSV: metrics, poses and contacts, one row after another, with all digits."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from supple.core.drawing import Carried
from supple_export.selection import Progress, Selection

_POSE = (("x", "m"), ("y", "m"), ("z", "m"), ("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1"))
#: Columns of one contact: array, column names.
_CONTACT = (
    ("contacts.surface", ("surface_a", "surface_b")),
    ("contacts.element", ("element_a", "element_b")),
    ("contacts.point", ("a_x", "a_y", "a_z", "b_x", "b_y", "b_z")),
    ("contacts.normal", ("normal_x", "normal_y", "normal_z")),
    ("contacts.gap", ("gap",)),
    ("contacts.force", ("force_x", "force_y", "force_z")),
)


def write_tables(selection: Selection, folder: Path, progress: Progress) -> list[dict[str, Any]]:
    """Write metrics.csv, poses.csv, contacts.csv, surfaces.csv and columns.csv; returns a row for each file."""
    columns: list[tuple[str, str, str]] = []
    sizes = {
        "metrics.csv": _write_metrics(selection, folder / "metrics.csv", columns),
        "poses.csv": _write_poses(selection, folder / "poses.csv", columns, progress),
        "contacts.csv": _write_contacts(selection, folder / "contacts.csv", columns),
        "surfaces.csv": _write_surfaces(selection, folder / "surfaces.csv", columns),
        "columns.csv": 0,
    }
    sizes["columns.csv"] = len(columns)
    _write(folder / "columns.csv", ("file", "column", "unit"), columns)
    return [{"name": name, "rows": rows} for name, rows in sizes.items()]


def _write(path: Path, head: Iterable[str], rows: Iterable[Iterable[Any]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        for row in rows:
            # Shortest decimals that give the same number back.
            writer.writerow([repr(value) if isinstance(value, float) else value for value in row])
            count += 1
    return count


def _write_metrics(selection: Selection, path: Path, columns: list[tuple[str, str, str]]) -> int:
    """One row per frame but the first, which no step has led to."""
    recording = selection.recording
    if "metrics.now" not in recording.names:
        return _write(path, ("step", "time"), ())
    labels, units = recording.labels("metrics.now"), recording.metric_units
    chosen = [k for k, label in enumerate(labels) if selection.covers(label.rpartition(".")[0])]
    columns += [(path.name, "step", "1"), (path.name, "time", "s")]
    columns += [(path.name, labels[k], units.get(labels[k], "")) for k in chosen]
    steps = recording.steps

    def rows() -> Iterable[list[Any]]:
        for frame in selection.frames:
            if frame > 0:
                values = recording.rows("metrics.now", frame)[chosen]
                yield [int(steps[frame]), float(selection.stage.times[frame]), *values.tolist()]

    return _write(path, ("step", "time", *(labels[k] for k in chosen)), rows())


def _write_poses(
    selection: Selection, path: Path, columns: list[tuple[str, str, str]], progress: Progress
) -> int:
    """One row per frame and moving body: the frame that carries its drawings."""
    recording = selection.recording
    bodies: dict[tuple[str, str, int], str] = {}
    for thing in selection.things:
        place = thing.drawing.place
        if isinstance(place, Carried):
            labels = recording.labels(place.position)
            label = labels[place.row] if place.row < len(labels) else thing.drawing.path
            bodies.setdefault((place.position, place.rotation, place.row), label)
    ordered = sorted(bodies.items(), key=lambda item: item[1])
    columns += [(path.name, "time", "s"), (path.name, "body", "")]
    columns += [(path.name, name, unit) for name, unit in _POSE]

    def rows() -> Iterable[list[Any]]:
        for done, frame in enumerate(selection.frames, 1):
            time = float(selection.stage.times[frame])
            held = {name: recording.rows(name, frame) for key in bodies for name in key[:2]}
            for (position, rotation, row), label in ordered:
                yield [time, label, *held[position][row].tolist(), *held[rotation][row].tolist()]
            progress(done)

    return _write(path, ("time", "body", *(name for name, _ in _POSE)), rows())


def _write_contacts(selection: Selection, path: Path, columns: list[tuple[str, str, str]]) -> int:
    """One row per contact; which ones belong to an entity is not known, so there are always all."""
    recording = selection.recording
    known = [(array, names) for array, names in _CONTACT if array in recording.names]
    head = [name for _, names in known for name in names]
    columns += [(path.name, "time", "s")]
    columns += [(path.name, name, recording.unit(array)) for array, names in known for name in names]

    def rows() -> Iterable[list[Any]]:
        if not known:
            return
        for frame in selection.frames:
            time = float(selection.stage.times[frame])
            parts = [recording.rows(array, frame) for array, _ in known]
            for contact in range(len(parts[0])):
                values: list[Any] = [time]
                for part in parts:
                    values += np.asarray(part[contact]).reshape(-1).tolist()
                yield values

    return _write(path, ("time", *head), rows())


#: Columns of what presses on a surface that bends.
_TOUCHED = (
    ("time", "s"), ("thing", ""), ("force_x", "N"), ("force_y", "N"), ("force_z", "N"), ("pressure_worst", "Pa"),
    ("vertices_pressed", "1"),
)  # fmt: skip


def _write_surfaces(selection: Selection, path: Path, columns: list[tuple[str, str, str]]) -> int:
    """One row per frame and thing that bends and touches: the sum of its forces, and the greatest pressure."""
    columns += [(path.name, name, unit) for name, unit in _TOUCHED]

    def rows() -> Iterable[list[Any]]:
        for frame in selection.frames:
            time = float(selection.stage.times[frame])
            for thing in selection.things:
                touched = thing.surface_forces(frame)
                if touched is not None:
                    pressed = int(np.count_nonzero(touched.pressure))
                    worst = float(touched.pressure.max(initial=0.0))
                    yield [time, thing.drawing.name, *touched.force.sum(axis=0).tolist(), worst, pressed]

    return _write(path, [name for name, _ in _TOUCHED], rows())
