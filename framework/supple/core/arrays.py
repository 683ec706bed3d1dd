"""Named arrays: Model (constant), State (all that is needed to resume), Step (one step, one writer).

State lives in one contiguous buffer per dtype, so that commit, snapshot and restore are one copy each and
no array ever moves: kernels are bound to their arrays once. A State array `a.b` is read as of the start of
the step; its successor is called `a.b.next`, has one writer, and is committed whole at the end of the step.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supple.errors import PluginError, Problem, suggest

Array = NDArray[Any]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Kind = Literal["model", "state", "step"]
NEXT = ".next"
_ALIGNMENT = 64
_DTYPES = (np.dtype(np.float64), np.dtype(np.int64))


@dataclass(frozen=True)
class ArraySpec:
    """What is known of an array besides its numbers.

    `labels` name the rows of the first axis (paths of entities); `count` is the name of the array with the
    number of rows in use when the first axis is a capacity; `record` says whether recordings keep it. `bounds` are the
    least and greatest value of integers that choose a row of something: a State from outside must keep to them.
    """

    name: str
    kind: Kind
    unit: str
    doc: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    labels: tuple[str, ...] = ()
    count: str = ""
    record: bool = False
    bounds: tuple[int, int] | None = None

    @property
    def owner(self) -> str:
        """The part of the name before the first dot."""
        return self.name.split(".")[0]


class StateBuffer:
    """All State arrays of one moment, as views into one buffer per dtype.

    Arrays of which only some rows are in use come last; `whole` holds the part of each buffer before them. At the end
    of that stand the arrays that are `observed`, made when all has moved; `moved` are the numbers before them.
    """

    def __init__(self, specs: Sequence[ArraySpec], observed: Collection[str] = ()) -> None:
        self.buffers: dict[np.dtype[Any], Array] = {}
        self.whole: list[Array] = []
        self.views: dict[str, Array] = {}
        for dtype in _DTYPES:
            chosen = sorted(
                (spec for spec in specs if spec.dtype == dtype),
                key=lambda spec: (bool(spec.count), spec.name in observed),
            )
            offsets, size = _lay_out(chosen)
            buffer = _aligned_zeros(size, dtype)
            self.buffers[dtype] = buffer
            placed = list(zip(chosen, offsets, strict=True))
            end = min((offset for spec, offset in placed if spec.count), default=size)
            self.whole.append(buffer[:end])
            if dtype == _DTYPES[0]:
                late = [offset for spec, offset in placed if spec.name in observed and not spec.count]
                start = min(late, default=end)
                self.moved, self.observed = buffer[:start], buffer[start:end]
            for spec, offset in zip(chosen, offsets, strict=True):
                length = int(np.prod(spec.shape, dtype=int))
                self.views[spec.name] = buffer[offset : offset + length].reshape(spec.shape)
        self.floats = self.buffers[_DTYPES[0]]
        self.integers = self.buffers[_DTYPES[1]]

    def copy_from(self, other: StateBuffer) -> None:
        """Take all values of `other`, which has the same layout."""
        self.floats[:] = other.floats
        self.integers[:] = other.integers


def _lay_out(specs: Sequence[ArraySpec]) -> tuple[list[int], int]:
    """Offsets of the arrays in their buffer, each aligned, and the buffer's size (in elements)."""
    offsets, size = [], 0
    for spec in specs:
        offsets.append(size)
        step = _ALIGNMENT // spec.dtype.itemsize
        size += -(-int(np.prod(spec.shape, dtype=int)) // step) * step
    return offsets, size


def _aligned_zeros(size: int, dtype: np.dtype[Any]) -> Array:
    raw = np.zeros(size * dtype.itemsize + _ALIGNMENT, dtype=np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + size * dtype.itemsize].view(dtype)


class ArrayTable:
    """Every array and record of a world by name."""

    def __init__(self) -> None:
        self.specs: dict[str, ArraySpec] = {}
        self.records: dict[str, object] = {}
        self._fixed: dict[str, Array] = {}
        self._initial: dict[str, Array] = {}
        self.now: StateBuffer
        self.next: StateBuffer

    def declare(self, spec: ArraySpec, values: Array) -> None:
        """Add an array before `freeze`; a name can be declared once."""
        if spec.name in self.specs or spec.name in self.records:
            raise PluginError(
                Problem(None, spec.name, "array declared twice", "give one of the two another name")
            )
        if spec.name.count(".") != 1 or spec.name.endswith(NEXT):
            raise PluginError(Problem(None, spec.name, "bad array name", "call it owner.quantity"))
        if spec.dtype not in _DTYPES:
            what = f"arrays hold float64 or int64, not {spec.dtype}"
            raise PluginError(
                Problem(None, spec.name, what, "one layout everywhere keeps kernels compiled once")
            )
        self.specs[spec.name] = spec
        (self._initial if spec.kind == "state" else self._fixed)[spec.name] = values

    def declare_record(self, name: str, record: object) -> None:
        """Add a small typed object that lives as a Step value."""
        if name in self.specs or name in self.records:
            raise PluginError(
                Problem(None, name, "record declared twice", "give one of the two another name")
            )
        self.records[name] = record

    def freeze(self, observed: Collection[str] = ()) -> None:
        """Lay out the State; from now on nothing is added and nothing moves.

        `observed` are the State arrays that are written when all else has moved.
        """
        states = [spec for name, spec in sorted(self.specs.items()) if spec.kind == "state"]
        self.now, self.next = StateBuffer(states, observed), StateBuffer(states, observed)
        for name, values in self._initial.items():
            self.now.views[name][...] = values
        self.next.copy_from(self.now)
        self._initial.clear()
        self._bind_kernels([spec for spec in states if spec.count], observed)

    def refill(self, other: ArrayTable) -> set[str]:
        """Take all numbers of a table with the same specs, not frozen yet; returns the Model arrays that changed."""
        changed = set()
        for name, values in other._fixed.items():
            mine = self._fixed[name]
            if self.specs[name].kind == "step":
                mine.fill(0)
            elif not np.array_equal(mine, values):
                mine[...] = values
                changed.add(name)
        for buffer in (*self.now.buffers.values(), *self.next.buffers.values()):
            buffer.fill(0)
        for name, values in other._initial.items():
            self.now.views[name][...] = values
        self.next.copy_from(self.now)
        return changed

    def _bind_kernels(self, ragged: Sequence[ArraySpec], observed: Collection[str]) -> None:
        """Bind what every step does to the State; of arrays with a count, to the rows in use."""
        from supple.core.jit import bind_kernel  # numba takes a second to import
        from supple.core.state_kernels import copy_rows, is_any_infinite

        def whole(values: Array) -> tuple[IntArray, int]:
            return np.array([values.size]), 1

        def used(spec: ArraySpec) -> tuple[Array, int]:
            return self.successor(spec.count), int(np.prod(spec.shape[1:], dtype=int))

        now, following = self.now, self.next
        copies = [
            (copy_rows, *whole(source), source, target)
            for source, target in zip(following.whole, now.whole, strict=True)
        ]
        looks: list[list[tuple[Any, ...]]] = [
            [(is_any_infinite, *whole(values), values.view(np.int64))]
            for values in (following.moved, following.observed)
        ]
        for spec in ragged:
            source, target = (buffer.views[spec.name].reshape(-1) for buffer in (following, now))
            copies.append((copy_rows, *used(spec), source, target))
            if spec.dtype == _DTYPES[0]:
                looks[spec.name in observed].append((is_any_infinite, *used(spec), source.view(np.int64)))
        #: The kernels that make the next state the state, each with its arguments.
        self.copies: list[tuple[Any, ...]] = copies
        #: Kernels that say whether a number in use of the next state is not finite: of what moves, what is observed.
        self.looks = looks
        self._copy = [bind_kernel(*each) for each in copies]

    def successor(self, name: str) -> Array:
        """An array as it is at the end of the step."""
        return self.next.views[name] if name in self.next.views else self._fixed[name]

    def join(self, names: Sequence[str]) -> list[Array]:
        """Lay Step arrays side by side, before anything is bound to them; returns one buffer per dtype."""
        buffers = []
        for dtype in _DTYPES:
            chosen = [self.specs[name] for name in names if self.specs[name].dtype == dtype]
            offsets, size = _lay_out(chosen)
            if size:
                buffers.append(_aligned_zeros(size, dtype))
            for spec, offset in zip(chosen, offsets, strict=True):
                length = int(np.prod(spec.shape, dtype=int))
                self._fixed[spec.name] = buffers[-1][offset : offset + length].reshape(spec.shape)
        return buffers

    def __getitem__(self, name: str) -> Array:
        """The array of this name; `a.b.next` is the successor of the State array `a.b`."""
        if name in self._fixed:
            return self._fixed[name]
        if name in self._initial:  # before `freeze`: compile functions see where others start
            return self._initial[name]
        if name.endswith(NEXT) and name[: -len(NEXT)] in self.next.views:
            return self.next.views[name[: -len(NEXT)]]
        if name in self.now.views:
            return self.now.views[name]
        raise PluginError(Problem(None, name, "no such array", suggest(name, self.names(), "there are")))

    def __iter__(self) -> Iterator[str]:
        """The names, as of a mapping."""
        return iter(self.names())

    def names(self) -> list[str]:
        """All names that a system may declare."""
        states = [name for name, spec in self.specs.items() if spec.kind == "state"]
        return sorted([*self.specs, *self.records, *(name + NEXT for name in states)])

    def spec(self, name: str) -> ArraySpec:
        """The description of an array, also by the name of its successor."""
        return self.specs[name.removesuffix(NEXT)]

    def of_kind(self, kind: Kind) -> Iterator[tuple[ArraySpec, Array]]:
        """Arrays of one kind in the order of their names; State as of now."""
        for name, spec in sorted(self.specs.items()):
            if spec.kind == kind:
                yield spec, self[name]

    def commit(self) -> None:
        """The next state becomes the state. Of arrays with a count, rows that are not in use are left alone."""
        for copy in self._copy:
            copy()

    def roll_back(self) -> None:
        """Forget the next state."""
        self.next.copy_from(self.now)

    def start_again(self, names: Sequence[str]) -> None:
        """Forget the next state but for these arrays: what they became is what the step now starts with."""
        kept = [(self.now.views[name], self.next.views[name].copy()) for name in names]
        for view, values in kept:
            view[...] = values
        self.next.copy_from(self.now)

    def keep(self) -> tuple[Array, Array]:
        """All numbers of the State, to be put back."""
        return self.now.floats.copy(), self.now.integers.copy()

    def put_back(self, kept: tuple[Array, Array]) -> None:
        """Make the State what it was, and forget the next one."""
        self.now.floats[:], self.now.integers[:] = kept
        self.next.copy_from(self.now)

    def set_state(self, name: str, index: tuple[Any, ...], values: Array) -> None:
        """Set elements of a State array between steps, also where nobody writes its successor."""
        self.now.views[name][index] = values
        self.next.views[name][index] = values

    def state_copy(self) -> dict[str, Array]:
        """A copy of the whole State by name."""
        return {name: view.copy() for name, view in self.now.views.items()}

    @staticmethod
    def _check_values(spec: ArraySpec, values: Array, state: Mapping[str, Array]) -> None:
        """Kernels do not look where they write: a wrong count or row would take the whole process down."""
        used = values
        if spec.count and spec.count in state:
            count = int(state[spec.count][0])
            if not 0 <= count <= len(values):
                what = f"{count} rows in use of {len(values)}"
                raise PluginError(Problem(None, spec.count, what, "use the state of the same scene"))
            used = values[:count]
        if spec.bounds and used.size and not spec.bounds[0] <= used.min() <= used.max() <= spec.bounds[1]:
            what = (
                f"holds {used.min()} to {used.max()}, and only {spec.bounds[0]} to {spec.bounds[1]} are there"
            )
            raise PluginError(Problem(None, spec.name, what, "use the state of the same scene"))
        if not np.all(np.isfinite(used)):
            raise PluginError(Problem(None, spec.name, "is not finite", "use an earlier state"))

    def resize_state(self, state: Mapping[str, Array]) -> dict[str, Array]:
        """A State from a world with less room, or more: rows that are in use stay, the others are cut or zero."""
        fitted = dict(state)
        for name, values in state.items():
            mine = self.now.views.get(name)
            if mine is not None and self.specs[name].count and len(values) != len(mine):
                fitted[name] = np.zeros_like(mine)
                kept = min(len(values), len(mine))
                fitted[name][:kept] = values[:kept]
        return fitted

    def load_state(self, state: Mapping[str, Array]) -> None:
        """Replace the whole State; names, shapes and dtypes must be the same, and rows and counts must exist."""
        mine = self.now.views
        if set(state) != set(mine):
            missing, foreign = sorted(set(mine) - set(state)), sorted(set(state) - set(mine))
            raise PluginError(
                Problem(None, "state", f"lacks {missing}, has foreign {foreign}", "use the same scene")
            )
        for name, values in state.items():
            if values.shape != mine[name].shape or values.dtype != mine[name].dtype:
                what = f"shape {values.shape} {values.dtype}, expected {mine[name].shape} {mine[name].dtype}"
                raise PluginError(Problem(None, name, what, "use the same scene"))
        for name, values in state.items():
            self._check_values(self.specs[name], values, state)
        for name, values in state.items():
            mine[name][...] = values
        self.next.copy_from(self.now)
