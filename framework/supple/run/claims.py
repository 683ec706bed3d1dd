"""Claims and expectations: which runs they need, and whether they hold."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import Problem, UserError, suggest
from supple.run.claim_runs import Outcome, Setting, Task, hash_code, load_scene, load_setting, make_key
from supple.run.summary import judge_expectations
from supple.run.wanted_claims import WantedTable, leave_open
from supple.scene.claims_tables import Claim
from supple.scene.expression import ExpressionError, Reference, Undecidable, evaluate
from supple.scene.lines import read_toml
from supple.scene.load import Scene

Say = Callable[[str], None]


@dataclass(frozen=True)
class ScenePlan:
    """The claims of one scene to be judged, and its runs: a task for every cell of every variant needed."""

    path: Path
    scene: Scene
    claims: tuple[Claim, ...]
    runs: Mapping[str, tuple[Task, ...]]


def find_scenes(paths: Iterable[Path], say: Say) -> list[Path]:
    """The scene files: those named, and in folders all with a [run] table (others are parts to include)."""
    found: list[Path] = []
    problems: list[Problem] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(path.rglob("*.toml"))
            if not inside:
                problems.append(Problem(None, str(path), "has no scenes", "name a folder with .toml files"))
            for file in inside:
                table = read_toml(file)[0]
                if "run" in table:
                    found.append(file)
                elif "wanted" not in table:
                    say(f"{file}: skipped, it has no [run] table")
        elif path.is_file():
            found.append(path)
        else:
            problems.append(
                Problem(None, str(path), "no such file or folder", "name scenes or folders of scenes")
            )
    if problems:
        raise UserError(problems)
    return list(dict.fromkeys(found))


def make_plan(paths: Sequence[Path], setting: Setting, only: Sequence[str], say: Say) -> list[ScenePlan]:
    """Read all scenes and find the runs they need. Raises with every problem of every scene."""
    plugins = load_setting(setting)
    problems: list[Problem] = []
    scenes: dict[Path, Scene] = {}
    for path in find_scenes(paths, say):
        try:
            scenes[path] = load_scene(setting, path)
        except UserError as error:
            problems += error.problems
    if problems:
        raise UserError(problems)
    _check_only(only, scenes.values())
    code = hash_code(plugins)
    plans = []
    for path, scene in scenes.items():
        chosen = tuple(claim for claim in scene.claims if not only or claim.id in only)
        variants = _find_variants(scene, chosen, with_expectations=not only)
        try:
            runs = {
                variant: tuple(
                    Task(path, variant, cell, make_key(scene, variant, cell, code)) for cell in scene.cells
                )
                for variant in variants
            }
        except UserError as error:
            problems += error.problems
            continue
        plans.append(ScenePlan(path, scene, chosen, runs))
    if problems:
        raise UserError(problems)
    return [plan for plan in plans if plan.runs or plan.claims]


def _check_only(only: Sequence[str], scenes: Iterable[Scene]) -> None:
    known = [claim.id for scene in scenes for claim in scene.claims]
    problems = [
        Problem(None, f"--only {name}", "no claim of this id", suggest(name, known))
        for name in only
        if name not in known
    ]
    if problems:
        raise UserError(problems)


def _find_variants(scene: Scene, claims: Sequence[Claim], *, with_expectations: bool) -> list[str]:
    """The variants that the claims name; without claims those that expectations are about."""
    named = {reference.variant or "" for claim in claims for reference in claim.expression.references()}
    if not claims and with_expectations and scene.expectations:
        named = set(scene.variants) or {""}
    return sorted(named)


def list_timed(plans: Iterable[ScenePlan]) -> set[str]:
    """The keys of the runs whose speed is judged: these run one at a time."""
    found = set()
    for plan in plans:
        for claim in plan.claims:
            if claim.is_timed:
                variants = {reference.variant or "" for reference in claim.expression.references()}
                found |= {task.key for variant in variants for task in plan.runs[variant]}
    return found


def list_tasks(plans: Iterable[ScenePlan]) -> list[Task]:
    """Every run once, though several claims, variants or scenes may need it."""
    tasks: dict[str, Task] = {}
    for plan in plans:
        for runs in plan.runs.values():
            for task in runs:
                if task.key not in tasks or (task.record and not tasks[task.key].record):
                    tasks[task.key] = task
    return list(tasks.values())


def with_recordings(plans: Sequence[ScenePlan], folder: Path) -> list[ScenePlan]:
    """The same plans, in which the first cell of every variant is recorded into the folder."""
    places: dict[str, Path] = {}
    for plan in plans:
        for tasks in plan.runs.values():
            # Equal runs share a file. The key tells apart the same scene before and after a change.
            name = f"{plan.path.stem}-{tasks[0].variant or 'scene'}-{tasks[0].key[:12]}.h5"
            places.setdefault(tasks[0].key, folder / name)
    return [
        replace(
            plan,
            runs={
                variant: (replace(tasks[0], record=places[tasks[0].key]), *tasks[1:])
                for variant, tasks in plan.runs.items()
            },
        )
        for plan in plans
    ]


def describe_plan(plan: ScenePlan, near: Path) -> dict[str, Any]:
    """What was run for a scene. Recordings are named as seen from the folder `near`."""
    variants = []
    order = ("", *plan.scene.variants)
    for variant, tasks in sorted(plan.runs.items(), key=lambda item: order.index(item[0])):
        runs = [{"key": task.key, "cell": task.cell.label, "seed": task.cell.seed} for task in tasks]
        record = tasks[0].record
        recording = (
            os.path.relpath(record, near).replace(os.sep, "/") if record and record.is_file() else None
        )
        variants.append({"name": variant, "runs": runs, "recording": recording})
    return {"scene": str(plan.path), "about": plan.scene.about, "variants": variants}


def judge_plans(
    plans: Iterable[ScenePlan], outcomes: Mapping[str, Outcome], wanted: Sequence[WantedTable] = ()
) -> dict[str, Any]:
    """The object that `supple claims --json` prints, without what it was made with."""
    plans = list(plans)
    claims = [judge_claim(claim, plan, outcomes) for plan in plans for claim in plan.claims]
    covered = {claim["id"] for claim in claims}
    claims += [leave_open(one) for one in wanted if one.id not in covered]
    return {
        "claims": claims,
        "held": sum(claim["holds"] is True for claim in claims),
        "total": len(claims),
        "expectations": [verdict for plan in plans for verdict in _judge_expectations(plan, outcomes)],
    }


def judge_claim(claim: Claim, plan: ScenePlan, outcomes: Mapping[str, Outcome]) -> dict[str, Any]:
    """Whether one claim holds: true, false, or null with the reason why nobody can tell."""
    variants = sorted({reference.variant or "" for reference in claim.expression.references()})
    tasks = [task for variant in variants for task in plan.runs[variant]]
    holds: bool | None = None
    why, figures = "", {}
    try:
        for task in tasks:
            if outcomes[task.key].error:
                raise Undecidable(f"{task.label}: {outcomes[task.key].error}")
        verdict = evaluate(claim.expression, _make_lookup(plan, outcomes))
        holds, figures = verdict.holds, verdict.figures
    except Undecidable as undecided:
        why = str(undecided)
    except ExpressionError as error:
        why = str(error.at(claim.where, "claim.holds"))
    return {
        "id": claim.id,
        "says": claim.says,
        "paper": claim.paper,
        "expression": " ".join(claim.holds.split()),
        "scene": str(plan.path),
        "holds": holds,
        **({"why": why} if holds is None else {}),
        "figures": figures,
        "seeds": sorted({task.cell.seed for task in tasks}),
        "seconds": sum(outcomes[key].seconds for key in {task.key for task in tasks}),
    }


def _make_lookup(
    plan: ScenePlan, outcomes: Mapping[str, Outcome]
) -> Callable[[Reference], NDArray[np.float64]]:
    def look_up(reference: Reference) -> NDArray[np.float64]:
        name = f"{reference.entity}.{reference.metric}"
        tasks = plan.runs[reference.variant or ""]
        return np.array([outcomes[task.key].metrics.get(name, math.nan) for task in tasks])

    return look_up


def _judge_expectations(plan: ScenePlan, outcomes: Mapping[str, Outcome]) -> list[dict[str, Any]]:
    """One verdict per expectation and variant: of the first cell in which it does not hold, else of the first."""
    if not plan.scene.expectations:
        return []
    verdicts = []
    for variant, tasks in plan.runs.items():
        if not variant and plan.scene.variants:
            # Expectations of a scene with variants are about these.
            continue
        judged = [_judge_run(plan, task, outcomes[task.key]) for task in tasks]
        for of_cells in zip(*judged, strict=True):
            verdicts.append(next((one for one in of_cells if one["holds"] is not True), of_cells[0]))
    return verdicts


def _judge_run(plan: ScenePlan, task: Task, outcome: Outcome) -> list[dict[str, Any]]:
    failed = {"why": outcome.error} if outcome.error else {}
    place = {"scene": str(plan.path), "variant": task.variant, "cell": task.cell.label}
    verdicts = judge_expectations(plan.scene.expectations, outcome.metrics, ended=not outcome.error)
    return [{**place, **verdict, **failed} for verdict in verdicts]
