"""`supple arrays`: what a world is made of."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from supple.run.options import FILE, json_option, outside_option, override_options, plugin_options

if TYPE_CHECKING:
    from supple.core.arrays import ArrayTable


@click.command()
@click.argument("scene", type=FILE)
@click.argument("pattern", required=False)
@override_options
@plugin_options
@outside_option
@json_option
def arrays(
    scene: Path,
    pattern: str | None,
    overrides: tuple[str, ...],
    variant: str,
    plugin_files: tuple[Path, ...],
    disabled: tuple[str, ...],
    allow_outside: bool,
    as_json: bool,
) -> None:
    """List the arrays of a scene with their kind, shape, unit and what they are, or those that match a pattern.

    Example: supple arrays scenes/first/stack.toml "rigid.*"

    A pattern without * and ? matches every name that it is a part of. The successor NAME.next of a State array is not
    listed.
    """
    from supple.errors import Problem, UserError, suggest
    from supple.plugin import load_plugins
    from supple.scene.load import build_world, read_scene

    loaded = load_plugins(plugin_files, disabled)
    checked = read_scene(scene, loaded, allow_outside=allow_outside)
    world = build_world(checked, checked.blueprint(variant=variant, overrides=overrides), loaded)
    described = describe_arrays(world.arrays)
    chosen = [one for one in described if pattern is None or matches(one["name"], pattern)]
    if not chosen:
        remedy = suggest(pattern or "", [one["name"] for one in described], "there are")
        raise UserError(Problem(None, str(pattern), "no array of this scene has such a name", remedy))
    if as_json:
        from supple.run.json_text import write_json

        click.echo(write_json({"scene": str(scene), "arrays": chosen}))
        return
    from supple.run.report import print_table

    columns = ("array", "kind", "shape", "type", "unit", "labels", "what")
    print_table(columns, [_make_row(one) for one in chosen], right=(5,))


def matches(name: str, pattern: str) -> bool:
    """Whether a name is what the pattern asks for; a plain word asks for names with this word in them."""
    return fnmatchcase(name, pattern if {*"*?["} & {*pattern} else f"*{pattern}*")


def describe_arrays(table: ArrayTable) -> list[dict[str, Any]]:
    """All arrays and records by name, JSON-ready. Of a record, the sentence is the first of its class."""
    found: list[dict[str, Any]] = [
        {
            "name": spec.name,
            "kind": spec.kind,
            "shape": list(spec.shape),
            "dtype": spec.dtype.name,
            "unit": spec.unit,
            "doc": spec.doc,
            "labels": len(spec.labels),
        }
        for spec in table.specs.values()
    ]
    for name, record in table.records.items():
        sentence = (type(record).__doc__ or "").partition("\n")[0]
        about = {"dtype": type(record).__name__, "unit": "", "doc": sentence, "labels": 0}
        found.append({"name": name, "kind": "record", "shape": [], **about})
    return sorted(found, key=lambda one: str(one["name"]))


def _make_row(one: dict[str, Any]) -> tuple[str, ...]:
    shape = " x ".join(map(str, one["shape"])) or "-"
    return (one["name"], one["kind"], shape, one["dtype"], one["unit"] or "-", str(one["labels"]), one["doc"])
