"""Settings of the solver."""

from __future__ import annotations

from typing import Literal

from supple.core.component import component, field


@component
class LemkeSettings:
    """How finely the friction cone is cut, and when it is solved, in `[run.lemke]`."""

    directions: Literal[4, 8] = field(default=8, unit="1", doc="Directions of friction around each contact.")
    tolerance: float = field(
        default=1e-9,
        unit="m/s",
        gt=0,
        doc="Worst residual, with the pyramid for the cone, that counts as solved.",
    )
