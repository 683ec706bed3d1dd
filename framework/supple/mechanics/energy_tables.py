"""The sums of the energy balance, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray


class EnergySums(NamedTuple):
    """What mechanisms and springs add up in a step [J], each [1]; see `solve_sums.ENERGY`."""

    before: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    applied: FloatArray
    stored: FloatArray
    numerical: FloatArray
    given: FloatArray
    late: FloatArray


class EnergyBooks(NamedTuple):
    """What is known of the whole run so far [J], each [1]."""

    initial: FloatArray
    row_work: FloatArray
    applied_work: FloatArray
    numerical_loss: FloatArray
