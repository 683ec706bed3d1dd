"""The metrics of a recording: their values, their units, and which of them are worth a plot from the start."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.core.registry import Registry
from supple.mechanics.run_metrics import RUN_METRICS
from supple.run.recording import Recording

_ARRAY = "metrics.now"
_PLOTS = 4
#: Telling in most scenes, for those that expect nothing.
_USUAL = ("run.kinetic_energy", "run.contacts")


class Metrics:
    """The columns of `metrics.now`. Values belong to the step that led to a frame."""

    def __init__(self, recording: Recording, units: Mapping[str, str]) -> None:
        self._recording = recording
        # No step led to the initial state.
        self._initial = 0 if recording.frames and int(recording.steps[0]) == 0 else -1
        self.names: tuple[str, ...] = recording.labels(_ARRAY) if _ARRAY in recording.names else ()
        self.units = [units.get(name.rpartition(".")[2], "") for name in self.names]

    def read(self, frame: int) -> NDArray[Any]:
        """All values of a frame; nan for the initial state."""
        if not self.names:
            return np.zeros(0)
        if frame == self._initial:
            return np.full(len(self.names), math.nan)
        return self._recording.rows(_ARRAY, frame)

    def suggest_plots(self, values: NDArray[Any]) -> list[int]:
        """Columns of `values` [frames, metrics] to begin with: what the scene expects, then what changes."""
        with np.errstate(invalid="ignore"):
            span = np.fmax.reduce(values, axis=0, initial=-np.inf) - np.fmin.reduce(
                values, axis=0, initial=np.inf
            )
        expected = [
            self.names.index(name) for name in (*_expected(self._recording), *_USUAL) if name in self.names
        ]
        lively = [index for index in range(len(self.names)) if span[index] > 0 or len(values) < 2]
        ordered = [index for index in dict.fromkeys(expected) if index in lively]
        return [*ordered, *(index for index in lively if index not in ordered)][:_PLOTS]


def find_units(registry: Registry) -> dict[str, str]:
    """The unit of a metric by its own name; a name that components use with several units has none."""
    units: dict[str, set[str]] = {}
    for metric in RUN_METRICS:
        units.setdefault(metric.name, set()).add(metric.unit)
    for registered in registry.kinds().values():
        for metric in getattr(registered.load(), "metrics", ()):
            units.setdefault(metric.name, set()).add(metric.unit)
    return {name: unit for name, (unit, *others) in ((n, sorted(u)) for n, u in units.items()) if not others}


def _expected(recording: Recording) -> list[str]:
    """The metrics that the scene's own text has expectations about."""
    try:
        expectations = tomllib.loads(recording.header.text).get("expect", [])
        return [str(one["metric"]) for one in expectations if "metric" in one]
    except (tomllib.TOMLDecodeError, TypeError, AttributeError):
        return []
