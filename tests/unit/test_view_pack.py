"""What the pages' data lose and what not: numbers in, numbers out."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from supple_view.pack import NAN_CODE, Packer, unpack

SHAPES = hnp.array_shapes(min_dims=1, max_dims=3, max_side=7)
NUMBERS = st.floats(-1e6, 1e6, width=32) | st.just(float("nan"))


@settings(deadline=None)
@given(hnp.arrays(np.float32, SHAPES, elements=NUMBERS), st.floats(1e-4, 1e3))
def test_numbers_come_back_within_the_tolerance(values: np.ndarray, tolerance: float) -> None:
    packer = Packer()
    stream = packer.streams[packer.add_within(values, tolerance)]
    back = unpack(stream, packer.blob)
    assert back.shape == values.shape
    np.testing.assert_array_equal(np.isnan(back), np.isnan(values))
    # Beside the tolerance: the last bits of the float32 numbers themselves.
    allowed = tolerance + 2**-22 * np.nan_to_num(np.abs(values))
    assert np.all(np.nan_to_num(np.abs(back - values)) <= allowed)


@settings(deadline=None)
@given(hnp.arrays(np.uint32, SHAPES, elements=st.integers(0, 2**32 - 1)))
def test_whole_numbers_come_back_exactly(values: np.ndarray) -> None:
    packer = Packer()
    np.testing.assert_array_equal(unpack(packer.streams[packer.add_whole(values)], packer.blob), values)


@settings(deadline=None)
@given(
    hnp.arrays(
        np.float32, SHAPES, elements=st.floats(-(2.0**100), 2.0**100, width=32) | st.just(float("nan"))
    )
)
def test_rough_numbers_keep_four_digits_whatever_their_size(values: np.ndarray) -> None:
    packer = Packer()
    back = unpack(packer.streams[packer.add_rough(values)], packer.blob)
    np.testing.assert_allclose(back, values, rtol=2**-16, atol=1e-38)
    assert not (back.view(np.uint32) & 0xFF)[~np.isnan(values)].any()


def test_sixteen_bits_are_used_where_they_are_enough() -> None:
    values = np.linspace(0, 1, 50, dtype=np.float32).reshape(-1, 1)
    packer = Packer()
    kinds = [packer.streams[packer.add_within(values, tolerance)]["kind"] for tolerance in (1e-5, 1e-6)]
    assert kinds == ["u16", "f32"]
    assert 1e-6 < 0.5 / (NAN_CODE - 1) < 1e-5


def test_equal_streams_are_kept_once() -> None:
    packer = Packer()
    cube = np.arange(24.0).reshape(8, 3)
    first = packer.add_exact(cube)
    assert packer.add_exact(cube.copy()) == first
    assert packer.add_exact(cube.reshape(4, 6)) != first
    assert len(packer.blob) == 2 * 4 * 24
