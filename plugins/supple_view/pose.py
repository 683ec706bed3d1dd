"""`supple view SCENE --pose`: joints as sliders, and the pose as TOML to copy."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.core.world import World
from supple.errors import Problem, UserError
from supple.run.recorder import Recorder, start_recording
from supple.run.recording import open_recording
from supple.run.recording_layout import make_header
from supple.run.stage import Stage
from supple.run.stop import Stop
from supple_view.source import Source

_PICTURE = 1 / 30
#: How far sliders reach without limits of the joint [deg, m].
_TURN, _WAY = 180.0, 1.0


@dataclass(frozen=True)
class Axis:
    """One coordinate of a joint: its bone, its place there, what it is called, and where it may be [deg, m]."""

    path: str
    place: int
    label: str
    low: float
    high: float
    turns: bool


def list_axes(world: World) -> list[Axis]:
    """All coordinates with an angle or a way of their own; ball and free joints have none."""
    axes = []
    for entity in world.build.graph:
        bone = entity.components.get("bone")
        if bone is None or "coordinates" not in world.build.exposed.get(entity.path, {}):
            continue
        count = {"hinge": 1, "slider": 1, "universal": 2, "translation": 3}.get(bone.joint, 0)
        turns = bone.joint in ("hinge", "universal")
        reach = _TURN if turns else _WAY
        for place in range(count):
            low, high = (
                _choose(limit, place, far) for limit, far in ((bone.lower, -reach), (bone.upper, reach))
            )
            label = entity.path if count == 1 else f"{entity.path} [{place}]"
            axes.append(Axis(entity.path, place, label, low, high, turns))
    return axes


def _choose(limit: float | Sequence[float] | None, place: int, otherwise: float) -> float:
    if limit is None:
        return otherwise
    return float(limit[place] if isinstance(limit, Sequence) else limit)


def write_keys(world: World, axes: Sequence[Axis]) -> str:
    """The pose as TOML: as a start of the scene, and as a key of a motion."""
    values: dict[str, list[float]] = {}
    for axis in axes:
        number = float(world[axis.path].coordinates[axis.place])
        values.setdefault(axis.path, []).append(
            round(math.degrees(number) if axis.turns else number, 3) + 0.0
        )
    start = [f'"{path}.bone.start" = {numbers}' for path, numbers in values.items()]
    root = next(iter(values), "").partition("/")[0]
    pose = ", ".join(
        f'"{path.removeprefix(f"{root}/")}" = {numbers[0] if len(numbers) == 1 else numbers}'
        for path, numbers in values.items()
        if path.startswith(f"{root}/")
    )
    return "\n".join(
        ["[set]", *start, "", f"# a key of a motion of {root}:", f"# {{ at = 0.0, pose = {{ {pose} }} }}"]
    )


class Poser:
    """A world that is posed and never stepped: every pose is a frame of a recording, which the viewer shows."""

    def __init__(self, world: World, path: Path) -> None:
        self.world, self.axes = world, list_axes(world)
        header = make_header(world.blueprint, every=1, versions={}, overrides=[])
        self._recorder: Recorder = start_recording(path, header, world, resuming=False)
        self._count = 0
        self._add_frame()
        self.recording = open_recording(path)
        self.stage = Stage(self.recording)

    def move(self, axis: Axis, value: float) -> None:
        """Bring a coordinate to a value [deg, m]."""
        coordinates = self.world[axis.path].coordinates.copy()
        coordinates[axis.place] = math.radians(value) if axis.turns else value
        self.world.set_state(f"{axis.path}.coordinates", coordinates)
        self._add_frame()
        self.recording.refresh()
        self.stage.times = self.recording.times

    def _add_frame(self) -> None:
        self._recorder.keep_frame(self._count, float(self._count))
        self._recorder.flush()
        self._count += 1

    def close(self) -> None:
        """Give the file back."""
        self.recording.close()
        self._recorder.close()


def serve_pose(source: Source, *, host: str, port: int, browse: bool, as_json: bool) -> int:
    """Show the scene with sliders until somebody asks to stop."""
    from supple.scene.load import load
    from supple_view.serve import announce, hushed, import_viser, open_server

    viser = import_viser()
    world = load(
        source.path, variant=source.variant, overrides=source.overrides, seed=source.seed,
        plugins=source.plugins, allow_outside=source.allow_outside,
    )  # fmt: skip
    with Stop() as stop, tempfile.TemporaryDirectory(prefix="supple-pose-") as folder:
        poser = Poser(world, Path(folder) / "pose.h5")
        if not poser.axes:
            what = "has no joints that a slider could move"
            raise UserError(
                Problem(None, str(source.path), what, "pose a scene with hinges or sliders of bones")
            )
        server = open_server(viser, host, port)
        try:
            panel = PosePanel(server, poser)
            announce(server, poser.recording, host, browse=browse, as_json=as_json)
            while not stop.requested:
                panel.tick()
                time.sleep(_PICTURE)
        finally:
            with hushed():
                server.stop()
            poser.close()
    return 0


class PosePanel:
    """Sliders note wishes; `tick` moves the joints, in the viewer's own loop."""

    def __init__(self, server: Any, poser: Poser) -> None:
        from supple_view.live_scene import LiveScene

        server.gui.configure_theme(show_share_button=False, show_logo=False)
        self.poser, self.scene = poser, LiveScene(server, poser.stage)
        self._wishes: dict[Axis, float] = {}
        server.gui.add_markdown(f"**{poser.stage.recording.header.scene}** · deg, m")
        for axis in poser.axes:
            now = float(poser.world[axis.path].coordinates[axis.place])
            value = math.degrees(now) if axis.turns else now
            low, high = min(axis.low, value), max(axis.high, value)
            slider = server.gui.add_slider(axis.label, low, high, 0.5 if axis.turns else 0.005, value)
            slider.on_update(
                lambda event, axis=axis: self._wishes.__setitem__(axis, float(event.target.value))
            )
        self._keys = server.gui.add_text("TOML", write_keys(poser.world, poser.axes), multiline=True)
        self.scene.show(0)

    def tick(self) -> None:
        """Do what was wished since the last time."""
        if not self._wishes:
            return
        wishes, self._wishes = self._wishes, {}
        for axis, value in wishes.items():
            self.poser.move(axis, value)
        self.scene.show(self.poser.stage.frames - 1)
        self._keys.value = write_keys(self.poser.world, self.poser.axes)
