"""`supple report`: a page of what `supple claims` found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from supple.errors import Problem, UserError
from supple.run.options import FILE, json_option, outside_option

if TYPE_CHECKING:
    from supple_report.page import Media
    from supple_report.result import Experiment

PAGE = "index.html"
#: What tells a report from any other folder.
MARK = "report.json"


@click.command()
@click.argument("result", type=FILE)
@click.option("-o", "--output", required=True, type=FILE, metavar="FOLDER", help="Where the page goes.")
@click.option("--run", "fresh", is_flag=True, help="Run variants again that have no recording.")
@click.option(
    "--plugin", "plugin_files", multiple=True, type=FILE, metavar="FILE", help="Load a one-file plugin too."
)
@outside_option
@click.option("--title", metavar="TEXT", help="Heading of the page.  [default: the scenes]")
@click.option("--overwrite", is_flag=True, help="Replace the folder of an earlier report.")
@json_option
def report(
    result: Path,
    output: Path,
    fresh: bool,
    plugin_files: tuple[Path, ...],
    allow_outside: bool,
    title: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Make a page of the results of claims, with pictures and curves of all variants.

    RESULT is what 'supple claims SCENES -o RESULT --record FOLDER' wrote. The page is one folder that needs no network.

    With --run, a plugin that the results name runs only if --plugin names it too.

    Example: supple report claims.json -o page
    """
    from supple.run.atomic import making_folder
    from supple.run.json_text import write_json
    from supple_report.page import make_page
    from supple_report.result import check_trust, read_experiment

    if output.suffix.lower() in (".html", ".htm"):
        remedy = f"give -o {output.with_suffix('')}; the page is {PAGE} in it"
        raise UserError(Problem(None, str(output), "the page is a folder, with its pictures", remedy))
    experiment = read_experiment(result)
    if fresh:
        check_trust(experiment, plugin_files, allow_outside=allow_outside)
    heading = title or ", ".join(dict.fromkeys(scene.title for scene in experiment.scenes)) or "Claims"
    words = ["supple", "report", str(result), "-o", str(output), *(["--run"] if fresh else [])]
    words += ["--title", title] if title else []
    with making_folder(output, MARK, overwrite=overwrite) as folder:
        media = _gather_media(experiment, folder, fresh)
        page = make_page(experiment, media, title=heading, command=words)
        (folder / PAGE).write_text(page, encoding="utf-8")
        _write_metrics(experiment, folder / "metrics.csv")
        facts = _describe(experiment, media, result)
        (folder / MARK).write_text(write_json(facts) + "\n", encoding="utf-8")
    if as_json:
        click.echo(write_json({"wrote": str(output / PAGE), **facts}))
    else:
        click.echo(f"wrote {output / PAGE}", err=True)


def _gather_media(experiment: Experiment, folder: Path, fresh: bool) -> dict[str, Media]:
    """Pictures and curves of every scene. Fresh recordings are used and thrown away."""
    from tempfile import TemporaryDirectory

    from supple_report.films import illustrate
    from supple_report.intervals import metrics_of
    from supple_report.runs import find_recordings, record_missing

    media = {}
    for number, scene in enumerate(experiment.scenes):
        recordings, notes = find_recordings(scene), list[str]()
        with TemporaryDirectory() as temporary:
            if fresh:
                recordings, notes = record_missing(experiment, scene, recordings, Path(temporary), _say)
            asked = metrics_of(one["expression"] for one in experiment.claims if one["scene"] == scene.path)
            made = illustrate(scene, recordings, asked, folder, f"scene{number}")
        made.notes = notes + made.notes
        if len(recordings) < len(scene.variants) and not fresh:
            made.notes.append("'supple claims ... --record FOLDER' keeps recordings; --run makes them anew.")
        media[scene.path] = made
    return media


def _say(text: str) -> None:
    click.echo(text, err=True)


def _write_metrics(experiment: Experiment, path: Path) -> None:
    """Every metric of every run, one a line."""
    import csv

    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["scene", "variant", "cell", "metric", "value"])
        for scene in experiment.scenes:
            for variant in scene.variants:
                for run in variant.runs:
                    for metric, value in sorted(run.outcome.metrics.items()):
                        writer.writerow([scene.path, variant.name, run.cell, metric, repr(value)])


def _describe(experiment: Experiment, media: dict[str, Media], result: Path) -> dict[str, Any]:
    claims = [{"id": one["id"], "holds": one["holds"]} for one in experiment.claims]
    scenes = [
        {
            "scene": path,
            "pictures": {name: len(frames) for name, frames in one.frames.items()},
            "plots": one.plots,
            "notes": one.notes,
        }
        for path, one in media.items()
    ]
    return {"made_by": "supple report", "result": str(result), "claims": claims, "scenes": scenes}
