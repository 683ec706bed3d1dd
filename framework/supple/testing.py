"""Tools for the tests of plugin authors.

`audit_step` finds systems that touch what they did not declare, `check_memory` what remembers something outside of
arrays, `check_resume` what a snapshot lacks. `check_mechanism` holds the three things that a mechanism says of its A
against each other, `check_gradient` a derivative against finite differences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from supple.core.arrays import NEXT, Array, FloatArray
from supple.core.schedule import Entry, Phase
from supple.core.world import World

_POISON_INTEGER = -(2**40)


def audit_step(world: World) -> None:
    """Take one step and check every system against its declaration. Raises AssertionError.

    Every system runs twice from the same arrays: once as usual, once with all arrays that it did not declare
    filled with poison. It must leave the poison alone (else it writes what it did not declare), and its
    outputs must be the same bit for bit (else it reads what it did not declare). What a system declares to
    read must not change at all. Changes of records, and of arrays that a system keeps for itself, are not seen.
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
    recorded = [(array, array.copy()) for array in _list_recorded(world)]
    call()
    after = {name: array.copy() for name, array in arrays.items()}
    for name in sorted(set(arrays) - outputs):
        if not _same(before[name], after[name]):
            verb = "reads" if name in entry.reads else "does not declare"
            raise AssertionError(f"{entry.name} changes {name}, which it {verb}")
    for array, values in recorded:
        array[...] = values
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


def _list_recorded(world: World) -> list[Array]:
    """The arrays of all records: what one system made there another may finish."""
    records = world.arrays.records.values()
    return [part for record in records for part in vars(record).values() if isinstance(part, np.ndarray)]


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


def check_resume(scene: str | Path, *, steps: int = 20, more: int = 20, **options: Any) -> None:
    """Check that a fresh world goes on from a snapshot as the one did that made it, bit for bit.

    `options` are those of `supple.load`. The snapshot is taken after `steps`; `more` steps follow. Raises
    AssertionError with the array that differs first.
    """
    from supple.scene.load import load

    world, fresh = load(scene, **options), load(scene, **options)
    world.step(steps)
    fresh.restore(world.snapshot())
    for _ in range(more):
        world.step()
        fresh.step()
        _demand_same(world.snapshot(), fresh.snapshot(), f"after step {world.steps} of a resumed run")


def check_memory(world: World, steps: int = 10) -> None:
    """Check that systems and members remember nothing but what is in arrays. Raises AssertionError.

    The same steps are taken twice: once as usual, once with everything bound anew before each, as after a step that
    had to be halved. Both must agree bit for bit. The world ends as after the first.
    """
    start = world.snapshot()
    expected = []
    for _ in range(steps):
        world.step()
        expected.append(world.snapshot())
    world.restore(start)
    for after in expected:
        world.rebind(2)
        world.rebind()
        world.step()
        _demand_same(after, world.snapshot(), f"after step {world.steps} when all is bound anew")


def _demand_same(expected: Mapping[str, Array], found: Mapping[str, Array], when: str) -> None:
    for name, values in expected.items():
        if not _same(values, found[name]):
            where = np.argwhere(values != found[name])
            place = f"[{', '.join(map(str, where[0]))}]" if len(where) else ""
            raise AssertionError(f"{name}{place} differs {when}")


def check_mechanism(world: World, name: str, *, tolerance: float = 1e-9, seed: int = 0) -> None:
    """Check what the mechanism of this name says of its A in the coming step, which is not taken.

    With A^-1 built column by column from `apply_inverse` it must be symmetric, and `response` must give the same for
    several columns; `add_delassus` must give J A^-1 J^T of the rows that the step has; and with random plans the step
    must end at v_next = v_free + A^-1 impulse. Raises AssertionError with the error relative to the largest number.
    Bring the world to a step with rows first.
    """
    mechanism = next(each for each in world.members("mechanisms") if each.name == name)
    rng = np.random.default_rng(seed)
    arrays = world.arrays
    for array in world.build.accumulating:
        arrays[array].fill(0)
    inverse = np.zeros((0, 0))
    for entry, call in world.calls():
        if entry.phase > Phase.PLAN and not inverse.size:
            inverse = _find_inverse(mechanism, arrays[mechanism.v].shape)
            _compare(f"A^-1 of {name} and its transpose", inverse, inverse.T, tolerance)
            _check_delassus(mechanism, inverse, tolerance)
            columns = rng.standard_normal((3, len(inverse)))
            answer = np.full_like(columns, np.nan)
            mechanism.response(columns, answer)
            _compare(f"response of {name} and A^-1", answer, columns @ inverse.T, tolerance)
            scale = 1.0 / max(float(np.abs(inverse).max()), 1e-300)
            arrays[mechanism.plan][...] += scale * rng.standard_normal(arrays[mechanism.plan].shape)
        if entry.phase < Phase.OBSERVE:
            call()
    change = inverse @ arrays[mechanism.impulse].reshape(-1)
    ended = arrays[mechanism.v_free].reshape(-1) + change
    _compare(
        f"v_next of {name} and v_free + A^-1 impulse", arrays[mechanism.v_next].reshape(-1), ended, tolerance
    )
    arrays.roll_back()


def _find_inverse(mechanism: Any, shape: tuple[int, ...]) -> FloatArray:
    """A^-1, column by column."""
    size = int(np.prod(shape, dtype=int))
    inverse = np.zeros((size, size))
    unit, column = np.zeros(shape), np.zeros(shape)
    for k in range(size):
        unit.flat[k] = 1.0
        mechanism.apply_inverse(unit, column)
        inverse[:, k] = column.reshape(-1)
        unit.flat[k] = 0.0
    return inverse


def _check_delassus(mechanism: Any, inverse: FloatArray, tolerance: float) -> None:
    from supple.mechanics.block_matrix import BlockMatrix  # numba takes a second to import

    jacobian = mechanism.jacobian
    used = int(jacobian.count[0])
    groups = int(jacobian.group[:used].max(initial=-1)) + 1
    dense = np.zeros((3 * groups, len(inverse)))
    for k in range(used):
        rows = slice(3 * jacobian.group[k], 3 * jacobian.group[k] + 3)
        dof = int(jacobian.dof[k])
        width = min(jacobian.width, len(inverse) - dof)
        dense[rows, dof : dof + width] += jacobian.values[k, :, :width]
    W = BlockMatrix(groups)
    W.set_pattern(jacobian.group, jacobian.unit, groups, mechanism.unit_count, used)
    mechanism.add_delassus(W)
    found = W.to_dense(np.full(groups, 3, np.int64))
    _compare(f"W of {mechanism.name} and J A^-1 J^T", found, dense @ inverse @ dense.T, tolerance)


def _compare(what: str, a: FloatArray, b: FloatArray, tolerance: float) -> None:
    error = np.abs(a - b).max(initial=0.0) / max(np.abs(b).max(initial=0.0), 1e-300)
    if not error <= tolerance:
        raise AssertionError(f"{what} differ by {error:.2g} of the largest number")


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
