"""The one loop that takes the time of factors and of solving with them: sums of products of rows of numbers.

Left to itself, the compiler keeps such sums in memory and works at what does not fill its unrolled loops number by
number, which for the short rows of a mesh is most of them. So the innermost loop is written as LLVM's vectors, of a
fixed length that any processor's are cut from or joined to: sums stay in registers. Products and sums are rounded one
after the other everywhere, never fused, so that results do not depend on the machine.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from supple.core.jit import njit, njit_inlined

ROOM = 512
"""Numbers of a row that are made at a time."""
AT_ONCE = 510
"""So many of them are used: rows of vertices, three each, are not torn apart."""
LANES = 8
"""Numbers of a vector. Rows are read up to a multiple of it: whoever keeps rows keeps so many numbers more."""
SUMS = 3
"""Sums that are made side by side, and share what is read of the rows."""


def _make_strip(vectors: int):
    """A function that makes SUMS sums over a strip, `vectors` * LANES numbers wide, of rows."""
    vector, index = ir.VectorType(ir.DoubleType(), LANES), ir.IntType(64)
    every = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    parts = [(e, s) for e in range(SUMS) for s in range(vectors)]

    def emit(context, builder, signature, arguments):
        _, first, stride, terms, _, at, step, side, _, here = arguments

        def point(number, offset):
            array = context.make_array(signature.args[number])(context, builder, arguments[number])
            return builder.gep(array.data, [offset])

        def find(pointer, offset):
            return builder.bitcast(builder.gep(pointer, [offset]), vector.as_pointer())

        def load(pointer, offset):
            return builder.load(find(pointer, offset), align=8)

        def spread(number):
            empty = ir.Constant(vector, ir.Undefined)
            lane = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(lane, empty, every)

        row, weight, target = point(0, first), point(4, at), point(8, here)
        kept = {part: cgutils.alloca_once(builder, vector) for part in parts}
        for part in parts:
            builder.store(ir.Constant(vector, [0.0] * LANES), kept[part])
        with cgutils.for_range(builder, terms) as loop:
            along, beside = builder.mul(loop.index, stride), builder.mul(loop.index, step)
            read = [load(row, builder.add(along, index(s * LANES))) for s in range(vectors)]
            for e in range(SUMS):
                place = builder.add(beside, builder.mul(side, index(e)))
                factor = spread(builder.load(builder.gep(weight, [place])))
                for s in range(vectors):
                    product = builder.fmul(factor, read[s])
                    builder.store(builder.fadd(builder.load(kept[e, s]), product), kept[e, s])
        for e, s in parts:
            builder.store(builder.load(kept[e, s]), find(target, index(e * ROOM + s * LANES)), align=8)
        return context.get_dummy_value()

    def strip(typing, rows, first, stride, terms, weights, at, step, side, sums, here):
        whole = types.int64
        return types.void(rows, whole, whole, whole, weights, whole, whole, whole, sums, whole), emit

    return intrinsic(strip)


_sum_one, _sum_two, _sum_three = _make_strip(1), _make_strip(2), _make_strip(3)


@njit_inlined
def subtract_sum(sums, e, count, numbers, target):
    """numbers[target + i] -= sum e."""
    part, goal = sums[e * ROOM : e * ROOM + count], numbers[target : target + count]
    for i in range(count):
        goal[i] -= part[i]


@njit
def sum_products(rows, first, stride, count, terms, weights, at, step, side, sums_out):
    """sums_out[ROOM e + i] = sum over k < terms of weights[at + step k + side e] rows[first + stride k + i].

    e < SUMS, i < count <= ROOM. What follows the sums, up to a multiple of LANES, is of no use.
    """
    i = 0
    while i + 2 * LANES < count:
        _sum_three(rows, first + i, stride, terms, weights, at, step, side, sums_out, i)
        i += 3 * LANES
    if i + LANES < count:
        _sum_two(rows, first + i, stride, terms, weights, at, step, side, sums_out, i)
    elif i < count:
        _sum_one(rows, first + i, stride, terms, weights, at, step, side, sums_out, i)
