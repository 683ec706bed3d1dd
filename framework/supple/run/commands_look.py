"""Commands that show what there is: components, systems, schedule, plugins, schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from supple.errors import Problem, UserError, suggest
from supple.run.options import FILE, json_option, outside_option, override_options, plugin_options


@click.command()
@plugin_options
@json_option
def plugins(plugin_files: tuple[Path, ...], disabled: tuple[str, ...], as_json: bool) -> None:
    """List the plugins with their versions, where they come from and what they add.

    Example: supple plugins --plugin my_plugin.py
    """
    from supple.plugin import load_plugins

    infos = load_plugins(plugin_files, disabled).infos()
    if as_json:
        _print_json(
            {
                "plugins": [
                    {
                        "name": info.name,
                        "version": info.version,
                        "origin": info.origin,
                        "hooks": list(info.hooks),
                        "adds": {noun: list(names) for noun, names in info.adds.items()},
                    }
                    for info in infos
                ]
            }
        )
        return
    from supple.run.report import print_table

    rows = []
    for info in infos:
        adds = "; ".join(f"{noun}: {', '.join(names)}" for noun, names in info.adds.items())
        rows.append((info.name, info.version, info.origin, ", ".join(info.hooks), adds))
    print_table(("plugin", "version", "origin", "hooks", "adds"), rows)


@click.command()
@click.argument("kind", required=False)
@plugin_options
@json_option
def components(
    kind: str | None, plugin_files: tuple[Path, ...], disabled: tuple[str, ...], as_json: bool
) -> None:
    """List what can be written in a scene, or one kind with all its fields and metrics.

    Tables of a scene besides entities, such as sweep, set, event, expect, claim, include and repeat, are kinds as well.

    Example: supple components sphere
    """
    from supple.plugin import load_plugins
    from supple.scene.reference import describe_components
    from supple.scene.tables import describe_tables

    described = describe_components(load_plugins(plugin_files, disabled).registry)
    taken = {one["kind"] for one in described}
    described += [one for one in describe_tables() if one["kind"] not in taken]
    known = [one["kind"] for one in described]
    if kind is not None and kind not in known:
        raise UserError(Problem(None, kind, "no component of this kind", suggest(kind, known)))
    chosen = [one for one in described if kind in (None, one["kind"])]
    if as_json:
        _print_json({"components": chosen})
    elif kind is None:
        from supple.run.report import print_table

        print_table(
            ("role", "kind", "plugin", "what"),
            [(one["role"], one["kind"], one["plugin"], one["doc"]) for one in chosen],
        )
    else:
        for one in chosen:
            _print_component(one)


def _print_component(one: dict[str, Any]) -> None:
    from supple.run.report import print_heading, print_table

    print_heading(f"{one['kind']} ({one['role']} of {one['plugin']}): {one['doc']}")
    if one["fields"]:
        columns = ("field", "type", "unit", "default", "range", "what")
        print_table(columns, [_describe_field(field) for field in one["fields"]])
    if one["metrics"]:
        metrics = [(each["name"], each["unit"], each["over_time"], each["doc"]) for each in one["metrics"]]
        print_table(("metric", "unit", "over time", "what"), metrics)
    if one.get("example"):
        click.echo(f"\n{one['example']}")


def _describe_field(field: dict[str, Any]) -> tuple[str, ...]:
    import json

    default = "required" if field["required"] else json.dumps(field["default"])
    return (field["name"], field["type"], field["unit"], default, field["range"], field["doc"])


@click.command()
@plugin_options
@json_option
def systems(plugin_files: tuple[Path, ...], disabled: tuple[str, ...], as_json: bool) -> None:
    """List all systems that plugins offer, with the components that call for them.

    Example: supple systems --json
    """
    from supple.plugin import load_plugins

    registry = load_plugins(plugin_files, disabled).registry
    listed = [
        {"name": name, "plugin": entry.plugin, "phase": entry.load().phase.name, "when": list(entry.when)}
        for name, entry in sorted(registry.systems.items())
    ]
    if as_json:
        _print_json({"systems": listed})
        return
    from supple.run.report import print_table

    rows = [(one["name"], one["phase"], one["plugin"], ", ".join(one["when"]) or "always") for one in listed]
    print_table(("system", "phase", "plugin", "in scenes with"), rows)


@click.command()
@click.argument("scene", type=FILE)
@override_options
@plugin_options
@outside_option
@json_option
def schedule(
    scene: Path,
    overrides: tuple[str, ...],
    variant: str,
    plugin_files: tuple[Path, ...],
    disabled: tuple[str, ...],
    allow_outside: bool,
    as_json: bool,
) -> None:
    """Show the systems of a scene in the order in which they run, with what they read and write.

    Example: supple schedule scenes/first/stack.toml
    """
    from supple.plugin import load_plugins
    from supple.scene.load import build_world, read_scene

    loaded = load_plugins(plugin_files, disabled)
    checked = read_scene(scene, loaded, allow_outside=allow_outside)
    world = build_world(checked, checked.blueprint(variant=variant, overrides=overrides), loaded)
    entries = [
        {
            "name": entry.name,
            "phase": entry.phase.name,
            "rate": entry.system.rate,
            "reads": list(entry.reads),
            "writes": list(entry.writes),
            "adds": list(entry.adds),
        }
        for entry in world.schedule
    ]
    if as_json:
        _print_json({"scene": str(scene), "systems": entries})
        return
    from supple.run.report import print_table

    rows = [_describe_entry(entry) for entry in entries]
    print_table(("phase", "system", "reads", "writes", "adds to"), rows)


def _describe_entry(entry: dict[str, Any]) -> tuple[str, ...]:
    name = entry["name"] if entry["rate"] == 1 else f"{entry['name']} (every {entry['rate']} steps)"
    return (entry["phase"], name, *("\n".join(entry[key]) or "-" for key in ("reads", "writes", "adds")))


@click.command()
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Write to a file instead.")
@plugin_options
def schema(output: Path | None, plugin_files: tuple[Path, ...], disabled: tuple[str, ...]) -> None:
    """Print the JSON Schema of scenes, for editors that complete and check TOML.

    Example: supple schema -o scene.schema.json
    """
    import json

    from supple.plugin import load_plugins
    from supple.scene.schema import make_schema

    text = json.dumps(make_schema(load_plugins(plugin_files, disabled).registry), indent=2)
    if output is None:
        click.echo(text)
        return
    from supple.run.atomic import check_folder, replacing

    check_folder(output)
    with replacing(output) as file:
        file.write(text.encode() + b"\n")
    click.echo(f"wrote {output}", err=True)


def _print_json(value: Any) -> None:
    from supple.run.json_text import write_json

    click.echo(write_json(value))
