"""Point caches: for each thing an OBJ with its triangles and, if it moves, a PC2 with its vertices.

A PC2 is a header of 32 bytes and then, for every sample, x, y, z of all points in float32; all of it is
little-endian. The header: "POINTCACHE2" and a zero byte; version 1, number of points (int32); first frame and
frames per sample (float32); number of samples (int32).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.core.drawing import Carried
from supple.run.stage import Thing
from supple_export.selection import Progress, Selection, name_files, require_things

HEADER = struct.Struct("<12siiffi")
#: Files that are open at a time.
_BATCH = 200


def write_pc2(selection: Selection, folder: Path, progress: Progress) -> list[dict[str, Any]]:
    """Write all files; returns a row for each thing."""
    require_things(selection)
    things = [thing for thing in selection.things if len(thing.triangles)]
    names = name_files([thing.drawing.name for thing in things])
    rows = []
    moving = []
    for thing, name in zip(things, names, strict=True):
        (folder / f"{name}.obj").write_text(
            make_obj(thing.drawing.name, thing.vertices(selection.frames[0]), thing.triangles),
            encoding="utf-8",
        )
        row: dict[str, Any] = {"name": thing.drawing.name, "path": thing.drawing.path, "obj": f"{name}.obj"}
        if _moves(thing):
            row["pc2"] = f"{name}.pc2"
            moving.append((thing, folder / f"{name}.pc2"))
        rows.append(row)
    batches = [moving[first : first + _BATCH] for first in range(0, len(moving), _BATCH)]
    for number, batch in enumerate(batches):
        for done in _write_caches(selection, batch):
            progress((number * len(selection.frames) + done) // len(batches))
    return rows


def make_obj(name: str, vertices: NDArray[np.float64], triangles: NDArray[np.int64]) -> str:
    """A Wavefront OBJ of triangles; rows count from 1."""
    lines = [f"o {' '.join(name.split())}"]
    lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist()]
    return "\n".join(lines) + "\n"


def _moves(thing: Thing) -> bool:
    return not thing.is_rigid or isinstance(thing.drawing.place, Carried)


def _write_caches(selection: Selection, batch: list[tuple[Thing, Path]]) -> Iterator[int]:
    """Write the files of some things frame by frame; gives the number of frames written so far."""
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for _, path in batch]
        for file, (thing, _) in zip(files, batch, strict=True):
            file.write(HEADER.pack(b"POINTCACHE2\0", 1, len(thing.rest), 0.0, 1.0, len(selection.frames)))
        for done, frame in enumerate(selection.frames, 1):
            for file, (thing, _) in zip(files, batch, strict=True):
                file.write(np.asarray(thing.vertices(frame), "<f4").tobytes())
            yield done
