"""Stretches of kernel calls that run without coming back to Python.

Arrays never move once a system is bound, so all arguments of its kernels are known words: addresses, lengths, numbers.
They are written into tables once, and a compiled loop (`driver_kernels`) calls the kernels with them through small
stubs (`stubs`). What is computed is the same to the bit, for it is the same machine code; only who calls is another.
"""

from __future__ import annotations

import ctypes
import pickle
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numba.core import types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.types.containers import BaseTuple

from supple.core.arrays import IntArray
from supple.core.driver_kernels import (
    CLOCK,
    CLOCK_NAME,
    COLUMNS,
    DONE,
    GIVEN,
    HEADER,
    INTEGER,
    PLAIN,
    RAISED,
    STATUS,
    TRUTH,
    run_calls,
)
from supple.core.jit import bind_first_arguments, find_version
from supple.core.schedule import Call
from supple.core.stubs import find_stubs

_PYTHON_ERROR: Final = -1  # status of a kernel that has set an error of Python's
_MOST_RESULTS: Final = HEADER - GIVEN


Stretch = Callable[..., None]
"""A function of how many times, 1 if nothing is said."""


class CannotCallError(Exception):
    """A call that has no words, or no stub: Python must make it."""


class DrivenCall:
    """One call as a table of words, the shape of its stub, and what its result means."""

    def __init__(self, call: Call, header: IntArray) -> None:
        self.call, kernel = call, call.kernel
        if not isinstance(kernel, Dispatcher) or struct.calcsize("P") != 8:
            raise CannotCallError("is not compiled, or not for 64 bits")
        compiled = find_version(kernel, call.arguments)
        result = compiled.signature.return_type
        if len(_list_letters(result)) > _MOST_RESULTS:
            raise CannotCallError("returns more than there is room for")
        address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
        start = header.ctypes.data
        words = [address, start + 8 * GIVEN, start + 8 * RAISED]
        letters = ["ww"]
        for argument, kind in zip(call.arguments, compiled.signature.args, strict=True):
            letters.append(_list_letters(kind))
            _append_words(argument, kind, words)
        self.shape = "".join(letters)
        if len(words) != len(self.shape) + 1 or not address:
            raise CannotCallError("has other words than were thought")
        self.table = np.array(words, np.int64)
        self.meaning = PLAIN
        if call.otherwise is not None:
            self.meaning = TRUTH if isinstance(result, types.Boolean) else INTEGER
            if not isinstance(result, types.Boolean | types.Integer):
                raise CannotCallError("returns what is no truth value")


def _list_letters(kind: Any) -> str:
    """The letters of the words of an argument; see `stubs`."""
    if isinstance(kind, types.Array):
        return "w" * (5 + 2 * kind.ndim)
    if isinstance(kind, BaseTuple):
        return "".join(map(_list_letters, kind))
    if isinstance(kind, types.Boolean):
        return "b"
    if kind == types.float64:
        return "d"
    if kind in (types.int64, types.intp):
        return "w"
    if kind == types.none:
        return ""
    raise CannotCallError(f"takes or gives {kind}")


def _append_words(value: Any, kind: Any, words: list[int]) -> None:
    """The words of an argument, as numba hands them over."""
    if isinstance(kind, types.Array):
        # Nobody counts references to it, and nobody asks who owns it: the driver keeps it.
        words += (0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides)
    elif isinstance(kind, BaseTuple):
        for one, its_kind in zip(value, kind, strict=True):
            _append_words(one, its_kind, words)
    elif isinstance(kind, types.Boolean):
        words.append(int(value))
    elif kind == types.float64:
        words.append(struct.unpack("q", struct.pack("d", value))[0])
    else:
        words.append(int(value))


def _find_clock() -> tuple[int, int]:
    """The address of the C function clock_gettime and the name of a clock that never goes back; zeros without."""
    try:
        function = ctypes.CDLL(None).clock_gettime
        return ctypes.cast(function, ctypes.c_void_p).value or 0, time.CLOCK_MONOTONIC
    except (AttributeError, OSError, TypeError):
        return 0, 0


class Driver:
    """Prepares calls, and binds stretches of them."""

    def __init__(self, nanoseconds: IntArray) -> None:
        """The time that each system takes is added to `nanoseconds`."""
        self._header: IntArray = np.zeros(HEADER, np.int64)
        self._header[CLOCK], self._header[CLOCK_NAME] = _find_clock()
        self._nanoseconds = nanoseconds
        #: Why a call could not be prepared, if there was one.
        self.refused = ""

    def prepare(self, part: Call | Callable[[], Any]) -> DrivenCall | None:
        """The words of a call; None if Python must make it."""
        if not isinstance(part, Call):
            return None
        try:
            with global_compiler_lock:
                return DrivenCall(part, self._header)
        except CannotCallError as error:
            self.refused = self.refused or f"{getattr(part.kernel, '__name__', part.kernel)} {error}"
            return None

    def bind(self, calls: Sequence[tuple[int, DrivenCall]], note: Callable[[int, int], None]) -> Stretch:
        """A function that makes these calls of systems so many times, and what Python has to do between them.

        `note` is told the system of a call that failed, or behind which Python goes on, and how many times were done.
        """
        with global_compiler_lock:
            stubs = find_stubs([call.shape for _, call in calls])
        entries: IntArray = np.zeros((len(calls), COLUMNS), np.int64)
        for place, (system, call) in enumerate(calls):
            ends = place + 1 == len(calls) or calls[place + 1][0] != system
            entries[place] = (stubs[call.shape], call.table.ctypes.data, call.meaning, system, ends)
        header, last = self._header, len(calls)
        run = bind_first_arguments(run_calls, (header, entries, self._nanoseconds), (1, 0))

        spent = self._nanoseconds

        def drive(times: int = 1) -> None:
            place, done = run(times, 0), header.item(DONE)
            while place < last:
                system, stopped = calls[place]
                note(system, done)
                if header[STATUS]:
                    self._raise(stopped.call)
                assert stopped.call.otherwise is not None, "only calls with another way stop"
                started = time.perf_counter_ns()
                stopped.call.otherwise()
                spent[system] += time.perf_counter_ns() - started
                place = run(times - done, place + 1)
                done += header.item(DONE)

        return drive

    def _raise(self, call: Call) -> None:
        """Raise what the kernel raised."""
        status, self._header[STATUS] = int(self._header[STATUS]), 0
        name = getattr(call.kernel, "__name__", "a kernel")
        if status > 0:
            raise _read_exception(int(self._header[RAISED]), name)
        raise SystemError(f"{name} ended with status {status}")


def _read_exception(address: int, name: str) -> BaseException:
    """The exception that numba keeps at an address: pickled, with its arguments."""
    data, length, _, dynamic, _ = struct.unpack("PiPPi4x", ctypes.string_at(address, 40))
    if dynamic:
        return RuntimeError(f"{name} raised an exception")
    kind, arguments, _ = pickle.loads(ctypes.string_at(data, length))
    return kind(*(arguments or ())) if kind is not None else RuntimeError(f"{name} raised an exception")
