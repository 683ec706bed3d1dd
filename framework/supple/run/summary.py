"""The object that `supple run --json` prints, and that the closing table shows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from supple.core.world import World
from supple.errors import Problem, UserError, suggest

if TYPE_CHECKING:
    from supple.scene.claims_tables import Expectation

ENERGY = {
    "initial": "energy_initial",
    "kinetic": "kinetic_energy",
    "potential": "potential_energy",
    "contact_work": "contact_work",
    "applied_work": "applied_work",
    "unaccounted": "energy_unaccounted",
}


def summarise(world: World, *, wall: float, startup: float, versions: dict[str, Any]) -> dict[str, Any]:
    """The summary of a run so far.

    `wall` [s] is the time of all steps but the first, which may have to compile kernels and counts, with
    loading and building, as `startup` [s].
    """
    metrics = world.metrics()
    timed = world.timing.steps * world.blueprint.run.step
    return {
        "scene": world.blueprint.source,
        "variant": world.blueprint.variant,
        "seed": world.blueprint.seed,
        "steps": world.steps,
        "time": world.time,
        "wall": wall,
        "startup": startup,
        "realtime_factor": timed / wall if wall > 0 and timed > 0 else math.nan,
        "solver": world.blueprint.run.solver,
        "residual_worst": metrics.get("run.residual_worst", math.nan),
        "residual_settled": metrics.get("run.residual_settled", math.nan),
        "penetration_worst": metrics.get("run.penetration_worst", math.nan),
        "halved_steps": int(metrics.get("run.halved_steps", 0)),
        "energy": {name: metrics.get(f"run.{metric}", math.nan) for name, metric in ENERGY.items()},
        "metrics": metrics,
        "timings": [
            {"name": one.name, "seconds": one.seconds, "us_per_step": one.microseconds_per_step}
            for one in world.timing.table()
        ],
        "versions": versions,
        "expectations": [],
    }


def check_expectations(expectations: Iterable[Expectation], world: World) -> None:
    """Refuse expectations of metrics that this world does not have, before it is run."""
    known = [bound.key for bound in world.build.metrics]
    problems = [
        Problem(one.where, one.metric, "no metric of this name", suggest(one.metric, known))
        for one in expectations
        if one.metric not in known
    ]
    if problems:
        raise UserError(problems)


def judge_expectations(
    expectations: Iterable[Expectation], metrics: dict[str, float], *, ended: bool = True
) -> list[dict[str, Any]]:
    """The verdict on every expectation; null for a run that did not come to its end."""
    verdicts = []
    for one in expectations:
        value = metrics.get(one.metric, math.nan)
        bounds = {name: getattr(one, name) for name in ("above", "below", "equals", "tolerance")}
        verdicts.append(
            {
                "metric": one.metric,
                "value": value,
                **{name: bound for name, bound in bounds.items() if bound is not None},
                "because": one.because,
                "holds": bool(one.judge(value)) if ended else None,
            }
        )
    return verdicts
