"""Colours: between what a screen shows (sRGB) and light (linear), and the scale that values are shown in."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import FloatArray

#: From low to high: light like skin where nothing is, then ever darker, so that the scale survives a grey print.
_SCALE = np.array(
    [[0.93, 0.80, 0.70], [0.95, 0.68, 0.45], [0.90, 0.48, 0.34],
     [0.76, 0.27, 0.38], [0.53, 0.14, 0.42], [0.27, 0.08, 0.36]]
)  # fmt: skip


def to_linear(colour: ArrayLike) -> FloatArray:
    """Light of an sRGB colour, both from 0 to 1 (IEC 61966-2-1)."""
    value = np.asarray(colour, np.float64)
    return np.where(value <= 0.04045, value / 12.92, ((np.maximum(value, 0.0) + 0.055) / 1.055) ** 2.4)


def to_screen(light: ArrayLike) -> FloatArray:
    """The sRGB colour of light, both from 0 to 1; what is brighter is white."""
    value = np.clip(light, 0.0, 1.0)
    return np.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055)


#: The bytes of the sRGB colours of light in steps of 1 / 4095, which is finer than a byte everywhere but near black.
SCREEN_BYTES = np.round(255 * to_screen(np.arange(4096) / 4095)).astype(np.uint8)


def scale_colours(values: FloatArray, low: float, high: float) -> FloatArray:
    """sRGB colours [n, 3] of values [n] on the scale from `low` to `high`; those beyond take its ends."""
    part = np.clip((np.nan_to_num(values, nan=low) - low) / ((high - low) or 1.0), 0.0, 1.0) * (
        len(_SCALE) - 1
    )
    below = np.minimum(part.astype(np.int64), len(_SCALE) - 2)
    share = (part - below)[..., None]
    return np.asarray((1 - share) * _SCALE[below] + share * _SCALE[below + 1])
