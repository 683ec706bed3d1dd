"""`supple new`: the beginnings of a plugin."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from supple.run.options import FILE
from supple.scaffold import KINDS


@click.group()
def new() -> None:
    """Write the beginnings of something new.

    Example: supple new plugin wind
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
