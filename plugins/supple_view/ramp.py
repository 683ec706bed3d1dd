"""The colours of values from low to high, sRGB from 0 to 1: those of pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RAMP = [
    [0.20, 0.16, 0.42], [0.19, 0.36, 0.62], [0.16, 0.55, 0.63], [0.35, 0.72, 0.52], [0.76, 0.84, 0.40], [1.0, 0.93, 0.55]
]  # fmt: skip


def colour_values(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Colours [n, 3] of values [n]."""
    part = np.clip((np.nan_to_num(values, nan=low) - low) / ((high - low) or 1.0), 0.0, 1.0)
    stops = np.linspace(0.0, 1.0, len(RAMP))
    return np.stack([np.interp(part, stops, column) for column in np.array(RAMP).T], axis=-1)
