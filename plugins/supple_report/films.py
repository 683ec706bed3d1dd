"""Pictures of recordings: some frames of every variant, all seen by the same camera, and curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import UserError
from supple.run.recording import Recording, open_recording
from supple.run.stage import Stage
from supple_report.page import Media
from supple_report.result import SceneResult

if TYPE_CHECKING:
    from supple_picture.camera import Camera
    from supple_picture.look import Look

#: Pictures of one strip, and their width and height.
FRAMES, SIZE = 6, (480, 360)
#: More curves than colours help nobody.
_MANY_CURVES, _MANY_PANELS = 6, 3
_ALWAYS = ("total contact force", "energy balance", "contact residual")


def illustrate(
    scene: SceneResult, recordings: Mapping[str, Path], metrics: Sequence[str], folder: Path, stem: str
) -> Media:
    """Draw what the recordings of a scene's variants show, by the variants' names.

    Pictures go to `folder`/media, under names that begin with `stem`. What cannot be drawn is said in notes.
    """
    media = Media()
    with ExitStack() as stack:
        opened: dict[str, Recording] = {}
        for variant in scene.variants:
            if variant.name not in recordings:
                media.notes.append(f"There is no recording of {variant.title}.")
                continue
            try:
                opened[variant.name] = stack.enter_context(open_recording(recordings[variant.name]))
            except UserError as error:
                media.notes.append(f"The recording of {variant.title} cannot be shown: {error}.")
        for recording in opened.values():
            media.units |= recording.metric_units
        (folder / "media").mkdir(exist_ok=True)
        _draw_strips(scene, opened, media, folder, stem)
        _draw_plots(scene, opened, metrics, media, folder, stem)
    return media


def choose_times(stages: Sequence[Stage]) -> list[float]:
    """Times [s] of a strip, from the first frame of all to the last of any."""
    first = min(float(stage.times[0]) for stage in stages)
    last = max(float(stage.times[-1]) for stage in stages)
    return [float(time) for time in np.linspace(first, last, FRAMES)]


def choose_frames(stage: Stage, times: Sequence[float]) -> list[int]:
    """The frames nearest to the times; a recording that ended early has fewer."""
    step = float(stage.times[-1] - stage.times[0]) / max(1, stage.frames - 1)
    kept = [time for time in times if time <= float(stage.times[-1]) + step]
    return list(dict.fromkeys(int(np.argmin(np.abs(stage.times - time))) for time in kept))


def _draw_strips(
    scene: SceneResult, opened: Mapping[str, Recording], media: Media, folder: Path, stem: str
) -> None:
    stages: dict[str, Stage] = {}
    for name, recording in opened.items():
        try:
            stage = Stage(recording)
        except UserError as error:
            media.notes.append(f"No pictures of {name or scene.title}: {error}.")
            continue
        if any(len(thing.triangles) for thing in stage.things):
            stages[name] = stage
    if not stages:
        return
    from PIL import Image

    from supple_picture.render import Renderer

    times = choose_times(list(stages.values()))
    frames = {name: choose_frames(stage, times) for name, stage in stages.items()}
    camera = _find_camera(list(stages.values()))
    look = _find_look([(stage, frames[name]) for name, stage in stages.items()])
    for number, (name, stage) in enumerate(stages.items()):
        renderer = Renderer(stage, SIZE, look)
        strip = []
        for index, frame in enumerate(frames[name]):
            file = f"media/{stem}-{number}-{index}.png"
            Image.fromarray(renderer.render(frame, camera)).save(folder / file, optimize=True)
            strip.append((float(stage.times[frame]), file))
        media.frames[name] = strip
    media.scale = _say_scale(look)


def _find_camera(stages: Sequence[Stage]) -> Camera:
    """One that sees everything of all variants, so that pictures can be compared."""
    from supple_picture.camera import AZIMUTH, ELEVATION, direction, fit

    clouds = [np.array(list(product(*zip(*_find_bounds(stage), strict=True)))) for stage in stages]
    return fit(clouds, direction(AZIMUTH, ELEVATION), SIZE[0] / SIZE[1])


def _find_bounds(stage: Stage) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from supple_picture.camera import framed_things

    return stage.bounds(None, framed_things(stage))


def _find_look(shown: Sequence[tuple[Stage, Sequence[int]]]) -> Look:
    """One ground and one scale of forces for all variants: as if all were one scene."""
    from supple_picture.arrows import nice_number
    from supple_picture.look import plan_look

    looks = [plan_look(stage, frames) for stage, frames in shown]
    bounds = [_find_bounds(stage) for stage, _ in shown]
    low, high = np.min([one for one, _ in bounds], axis=0), np.max([one for _, one in bounds], axis=0)
    radius = max(0.5 * float(np.linalg.norm(high - low)), looks[0].radius)
    # Arrows are long in radii of the scene.
    scales = [one.metres_per_newton * radius / one.radius for one in looks if one.metres_per_newton > 0]
    return replace(
        looks[0],
        middle=(low + high) / 2,
        radius=radius,
        tile=nice_number(0.35 * radius),
        metres_per_newton=min(scales, default=0.0),
        longest=max(one.longest * radius / one.radius for one in looks),
    )


def _say_scale(look: Look) -> str:
    tiles = f"A tile of the ground is {look.tile:g} m wide."
    if look.metres_per_newton == 0:
        return tiles
    force = look.tile / look.metres_per_newton
    return f"{tiles} Arrows are contact forces; one as long as a tile is {force:.3g} N."


def _draw_plots(
    scene: SceneResult, opened: Mapping[str, Recording], metrics: Sequence[str], media: Media, folder: Path,
    stem: str,
) -> None:  # fmt: skip
    from supple_plot.draw import check_output, draw_page
    from supple_plot.panels import make_overview, panel_of_metrics
    from supple_plot.series import metric_labels

    chosen = list(opened.items())[:_MANY_CURVES]
    if not chosen:
        return
    if len(opened) > len(chosen):
        media.notes.append(f"The curves show the first {len(chosen)} of {len(opened)} variants.")
    named = [(name or scene.title, recording) for name, recording in chosen]
    file = f"media/{stem}-plots.svg"
    try:
        check_output(folder / file)
        known = {label for _, recording in named for label in metric_labels(recording)}
        asked = [metric for metric in metrics if metric in known][:_MANY_PANELS]
        panels = make_overview(named)
        if asked:
            # What was claimed takes the place of what an overview guesses.
            kept = [panel for panel in panels if panel.title in _ALWAYS]
            panels = [*(panel_of_metrics(named, [metric]) for metric in asked), *kept]
        draw_page(panels, folder / file)
        media.plots = file
    except UserError as error:
        media.notes.append(f"No curves: {error}.")
