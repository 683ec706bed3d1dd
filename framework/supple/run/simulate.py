"""One headless run from scene file to summary, with its recording and its checkpoints.

result = simulate(RunOptions(Path("scenes/first/stack.toml"), until=1.0))
result.summary["metrics"]
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.core.beginning import as_plain, find_late_warnings
from supple.core.world import World
from supple.errors import ExitCode, Problem, SimulationError, UserError
from supple.plugin import Plugins, load_plugins
from supple.run.atomic import check_folder
from supple.run.checkpoint import (
    Checkpointer,
    CheckpointWriter,
    check_belongs,
    check_checkpoint_place,
    read_checkpoint,
    resume,
)
from supple.run.compile_progress import CompileWatch
from supple.run.display import Display, SilentDisplay
from supple.run.ending import make_runner
from supple.run.failure import Failure, write_failure
from supple.run.file_lock import FileLock
from supple.run.recording_layout import make_header, steps_per_frame
from supple.run.runner import Runner
from supple.run.save_problems import ProblemSaver
from supple.run.stop import Stop
from supple.run.summary import check_expectations, find_troubles, judge_expectations, summarise
from supple.run.versions import list_versions
from supple.scene.load import Scene, build_world, read_scene

if TYPE_CHECKING:
    from supple.run.recorder import Recorder


@dataclass(frozen=True)
class RunOptions:
    """What `supple run` was asked for. `fps` [1/s] and `every` [s] count simulated time."""

    scene: Path
    overrides: tuple[str, ...] = ()
    variant: str = ""
    seed: int | None = None
    until: float | None = None
    record: Path | None = None
    fps: float = 100.0
    checkpoint: Path | None = None
    every: float = 1.0
    resume: Path | None = None
    replay: Path | None = None
    save_problems: Path | None = None
    plugins: tuple[Path, ...] = ()
    disabled: tuple[str, ...] = ()
    allow_outside: bool = False

    def command(self) -> list[str]:
        """The command line of the same run, without the files it writes and reads."""
        words = ["supple", "run", str(self.scene)]
        for flag, values in (
            ("--set", self.overrides),
            ("--plugin", self.plugins),
            ("--disable", self.disabled),
        ):
            for value in values:
                words += [flag, str(value)]
        if self.replay is not None:
            words += ["--replay", str(self.replay)]
        if self.variant:
            words += ["--variant", self.variant]
        for name, number in (("--seed", self.seed), ("--until", self.until)):
            if number is not None:
                words += [name, repr(number)]
        return [*words, "--allow-outside"] if self.allow_outside else words


@dataclass(frozen=True)
class RunResult:
    """How a run ended: what `--json` prints, the exit code, the world as it is then, and why it stopped early.

    `troubles` are what nobody should rely on without a second look: unsolved steps, halved ones.
    """

    summary: dict[str, Any]
    exit_code: ExitCode
    world: World
    failure: Failure | None = None
    troubles: tuple[Problem, ...] = ()


@dataclass
class _Files:
    """What a run writes while it goes: recording, checkpoints, stored problems."""

    writer: CheckpointWriter
    recorder: Recorder | None = None
    checkpointer: Checkpointer | None = None
    problems: ProblemSaver | None = None
    locks: tuple[FileLock, ...] = ()

    def observers(self) -> list[Any]:
        return [one for one in (self.recorder, self.checkpointer, self.problems) if one is not None]

    def finish(self, world: World) -> None:
        if self.checkpointer is not None:
            self.checkpointer.write(world)

    def close(self) -> None:
        try:
            if self.recorder is not None:
                self.recorder.close()
        finally:
            for lock in self.locks:
                lock.release()

    @property
    def last_checkpoint(self) -> Path | None:
        known = self.checkpointer
        return known.path if known is not None and known.last_step is not None else None


def simulate(
    options: RunOptions, display: Display | None = None, read: tuple[Plugins, Scene] | None = None
) -> RunResult:
    """Run a scene as the options say. Bad input raises UserError; a failed step is part of the result.

    Whoever has read the scene already hands it over with the plugins that it was read with.
    """
    display = display or SilentDisplay()
    started = time.perf_counter()
    plugins, scene = read or read_with_plugins(options)
    with Stop() as stop, CompileWatch(display.compiling) as compiling:
        world, files, versions = _prepare(options, scene, plugins, display)
        runner = make_runner(world, [compiling, *files.observers(), display], stop)
        compiling.correct(runner)
        failure, wall = _advance(runner, files, display, options, compiling)
        startup = time.perf_counter() - started - wall
    summary = summarise(world, wall=wall, startup=startup, versions=versions)
    ended = failure is None and not stop.requested
    ends = world.blueprint.run.ends if runner.over else None
    summary["ended_by"] = ends.metric if ends else None
    if ends:
        value = summary["metrics"][ends.metric]
        display.note(f"ended at t = {world.time:g} s by run.ends: {ends.metric} is {value:g}")
    summary["expectations"] = judge_expectations(scene.expectations, summary["metrics"], ended=ended)
    if failure is not None:
        summary["failed"] = failure.as_plain()
    troubles = [*find_troubles(summary), *find_late_warnings(world)]
    summary["troubles"] = [as_plain(each) for each in troubles]
    plugins.tell("supple_run_finished", world=world, summary=summary)
    return RunResult(summary, _find_exit_code(summary, failure, stop), world, failure, tuple(troubles))


def read_with_plugins(options: RunOptions) -> tuple[Plugins, Scene]:
    """The scene that the options name, and the plugins that they ask for."""
    plugins = load_plugins(options.plugins, options.disabled)
    return plugins, read_scene(options.scene, plugins, allow_outside=options.allow_outside)


def _prepare(
    options: RunOptions, scene: Scene, plugins: Plugins, display: Display
) -> tuple[World, _Files, dict[str, Any]]:
    """Build the world and open its files; all bad input is found here, before the first step."""
    blueprint = scene.blueprint(
        variant=options.variant, overrides=options.overrides, seed=options.seed, until=options.until
    )
    checkpoint = None
    if options.resume is not None:
        checkpoint = read_checkpoint(options.resume)
        check_belongs(checkpoint, blueprint)
    if options.checkpoint is not None:
        check_checkpoint_place(options.checkpoint)
        if options.record is not None and options.record.resolve() == options.checkpoint.resolve():
            what = "is to be both the recording and the checkpoint"
            raise UserError(Problem(None, str(options.record), what, "give them two names"))
    world = build_world(scene, blueprint, plugins)
    if options.variant or not scene.variants:
        # The scene as it stands may lack what its variants bring.
        check_expectations(scene.expectations, world)
    for warning in world.warnings():
        display.note(f"warning: {warning}")
    versions = list_versions(plugins)
    if checkpoint is not None:
        resume(world, checkpoint)
        if checkpoint.about.versions != versions:
            display.note(f"{checkpoint.path} was made with other versions: the last digits may differ")
    if options.replay is not None:
        from supple.run.recorded_commands import replay

        display.note(f"{replay(world, options.replay)} commands of {options.replay} are given again")
    return world, _open_files(options, world, versions), versions


def _open_files(options: RunOptions, world: World, versions: dict[str, Any]) -> _Files:
    written = [path for path in (options.record, options.checkpoint) if path is not None]
    for path in written:
        check_folder(path)
    files = _Files(CheckpointWriter(world, versions), locks=tuple(FileLock(path) for path in written))
    h = world.blueprint.run.step
    if options.record is not None:
        from supple.run.recorder import start_recording  # h5py takes a while to import

        header = make_header(
            world.blueprint,
            every=steps_per_frame(options.fps, h),
            versions=versions,
            overrides=list(options.overrides),
        )
        files.recorder = start_recording(options.record, header, world, resuming=options.resume is not None)
    if options.checkpoint is not None:
        every = max(1, round(options.every / h))
        flush = files.recorder.flush if files.recorder is not None else lambda: None
        files.checkpointer = Checkpointer(options.checkpoint, files.writer, every, before=flush)
    if options.save_problems is not None:
        files.problems = ProblemSaver(options.save_problems)
    return files


def _advance(
    runner: Runner, files: _Files, display: Display, options: RunOptions, compiling: CompileWatch
) -> tuple[Failure | None, float]:
    """Step to the end; returns what failed, if anything, and the wall time of the steps [s]."""
    world, last = runner.world, runner.world.blueprint.run.steps
    failure = None
    display.begin(world, last)
    began = time.perf_counter() - compiling.seconds
    try:
        if world.steps + 1 < last:
            # The first step loads or compiles kernels; it would spoil the figures of all others.
            runner.advance(world.steps + 1)
            world.timing.reset()
            began = time.perf_counter() - compiling.seconds
        runner.advance(last)
        files.finish(world)
    except SimulationError as error:
        failure = write_failure(
            error,
            files.writer,
            scene=options.scene,
            checkpoint=options.checkpoint,
            last_checkpoint=files.last_checkpoint or options.resume,
            command=options.command(),
        )
    except BaseException as error:
        known = files.last_checkpoint or options.resume
        error.add_note(f"last checkpoint: {known}" if known else "there is no checkpoint of this run")
        raise
    finally:
        display.end()
        files.close()
    return failure, time.perf_counter() - compiling.seconds - began


def _find_exit_code(summary: dict[str, Any], failure: Failure | None, stop: Stop) -> ExitCode:
    if failure is not None:
        return ExitCode.SIMULATION_FAILED
    if stop.requested:
        return ExitCode.INTERRUPTED
    # What may have passed through something is as wrong as what was not solved.
    if summary["unsolved"]["steps"] + summary["deep_steps"] > summary["unsolved"]["allowed"]:
        return ExitCode.SIMULATION_FAILED
    held = all(verdict["holds"] for verdict in summary["expectations"])
    return ExitCode.FINE if held else ExitCode.DOES_NOT_HOLD
