"""Recording a world that is stepped from Python.

with supple.record(world, "run.h5", fps=60):
    world.step(1000)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from supple.core.world import World
from supple.run.recorder import Recorder, start_recording
from supple.run.recording_layout import make_header, steps_per_frame


@contextmanager
def record(world: World, path: str | Path, *, fps: float = 100.0) -> Iterator[Recorder]:
    """Record all steps that are taken inside; the first frame is the world as it is now.

    The file can be viewed, drawn and plotted as those of `supple run --record`; commands given from Python are in it,
    and `supple.replay` gives them again.
    """
    every = steps_per_frame(fps, world.blueprint.run.step)
    header = make_header(world.blueprint, every=every, versions={}, overrides=[])
    recorder = start_recording(Path(path), header, world, resuming=False)
    generation = world.generation

    def look() -> None:
        nonlocal generation
        if world.generation != generation:
            generation = world.generation
            recorder.take_arrays(world)
        recorder.observe(world)

    recorder.observe(world)
    end = world.control.follow(look, every)
    try:
        yield recorder
    finally:
        end()
        recorder.close()
