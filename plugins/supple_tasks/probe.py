"""Whether torques do what they are meant to, by means of which none is used to find them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple_tasks.oracle import find_response, solve_levels

if TYPE_CHECKING:
    from supple_tasks.controller import Controller


def probe_controller(controller: Controller) -> tuple[float, float]:
    """How far accelerations are from what was planned, and what every level lost against the best possible; relative.

    The second is no number in steps in which singular values were softened: then more is left on purpose.
    """
    motion, wishes, answer = controller.motion, controller.wishes, controller.answer
    count = int(motion.counts[0])
    a0, G = find_response(motion.M, motion.h, motion.L[:count], motion.drift[:count], motion.actuated)
    a = a0 + G @ answer.tau[motion.actuated]
    # What was planned: the wishes after their forces were limited, less what was left.
    planned = wishes.J @ answer.a
    inexact = np.abs(wishes.J @ a - planned).max() / (1.0 + np.abs(planned).max())
    if answer.softened.any():
        return float(inexact), np.nan
    wanted, start, levels = planned + answer.left, 0, []
    for end in wishes.end:
        levels.append((wishes.J[start:end], wanted[start:end]))
        start = int(end)
    _, best = solve_levels(a0, G, levels)
    loss, start = 0.0, 0
    for end, least in zip(wishes.end, best, strict=True):
        mine = float(np.linalg.norm(wanted[start:end] - wishes.J[start:end] @ a))
        loss = max(loss, (mine - least) / (1.0 + float(np.linalg.norm(wanted[start:end]))))
        start = int(end)
    return float(inexact), loss
