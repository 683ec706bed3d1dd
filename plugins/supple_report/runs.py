"""Recordings of the variants of an experiment: those that were kept, and fresh ones on request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from supple.errors import UserError
from supple.run.claim_runs import Task, run_task
from supple.run.claims import make_plan
from supple_report.result import Experiment, SceneResult

Say = Callable[[str], None]


def find_recordings(scene: SceneResult) -> dict[str, Path]:
    """The recordings that `supple claims --record` kept and that are still there, by variant."""
    return {
        variant.name: variant.recording
        for variant in scene.variants
        if variant.recording is not None and variant.recording.is_file()
    }


def record_missing(
    experiment: Experiment, scene: SceneResult, known: dict[str, Path], folder: Path, say: Say
) -> tuple[dict[str, Path], list[str]]:
    """Run the first cell of every variant without a recording; returns all recordings and what went wrong.

    A run counts only if its key is that of the results: the same scene and the same code.
    """
    missing = {one.runs[0].key: one for one in scene.variants if one.runs and one.name not in known}
    if not missing:
        return known, []
    tasks: dict[str, Task] = {}
    try:
        for plan in make_plan([Path(scene.path)], experiment.setting, (), say):
            tasks |= {task.key: task for runs in plan.runs.values() for task in runs}
    except UserError as error:
        return known, [f"{scene.title} was not run again: {error}."]
    recordings, notes = dict(known), []
    for key, variant in missing.items():
        if key not in tasks:
            notes.append(f"{variant.title} was not run again: the scene or the code has changed since.")
            continue
        path = folder / f"{key}.h5"
        say(f"running {scene.title} {variant.name}".rstrip())
        run_task(experiment.setting, replace(tasks[key], record=path))
        for one in scene.variants:
            if one.runs and one.runs[0].key == key:
                recordings[one.name] = path
    return recordings, notes
