"""Metrics: named elements of arrays, reduced over the run.

The accumulators are State, so a resumed run reports the same figures as an uninterrupted one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from supple.core.arrays import Array, ArrayTable
from supple.core.build import BoundMetric, Build
from supple.core.component import Metric, OverTime
from supple.core.schedule import Bound, Call, Phase, System
from supple.core.settings import Run
from supple.errors import suggest

#: So many steps counted that no run makes a positive number of them.
_UNKNOWN = -1e15
MODES: dict[OverTime, int] = {"last": 0, "max": 1, "min": 2, "mean": 3}


def compile_metrics(build: Build) -> None:
    """Declare the accumulators of all metrics that were bound."""
    build.metrics.sort(key=lambda bound: bound.key)
    labels = [bound.key for bound in build.metrics]
    if build.run.ends is not None and build.run.ends.metric not in labels:
        name = build.run.ends.metric
        raise build.refuse("run.ends.metric", f"no metric '{name}'", suggest(name, labels))
    count = len(labels)
    build.add_model(
        "metrics.mode", [MODES[b.metric.over_time] for b in build.metrics], unit="1",
        doc="How a metric is reduced over time.", labels=labels, dtype=np.int64,
    )  # fmt: skip
    build.add_model(
        "metrics.start", [_find_start(build.run, bound.metric) for bound in build.metrics], unit="1",
        doc="First step that counts.", labels=labels, dtype=np.int64,
    )  # fmt: skip
    build.add_step(
        "metrics.now", (count,), unit="SI", doc="Values after this step.", labels=labels, record=True
    )
    build.add_state("metrics.total", np.zeros(count), unit="SI", doc="Reduced values so far.", labels=labels)
    doc = "When the greatest or least value was first seen, or the last."
    build.add_state("metrics.when", np.zeros(count), unit="s", doc=doc, labels=labels)
    build.add_state("metrics.samples", np.zeros(count), unit="1", doc="Steps counted so far.", labels=labels)


def _find_start(run: Run, metric: Metric) -> int:
    """The first step that counts."""
    if metric.settled:
        return run.settled_from
    return run.steps // 2 if metric.last_half else 0


class AccumulateMetrics(System):
    """Gathers the value of every metric and reduces it over the run."""

    phase = Phase.OBSERVE
    writes = ("metrics.now", "metrics.total.next", "metrics.samples.next", "metrics.when.next")

    def __init__(self, build: Build) -> None:
        self.metrics = build.metrics
        arrays = sorted({bound.array for bound in build.metrics})
        self.reads = (
            *arrays,
            "metrics.mode",
            "metrics.start",
            "metrics.total",
            "metrics.samples",
            "run.step",
            "run.time.next",
        )

    def bind(self, arrays: Bound) -> list[Call]:
        """Group the metrics by array, so that gathering is one call for several arrays."""
        from supple.core.metric_kernels import SOURCES, gather_values, reduce_values

        now, mode, start = arrays["metrics.now"], arrays["metrics.mode"], arrays["metrics.start"]
        total, samples = arrays["metrics.total"], arrays["metrics.samples"]
        total_next, samples_next = arrays["metrics.total.next"], arrays["metrics.samples.next"]
        when_next, step, time = arrays["metrics.when.next"], arrays["run.step"], arrays["run.time.next"]
        names = sorted(
            {bound.array for bound in self.metrics}, key=lambda name: (arrays[name].dtype.kind, name)
        )
        gathers = []
        while names:
            kind = arrays[names[0]].dtype.kind
            group = [name for name in names[:SOURCES] if arrays[name].dtype.kind == kind]
            del names[: len(group)]
            sources, places = self._list_places(arrays, [*group, *group[:1] * (SOURCES - len(group))])
            gathers.append(Call(gather_values, *sources, places, now))
        weight = arrays.h / arrays.build.run.step  # of a part of a step, in means
        reduce = Call(
            reduce_values, weight, mode, start, step, time, now, total, samples, total_next, samples_next, when_next
        )  # fmt: skip

        return [*gathers, reduce]

    def _list_places(self, arrays: Bound, names: list[str]) -> tuple[list[Array], Array]:
        """These arrays flat, and for each metric in them: which array, which element, which slot."""
        places = [
            (names.index(bound.array), np.ravel_multi_index(bound.index, arrays[bound.array].shape), slot)
            for slot, bound in enumerate(self.metrics)
            if bound.array in names
        ]
        return [arrays[name].reshape(-1) for name in names], np.array(places, np.int64)


def metric_values(table: ArrayTable, metrics: list[BoundMetric]) -> dict[str, float]:
    """The figure of every metric over the run so far; nan where nothing was counted yet, or not all."""
    total, samples = table["metrics.total"], table["metrics.samples"]
    values = {}
    for slot, bound in enumerate(metrics):
        seen = samples[slot]
        mean = bound.metric.over_time == "mean"
        values[bound.key] = float(total[slot] / (seen if mean else 1.0)) if seen > 0 else math.nan
    return values


def metric_times(table: ArrayTable, metrics: list[BoundMetric]) -> dict[str, float]:
    """The time [s] at which every metric had the figure that the run has; nan for means and what was not counted."""
    when, samples = table["metrics.when"], table["metrics.samples"]
    return {
        bound.key: math.nan if bound.metric.over_time == "mean" or samples[slot] <= 0 else float(when[slot])
        for slot, bound in enumerate(metrics)
    }


def forget_part(metrics: list[BoundMetric], run: Run, state: Mapping[str, Array]) -> None:
    """Start the figures of a part of the run anew, when it goes on for longer, or less, than was planned.

    Of a part that has begun by now some steps were not counted, or some that do not belong to it: it stays unknown.
    """
    done = int(state["run.step"][0])
    for slot, bound in enumerate(metrics):
        start = _find_start(run, bound.metric)
        if start:
            state["metrics.samples"][slot] = 0.0 if start > done else _UNKNOWN
