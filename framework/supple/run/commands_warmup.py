"""`supple warmup`: compile kernels ahead of time."""

from __future__ import annotations

import time
from pathlib import Path

import rich_click as click

from supple.errors import Problem, UserError
from supple.run.options import FILE, outside_option, plugin_options

_STEPS = 3


@click.command()
@click.argument("scenes", nargs=-1, type=FILE, metavar="[SCENE...]")
@plugin_options
@outside_option
def warmup(
    scenes: tuple[Path, ...], plugin_files: tuple[Path, ...], disabled: tuple[str, ...], allow_outside: bool
) -> None:
    """Compile the kernels that scenes need, so that later runs start at once.

    Without a scene, all in the folder scenes are taken, where there is one.

    Example: supple warmup scenes/first/*.toml
    """
    from supple.plugin import load_plugins
    from supple.run.compile_progress import CompileWatch
    from supple.run.runner import Runner
    from supple.scene.load import build_world, read_scene

    plugins = load_plugins(plugin_files, disabled)
    checked = [read_scene(path, plugins, allow_outside=allow_outside) for path in scenes or _find_scenes()]
    for scene in checked:
        # Variants differ in values, hardly ever in kernels.
        for variant in scene.variants[:1] or ("",):
            began = time.perf_counter()
            compiled: list[str] = []
            with CompileWatch(compiled.append):
                world = build_world(scene, scene.blueprint(variant=variant), plugins)
                Runner(world).advance(_STEPS)
            spent = time.perf_counter() - began
            what = f"compiled {', '.join(compiled)}" if compiled else "all kernels were compiled already"
            click.echo(f"{scene.source}{f' {variant}' if variant else ''}: {what} ({spent:.1f} s)", err=True)


def _find_scenes() -> list[Path]:
    """All scenes, below the current folder or beside a checkout of the sources."""
    for home in (Path(), Path(__file__).resolve().parents[3]):
        from supple.scene.lines import read_toml

        files = sorted((home / "scenes").rglob("*.toml"))
        # Files without [run] are parts to include, or lists of claims.
        found = [file for file in files if "run" in read_toml(file)[0]]
        if found:
            return found
    remedy = "name the scenes: supple warmup SCENE..."
    raise UserError(Problem(None, "warmup", "there is no folder scenes here", remedy))
