"""`supple view`: a recording or a scene in the browser, as a page or live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from supple.run.options import (
    FILE,
    json_option,
    outside_option,
    override_options,
    plugin_options,
    read_positive,
)


@click.command()
@click.argument("source", type=FILE, metavar="RECORDING|SCENE")
@click.option(
    "--html", type=FILE, metavar="FILE", help="Write a page that plays by itself, and serve nothing."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 takes a free one."
)
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Address to serve on; 0.0.0.0 is all of them."
)
@click.option(
    "--touch", is_flag=True, help="Drag bodies of a scene with the mouse; it runs no faster than the clock."
)
@click.option(
    "--record",
    type=FILE,
    metavar="FILE.h5",
    help="Keep the recording; 'supple run --replay' repeats what was dragged.",
)
@click.option("--pose", is_flag=True, help="Pose a scene: sliders for its joints, and the keys as TOML.")
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@click.option("--fps", type=read_positive, metavar="N", help="Frames per simulated second.")
@override_options
@click.option("--seed", type=click.IntRange(min=0), help="Seed of all noise, instead of the scene's.")
@click.option(
    "--until", type=read_positive, metavar="T", help="Simulate to this time [s], instead of the scene's."
)
@plugin_options
@outside_option
@json_option
def view(
    source: Path,
    html: Path | None,
    port: int,
    host: str,
    no_browser: bool,
    as_json: bool,
    fps: float | None,
    pose: bool,
    **running: Any,
) -> int:
    """Look at a run: in a page that plays by itself, or live in a browser.

    Example: supple view run.h5 --html run.html

    Example: supple view scenes/mechanics/ragdoll.toml --touch --record dragged.h5

    Without --html a viewer is served on this machine until Ctrl-C; it needs 'pip install supple[view]'. A scene is
    run meanwhile, and a recording that is still being written is followed.
    """
    from supple_view.source import Source

    plugin_files = running.pop("plugin_files")
    chosen = Source(source, fps=fps, plugins=plugin_files, **running)
    chosen.check()
    if html is not None and (pose or chosen.touch):
        raise click.UsageError("--html writes a page of a run; --touch and --pose need the viewer")
    if pose:
        if not chosen.is_scene:
            raise click.UsageError(f"--pose is for scenes, and {source} is none; give a .toml")
        from supple_view.pose import serve_pose

        return serve_pose(chosen, host=host, port=port, browse=not no_browser, as_json=as_json)
    if html is not None:
        from supple_view.export import export_page

        return export_page(chosen, html, as_json=as_json)
    from supple_view.serve import serve

    return serve(chosen, host=host, port=port, browse=not no_browser, as_json=as_json)
