"""W as a product B B^T over bodies: what solvers that eliminate in the space of the bodies look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

import numpy as np

from supple.core.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from supple.mechanics.mechanism import Mechanism

WIDTH: Final = 6


class Roots(NamedTuple):
    """Blocks of B = J A^(-1/2): block k has the rows of group[k] and the freedoms of unit[k]; they add up."""

    counts: IntArray  # [1] blocks in use
    group: IntArray
    unit: IntArray
    values: FloatArray  # [capacity, 3, 6]


@runtime_checkable
class RootedMechanism(Protocol):
    """A mechanism whose A is a diagonal of 6 x 6 blocks, one for every unit."""

    def list_roots(self, roots: Roots) -> None:
        """Fill in the blocks of J A^(-1/2) of the step."""
        ...


class RootSource:
    """The roots of the step's W, listed when asked for."""

    def __init__(self, mechanism: Mechanism) -> None:
        capacity = mechanism.jacobian.capacity
        self.unit_count = mechanism.unit_count
        self._mechanism = mechanism
        self._roots = Roots(
            counts=np.zeros(1, np.int64), group=np.zeros(capacity, np.int64), unit=np.zeros(capacity, np.int64),
            values=np.zeros((capacity, 3, WIDTH)),
        )  # fmt: skip

    def list(self) -> Roots:
        """The roots of the rows that are assembled now."""
        assert isinstance(self._mechanism, RootedMechanism)
        self._mechanism.list_roots(self._roots)
        return self._roots


def find_root_source(mechanisms: Sequence[Mechanism]) -> RootSource | None:
    """Whoever knows the roots of the whole W: the only mechanism, if it has them."""
    if len(mechanisms) == 1 and isinstance(mechanisms[0], RootedMechanism):
        return RootSource(mechanisms[0])
    return None
