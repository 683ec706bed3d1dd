"""`supple check`: everything that is wrong with scenes, without running them."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from supple.errors import ExitCode, Problem, UserError
from supple.run.options import FILE, json_option, outside_option, plugin_options


@click.command()
@click.argument("scenes", nargs=-1, required=True, type=FILE, metavar="SCENE...")
@plugin_options
@outside_option
@json_option
def check(
    scenes: tuple[Path, ...],
    plugin_files: tuple[Path, ...],
    disabled: tuple[str, ...],
    allow_outside: bool,
    as_json: bool,
) -> int:
    """Check scenes without running them, and list every problem with its line, and what looks doubtful.

    Example: supple check scenes/first/*.toml
    """
    from supple.core.beginning import as_plain
    from supple.plugin import load_plugins
    from supple.run.json_text import write_json
    from supple.scene.load import read_scene
    from supple.scene.read_entities import Expansions

    plugins = load_plugins(plugin_files, disabled)
    problems: list[Problem] = []
    warnings: list[Problem] = []
    reports = []
    for path in scenes:
        try:
            expansions = Expansions()
            scene = read_scene(path, plugins, allow_outside=allow_outside, expansions=expansions)
            if found := scene.check_files(expansions) or scene.check_builds(expansions):
                raise UserError(found)
        except UserError as error:
            problems += error.problems
            continue
        warnings += scene.find_warnings(expansions)
        counts = {
            "entities": len(scene.blueprint(expansions=expansions).graph),
            "variants": len(scene.variants),
            "claims": len(scene.claims),
            "expectations": len(scene.expectations),
            "runs": len(scene.cells) * max(1, len(scene.variants)),
        }
        reports.append({"scene": str(path), **counts})
        if not as_json:
            said = [_count(counts[noun], noun) for noun in ("entities", "variants", "claims", "expectations")]
            click.echo(f"{path}: fine: {', '.join(said)}")
    if as_json:
        told = {
            "problems": [as_plain(one) for one in problems],
            "warnings": [as_plain(one) for one in warnings],
        }
        click.echo(write_json({"scenes": reports, **told}))
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    for problem in problems:
        click.echo(str(problem), err=True)
    return int(ExitCode.BAD_INPUT if problems else ExitCode.FINE)


def _count(number: int, plural: str) -> str:
    singular = {"entities": "entity"}.get(plural, plural.removesuffix("s"))
    return f"{number} {singular if number == 1 else plural}"
