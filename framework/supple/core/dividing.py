"""What becomes of a step that fails, or that nobody should rely on: it is taken in parts.

A step that cannot be computed is given up if its parts cannot be computed either. One that is only doubtful
(`DoubtfulStepError`) is then taken as it comes out, and whoever doubted it has said so in the books of the run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from supple.core.arrays import Array
from supple.core.clock import VAIN
from supple.core.stepper import FURTHER, Stepper
from supple.errors import CapacityError, DoubtfulStepError, SimulationError, StrayedStepError

#: Of what was wrong with a step, or with the parts before: where parts leave more, shorter ones are not tried.
BETTER = 0.5


def divide_step(stepper: Stepper, error: SimulationError) -> CapacityError | None:
    """Take the step that failed in ever more parts; raises the error if it must be given up, in the state before it.

    Returns what it wanted room for, if it was not taken for that.
    """
    arrays, halvings = stepper.arrays, stepper.build.run.halvings
    kept, done = arrays.keep(), False
    counted = {name: arrays[name].item(0) for name in stepper.build.step_counters}
    doubtful, worst = ([0], error.measure) if isinstance(error, DoubtfulStepError) else ([], math.nan)
    strayed: list[int] = []
    try:
        for level in range(1, halvings + FURTHER + 1 if halvings else 1):
            try:
                stepper.run_parts(2**level)
            except CapacityError as cramped:
                return cramped
            except SimulationError as again:
                arrays.put_back(kept)
                if isinstance(again, DoubtfulStepError):
                    doubtful.append(level)
                    if again.measure >= BETTER * worst:
                        break
                    worst = again.measure
                if level >= halvings:
                    if not isinstance(again, StrayedStepError):
                        break
                    strayed.insert(0, level)
            else:
                done = True
                break
        done = done or _take_doubtful(stepper, strayed, kept)
        in_vain = not done
        done = done or _take_doubtful(stepper, doubtful, kept)
        for name, before in counted.items():
            _set(stepper, name, min(before + 1, arrays[name].item(0)) if done else before)
        if done and doubtful:
            _set(stepper, VAIN, max(0, arrays[VAIN].item(0) + (1 if in_vain else -1)))
    finally:
        if not done:
            arrays.put_back(kept)
        if halvings or doubtful:
            stepper.bind()
    if not done:
        raise error
    return None


def _take_doubtful(stepper: Stepper, levels: Sequence[int], kept: tuple[Array, Array]) -> bool:
    """Take the step as it comes out in 2^level parts, in the first way that goes; whether there is one."""
    for level in levels:
        try:
            stepper.run_parts(2**level, trusting=True)
        except SimulationError:
            stepper.arrays.put_back(kept)
        else:
            return True
    return False


def _set(stepper: Stepper, name: str, value: float) -> None:
    """Give a State array of one element its value."""
    stepper.arrays.set_state(name, (), np.array([value]))
