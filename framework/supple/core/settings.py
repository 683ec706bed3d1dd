"""The `[run]` table of a scene."""

from __future__ import annotations

import math
from typing import Final, Literal

from supple.core.component import Vector, component, field

ON_TIME: Final = 1e-9
"""Part of a step by which a time may miss the step's start and still belong to it, for round-off."""
NEVER: Final = 2**62
"""The number of a step that does not come."""
MOST_ROOM: Final = 1 << 20
"""Room for contacts beyond which a world makes no more: by then something else is wrong."""
MOST_STEPS: Final = 10**12
"""More steps than any machine takes."""


@component
class Capacity:
    """How many of the things whose number changes from step to step there is room for."""

    contacts: int = field(
        default=0,
        unit="1",
        doc="Contacts, joints and limits at once; 0 begins with what the scene is likely to need, and makes more room.",
        ge=0,
        le=MOST_ROOM,
    )


@component
class Ending:
    """What ends a run before its duration: a metric that is, at the end of a step, beyond one of these bounds."""

    metric: str = field(unit="", doc="The metric, as `supple run` lists it: walker.upright.", min_length=1)
    above: float | None = field(default=None, unit="SI", doc="The run ends once the metric is greater.")
    below: float | None = field(default=None, unit="SI", doc="The run ends once the metric is less.")

    def __post_init__(self) -> None:
        if self.above is None and self.below is None:
            raise ValueError("neither above nor below; give the bound that ends the run")

    def is_met(self, value: float) -> bool:
        """Whether the run is over; never by what was not measured (nan)."""
        too_great = self.above is not None and value > self.above
        return too_great or (self.below is not None and value < self.below)


@component
class Run:
    """How a scene is advanced."""

    step: float = field(unit="s", doc="Length of a time step.", gt=0, le=1)
    duration: float = field(unit="s", doc="Simulated time of the whole run.", gt=0)
    gravity: Vector = field(
        default=(0.0, -9.81, 0.0), unit="m/s^2", doc="Acceleration of free fall; y points up."
    )
    solver: str = field(default="newton", unit="", doc="Name of the solver of the constraint problem.")
    warm_start: Literal["pairs", "neighbours", "none", "ones", "random"] = field(
        default="pairs", unit="",
        doc="Impulses that a solve begins with: those of the same rows in the last step, led on by their last change "
        "while that foretells the next, for new contacts also those of the nearest contact that ended, or, to see "
        "that they do not matter: zero, 1 N s, random ones.",
    )  # fmt: skip
    halvings: int = field(
        default=3, unit="1", ge=0, le=16,
        doc="How often a step that cannot be solved or computed is tried again with half of its length; 0: never.",
    )  # fmt: skip
    allowed_residual: float = field(
        default=1e-5,
        unit="m/s",
        gt=0,
        doc="A step with a greater residual is unsolved, and the report says so.",
    )
    allowed_failures: int = field(
        default=0, unit="1", ge=0,
        doc="Steps that are unsolved, or in which things are deep in each other, beyond which a run has failed "
        "(exit code 3).",
    )  # fmt: skip
    allowed_joint_error: float = field(
        default=0.005, unit="m", gt=0, doc="A run in which a joint comes apart by more says so at its end."
    )
    fastest: float = field(
        default=1e6, unit="m/s, rad/s", gt=0, doc="Speed beyond which a run has run away and is stopped."
    )
    farthest: float = field(
        default=1e6,
        unit="m",
        gt=0,
        doc="Distance from the origin beyond which a run has run away and is stopped.",
    )
    ends: Ending | None = field(
        default=None, unit="", doc="What ends the run before its duration: `{ metric = ..., below = ... }`."
    )
    seed: int = field(default=0, unit="1", doc="Seed of all noise; --seed overrides it.", ge=0)
    smoke: int = field(default=50, unit="1", doc="Steps of a quick check that the scene runs at all.", gt=0)
    capacity: Capacity = field(default=Capacity(), unit="", doc="Room for things whose number changes.")

    def __post_init__(self) -> None:
        if self.duration / self.step > MOST_STEPS:
            raise ValueError(f"{self.duration / self.step:.1g} steps of {self.step:g} s; take longer ones")

    @property
    def steps(self) -> int:
        """The number of steps of the whole run."""
        return max(1, round(self.duration / self.step))

    def step_at(self, time: float) -> int:
        """The first step that begins at or after this time [s]."""
        return min(math.ceil(time / self.step - ON_TIME), NEVER)

    @property
    def settled_from(self) -> int:
        """The first step of the last fifth of the run."""
        return self.steps - max(1, self.steps // 5)
