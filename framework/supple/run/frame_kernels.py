"""Keeping frames: many small arrays are copied in one call, by their addresses."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import njit


class FrameTables(NamedTuple):
    """Where the arrays of a frame are and where they are kept. All of them hold words of 8 bytes.

    fixed   [n, 3]  address, words, and where the block of frames begins
    counts  [c]     addresses of the numbers of rows in use
    ragged  [m, 6]  address, words of a row, which count, where rows are kept, rows in use there, and room for them
    """

    fixed: IntArray
    counts: IntArray
    ragged: IntArray


def _copy_words(context: Any, target: Any, source: Any, count: Any) -> Any:
    """Copies words from one address to another."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        byte, word = ir.IntType(8).as_pointer(), ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [byte, byte, word, ir.IntType(1)])
        copy = builder.module.declare_intrinsic("llvm.memcpy", [byte, byte, word], kind)
        target, source = (builder.inttoptr(address, byte) for address in arguments[:2])
        size = builder.mul(arguments[2], ir.Constant(word, 8))
        builder.call(copy, [target, source, size, ir.Constant(ir.IntType(1), 0)])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


def _move_words(target: int, source: int, count: int) -> None:
    """The same where nothing is compiled."""
    ctypes.memmove(int(target), int(source), 8 * int(count))


copy_words = _move_words if config.DISABLE_JIT else intrinsic(_copy_words)


#: Columns of `Keeping.state`: frames that are held, at most, the last step that was kept, steps from frame to frame.
HELD, MOST, LAST, EVERY = range(4)


class Keeping(NamedTuple):
    """What is kept besides arrays: steps and times of the frames that are held, and rows of each count; and state."""

    state: IntArray
    steps: IntArray
    times: FloatArray
    lengths: IntArray


@njit
def is_due(state, step):
    """Whether this step is a frame that is not kept yet."""
    return step % state[EVERY] == 0 and step > state[LAST]


@njit
def keep_when_due(tables: FrameTables, keeping: Keeping, step, part, time):
    """Keep the step that was just taken, if it is a frame; returns whether there is no room for it."""
    state = keeping.state
    if part[0] != 0 or not is_due(state, step[0]):
        return False
    held = state[HELD]
    if held >= state[MOST] or keep_frame(tables, keeping.lengths, held):
        return True
    keeping.steps[held], keeping.times[held] = step[0], time[0]
    state[HELD], state[LAST] = held + 1, step[0]
    return False


@njit
def keep_frame(tables: FrameTables, lengths_out, held):
    """Copies all arrays as frame `held`; returns whether there is no room for rows, and nothing was copied then."""
    fixed, counts, ragged = tables.fixed, tables.counts, tables.ragged
    for c in range(counts.shape[0]):
        copy_words(lengths_out.ctypes.data + 8 * (c * lengths_out.shape[1] + held), counts[c], 1)
    for m in range(ragged.shape[0]):
        if ragged[m, 4] + lengths_out[ragged[m, 2], held] > ragged[m, 5]:
            return True
    for n in range(fixed.shape[0]):
        copy_words(fixed[n, 2] + 8 * held * fixed[n, 1], fixed[n, 0], fixed[n, 1])
    for m in range(ragged.shape[0]):
        rows = lengths_out[ragged[m, 2], held]
        copy_words(ragged[m, 3] + 8 * ragged[m, 4] * ragged[m, 1], ragged[m, 0], rows * ragged[m, 1])
        ragged[m, 4] += rows
    return False
