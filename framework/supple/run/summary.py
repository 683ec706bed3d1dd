"""The object that `supple run --json` prints, and that the closing table shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from supple.core.beginning import as_plain
from supple.core.world import World
from supple.errors import Problem, UserError, suggest
from supple.mechanics.rescue import is_approximate
from supple.mechanics.weight import find_weight_speed, scale_tolerance

if TYPE_CHECKING:
    from supple.scene.claims_tables import Expectation

ENERGY = {
    "initial": "energy_initial",
    "kinetic": "kinetic_energy",
    "potential": "potential_energy",
    "stored": "stored_energy",
    "contact_work": "contact_work",
    "applied_work": "applied_work",
    "numerical_loss": "numerical_loss",
    "unaccounted": "energy_unaccounted",
}


def summarise(world: World, *, wall: float, startup: float, versions: dict[str, Any]) -> dict[str, Any]:
    """The summary of a run so far.

    `wall` [s] is the time of all steps but the first, which may have to compile kernels and counts, with
    loading and building, as `startup` [s].
    """
    metrics, times = world.metrics(), world.metric_times()
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
        "residual_asked": describe_tolerance(world, metrics),
        "penetration_worst": metrics.get("run.penetration_worst", math.nan),
        "residual_worst_at": times.get("run.residual_worst", math.nan),
        "penetration_worst_at": times.get("run.penetration_worst", math.nan),
        "joint_error_worst": metrics.get("run.joint_error_worst", math.nan),
        "joint_error_worst_at": times.get("run.joint_error_worst", math.nan),
        "joint_error_allowed": world.blueprint.run.allowed_joint_error,
        "unsolved": describe_unsolved(world, metrics),
        "halved_steps": _count(metrics, "run.halved_steps"),
        "deep_steps": _count(metrics, "run.deep_steps"),
        "headlines": find_headlines(world, metrics, times),
        "energy": {name: metrics.get(f"run.{metric}", math.nan) for name, metric in ENERGY.items()},
        "metrics": metrics,
        "timings": [
            {"name": one.name, "seconds": one.seconds, "us_per_step": one.microseconds_per_step}
            for one in world.timing.table()
        ],
        "called_from_python": world.refused_kernel,
        "versions": versions,
        "warnings": [as_plain(each) for each in world.warnings()],
        "troubles": [],
        "expectations": [],
    }


def describe_tolerance(world: World, metrics: Mapping[str, float]) -> dict[str, float]:
    """What the solver was asked for: m/s, and the share of the free velocities that is enough as well.

    `weight_tolerance` and `of_weight` are the tolerance and the worst residual in parts of the speed that gravity gives
    in a step, the scale of what rests.
    """
    run = world.blueprint.run
    settings = scale_tolerance(run.solver, world.blueprint.settings.get(run.solver), run)
    weight = find_weight_speed(run)
    worst = metrics.get("run.residual_worst", math.nan)
    tolerance = float(getattr(settings, "tolerance", math.nan))
    return {
        "tolerance": tolerance,
        "relative_tolerance": float(getattr(settings, "relative_tolerance", 0.0)),
        "weight_tolerance": tolerance / weight if weight > 0 else math.nan,
        "of_weight": worst / weight if weight > 0 else math.nan,
    }


def describe_unsolved(world: World, metrics: Mapping[str, float]) -> dict[str, Any]:
    """How many steps stayed unsolved, and by what measure. `approximate`: the solver is not meant to be exact."""
    run = world.blueprint.run
    return {
        "steps": _count(metrics, "run.unsolved_steps"),
        "allowed": run.allowed_failures,
        "residual_allowed": run.allowed_residual,
        "approximate": is_approximate(world.registry.solvers[run.solver].load())
        if run.solver in world.registry.solvers
        else False,
    }


def _count(metrics: Mapping[str, float], name: str) -> int:
    """A metric that counts. Nothing was measured in a run that was stopped, or failed, before its first step."""
    value = metrics.get(name, 0.0)
    return 0 if math.isnan(value) else int(value)


def find_headlines(
    world: World, metrics: Mapping[str, float], times: Mapping[str, float]
) -> list[dict[str, Any]]:
    """The greatest of all metrics with the same headline (`Metric.headline`): whose it is, and when it was seen."""
    worst: dict[str, dict[str, Any]] = {}
    for bound in world.build.metrics:
        title, value = bound.metric.headline, metrics[bound.key]
        if title and not math.isnan(value) and not value <= worst.get(title, {"value": -math.inf})["value"]:
            worst[title] = {
                "title": title, "value": value, "unit": bound.metric.unit, "path": bound.path, "time": times[bound.key],
            }  # fmt: skip
    return [worst[title] for title in sorted(worst)]


def find_troubles(summary: Mapping[str, Any]) -> list[Problem]:
    """What of a run nobody should rely on without a second look, worst first."""
    unsolved, worst, at = summary["unsolved"], summary["residual_worst"], summary["residual_worst_at"]
    troubles = []
    if unsolved["steps"]:
        count, allowed = unsolved["steps"], unsolved["allowed"]
        what = (
            f"{count} of {summary['steps']} steps {'is' if count == 1 else 'are'} unsolved, {allowed} allowed: "
            f"residuals up to {worst:.2g} m/s (at t = {at:g} s), above run.allowed_residual = "
            f"{unsolved['residual_allowed']:g} m/s"
        )
        remedy = "shorten run.step, choose another run.solver, or set run.allowed_failures"
        troubles.append(Problem(None, "run", what, remedy))
    elif worst > unsolved["residual_allowed"]:
        what = (
            f"the solver {summary['solver']} approximates the laws of contact: residuals up to {worst:.2g} m/s "
            f"(at t = {at:g} s), above run.allowed_residual = {unsolved['residual_allowed']:g} m/s"
        )
        troubles.append(Problem(None, "run", what, "choose run.solver = 'newton' for exact contact"))
    apart, allowed = summary["joint_error_worst"], summary["joint_error_allowed"]
    if apart > allowed:
        what = (
            f"joints came apart by up to {apart:.2g} m (at t = {summary['joint_error_worst_at']:g} s), above "
            f"run.allowed_joint_error = {allowed:g} m"
        )
        troubles.append(Problem(None, "run", what, "shorten run.step, or bring masses closer"))
    if summary["halved_steps"]:
        what = (
            f"{summary['halved_steps']} of {summary['steps']} steps failed as a whole and were taken in parts"
        )
        troubles.append(Problem(None, "run", what, "shorten run.step"))
    return troubles


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
