"""A scene that runs in a process of its own while it is looked at: `python -m supple_view.background OPTIONS`.

Its recording is the only thing between it and the viewer. Blocks of frames may take long to fill where steps are slow,
so what there is is written several times a second.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from supple.core.world import World
from supple.errors import ExitCode, SimulationError, UserError
from supple.plugin import load_plugins
from supple.run.compile_progress import CompileWatch
from supple.run.pace import Pace
from supple.run.recorder import Recorder, start_recording
from supple.run.recording_layout import make_header, steps_per_frame
from supple.run.report import choose_display
from supple.run.runner import Runner
from supple.run.stop import Stop
from supple.run.versions import list_versions
from supple.scene.load import build_world, read_scene
from supple_view.touch import Touch

_INTERVAL = 0.2


class Flusher:
    """Writes the frames gathered so far a few times a second, and stops when nobody looks any more."""

    def __init__(self, recorder: Recorder, stop: Stop) -> None:
        self._recorder, self._stop = recorder, stop
        self._pace = Pace(_INTERVAL, 0.0)
        self._parent = os.getppid()

    def observe(self, world: World) -> int:
        """Write if it is time."""
        if self._pace.look():
            self._recorder.flush()
            if os.getppid() != self._parent:
                self._stop.requested = True
        return world.steps + self._pace.stride


def run_scene(asked: dict[str, Any]) -> None:
    """Run the scene to its end; `asked` holds the fields of `Source`, and `record`, as plain values."""
    plugins = load_plugins([Path(name) for name in asked["plugins"]], asked["disabled"])
    scene = read_scene(Path(asked["path"]), plugins, allow_outside=asked["allow_outside"])
    blueprint = scene.blueprint(
        variant=asked["variant"], overrides=asked["overrides"], seed=asked["seed"], until=asked["until"]
    )
    display = choose_display(quiet=asked["quiet"])
    with Stop() as stop, CompileWatch(display.compiling) as compiling:
        world = build_world(scene, blueprint, plugins)
        header = make_header(
            blueprint, every=steps_per_frame(asked["fps"], blueprint.run.step),
            versions=list_versions(plugins), overrides=list(asked["overrides"]),
        )  # fmt: skip
        if asked.get("touch"):
            # Without a buffer: a thread that waits in one keeps the interpreter from ending.
            Touch(world, open(0, "rb", buffering=0, closefd=False)).begin()  # noqa: SIM115
        recorder = start_recording(Path(asked["record"]), header, world, resuming=False)
        runner = Runner(world, [compiling, recorder, Flusher(recorder, stop), display], stop)
        compiling.correct(runner)
        display.begin(world, blueprint.run.steps)
        try:
            runner.advance(blueprint.run.steps)
        finally:
            display.end()
            recorder.close()


def main() -> int:
    """The process; its exit code is one of supple's, and errors are printed."""
    try:
        run_scene(json.loads(sys.argv[1]))
    except UserError as error:
        print(*error.problems, sep="\n", file=sys.stderr)
        return ExitCode.BAD_INPUT
    except SimulationError as error:
        print(error, file=sys.stderr)
        return ExitCode.SIMULATION_FAILED
    return ExitCode.FINE


if __name__ == "__main__":
    sys.exit(main())
