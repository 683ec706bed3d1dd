"""Tolerances in the scale of a scene: parts of the speed that gravity gives in a step, g h."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from supple.core.settings import Run
from supple.errors import Problem, UserError


def find_weight_speed(run: Run) -> float:
    """The speed g h [m/s] that gravity gives in a step, the scale of what rests; zero without gravity."""
    return math.hypot(*run.gravity) * run.step


def scale_tolerance(name: str, settings: Any, run: Run) -> Any:
    """Settings of the solver `name`, with the `tolerance` in m/s that their `weight_tolerance` is, if they have one."""
    part = getattr(settings, "weight_tolerance", None)
    if part is None:
        return settings
    speed = find_weight_speed(run)
    if speed == 0.0:
        what = "is a part of the speed that gravity gives in a step, and there is no gravity"
        raise UserError(
            Problem(None, f"run.{name}.weight_tolerance", what, f"give run.{name}.tolerance [m/s]")
        )
    return replace(settings, tolerance=part * speed)
