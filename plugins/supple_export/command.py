"""`supple export`: recordings as files of other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import rich_click as click

from supple.errors import Problem, UserError
from supple.run.options import FILE, json_option, read_positive

#: Names an export of a folder has; a folder without it is somebody else's.
INDEX = "export.json"
#: Formats that are one file, with times of their own for all frames.
_FILES = ("gltf", "usd")
#: Frames a second where each frame is a shape of its own, unless asked otherwise.
_SHAPES = 30.0


@click.command()
@click.argument("recording", type=FILE)
@click.option(
    "--to",
    "kind",
    type=click.Choice(["gltf", "usd", "pc2", "vtk", "csv"]),
    help="Format.  [default: that of the file's ending]",
)
@click.option(
    "-o", "--output", required=True, type=FILE, metavar="PLACE",
    help="A .glb, .gltf, .usd, .usda or .usdc file; for the other formats a folder.",
)  # fmt: skip
@click.option(
    "--only", multiple=True, metavar="PATH", help="This entity and all below; may be given several times."
)
@click.option(
    "--fps",
    type=read_positive,
    metavar="N",
    help="Frames per simulated second.  [default: all; 30 for gltf and usd]",
)
@click.option("--overwrite", is_flag=True, help="Replace the folder of an earlier export.")
@json_option
def export(
    recording: Path,
    kind: str | None,
    output: Path,
    only: tuple[str, ...],
    fps: float | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write a recording in a format that other programs read.

    gltf and usd for viewers and Blender, with bones as an armature; pc2 for point caches, vtk for ParaView, csv for
    tables. Units are SI, y is up.

    Example: supple export walk.h5 -o walk.glb
    """
    from supple.run.json_text import write_json
    from supple.run.recording import open_recording
    from supple_export.progress import showing_progress
    from supple_export.selection import select

    kind = kind or _read_kind(output)
    write = _choose_writer(kind, output, overwrite)
    with open_recording(recording) as opened:
        selection = select(
            opened, only, _SHAPES if fps is None and kind in _FILES else fps, whole=kind in _FILES
        )
        facts = {
            "recording": str(recording), "format": kind, "frames": len(selection.frames), "fps": selection.rate,
            "first": float(selection.stage.times[selection.frames[0]]),
        }  # fmt: skip
        with showing_progress(len(selection.frames), f"writing {output}") as progress:
            rows = write(selection, facts, progress)
    said = {"wrote": str(output), **facts, "contents": rows}
    if as_json:
        click.echo(write_json(said))
    else:
        click.echo(f"wrote {output}: {len(selection.frames)} frames, {len(rows)} {_NOUNS[kind]}", err=True)


_NOUNS = {"gltf": "things", "usd": "things", "pc2": "things", "vtk": "things", "csv": "tables"}


def _read_kind(output: Path) -> str:
    """The format that is one file with this ending."""
    from supple_export import gltf, usd

    endings = dict.fromkeys(gltf.SUFFIXES, "gltf") | dict.fromkeys(usd.SUFFIXES, "usd")
    ending = output.suffix.lower()
    if ending not in endings:
        remedy = f"end it in {', '.join(endings)}, or write pc2, vtk or csv into a folder with --to"
        raise UserError(Problem(None, str(output), "its ending tells no format", remedy))
    return endings[ending]


def _choose_writer(kind: str, output: Path, overwrite: bool) -> Callable[..., list[dict[str, Any]]]:
    """The function that writes; refuses at once a place that does not fit the format."""
    from supple.run.atomic import check_folder, check_new_folder, making_folder
    from supple.run.json_text import write_json

    if kind in _FILES:
        from supple_export import gltf, usd

        if kind == "usd":
            usd.require_usd()
        suffixes = gltf.SUFFIXES if kind == "gltf" else usd.SUFFIXES
        if output.suffix.lower() not in suffixes:
            what = f"unknown kind of {'glTF' if kind == 'gltf' else 'USD'} '{output.suffix}'"
            raise UserError(Problem(None, str(output), what, f"choose from: {', '.join(suffixes)}"))
        check_folder(output)
        write_file = gltf.write_gltf if kind == "gltf" else usd.write_usd
        return lambda selection, facts, progress: write_file(selection, output, progress)
    check_new_folder(output, INDEX, overwrite=overwrite)
    function = _find_folder_writer(kind)

    def write(selection: Any, facts: dict[str, Any], progress: Any) -> list[dict[str, Any]]:
        with making_folder(output, INDEX, overwrite=overwrite) as folder:
            rows = function(selection, folder, progress)
            about = {"made_by": "supple export", **facts, "contents": rows}
            (folder / INDEX).write_text(write_json(about) + "\n", encoding="utf-8")
        return rows

    return write


def _find_folder_writer(kind: str) -> Callable[..., list[dict[str, Any]]]:
    if kind == "pc2":
        from supple_export.pc2 import write_pc2

        return write_pc2
    if kind == "vtk":
        from supple_export.vtk import write_vtk

        return write_vtk
    from supple_export.tables import write_tables

    return write_tables
