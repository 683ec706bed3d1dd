"""Settings of contact rows."""

from __future__ import annotations

from supple.core.component import component, field


@component
class Contact:
    """How contacts resist, in `[run.contact]`."""

    recovery: float = field(
        default=0.2, unit="1", ge=0, le=1, doc="Part of a penetration that is taken back within one step."
    )
    recovery_speed: float = field(
        default=1.0, unit="m/s", ge=0, doc="Greatest speed of taking a penetration back."
    )
    bounce_speed: float = field(
        default=0.05,
        unit="m/s",
        ge=0,
        doc="Approach slower than this does not bounce, so that things come to rest.",
    )
