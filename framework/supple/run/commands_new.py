"""`supple new`."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from supple.run.options import FILE


@click.group()
def new() -> None:
    """Write the beginnings of something new.

    Example: supple new plugin wind
    """


@new.command()
@click.argument("name")
@click.option(
    "--folder", type=FILE, default=Path(), metavar="FOLDER", help="Where to put it.  [default: here]"
)
def plugin(name: str, folder: Path) -> None:
    """Write a complete plugin package: component, system, kernel, scene, tests and README.

    Example: supple new plugin wind
    """
    from supple.scaffold.new_plugin import write_plugin

    for path in write_plugin(name, folder):
        click.echo(str(path))
