"""Inner loops that are written as LLVM's vectors.

Left to itself the compiler keeps sums in memory, asks whether arrays overlap, and works number by number at what does
not fill its unrolled loops, which for the short rows of a step is most of them. Products and sums are rounded one after
the other, never fused, so that results do not depend on the machine, and are those of a plain loop to the bit.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8
"""Numbers of a vector. Whoever keeps rows and sums, or reflects columns, keeps so many numbers more."""
SUMS = 3

_DOUBLE, _INDEX, _PLACE = ir.DoubleType(), ir.IntType(64), ir.IntType(32)


class _Builder:
    """What the functions below are put together from."""

    def __init__(self, context, builder, signature, arguments, lanes: int = LANES) -> None:
        self.context, self.builder = context, builder
        self.signature, self.arguments = signature, arguments
        self.vector = ir.VectorType(_DOUBLE, lanes)

    def point(self, number: int):
        """Where the numbers of an array begin."""
        array = self.context.make_array(self.signature.args[number])
        return array(self.context, self.builder, self.arguments[number]).data

    def find(self, pointer, offset):
        """The address of a vector."""
        place = self.builder.gep(pointer, [offset])
        return self.builder.bitcast(place, self.vector.as_pointer())

    def load(self, pointer, offset):
        """A vector of numbers."""
        return self.builder.load(self.find(pointer, offset), align=8)

    def store(self, value, pointer, offset) -> None:
        """Write a vector of numbers."""
        self.builder.store(value, self.find(pointer, offset), align=8)

    def spread(self, number):
        """The same number in all places."""
        empty = ir.Constant(self.vector, ir.Undefined)
        lane = self.builder.insert_element(empty, number, ir.Constant(_PLACE, 0))
        return self.builder.shuffle_vector(
            lane, empty, ir.Constant(ir.VectorType(_PLACE, self.vector.count), [0] * self.vector.count)
        )


def _make_strip(vectors: int, even: bool = False):
    """A function that makes SUMS sums, `vectors` * LANES numbers wide each; `even` rows lie at equal distances."""
    parts = [(e, s) for e in range(SUMS) for s in range(vectors)]

    def emit(context, builder, signature, arguments):
        make = _Builder(context, builder, signature, arguments)
        _, stride, _, terms, here, _, room = arguments
        rows, weights, sums = make.point(0), make.point(2), make.point(5)
        places = None if even else make.point(1)
        kept = {part: cgutils.alloca_once(builder, make.vector) for part in parts}
        for part in parts:
            builder.store(ir.Constant(make.vector, [0.0] * LANES), kept[part])
        with cgutils.for_range(builder, terms) as loop:
            k = loop.index
            place = builder.mul(k, stride) if even else builder.load(builder.gep(places, [k]))
            start = builder.add(place, here)
            read = [make.load(rows, builder.add(start, _INDEX(s * LANES))) for s in range(vectors)]
            for e in range(SUMS):
                place = builder.add(builder.mul(loop.index, _INDEX(SUMS)), _INDEX(e))
                weight = make.spread(builder.load(builder.gep(weights, [place])))
                for s in range(vectors):
                    product = builder.fmul(weight, read[s])
                    builder.store(builder.fadd(builder.load(kept[e, s]), product), kept[e, s])
        for e, s in parts:
            place = builder.add(builder.mul(room, _INDEX(e)), builder.add(here, _INDEX(s * LANES)))
            make.store(builder.load(kept[e, s]), sums, place)
        return context.get_dummy_value()

    def strip(typing, rows, places, weights, terms, here, sums, room):
        """sums[room e + here + i] = sum over k < terms of weights[k, e] rows[places[k] + here + i].

        Of even rows `places` is their distance: places[k] is k times that.
        """
        where = types.int64 if even else places
        return types.void(rows, where, weights, types.int64, types.int64, sums, types.int64), emit

    return intrinsic(strip)


sum_one_vector, sum_two_vectors = _make_strip(1), _make_strip(2)
sum_one_even, sum_two_even = _make_strip(1, even=True), _make_strip(2, even=True)


def _subtract_row(typing, numbers, target, source, count, ratio):
    """numbers[target + i] -= ratio numbers[source + i], i < count rounded up to a multiple of LANES."""

    def emit(context, builder, signature, arguments):
        make = _Builder(context, builder, signature, arguments)
        _, goal, origin, length, factor = arguments
        data, factor = make.point(0), make.spread(factor)
        with cgutils.for_range_slice(builder, _INDEX(0), length, _INDEX(LANES)) as (i, _):
            product = builder.fmul(factor, make.load(data, builder.add(origin, i)))
            place = builder.add(goal, i)
            make.store(builder.fsub(make.load(data, place), product), data, place)
        return context.get_dummy_value()

    return types.void(numbers, types.int64, types.int64, types.int64, types.float64), emit


subtract_row = intrinsic(_subtract_row)


def _make_update(terms: int, rows: int):
    """Take a sum of `terms` products from each of `rows` rows; what is read of the other rows serves all of them."""

    def emit(context, builder, signature, arguments):
        make = _Builder(context, builder, signature, arguments)
        _, target, distance, source, stride, count = arguments
        data, goals, ratios = make.point(0), [target], []
        for _ in range(rows - 1):
            goals.append(builder.add(goals[-1], distance))
        for goal in goals:
            before = [builder.add(goal, _INDEX(k - terms)) for k in range(terms)]
            ratios.append([make.spread(builder.load(builder.gep(data, [place]))) for place in before])
        origins = [source]
        for _ in range(terms - 1):
            origins.append(builder.add(origins[-1], stride))
        with cgutils.for_range_slice(builder, _INDEX(0), count, _INDEX(LANES)) as (i, _):
            totals: list = [None] * rows
            for k, origin in enumerate(origins):
                read = make.load(data, builder.add(origin, i))
                for r in range(rows):
                    product = builder.fmul(ratios[r][k], read)
                    totals[r] = builder.fadd(totals[r], product) if k else product
            for goal, total in zip(goals, totals, strict=True):
                place = builder.add(goal, i)
                make.store(builder.fsub(make.load(data, place), total), data, place)
        return context.get_dummy_value()

    def update(typing, numbers, target, distance, source, stride, count):
        """numbers[goal + i] -= sum over k < terms of numbers[goal - terms + k] numbers[source + k stride + i].

        For i < count rounded up to a multiple of LANES, and goal = target, target + distance, ... for every row.
        """
        return types.void(numbers, *[types.int64] * 5), emit

    return intrinsic(update)


update_two_by_six = _make_update(6, 2)


def _make_six(adds: bool):
    """Six numbers of one array to six of another."""

    def emit(context, builder, signature, arguments):
        make = _Builder(context, builder, signature, arguments, 6)
        _, target, _, source = arguments
        goal, value = make.point(0), make.load(make.point(2), source)
        if adds:
            value = builder.fadd(make.load(goal, target), value)
        make.store(value, goal, target)
        return context.get_dummy_value()

    def six(typing, numbers, target, others, source):
        """numbers[target + i] = or += others[source + i], i < 6; places are those of flat arrays."""
        return types.void(numbers, types.int64, others, types.int64), emit

    return intrinsic(six)


copy_six, add_six = _make_six(False), _make_six(True)


def _add_three_sixes(typing, numbers, target, others, source, a, b, c):
    """numbers[target + i] += a others[source + i] + b others[source + 6 + i] + c others[source + 12 + i], i < 6."""

    def emit(context, builder, signature, arguments):
        make = _Builder(context, builder, signature, arguments, 6)
        _, target, _, source, *weights = arguments
        goal, rows, total = make.point(0), make.point(2), None
        for k, weight in enumerate(weights):
            read = make.load(rows, builder.add(source, _INDEX(6 * k)))
            product = builder.fmul(make.spread(weight), read)
            total = product if total is None else builder.fadd(total, product)
        make.store(builder.fadd(make.load(goal, target), total), goal, target)
        return context.get_dummy_value()

    places = (numbers, types.int64, others, types.int64)
    return types.void(*places, *[types.float64] * 3), emit


add_three_sixes = intrinsic(_add_three_sixes)


def _make_reflection(vectors: int):
    """A reflection of `vectors` * LANES columns of a matrix; their sums stay in registers."""

    def emit(context, builder, signature, arguments):
        make = _Builder(context, builder, signature, arguments)
        _, _, first, terms, start, stride = arguments
        weights, numbers = make.point(0), make.point(1)
        sums = [cgutils.alloca_once(builder, make.vector) for _ in range(vectors)]
        for each in sums:
            builder.store(ir.Constant(make.vector, [0.0] * LANES), each)

        def find(index, s):
            place = builder.add(start, builder.mul(index, stride))
            return builder.add(place, _INDEX(s * LANES))

        def weigh(index):
            return make.spread(builder.load(builder.gep(weights, [builder.add(first, index)])))

        with cgutils.for_range(builder, terms) as loop:
            weight = weigh(loop.index)
            for s, each in enumerate(sums):
                product = builder.fmul(weight, make.load(numbers, find(loop.index, s)))
                builder.store(builder.fadd(builder.load(each), product), each)
        total = [builder.load(each) for each in sums]
        with cgutils.for_range(builder, terms) as loop:
            weight = weigh(loop.index)
            for s, each in enumerate(total):
                place = find(loop.index, s)
                value = builder.fsub(make.load(numbers, place), builder.fmul(weight, each))
                make.store(value, numbers, place)
        return context.get_dummy_value()

    def reflection(typing, weights, numbers, first, terms, start, stride):
        """With v = weights[first : first + terms]: numbers[start + k stride + i] -= v[k] (v . numbers[.. + i])."""
        return types.void(weights, numbers, types.int64, types.int64, types.int64, types.int64), emit

    return intrinsic(reflection)


reflect_one_vector, reflect_two_vectors, reflect_three_vectors, reflect_four_vectors = (
    _make_reflection(vectors) for vectors in range(1, 5)
)
