"""`supple info`: what a recording holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from supple.run.options import FILE, json_option

if TYPE_CHECKING:
    from supple.run.recording import Recording


@click.command()
@click.argument("recording", type=FILE)
@json_option
def info(recording: Path, as_json: bool) -> None:
    """Say what a recording holds; also of one that is still being written.

    Example: supple info stack.h5
    """
    from supple.run.json_text import write_json
    from supple.run.recording import open_recording

    with open_recording(recording) as opened:
        found = _describe(opened)
    if as_json:
        click.echo(write_json(found))
        return
    from supple.run.report import print_heading, print_table

    variant = f" ({found['variant']})" if found["variant"] else ""
    span = "no frames" if found["span"] is None else f"{found['span'][0]:g} to {found['span'][1]:g} s"
    print_heading(f"{found['scene']}{variant}, seed {found['seed']}: {found['frames']} frames, {span}")
    rows = [(one["name"], one["shape"], one["unit"], one["doc"]) for one in found["arrays"]]
    print_table(("array", "shape", "unit", "what"), rows)


def _describe(recording: Recording) -> dict[str, Any]:
    header, times = recording.header, recording.times
    arrays = []
    for name in recording.names:
        shape = recording.array(name).shape
        text = f"rows of all frames x {shape[1:]}" if recording.is_ragged(name) else str(shape)
        arrays.append({"name": name, "shape": text, "unit": recording.unit(name), "doc": recording.doc(name)})
    return {
        "scene": header.scene,
        "variant": header.variant,
        "seed": header.seed,
        "step": header.h,
        "frames": recording.frames,
        "span": [float(times[0]), float(times[-1])] if recording.frames else None,
        "overrides": header.overrides,
        "versions": header.versions,
        "arrays": arrays,
    }
