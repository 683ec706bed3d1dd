"""`supple new`: the beginnings of a plugin or a scene."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from supple.run.options import FILE
from supple.scaffold import KINDS


@click.group()
def new() -> None:
    """Write the beginnings of something new.

    Example: supple new plugin wind

    Example: supple new scene mine --like first/drop
    """


@new.command()
@click.argument("name")
@click.option(
    "--kind", type=click.Choice(list(KINDS)), default="system", show_default=True,
    help="What the plugin adds: forces, a slow controller, degrees of freedom, a solver, or entities from a file.",
)  # fmt: skip
@click.option(
    "--folder", type=FILE, default=Path(), metavar="FOLDER", help="Where to put it.  [default: here]"
)
def plugin(name: str, kind: str, folder: Path) -> None:
    """Write a complete plugin package to start from, with kernel, scene, tests and README.

    Example: supple new plugin wind

    Example: supple new plugin jelly --kind mechanism
    """
    from supple.scaffold.new_plugin import write_plugin

    for path in write_plugin(name, folder, kind):
        click.echo(str(path))


@new.command()
@click.argument("name")
@click.option(
    "--like", default="", metavar="SCENE", help="Copy a scene that came with supple, such as first/drop."
)
@click.option(
    "--folder", type=FILE, default=Path(), metavar="FOLDER", help="Where to put it.  [default: here]"
)
def scene(name: str, like: str, folder: Path) -> None:
    """Write a scene to start from: a box that slides, or a copy of one of supple's own with the files it names.

    Example: supple new scene mine --like first/drop
    """
    from supple.scaffold.new_scene import write_scene

    for path in write_scene(name, folder, like):
        click.echo(str(path))
