"""Settings of the solver."""

from __future__ import annotations

from supple.core.component import component, field


@component
class ProjectedSettings:
    """When to stop, in `[run.projected_gauss_seidel]`."""

    iterations: int = field(default=200, unit="1", gt=0, doc="Sweeps over all rows, at most.")
    tolerance: float = field(
        default=1e-8,
        unit="m/s",
        gt=0,
        doc="Worst residual, with the box for the cone, that counts as solved.",
    )
    relaxation: float = field(
        default=1.0,
        unit="1",
        gt=0,
        lt=2,
        doc="How far each row moves to its own solution; above 1 is over-relaxation.",
    )
