"""Recordings written by hand, after the layout that the documentation gives, with numbers that tests know."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from supple.core.drawing import Drawing, write_drawings


@dataclass
class HandMade:
    """What a recording holds. Arrays are (frames, ...); `ragged` has a list of rows for every frame."""

    times: Sequence[float]
    arrays: Mapping[str, Any] = field(default_factory=dict)
    ragged: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, Sequence[float]] = field(default_factory=dict)
    metric_units: Sequence[str] = ()
    drawings: Sequence[Drawing] = ()
    variant: str = ""
    scene: str = "scene.toml"

    def write(self, path: Path) -> Path:
        """Write the file."""
        with h5py.File(path, "w", libver="latest") as file:
            file.attrs.update(
                format=1, made_by="supple recording", scene=self.scene, text="", variant=self.variant, seed=3,
                h=0.01, every=1, fingerprint="", versions=json.dumps({"supple": "0"}), overrides="[]",
            )  # fmt: skip
            frames = len(self.times)
            file["frames"] = np.array([frames])
            file["time"] = np.array(self.times, float)
            file["step"] = np.arange(frames)
            arrays, offsets, model = (file.create_group(name) for name in ("arrays", "offsets", "model"))
            for name, values in self.arrays.items():
                self._add(arrays, name, np.asarray(values))
            if self.metrics:
                data = self._add(arrays, "metrics.now", np.column_stack(list(self.metrics.values())))
                data.attrs["labels"] = np.array(list(self.metrics), dtype=object)
                data.attrs["units"] = np.array(list(self.metric_units), dtype=object)
            for name, rows in self.ragged.items():
                data = self._add(arrays, name, np.concatenate([np.asarray(one, float) for one in rows]))
                data.attrs["count"] = "contacts.count"
                if "contacts.count" not in offsets:
                    offsets["contacts.count"] = np.cumsum([0, *(len(one) for one in rows)])
            for name, values in self.model.items():
                self._add(model, name, np.asarray(values))
            text = write_drawings(sorted(self.drawings, key=lambda one: one.name)).encode()
            file["drawings"] = np.frombuffer(text, np.uint8)
        return path

    def _add(self, group: h5py.Group, name: str, values: np.ndarray) -> h5py.Dataset:
        data = group.create_dataset(name, data=values)
        data.attrs["unit"], data.attrs["doc"] = self.units.get(name, "m"), f"{name} by hand."
        if name in self.labels:
            data.attrs["labels"] = np.array(list(self.labels[name]), dtype=object)
        return data


def write_contacts(path: Path, *, variant: str = "", scale: float = 1.0) -> Path:
    """Four frames: the initial one, one without contact, one with two, one with three of which one is a wall's."""
    none = np.zeros((0, 3))
    force = [none, none, [[0, 10, 0], [0, -30, 0]], [[0, 10, 0], [3, 0, 4], [0, 10, 0]]]
    normal = [none, none, [[0, 1, 0], [0, -1, 0]], [[0, 1, 0], [1, 0, 0], [0, 0.8, 0.6]]]
    point = [[], [], [[0, 0, 0], [4, 0, 8]], [[1, 0, 0], [9, 9, 9], [3, 0, 2]]]
    pairs = [np.repeat(np.reshape(one, (-1, 1, 3)), 2, axis=1).astype(float) for one in point]
    for one in pairs:
        one[:, 1, 1] -= 0.5
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
    units = ["m", "m/s", "m", "J", "J", "J", "J", "m/s"]
    return HandMade(
        times=[0.0, 0.1, 0.2, 0.3],
        arrays={"rigid.x": np.arange(24.0).reshape(4, 2, 3), "rigid.q": np.tile([1.0, 0, 0, 0], (4, 2, 1))},
        labels={"rigid.x": ("ball", "crate"), "rigid.q": ("ball", "crate")},
        ragged={
            "contacts.force": [scale * np.reshape(np.asarray(one, float), (-1, 3)) for one in force],
            "contacts.normal": [np.reshape(np.asarray(one, float), (-1, 3)) for one in normal],
            "contacts.point": pairs,
        },
        metrics=metrics,
        metric_units=units,
        variant=variant,
    ).write(path)
