"""Recordings written by hand with metrics and contacts, whose numbers tests know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from made_recordings import write_recording


def add_metrics(path: Path, metrics: Mapping[str, Sequence[float]], units: Sequence[str]) -> Path:
    """Add metrics, a value for each frame, to a recording."""
    with h5py.File(path, "r+") as file:
        data = file["arrays"].create_dataset("metrics.now", data=np.column_stack(list(metrics.values())))
        data.attrs.update({"unit": "SI", "doc": "Made by hand."})
        data.attrs["labels"] = np.array(list(metrics), dtype=object)
        data.attrs["units"] = np.array(list(units), dtype=object)
    return path


def add_labels(path: Path, labels: Mapping[str, Sequence[str]]) -> Path:
    """Name the rows of arrays."""
    with h5py.File(path, "r+") as file:
        for name, words in labels.items():
            file["arrays"][name].attrs["labels"] = np.array(list(words), dtype=object)
    return path


def write_contacts(
    path: Path, *, variant: str = "", scale: float = 1.0, drawings: Sequence[Any] = ()
) -> Path:
    """Four frames: the initial one, one without contact, one with two, one with three of which one is a wall's.

    Points on the second surface are half a metre below those on the first; `scale` is a factor of height and force.
    """
    places = [[], [], [[0, 0, 0], [4, 0, 8]], [[1, 0, 0], [9, 9, 9], [3, 0, 2]]]
    forces = [[], [], [[0, 10, 0], [0, -30, 0]], [[0, 10, 0], [3, 0, 4], [0, 10, 0]]]
    normals = [[0, 1, 0], [0, -1, 0], [0, 1, 0], [1, 0, 0], [0, 0.8, 0.6]]
    contacts = [
        [(a, (a[0], a[1] - 0.5, a[2]), scale * np.array(f)) for a, f in zip(points, pushes, strict=True)]
        for points, pushes in zip(places, forces, strict=True)
    ]
    write_recording(
        path, drawings, times=[0.0, 0.1, 0.2, 0.3], contacts=contacts,
        arrays={"rigid.x": np.arange(24.0).reshape(4, 2, 3), "rigid.q": np.tile([1.0, 0, 0, 0], (4, 2, 1))},
        attributes={"variant": variant, "scene": "scene.toml"},
    )  # fmt: skip
    with h5py.File(path, "r+") as file:
        data = file["arrays"].create_dataset("contacts.normal", data=np.array(normals, float))
        data.attrs.update({"unit": "1", "doc": "Made by hand.", "count": "contacts.count"})
    add_labels(path, {"rigid.x": ("ball", "crate"), "rigid.q": ("ball", "crate")})
    metrics = {
        "ball.height": [0.0, 1.0 * scale, 4.0 * scale, 9.0 * scale],
        "ball.speed": [0.0, np.nan, 2.5, 3.5],
        "crate.height": [0.0, 2.0, 2.0, 2.0],
        "run.contact_work": [0.0, -1.0, -2.0, -3.0],
        "run.energy_unaccounted": [0.0, 1e-9, 2e-9, 3e-9],
        "run.kinetic_energy": [0.0, 5.0, 6.0, 7.0],
        "run.potential_energy": [0.0, 8.0, 7.0, 6.0],
        "run.residual_worst": [0.0, 0.0, 1e-11, 1e-9],
    }
    return add_metrics(path, metrics, ["m", "m/s", "m", "J", "J", "J", "J", "m/s"])
