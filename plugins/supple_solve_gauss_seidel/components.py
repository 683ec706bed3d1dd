"""Settings of the solver."""

from __future__ import annotations

from supple.core.component import component, field


@component
class GaussSeidelSettings:
    """When to stop, in `[run.gauss_seidel]`."""

    tolerance: float = field(
        default=1e-10, unit="m/s", gt=0, doc="Worst natural-map residual that counts as solved."
    )
    weight_tolerance: float | None = field(
        default=None,
        unit="g h",
        gt=0,
        doc="The same in parts of the speed that gravity gives in a step; takes the place of `tolerance`.",
    )
    max_sweeps: int = field(default=5000, unit="1", gt=0, doc="Sweeps over all contacts before giving up.")
