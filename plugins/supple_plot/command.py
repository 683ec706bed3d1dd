"""`supple plot`: curves of metrics and arrays of recordings."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import rich_click as click

from supple.run.options import FILE, json_option


@click.command()
@click.argument("recording", type=FILE)
@click.argument("metrics", nargs=-1, metavar="[METRIC]...")
@click.option(
    "--against", multiple=True, type=FILE, metavar="OTHER",
    help="Draw another recording on the same axes; may be given several times.",
)  # fmt: skip
@click.option("-o", "--output", required=True, type=FILE, metavar="FILE", help="A .png, .svg or .pdf.")
@click.option(
    "--timings", type=FILE, metavar="RUN.json",
    help="Add the time per system from what 'supple run --json' printed.",
)  # fmt: skip
@click.option("--title", default=None, metavar="TEXT", help="Heading of the page.  [default: the scene]")
@json_option
def plot(
    recording: Path,
    metrics: tuple[str, ...],
    against: tuple[Path, ...],
    output: Path,
    timings: Path | None,
    title: str | None,
    as_json: bool,
) -> None:
    """Draw curves of a recording: an overview, or the metrics named.

    METRIC is a metric (crate.height), a pattern ('*.height'), a row of an array (rigid.x:crate), or one of
    contacts, contact_force, pressure, pressure_path, energy, residual.

    Example: supple plot soft.h5 walker.height energy --against rigid.h5 -o walk.png
    """
    from supple.run.json_text import write_json
    from supple.run.recording import open_recording
    from supple_plot.draw import check_output, draw_page
    from supple_plot.panels import make_panels, name_recordings, panel_of_timings

    check_output(output)
    with ExitStack() as stack:
        opened = [stack.enter_context(open_recording(path)) for path in (recording, *against)]
        named = name_recordings(opened)
        panels = make_panels(named, metrics)
        heading = title if title is not None else _make_title([one.header.scene for one in opened], named[0])
    if timings is not None:
        panels.append(panel_of_timings(timings))
    draw_page(panels, output, title=heading)
    if as_json:
        plain = [
            {
                "title": one.title,
                "x": one.x_label,
                "y": one.y_label,
                "series": [x.figures() for x in one.lines],
            }
            for one in panels
        ]
        click.echo(write_json({"wrote": str(output), "recordings": [n for n, _ in named], "panels": plain}))
    else:
        click.echo(f"wrote {output}", err=True)


def _make_title(scenes: list[str], first: tuple[str, object]) -> str:
    """The scenes, and the variant or file where there is only one recording."""
    names = ", ".join(dict.fromkeys(scene.removesuffix(".toml") for scene in scenes))
    return names if len(scenes) > 1 or names == first[0] else f"{names}: {first[0]}"
