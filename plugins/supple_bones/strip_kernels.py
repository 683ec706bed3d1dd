"""Sums over columns of rows that stand side by side, as LLVM's vectors.

Left to itself the compiler makes these sums number by number. Here a vector of them stays in registers while the
columns go by. Products and sums are rounded one after the other, never fused, so that results do not depend on the
machine, and are those of a plain loop to the bit.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
"""Numbers of a vector. Whoever keeps rows and sums keeps so many numbers more."""
SUMS = 3


def _make_strip(vectors: int):
    """A function that makes SUMS sums, `vectors` * LANES numbers wide each."""
    vector, index = ir.VectorType(ir.DoubleType(), LANES), ir.IntType(64)
    every = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    parts = [(e, s) for e in range(SUMS) for s in range(vectors)]

    def emit(context, builder, signature, arguments):
        _, _, _, terms, here, _, room = arguments

        def point(number):
            return context.make_array(signature.args[number])(context, builder, arguments[number]).data

        def find(pointer, offset):
            return builder.bitcast(builder.gep(pointer, [offset]), vector.as_pointer())

        def spread(number):
            empty = ir.Constant(vector, ir.Undefined)
            lane = builder.insert_element(empty, number, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(lane, empty, every)

        rows, places, weights, sums = point(0), point(1), point(2), point(5)
        kept = {part: cgutils.alloca_once(builder, vector) for part in parts}
        for part in parts:
            builder.store(ir.Constant(vector, [0.0] * LANES), kept[part])
        with cgutils.for_range(builder, terms) as loop:
            start = builder.add(builder.load(builder.gep(places, [loop.index])), here)
            read = [
                builder.load(find(rows, builder.add(start, index(s * LANES))), align=8) for s in range(vectors)
            ]
            for e in range(SUMS):
                place = builder.add(builder.mul(loop.index, index(SUMS)), index(e))
                weight = spread(builder.load(builder.gep(weights, [place])))
                for s in range(vectors):
                    product = builder.fmul(weight, read[s])
                    builder.store(builder.fadd(builder.load(kept[e, s]), product), kept[e, s])
        for e, s in parts:
            place = builder.add(builder.mul(room, index(e)), builder.add(here, index(s * LANES)))
            builder.store(builder.load(kept[e, s]), find(sums, place), align=8)
        return context.get_dummy_value()

    def strip(typing, rows, places, weights, terms, here, sums, room):
        """sums[room e + here + i] = sum over k < terms of weights[k, e] rows[places[k] + here + i]."""
        return types.void(rows, places, weights, types.int64, types.int64, sums, types.int64), emit

    return intrinsic(strip)


sum_one_vector, sum_two_vectors = _make_strip(1), _make_strip(2)
