"""Tools for the tests of plugin authors.

`audit_step` finds systems that touch what they did not declare; `check_gradient` holds a derivative against
finite differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core.arrays import NEXT, Array, FloatArray
from supple.core.schedule import Entry
from supple.core.world import World

_POISON_INTEGER = -(2**40)


def audit_step(world: World) -> None:
    """Take one step and check every system against its declaration. Raises AssertionError.

    Every system runs twice from the same arrays: once as usual, once with all arrays that it did not declare
    filled with poison. It must leave the poison alone (else it writes what it did not declare), and its
    outputs must be the same bit for bit (else it reads what it did not declare). What a system declares to
    read must not change at all. Records and arrays that a system keeps for itself are not seen.
    """
    for name in sorted(world.build.accumulating):
        world.arrays[name].fill(0)
    number = world.steps
    for entry, call in world.calls():
        if number % entry.system.rate == 0:
            _audit_system(world, entry, call)
    world.arrays.commit()


def _audit_system(world: World, entry: Entry, call: Callable[[], None]) -> None:
    arrays = _all_arrays(world)
    outputs = set(entry.writes) | set(entry.adds)
    before = {name: array.copy() for name, array in arrays.items()}
    call()
    after = {name: array.copy() for name, array in arrays.items()}
    for name in sorted(set(arrays) - outputs):
        if not _same(before[name], after[name]):
            verb = "reads" if name in entry.reads else "does not declare"
            raise AssertionError(f"{entry.name} changes {name}, which it {verb}")
    for name, array in arrays.items():
        array[...] = before[name]
        if name not in entry.touches:
            array.fill(np.nan if array.dtype.kind == "f" else _POISON_INTEGER)
    poisoned = {name: arrays[name].copy() for name in set(arrays) - entry.touches}
    _call_poisoned(entry, call)
    for name, poison in sorted(poisoned.items()):
        if not _same(arrays[name], poison):
            raise AssertionError(f"{entry.name} writes {name} without declaring it")
    for name in sorted(outputs & set(arrays)):
        if not _same(arrays[name], after[name]):
            raise AssertionError(f"{entry.name} makes {name} from an array that it does not declare")
    for name, array in arrays.items():
        array[...] = after[name]


def _call_poisoned(entry: Entry, call: Callable[[], None]) -> None:
    try:
        call()
    except Exception as error:
        what = f"{entry.name} reads an array that it does not declare: with poison in it, it raised {error!r}"
        raise AssertionError(what) from error


def _all_arrays(world: World) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for name, spec in world.arrays.specs.items():
        found[name] = world.arrays[name]
        if spec.kind == "state":
            found[name + NEXT] = world.arrays[name + NEXT]
    return found


def _same(a: Array, b: Array) -> bool:
    return a.tobytes() == b.tobytes()


def check_gradient(
    function: Callable[[FloatArray], Any],
    gradient: Callable[[FloatArray], Any],
    at: FloatArray,
    step: float = 1e-6,
) -> float:
    """The worst relative error of `gradient(at)` against central differences of `function`.

    `gradient` gives an array of shape (*value.shape, *at.shape). The error is relative to its largest entry.
    """
    exact = np.asarray(gradient(at), float)
    value = np.asarray(function(at), float)
    numeric = np.zeros((*value.shape, at.size))
    for k in range(at.size):
        shift = np.zeros(at.shape)
        shift.flat[k] = step
        forward, backward = np.asarray(function(at + shift)), np.asarray(function(at - shift))
        numeric[..., k] = (forward - backward) / (2 * step)
    difference = np.abs(exact.reshape(numeric.shape) - numeric).max(initial=0.0)
    return float(difference / max(np.abs(exact).max(initial=0.0), 1e-300))
