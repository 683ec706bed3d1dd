"""The loop that calls one kernel after the other; see `driver`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from supple.core.jit import njit

#: Columns of an entry: stub, table, what its result means, system, and whether that ends with it.
STUB, TABLE, RESULT, SYSTEM, ENDS = range(5)
COLUMNS = 5
#: What a result means: nothing; a truth value, or an integer, that is not 0 where Python is to go on.
PLAIN, TRUTH, INTEGER = range(3)
#: Words of the header: clock and which, status of the last kernel, what a clock shows, where exceptions are, how often
#: all were called, result.
CLOCK, CLOCK_NAME, STATUS, SECONDS, RAISED, DONE, GIVEN = 0, 1, 2, 3, 5, 6, 7
HEADER = 32
NONE = -2  # status of a kernel that returned nothing


def _call_stub(context: Any, stub: Any, table: Any) -> Any:
    """stub(table), both addresses."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(64)])
        address = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.sext(builder.call(address, [arguments[1]]), ir.IntType(64))

    return types.int64(types.int64, types.int64), generate


call_stub = intrinsic(_call_stub)


def _call_clock(context: Any, clock: Any, name: Any, out: Any) -> Any:
    """clock_gettime(name, out); the first and the last are addresses."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), ir.IntType(64)])
        address = builder.inttoptr(arguments[0], kind.as_pointer())
        which = builder.trunc(arguments[1], ir.IntType(32))
        return builder.sext(builder.call(address, [which, arguments[2]]), ir.IntType(64))

    return types.int64(types.int64, types.int64, types.int64), generate


call_clock = intrinsic(_call_clock)


@njit
def read_clock(header):
    """A moment [ns]; 0 without a clock."""
    if header[CLOCK] == 0:
        return 0
    call_clock(header[CLOCK], header[CLOCK_NAME], header.ctypes.data + 8 * SECONDS)
    return header[SECONDS] * 1000000000 + header[SECONDS + 1]


@njit
def run_calls(header, entries, nanoseconds_inout, times, first):
    """Call the kernels of all entries, so many times, the first time from one on.

    Returns the place of the one behind which Python is to go on, or the number of entries; header[DONE] is how often it
    came to the end. Python is to go on behind one that failed (header[STATUS] is not 0 then), or whose result says so.
    The time that each system took is added to its nanoseconds.
    """
    started, last = read_clock(header), entries.shape[0]
    for done in range(times):
        for k in range(first, last):
            entry = entries[k]
            status = call_stub(entry[STUB], entry[TABLE])
            if status != 0 and status != NONE:
                header[STATUS], header[DONE] = status, done
                return k
            if entry[ENDS]:
                now = read_clock(header)
                nanoseconds_inout[entry[SYSTEM]] += now - started
                started = now
            meaning = entry[RESULT]
            if meaning != PLAIN:
                given = header[GIVEN]
                if meaning == TRUTH:
                    given &= 255
                if given != 0:
                    header[STATUS], header[DONE] = 0, done
                    return k
        first = 0
    header[DONE] = times
    return last
