"""Which rate to ask for now, so that a quantity gets where it should be; and weights that come and go."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray


def follow(now: FloatArray, target: FloatArray, gain: float, rate: FloatArray | float = 0.0) -> FloatArray:
    """Rate towards a target that moves at `rate`: rate + gain (target - now). A gain of 1/h arrives in one step."""
    wanted: FloatArray = rate + gain * (np.asarray(target) - now)
    return wanted


def follow_momentum(
    momentum: FloatArray,
    mass: float,
    centre: FloatArray,
    target: FloatArray,
    stiffness: float,
    damping: float,
    h: float,
) -> FloatArray:
    """L at the end of the step for Ldot = m K_p (c* - c) - K_d L."""
    change = mass * stiffness * (np.asarray(target) - centre) - damping * momentum
    wanted: FloatArray = momentum + h * change
    return wanted


def turn_to(rotation: FloatArray, target: FloatArray, gain: float) -> FloatArray:
    """Angular velocity [rad/s] that turns rotation [3, 3] towards target [3, 3], about the axis between them."""
    difference = np.asarray(target) @ rotation.T
    axis = np.array(
        [
            difference[2, 1] - difference[1, 2],
            difference[0, 2] - difference[2, 0],
            difference[1, 0] - difference[0, 1],
        ]
    )
    sine, cosine = 0.5 * float(np.linalg.norm(axis)), 0.5 * (float(np.trace(difference)) - 1.0)
    angle = float(np.arctan2(sine, cosine))
    if sine > 1e-6:
        return gain * angle * axis / (2.0 * sine)
    if cosine > 0.0:
        return gain * 0.5 * axis
    # Half a turn: the axis is in difference + 1 = 2 axis axis'.
    column = int(np.argmax(np.diag(difference)))
    along = difference[:, column] + np.eye(3)[column]
    half: FloatArray = gain * angle * along / np.linalg.norm(along)
    return half


def fade(time: float, begin: float, end: float, ramp: float = 0.0) -> float:
    """A weight that is 1 from begin to end and 0 before and after; it rises and falls within `ramp` [s], smoothly."""
    if ramp <= 0.0:
        return float(begin <= time < end)
    share = min(max(min(time - begin, end - time) / ramp, 0.0), 1.0)
    return share * share * (3.0 - 2.0 * share)
