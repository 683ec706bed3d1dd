"""Recordings written by hand after the layout that `recording_layout` describes, for tests of what reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from supple.core.drawing import Drawing, write_drawings

ATTRIBUTES = {
    "format": 1, "made_by": "supple recording", "scene": "made.toml", "text": "", "variant": "", "seed": 0,
    "h": 0.01, "every": 1, "fingerprint": "0", "versions": "{}", "overrides": json.dumps([]),
}  # fmt: skip


def write_recording(
    path: Path,
    drawings: Sequence[Drawing],
    *,
    times: Sequence[float] = (0.0,),
    arrays: Mapping[str, Any] | None = None,
    model: Mapping[str, Any] | None = None,
    contacts: Sequence[Sequence[tuple[Any, Any, Any]]] | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> Path:
    """Write a recording; `arrays` have a first axis of frames, a contact is (point on A, point on B, force)."""
    with h5py.File(path, "w", libver="latest") as file:
        file.attrs.update({**ATTRIBUTES, **(attributes or {})})
        file["frames"] = np.array([len(times)])
        file["time"] = np.array(times, dtype=float)
        file["step"] = np.arange(len(times))
        for group, entries in (("arrays", arrays or {}), ("model", model or {}), ("offsets", {})):
            made = file.create_group(group)
            for name, values in entries.items():
                made[name] = np.asarray(values)
                made[name].attrs.update({"unit": "m", "doc": "Made by hand."})
        if contacts is not None:
            _write_contacts(file, contacts)
        file["drawings"] = np.frombuffer(write_drawings(drawings).encode(), np.uint8)
    return path


def _write_contacts(file: h5py.File, contacts: Sequence[Sequence[tuple[Any, Any, Any]]]) -> None:
    rows = [contact for frame in contacts for contact in frame]
    file["offsets"]["contacts.count"] = np.cumsum([0, *(len(frame) for frame in contacts)])
    points = np.array([[row[0], row[1]] for row in rows], dtype=float).reshape(-1, 2, 3)
    forces = np.array([row[2] for row in rows], dtype=float).reshape(-1, 3)
    for name, values in (("contacts.point", points), ("contacts.force", forces)):
        file["arrays"][name] = values
        file["arrays"][name].attrs.update({"unit": "", "doc": "Made by hand.", "count": "contacts.count"})
