"""`supple run`: one scene, from its start or a checkpoint, to its report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from supple.errors import ExitCode
from supple.run.options import (
    FILE,
    json_option,
    outside_option,
    override_options,
    plugin_options,
    read_positive,
)


@click.command()
@click.argument("scene", type=FILE)
@override_options
@click.option("--seed", type=click.IntRange(min=0), help="Seed of all noise, instead of the scene's.")
@click.option(
    "--until", type=read_positive, metavar="T", help="Simulate to this time [s], instead of the scene's."
)
@click.option("--record", type=FILE, metavar="FILE.h5", help="Record positions, contacts and metrics.")
@click.option("--fps", type=read_positive, metavar="N", help="Frames per simulated second.  [default: 100]")
@click.option("--checkpoint", type=FILE, metavar="FILE", help="Keep a checkpoint to resume from.")
@click.option(
    "--every", type=read_positive, metavar="S", help="Simulated time between checkpoints [s].  [default: 1]"
)
@click.option("--resume", type=FILE, metavar="FILE", help="Go on from a checkpoint of the same scene.")
@click.option(
    "--replay",
    type=FILE,
    metavar="FILE.h5",
    help="Give the commands of a recording again, made from Python or a page.",
)
@click.option("--save-problems", type=FILE, metavar="DIR", help="Write the contact problem of every step.")
@plugin_options
@outside_option
@json_option
@click.option(
    "--metrics",
    "patterns",
    multiple=True,
    metavar="PATTERN",
    help="Show these metrics, e.g. 'cup.*'; may be given several times.",
)
@click.option("--verbose", is_flag=True, help="Print all metrics, and the time of every system.")
@click.option("--quiet", is_flag=True, help="Print problems only.")
def run(
    scene: Path,
    overrides: tuple[str, ...],
    variant: str,
    seed: int | None,
    until: float | None,
    record: Path | None,
    fps: float | None,
    checkpoint: Path | None,
    every: float | None,
    resume: Path | None,
    replay: Path | None,
    save_problems: Path | None,
    plugin_files: tuple[Path, ...],
    disabled: tuple[str, ...],
    allow_outside: bool,
    as_json: bool,
    patterns: tuple[str, ...],
    verbose: bool,
    quiet: bool,
) -> int:
    """Simulate a scene and report what came of it.

    Example: supple run scenes/first/stack.toml --record stack.h5 --checkpoint stack.npz

    Ctrl-C ends the run after the current step; go on later with --resume. Exit codes: 0 fine, 1 an expectation
    does not hold, 2 bad input, 3 a step failed or too many stayed unsolved (run.allowed_failures), 130 interrupted.
    """
    _check_pairs(fps, record, every, checkpoint)
    from supple.run.simulate import RunOptions, simulate

    options = RunOptions(
        scene=scene,
        overrides=overrides,
        variant=variant,
        seed=seed,
        until=until,
        record=record,
        fps=fps or 100.0,
        checkpoint=checkpoint,
        every=every or 1.0,
        resume=resume,
        replay=replay,
        save_problems=save_problems,
        plugins=plugin_files,
        disabled=disabled,
        allow_outside=allow_outside,
    )
    from supple.run.report import choose_display

    result = simulate(options, choose_display(quiet=quiet))
    _show(result, as_json=as_json, quiet=quiet, patterns=patterns, verbose=verbose)
    return int(result.exit_code)


def _check_pairs(
    fps: float | None, record: Path | None, every: float | None, checkpoint: Path | None
) -> None:
    if fps is not None and record is None:
        raise click.UsageError("--fps needs --record FILE.h5")
    if every is not None and checkpoint is None:
        raise click.UsageError("--every needs --checkpoint FILE")


def _show(result: Any, *, as_json: bool, quiet: bool, patterns: tuple[str, ...], verbose: bool) -> None:
    from supple.run.closing import print_summary
    from supple.run.json_text import write_json
    from supple.run.report import say, say_bounds

    units = {bound.key: bound.metric.unit for bound in result.world.build.metrics}
    if as_json:
        click.echo(write_json(result.summary))
    elif not quiet:
        print_summary(result.summary, units, patterns=patterns, verbose=verbose)
    if result.exit_code is ExitCode.INTERRUPTED:
        click.echo(f"interrupted at t = {result.summary['time']:g} s", err=True)
    for trouble in result.troubles:
        click.echo(str(trouble), err=True)
    for line in result.failure.lines() if result.failure else []:
        click.echo(line, err=True)
    for one in result.summary["expectations"]:
        if one["holds"] is False:
            reason = f" ({one['because']})" if one["because"] else ""
            time = f"{result.summary['time']:g} s"
            found = f"has no value after {time}" if say(one["value"]) == "-" else f"is {say(one['value'])}"
            click.echo(
                f"does not hold: {one['metric']} {found}, expected {say_bounds(one)}{reason}",
                err=True,
            )
