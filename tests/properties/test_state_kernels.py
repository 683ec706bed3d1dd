"""Looking for numbers that are not finite, and committing, against numpy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from supple.core.state_kernels import copy_rows, is_any_infinite

TABLES = arrays.arrays(
    np.float64, st.tuples(st.integers(0, 9), st.integers(1, 5)), elements=st.floats(allow_subnormal=True)
)


@given(TABLES, st.integers(0, 9))
def test_only_rows_in_use_must_be_finite(table: np.ndarray, used: int) -> None:
    used = min(used, len(table))
    found = is_any_infinite(np.array([used]), table.shape[1], table.reshape(-1).view(np.int64))
    assert bool(found) != bool(np.isfinite(table[:used]).all())


@given(TABLES, st.integers(0, 9))
def test_only_rows_in_use_are_copied(table: np.ndarray, used: int) -> None:
    used = min(used, len(table))
    target = np.full_like(table, 7.0)
    copy_rows(np.array([used]), table.shape[1], table.reshape(-1), target.reshape(-1))
    assert target[:used].tobytes() == table[:used].tobytes()
    assert (target[used:] == 7.0).all()
