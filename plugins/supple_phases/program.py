"""From conditions to nodes that a kernel can test."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

from supple_phases.conditions import JOINED, Test
from supple_phases.layout import ALL, ANY, BETWEEN, GAINED, LOST, NOTHING, PARENT, RUN_TIME, SHARE, TIME

PRESSED = 1e-6
"""Normal force from which on something counts as touching [N]."""

CONTACT = "contact"
METRIC = "metric"


class Source(NamedTuple):
    """What a test looks at: CONTACT with the path of an entity, or METRIC with its name; and who asked first."""

    kind: str
    name: str
    asked_by: str


@dataclass
class Program:
    """Nodes, bounds, and what they look at; grows condition by condition."""

    nodes: list[list[int]] = field(default_factory=list)
    bounds: list[tuple[float, float]] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    def add(self, condition: Test, owner: str) -> int:
        """Append a condition of the entity `owner`, its parts first; returns its node."""
        for join, kind in zip(JOINED, (ALL, ANY), strict=True):
            parts = getattr(condition, join, None)
            if parts is not None:
                inner = [self.add(part, owner) for part in parts]
                node = self._append(kind, NOTHING, -math.inf, math.inf)
                for part in inner:
                    self.nodes[part][PARENT] = node
                return node
        return self._add_test(condition, owner)

    def _append(self, kind: int, source: int, lower: float, upper: float) -> int:
        self.nodes.append([kind, NOTHING, source])
        self.bounds.append((lower, upper))
        return len(self.nodes) - 1

    def _add_test(self, test: Test, owner: str) -> int:
        for kind, bound in ((TIME, test.time), (SHARE, test.share), (RUN_TIME, test.run_time)):
            if bound is not None:
                return self._append(kind, NOTHING, bound, math.inf)
        for kind, path, lower, upper in (
            (BETWEEN, test.touches, PRESSED, math.inf),
            (BETWEEN, test.apart, -math.inf, PRESSED),
            (GAINED, test.gains, PRESSED, math.inf),
            (LOST, test.loses, PRESSED, math.inf),
        ):
            if path is not None:
                return self._append(kind, self._find(CONTACT, path, owner), lower, upper)
        lower = -math.inf if test.above is None else test.above
        upper = math.inf if test.below is None else test.below
        if test.load is not None:
            return self._append(BETWEEN, self._find(CONTACT, test.load, owner), lower, upper)
        return self._append(BETWEEN, self._find(METRIC, str(test.metric), owner), lower, upper)

    def _find(self, kind: str, name: str, owner: str) -> int:
        for slot, source in enumerate(self.sources):
            if (source.kind, source.name) == (kind, name):
                return slot
        self.sources.append(Source(kind, name, owner))
        return len(self.sources) - 1
