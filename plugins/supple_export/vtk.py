"""VTK: an unstructured grid of triangles for every frame, one of the contacts, and a collection with the times."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from supple_export.selection import Progress, Selection, require_things

Array = NDArray[Any]
_TRIANGLE, _VERTEX = 5, 1
_TYPES = {"<f8": "Float64", "<i8": "Int64", "|u1": "UInt8"}
COLLECTION = "recording.pvd"


def write_vtk(selection: Selection, folder: Path, progress: Progress) -> list[dict[str, Any]]:
    """Write all files; returns a row for each thing, in the order that the cell data `thing` counts."""
    require_things(selection)
    first = _join(selection, selection.frames[0])
    triangles, owner = _connect(selection)
    entries = []
    for number, frame in enumerate(selection.frames):
        points = _join(selection, frame)
        surface, touching = f"surface_{number:06d}.vtu", f"contacts_{number:06d}.vtu"
        data = {
            "displacement": points - first, **_channels(selection, frame), **_surface_forces(selection, frame)
        }  # fmt: skip
        text = make_grid(points, triangles, _TRIANGLE, data, {"thing": owner})
        (folder / surface).write_text(text, encoding="utf-8")
        spots, forces = selection.stage.contacts(frame)
        text = make_grid(spots, np.arange(len(spots))[:, None], _VERTEX, {"force": forces}, {})
        (folder / touching).write_text(text, encoding="utf-8")
        time = float(selection.stage.times[frame])
        entries += [(time, 0, "surface", surface), (time, 1, "contacts", touching)]
        progress(number + 1)
    (folder / COLLECTION).write_text(_make_collection(entries), encoding="utf-8")
    return [{"name": one.drawing.name, "path": one.drawing.path} for one in selection.things]


def make_grid(
    points: Array, cells: Array, kind: int, point_data: dict[str, Array], cell_data: dict[str, Array]
) -> str:
    """A .vtu file: cells of one kind, given as rows of point numbers [nc, k], with named values."""
    count, width = cells.shape
    offsets = width * np.arange(1, count + 1)
    topology = [
        _array("connectivity", cells.reshape(-1).astype("<i8")),
        _array("offsets", offsets.astype("<i8")),
        _array("types", np.full(count, kind, "u1")),
    ]
    sections = [
        ("PointData", [_array(name, values) for name, values in point_data.items()]),
        ("CellData", [_array(name, values) for name, values in cell_data.items()]),
        ("Points", [_array("Points", points)]),
        ("Cells", topology),
    ]
    body = "".join(f"<{name}>\n{''.join(arrays)}</{name}>\n" for name, arrays in sections)
    return (
        '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian"'
        ' header_type="UInt64">\n<UnstructuredGrid>\n'
        f'<Piece NumberOfPoints="{len(points)}" NumberOfCells="{count}">\n{body}</Piece>\n'
        "</UnstructuredGrid>\n</VTKFile>\n"
    )


def _array(name: str, values: Array) -> str:
    """Numbers in base64, behind their size in bytes."""
    values = np.ascontiguousarray(values, "<f8" if values.dtype.kind == "f" else values.dtype)
    kind = _TYPES[values.dtype.str]
    width = f' NumberOfComponents="{values.shape[1]}"' if values.ndim > 1 else ""
    raw = values.tobytes()
    text = base64.b64encode(np.array([len(raw)], "<u8").tobytes() + raw).decode()
    return f'<DataArray type="{kind}" Name={quoteattr(name)}{width} format="binary">\n{text}\n</DataArray>\n'


def _make_collection(entries: list[tuple[float, int, str, str]]) -> str:
    rows = "".join(
        f'<DataSet timestep="{time!r}" group="" part="{part}" name="{name}" file="{file}"/>\n'
        for time, part, name, file in entries
    )
    head = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n'
    return f"{head}<Collection>\n{rows}</Collection>\n</VTKFile>\n"


def _join(selection: Selection, frame: int) -> Array:
    return np.concatenate([thing.vertices(frame) for thing in selection.things])


def _connect(selection: Selection) -> tuple[Array, Array]:
    """The triangles of all things [nt, 3], and whose each one is [nt]."""
    starts = np.cumsum([0, *(len(thing.rest) for thing in selection.things)])
    parts = [thing.triangles + start for thing, start in zip(selection.things, starts, strict=False)]
    owners = [np.full(len(thing.triangles), k) for k, thing in enumerate(selection.things)]
    return np.concatenate(parts).astype("<i8"), np.concatenate(owners).astype("<i8")


def _channels(selection: Selection, frame: int) -> dict[str, Array]:
    """Each channel as an array over all points, nan on things that have another one or none."""
    total = sum(len(thing.rest) for thing in selection.things)
    found: dict[str, Array] = {}
    start = 0
    for thing in selection.things:
        values = thing.values(frame)
        if values is not None and thing.drawing.channel is not None:
            whole = found.setdefault(thing.drawing.channel.array, np.full(total, np.nan))
            whole[start : start + len(thing.rest)] = values
        start += len(thing.rest)
    return found


def _surface_forces(selection: Selection, frame: int) -> dict[str, Array]:
    """Contact force and pressure at all points, nan on things of which they are not known; nothing if none is."""
    parts = [(thing.surface_forces(frame), len(thing.rest)) for thing in selection.things]
    if all(touched is None for touched, _ in parts):
        return {}
    return {
        "contact_force": np.concatenate([
            np.full((count, 3), np.nan) if touched is None else touched.force for touched, count in parts
        ]),
        "contact_pressure": np.concatenate([
            np.full(count, np.nan) if touched is None else touched.pressure for touched, count in parts
        ]),
    }  # fmt: skip
