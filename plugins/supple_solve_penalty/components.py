"""Settings of the solver."""

from __future__ import annotations

from supple.core.component import component, field


@component
class PenaltySettings:
    """Springs and dampers of every contact, in `[run.penalty]`."""

    stiffness: float = field(default=1e5, unit="N/m", gt=0, doc="Normal force per depth.")
    damping: float = field(
        default=1e4, unit="N s/m^2", ge=0, doc="Normal force per depth and speed of approach."
    )
    slope: float = field(
        default=0.1,
        unit="s^2/m",
        gt=0,
        doc="Friction is full from the slip speed step / slope on, and less below.",
    )
    tolerance: float = field(
        default=1e-10,
        unit="m/s",
        gt=0,
        doc="Worst residual of the rows that are no contacts and are solved exactly.",
    )
    max_sweeps: int = field(default=2000, unit="1", gt=0, doc="Sweeps over those rows before giving up.")
