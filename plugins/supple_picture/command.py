"""`supple picture`. Imports nothing heavy: its help is to appear at once."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from supple.run.options import (
    FILE,
    json_option,
    outside_option,
    override_options,
    plugin_options,
    read_positive,
)

if TYPE_CHECKING:
    from supple_picture.shot import Viewpoint

_FPS = 25.0


def _read_numbers(text: str, counts: tuple[int, ...], form: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) not in counts or not all(math.isfinite(number) for number in numbers):
        raise click.BadParameter(f"'{text}' is not of the form {form}")
    return numbers


def _read_camera(text: str) -> tuple[float, ...]:
    numbers = _read_numbers(text, (2, 3), "AZIMUTH,ELEVATION[,DISTANCE]")
    if not -90.0 <= numbers[1] <= 90.0:
        raise click.BadParameter(f"the elevation {numbers[1]:g} is not between -90 and 90 degrees")
    if numbers[2:] and numbers[2] <= 0.0:
        raise click.BadParameter(f"the distance {numbers[2]:g} is not above zero")
    return numbers


def _read_point(text: str) -> tuple[float, ...]:
    return _read_numbers(text, (3,), "X,Y,Z")


def _read_size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise click.BadParameter(f"'{text}' is not of the form WIDTHxHEIGHT")
    size = int(width), int(height)
    if not all(16 <= side <= 8192 for side in size):
        raise click.BadParameter(f"'{text}': sides are from 16 to 8192 pixels")
    return size


def _read_time(text: str) -> float:
    (time,) = _read_numbers(text, (1,), "SECONDS")
    if time < 0.0:
        raise click.BadParameter(f"the time {time:g} is before the start")
    return time


def _read_view_angle(text: str) -> float:
    (angle,) = _read_numbers(text, (1,), "DEGREES")
    if not 1.0 <= angle <= 150.0:
        raise click.BadParameter(f"the angle of view {angle:g} is not between 1 and 150 degrees")
    return angle


_OPTIONS = (
    click.option(
        "-o", "--output", required=True, type=FILE, metavar="FILE", help="A .png picture, .gif or .mp4 film."
    ),
    click.option("--at", "times", multiple=True, type=_read_time, metavar="T",
                 help="Time of the frame [s]; several stand side by side.  [default: the end]"),
    click.option("--strip", type=click.IntRange(2, 50), metavar="N",
                 help="N frames from start to end, side by side."),
    click.option("--size", type=_read_size, metavar="WxH",
                 help="Pixels of one frame.  [default: 800x600; 320x400 side by side]"),
    click.option("--camera", type=_read_camera, metavar="A,E[,D]",
                 help="Azimuth, elevation [deg] and distance [m].  [default: fitted]"),
    click.option("--from", "eye", type=_read_point, metavar="X,Y,Z", help="Place of the camera [m]."),
    click.option("--look-at", "target", type=_read_point, metavar="X,Y,Z",
                 help="What the camera looks at [m].  [default: the middle]"),
    click.option("--follow", default="", metavar="PATH", help="Move the camera with this entity."),
    click.option("--fov", type=_read_view_angle, default=None, metavar="DEG",
                 help="Angle of view from bottom to top.  [default: 30]"),
    click.option("--hide", multiple=True, metavar="NAME",
                 help="Leave out a layer (ground, bodies, bones, skin, ...), contacts, labels or shadow."),
    click.option("--through", multiple=True, metavar="LAYER",
                 help="Let a layer (muscles, bones, ...) shine through what hides it."),
    click.option("--fps", type=read_positive, metavar="N", help="Pictures a second of a film.  [default: 25]"),
    click.option("--speed", type=read_positive, metavar="X",
                 help="How fast a film runs; 0.5 is slow motion.  [default: 1]"),
)  # fmt: skip


def _picture_options(function: Any) -> Any:
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@click.command()
@click.argument("source", type=FILE, metavar="RECORDING|SCENE")
@_picture_options
@override_options
@click.option("--seed", type=click.IntRange(min=0), help="Seed of all noise, instead of the scene's.")
@plugin_options
@outside_option
@json_option
@click.option("--quiet", is_flag=True, help="Print problems only.")
def picture(
    source: Path,
    output: Path,
    times: tuple[float, ...],
    strip: int | None,
    size: tuple[int, int] | None,
    fps: float | None,
    speed: float | None,
    as_json: bool,
    quiet: bool,
    hide: tuple[str, ...],
    through: tuple[str, ...],
    **more: Any,
) -> int:
    """Draw a recording, or a scene after running it, as a picture or a film.

    Example: supple picture scenes/mechanics/ragdoll.toml --strip 5 -o ragdoll.png

    Example: supple picture run.h5 --at 1.5 --camera 40,20 --hide contacts -o run.png
    """
    _check_fit(source, output, times, strip, fps, speed, more)
    from supple.run.report import choose_display
    from supple_picture.film import check_output
    from supple_picture.job import Job
    from supple_picture.source import RunEnded, open_source

    check_output(output)
    job = Job(output, times, strip, size, fps or _FPS, speed or 1.0, _viewpoint(more), hide, through)
    display = choose_display(quiet=quiet or as_json)
    options = _run_options(source, times, job.fps / job.speed if job.is_film else 100.0, more)
    try:
        with open_source(options, display) as stage:
            done = job.run(stage, display.note)
    except RunEnded as end:
        for line in end.failure.lines() if end.failure else ["interrupted"]:
            click.echo(line, err=True)
        return int(end.exit_code)
    if as_json:
        from supple.run.json_text import write_json

        click.echo(write_json(done))
    elif not quiet:
        click.echo(f"wrote {output}", err=True)
    return 0


def _check_fit(
    source: Path,
    output: Path,
    times: tuple[float, ...],
    strip: int | None,
    fps: float | None,
    speed: float | None,
    more: dict[str, Any],
) -> None:
    """Options that contradict each other."""
    is_film = output.suffix.lower() in (".gif", ".mp4")
    if times and strip:
        raise click.UsageError("--at and --strip exclude each other")
    if is_film and (times or strip):
        raise click.UsageError("a film shows all frames; leave out --at and --strip, or write a .png")
    if not is_film and (fps or speed):
        raise click.UsageError("--fps and --speed need a film; write a .gif or .mp4")
    if more["camera"] and (more["eye"] or more["target"]):
        raise click.UsageError("--camera and --from or --look-at exclude each other")
    if source.suffix.lower() != ".toml":
        for name, key in (("--set", "overrides"), ("--variant", "variant"), ("--seed", "seed")):
            if more[key] not in ((), "", None):
                raise click.UsageError(f"{name} needs a scene (.toml); a recording has been run already")


def _viewpoint(more: dict[str, Any]) -> Viewpoint:
    from supple_picture.camera import FIELD_OF_VIEW
    from supple_picture.shot import Viewpoint

    camera: tuple[float, ...] = more["camera"] or ()
    return Viewpoint(
        angles=(camera[0], camera[1]) if camera else None,
        distance=camera[2] if camera[2:] else None,
        eye=more["eye"],
        target=more["target"],
        follow=more["follow"],
        field_of_view=more["fov"] or FIELD_OF_VIEW,
    )


def _run_options(source: Path, times: tuple[float, ...], fps: float, more: dict[str, Any]) -> Any:
    from supple.run.simulate import RunOptions

    return RunOptions(
        scene=source,
        overrides=more["overrides"],
        variant=more["variant"],
        seed=more["seed"],
        until=max(times) if times else None,
        fps=fps,
        plugins=more["plugin_files"],
        disabled=more["disabled"],
        allow_outside=more["allow_outside"],
    )
