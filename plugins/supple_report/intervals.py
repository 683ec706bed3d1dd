"""Figures with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from supple.scene.expression import ExpressionError, parse_expression
from supple.scene.expression_functions import CONFIDENCE, RESAMPLES

_SEED = 20_130_717
_AT_ONCE = 1_000_000
_PREFIXES = ("difference_low(", "difference_high(")


@dataclass(frozen=True)
class Figure:
    """A number, and the interval that holds it with a confidence of 95 % where there is one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    count: int = 1


def find_mean(name: str, values: Sequence[float]) -> Figure:
    """The mean over cells and, of two or more, its interval by resampling them with a fixed seed."""
    data = np.asarray(values, float)
    if data.size == 0:
        return Figure(name, math.nan, count=0)
    # Adding up equal numbers rounds.
    mean = float(data[0]) if np.ptp(data) == 0 else float(data.mean())
    if data.size == 1:
        return Figure(name, mean)
    generator = np.random.Generator(np.random.Philox(_SEED))
    means = np.empty(RESAMPLES)
    for block in np.array_split(means, 1 + RESAMPLES * data.size // _AT_ONCE):
        block[:] = data[generator.integers(0, data.size, (len(block), data.size))].mean(axis=1)
    low, high = np.quantile(means, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Figure(name, mean, float(low), float(high), int(data.size))


def gather_figures(figures: Mapping[str, float]) -> list[Figure]:
    """The figures of a claim; a difference and its two bounds become one."""
    pairs: dict[str, dict[str, float]] = {}
    for text, value in figures.items():
        for prefix in _PREFIXES:
            if text.startswith(prefix):
                pairs.setdefault(f"difference({text.removeprefix(prefix)}", {})[prefix] = value
    gathered = [Figure(text, value) for text, value in figures.items() if not text.startswith(_PREFIXES)]
    known = {figure.name: figure for figure in gathered}
    for name, bounds in pairs.items():
        low, high = (bounds.get(prefix) for prefix in _PREFIXES)
        whole = Figure(name, known[name].value if name in known else math.nan, low, high)
        if name in known:
            gathered[gathered.index(known[name])] = whole
        else:
            gathered.append(whole)
    return gathered


def metrics_of(expressions: Iterable[str]) -> list[str]:
    """The metrics that expressions ask for, each once; an expression that cannot be read asks for none."""
    found: dict[str, None] = {}
    for text in expressions:
        try:
            references = parse_expression(text).references()
        except ExpressionError:
            continue
        found.update({f"{one.entity}.{one.metric}": None for one in references})
    return list(found)
