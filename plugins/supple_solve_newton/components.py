"""Settings of the solver."""

from __future__ import annotations

from supple.core.component import component, field


@component
class NewtonSettings:
    """When to stop, in `[run.newton]`."""

    tolerance: float = field(
        default=1e-10, unit="m/s", gt=0, doc="Worst natural-map residual that counts as solved."
    )
    weight_tolerance: float | None = field(
        default=None,
        unit="g h",
        gt=0,
        doc="The same in parts of the speed that gravity gives in a step; takes the place of `tolerance`.",
    )
    relative_tolerance: float = field(
        default=0.0,
        unit="1",
        ge=0,
        doc="Solved as well when the norm of the residual is at most this fraction of the norm of the free velocities.",
    )
    max_rounds: int = field(
        default=7,
        unit="1",
        gt=0,
        doc="Rounds of ever more sweeps, each followed by Newton's method, before giving up.",
    )
    working_set: bool = field(
        default=True,
        unit="",
        doc="Whether large problems whose groups are nearly all coupled are solved by the few that carry force.",
    )
