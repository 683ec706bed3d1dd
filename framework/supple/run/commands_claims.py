"""`supple claims`: run what the claims of scenes need, and judge them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from supple.errors import ExitCode
from supple.run.options import FILE, json_option, outside_option, plugin_options

if TYPE_CHECKING:
    from supple.run.claim_runs import Outcome, Setting, Task
    from supple.run.claim_store import ResultStore
    from supple.run.claims import ScenePlan
    from supple.run.report import ClaimsProgress


@click.command()
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="PATH...")
@click.option(
    "--only", multiple=True, metavar="ID", help="Judge this claim only; may be given several times."
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Runs at a time.  [default: all cores]")
@click.option(
    "--cluster", metavar="ADDRESS", help="Run on a dask cluster: the address of its scheduler, or local[:N]."
)
@click.option(
    "-o",
    "--output",
    "--out",
    "out",
    type=FILE,
    metavar="FILE",
    help="Keep results here; a killed invocation goes on from it.",
)
@click.option(
    "--record", type=FILE, metavar="FOLDER", help="Record the first cell of every variant into this folder."
)
@plugin_options
@outside_option
@json_option
def claims(
    paths: tuple[Path, ...],
    only: tuple[str, ...],
    jobs: int | None,
    cluster: str | None,
    out: Path | None,
    record: Path | None,
    plugin_files: tuple[Path, ...],
    disabled: tuple[str, ...],
    allow_outside: bool,
    as_json: bool,
) -> int:
    """Run what the claims and expectations of scenes need, and judge them.

    PATH is a scene or a folder of scenes. Every run (variant, cell of the sweep, seed) is computed once; runs whose
    speed is claimed run alone. A file with [[wanted]] tables lists claims that scenes are to cover.

    Example: supple claims scenes/ --jobs 4 -o claims.json --record runs

    Example: supple claims scenes/ --cluster tcp://head:8786 -o claims.json

    Exit codes: 0 all hold, 1 some do not or cannot be judged, 2 bad input.
    """
    from supple.run.claim_pool import count_cores
    from supple.run.claim_runs import Setting
    from supple.run.claim_store import ResultStore
    from supple.run.claims import judge_plans, list_tasks, list_timed, make_plan, with_recordings
    from supple.run.json_text import write_json
    from supple.run.report import ClaimsProgress
    from supple.run.wanted_claims import find_wanted

    if cluster is not None:
        from supple.run.cluster import check_cluster

        check_cluster(cluster)
    progress = ClaimsProgress()
    setting = Setting(plugin_files, disabled, allow_outside)
    plans = make_plan(paths, setting, only, progress.note)
    wanted = find_wanted(paths, only)
    with closing(ResultStore(out)) as store:
        if record is not None:
            _make_folder(record)
            plans = with_recordings(plans, record)
        tasks = list_tasks(plans)
        places = (jobs or count_cores(), cluster)
        lost = _run_missing(tasks, list_timed(plans), setting, places, store, progress)
        verdicts = judge_plans(plans, {**store.outcomes, **lost}, wanted)
        verdicts |= _describe(plans, setting, only, out)
        store.save(verdicts)
    _note_unsolved(tasks, store.outcomes, setting, progress.note)
    if as_json:
        click.echo(write_json(verdicts))
    else:
        _show(verdicts)
    judged = [*verdicts["claims"], *verdicts["expectations"]]
    return int(ExitCode.FINE if all(one["holds"] is True for one in judged) else ExitCode.DOES_NOT_HOLD)


def _run_missing(
    tasks: Sequence[Task],
    timed: set[str],
    setting: Setting,
    places: tuple[int, str | None],
    store: ResultStore,
    progress: ClaimsProgress,
) -> dict[str, Outcome]:
    """Run what the store does not have yet; returns what became of runs whose workers died, which it does not keep."""
    from supple.run.claim_pool import DIED, run_tasks
    from supple.run.stop import Termination

    missing = [
        task
        for task in tasks
        if task.key not in store.outcomes or (task.record is not None and not task.record.is_file())
    ]
    try:
        with (
            Termination(),
            progress.counting(len(tasks), len(missing)),
            # Closed at once, so that an interrupt between two results ends the workers too.
            closing(run_tasks(setting, missing, places[0], timed, places[1])) as results,
        ):
            for task, outcome in results:
                progress.finished(task.label, outcome.seconds, outcome.error)
                store.add(task.key, outcome)
    finally:
        died = [key for key, outcome in store.outcomes.items() if outcome.error == DIED]
        lost = {key: store.outcomes.pop(key) for key in died}
        store.save()
    return lost


def _note_unsolved(
    tasks: Iterable[Task], outcomes: Mapping[str, Outcome], setting: Setting, note: Callable[[str], None]
) -> None:
    """Name the runs with more unsolved steps than they allow: verdicts on these deserve a second look."""
    from supple.run.claim_runs import load_scene

    for task in tasks:
        outcome = outcomes.get(task.key)
        figures = outcome.metrics if outcome is not None else {}
        unsolved, deep = (figures.get(f"run.{name}", 0.0) for name in ("unsolved_steps", "deep_steps"))
        if not unsolved + deep > 0:
            continue
        run = load_scene(setting, task.scene).blueprint(variant=task.variant, cell=task.cell).run
        if unsolved + deep > run.allowed_failures:
            steps = f"{run.steps}" if run.ends is None else f"at most {run.steps}"
            what = f"{unsolved:.0f} of {steps} steps are unsolved, {run.allowed_failures} allowed"
            if deep > 0:
                what += f"; in {deep:.0f} things are deep in each other"
            note(f"{task.label}: {what}")


def _make_folder(path: Path) -> None:
    from supple.run.atomic import refuse_unwritable

    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise refuse_unwritable(path, error) from error


def _describe(
    plans: Sequence[ScenePlan], setting: Setting, only: Sequence[str], out: Path | None
) -> dict[str, Any]:
    """What was run and how, for whoever wants to repeat it."""
    from supple.run.claim_runs import load_setting
    from supple.run.claims import describe_plan
    from supple.run.versions import list_versions

    near = out.absolute().parent if out is not None else Path.cwd()
    return {
        "scenes": [describe_plan(plan, near) for plan in plans],
        "only": list(only),
        "setting": {
            "plugins": [str(file) for file in setting.plugins],
            "disabled": list(setting.disabled),
            "allow_outside": setting.allow_outside,
        },
        "versions": list_versions(load_setting(setting)),
    }


def _show(verdicts: dict[str, Any]) -> None:
    from supple.run.report import print_claims, print_expectations

    print_claims(verdicts["claims"])
    if verdicts["expectations"]:
        print_expectations(verdicts["expectations"])
    click.echo(f"{verdicts['held']} of {verdicts['total']} claims hold")
