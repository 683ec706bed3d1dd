"""The linear map of muscles as a value: what a controller asks about the muscles of one body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.jit import bind_first_arguments
from supple.errors import PluginError, Problem, suggest
from supple.mechanics.dynamics import Arrays
from supple_muscles.kernels import fill_map
from supple_muscles.tables import Influence, Tissue

STATE = (
    "muscles.length",
    "muscles.rest_length",
    "muscles.stiffness",
    "muscles.lowest",
    "muscles.rate",
    "muscles.now",
)


class MuscleLimits(NamedTuple):
    """What the relative lengths u = l_d / l_0 of segments may be."""

    lowest: FloatArray
    highest: FloatArray


class MuscleMap:
    """The muscles of the body at `path`: f = B (u - l / l_0), u being the relative lengths asked for.

    `columns()` gives B^T [segments, 3 n] at the present shape, as `Mechanism.response` takes it; with the paper's
    symbols it is A diag(l_0). A system that asks puts `reads` into its own, and binds. It adds the changes of u that it
    wants to `muscles.change`, at `segments`.
    """

    def __init__(self, build: Build, path: str) -> None:
        names = {entity.path: number for number, entity in enumerate(build.having("muscles"))}
        if path not in names:
            raise PluginError(Problem(None, path, "no muscles of this name", suggest(path, names)))
        span = build.arrays["muscles.span"][names[path]]
        self.path, self.segments = path, slice(int(span[0]), int(span[1]))
        self.count = self.segments.stop - self.segments.start
        self.reads = (
            *(f"muscles.{name}" for name in Influence._fields),
            *(f"tets.{name}" for name in Tissue._fields),
            *STATE, "muscles.span",
        )  # fmt: skip
        self._row = names[path]

    def bind(self, arrays: Arrays) -> MuscleMap:
        """Look the arrays up once."""
        tissue = Tissue(*(arrays[f"tets.{name}"] for name in Tissue._fields))
        influence = Influence(*(arrays[f"muscles.{name}"] for name in Influence._fields))
        own = self.segments
        length, rest, stiffness, lowest, rate, now = (arrays[name] for name in STATE)
        self._length, self.rest_length, self.stiffness = length[own], rest[own], stiffness[own]
        self._lowest, self._rate, self._now = lowest[own], rate[own], now[own]
        self._columns = np.zeros((self.count, tissue.x.size))
        span, normals = arrays["muscles.span"][self._row, 2:].copy(), np.zeros((4, 3))
        fixed = (tissue, influence, stiffness, own.start, own.stop, span, normals)
        self._fill = bind_first_arguments(fill_map, fixed, (self._columns,))
        return self

    def columns(self) -> FloatArray:
        """B^T [segments, 3 n]: forces on all vertices for a unit of u. The array is filled anew by every call."""
        self._fill(self._columns)
        return self._columns

    def relative_lengths(self) -> FloatArray:
        """l / l_0 of the segments at the start of the step."""
        return np.asarray(self._length / self.rest_length)

    def held(self) -> FloatArray:
        """u of the segments in this step before planners change it: v_free has B (held - l / l_0) in it."""
        return self._now

    def limits(self, h: float) -> MuscleLimits:
        """Least and greatest u that a step of h [s] may end with."""
        most = h * self._rate
        return MuscleLimits(
            lowest=np.maximum(self._lowest, self._now - most), highest=np.minimum(1.0, self._now + most)
        )
