"""Kernels that are driven without Python: the same numbers, the same errors, the same order."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple.core.stepper
from supple.core.driver import Driver
from supple.core.jit import njit
from supple.core.program import Program
from supple.core.schedule import Call
from supple.core.timing import Timing
from supple.run.recording import open_recording
from supple.run.simulate import RunOptions, simulate

SCENES = Path(__file__).parents[2] / "scenes"


class Pair(NamedTuple):
    """Two arrays and a number by name."""

    x: np.ndarray
    y: np.ndarray
    share: float


@njit
def mix(number, flag, pair, table, out):
    """All kinds of arguments that kernels take."""
    for i in range(out.shape[0]):
        out[i] += number * table[i, 1] + pair.share * (pair.x[i] if flag else pair.y[i])


@njit
def count_up(counter_out):
    """Whether it has come to three."""
    counter_out[0] += 1
    return counter_out[0] == 3


@njit
def refuse(counter):
    """Raises from 5 on."""
    if counter[0] >= 5:
        raise ValueError("five is enough")


def run_both(parts, times):
    """The same parts, called singly and driven."""
    for driven in (False, True):
        program = Program([(0, parts, 1)], [], Timing(["toy"]))
        if driven:
            program.drive()
            assert program.is_driven
        for _ in range(times):
            program.run(0, True)
        yield program


@settings(deadline=None, max_examples=20)
@given(st.integers(-5, 5), st.booleans(), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_arguments_of_all_kinds_arrive(number: int, flag: bool, size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    pair = Pair(rng.normal(size=size), rng.normal(size=size), float(rng.normal()))
    table, out = rng.normal(size=(size, 3)), np.zeros(size)
    found = []
    for _ in run_both([Call(mix, number, flag, pair, table, out)], 2):
        found.append(out.copy())
        out[:] = 0.0
    np.testing.assert_array_equal(found[0], found[1])
    assert found[0].any() or not (number or pair.share)


def test_python_goes_on_where_a_kernel_says_so_and_nothing_is_left_out() -> None:
    counter, seen = np.zeros(1, np.int64), []
    parts = [
        Call(count_up, counter, otherwise=lambda: seen.append(counter.item(0))),
        lambda: seen.append("python"),
        Call(count_up, counter, otherwise=lambda: seen.append(-counter.item(0))),
    ]
    for _ in run_both(parts, 2):
        assert counter[0] == 4
        assert seen == ["python", 3, "python"]
        counter[:] = 0
        seen.clear()


def test_a_stretch_runs_many_times_and_says_how_often_when_it_fails() -> None:
    counter = np.zeros(1, np.int64)
    program = Program([(0, [Call(count_up, counter), Call(refuse, counter)], 1)], [], Timing(["toy"]))
    program.drive()
    program.run(0, True, times=3)
    assert counter[0] == program.done == 3
    with pytest.raises(ValueError, match="five is enough"):
        program.run(0, True, times=9)
    assert (program.done, program.system, counter.item(0)) == (1, 0, 5)


def test_times_of_systems_are_taken_and_what_cannot_be_driven_is_called() -> None:
    x, out, timing = np.arange(4.0), np.zeros(4), Timing(["a", "b", "c"])
    pair = Pair(x, x, 1.0)
    single = np.zeros(4, np.float32)  # no array of supple's
    program = Program(
        [
            (0, [Call(mix, 1, True, pair, np.ones((4, 2)), out)] * 50, 1),
            (1, [Call(mix.py_func, 1, True, pair, np.ones((4, 2)), single)], 1),
            (2, [Call(mix, 1, True, pair, np.ones((4, 2)), out)], 2),
        ],
        [],
        timing,
    )
    program.drive()
    program.run(1, True)
    np.testing.assert_array_equal(out, 50 * (1 + x))
    np.testing.assert_array_equal(single, 1 + x)
    assert "mix" in program.refused
    assert all(spent > 0 for spent in timing.nanoseconds[:2])
    program.run(2, True)
    np.testing.assert_array_equal(out, 101 * (1 + x))


def test_time_in_which_python_goes_on_is_that_of_its_system() -> None:
    counter, timing = np.full(1, 2, np.int64), Timing(["a", "b"])
    work = [
        (0, [Call(refuse, np.zeros(1, np.int64))], 1),
        (1, [Call(count_up, counter, otherwise=lambda: time.sleep(0.02))], 1),
    ]
    program = Program(work, [], timing)
    program.drive()
    program.run(0, True)
    assert timing.nanoseconds[1] > 1.9e7 > timing.nanoseconds[0]


def test_a_driver_keeps_the_arrays_of_its_calls() -> None:
    out = np.zeros(3)
    driver = Driver(np.zeros(1, np.int64))
    call = driver.prepare(Call(mix, 2, False, Pair(np.ones(3), np.ones(3), 0.5), np.ones((3, 2)), out))
    run = driver.bind([(0, call)], lambda place, done: None)
    del call
    np.zeros((64, 3)).fill(7.0)
    run(2)
    np.testing.assert_array_equal(out, 5.0)


@pytest.mark.parametrize("scene", ["first/drop.toml", "mechanics/ragdoll.toml"])
def test_recordings_are_the_same_driven_singly_and_resumed(
    scene: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(name: str, patience: int | None, until: float = 0.4, **others: Any) -> None:
        monkeypatch.setattr(supple.core.stepper, "PATIENCE", patience)
        simulate(RunOptions(SCENES / scene, until=until, record=tmp_path / f"{name}.h5", **others))

    half = tmp_path / "half.npz"
    run("driven", 2)
    run("single", None)
    run("resumed", 3, until=0.2, checkpoint=half)
    run("resumed", 7, resume=half)
    with open_recording(tmp_path / "single.h5") as expected:
        for name in ("driven", "resumed"):
            with open_recording(tmp_path / f"{name}.h5") as found:
                assert found.names == expected.names
                np.testing.assert_array_equal(found.steps, expected.steps)
                # Which part of a run counts as settled depends on how long it was to be.
                for array in set(found.names) - {"metrics.now"}:
                    np.testing.assert_array_equal(found.array(array), expected.array(array))
