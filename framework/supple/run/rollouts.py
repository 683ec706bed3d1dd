"""Many runs of one scene, each with numbers of its own.

runs = supple.rollouts("scenes/first/drop.toml", [{"ball.pose.position": [0, y, 0]} for y in heights], jobs=2)
[run.metrics["ball.height"] for run in runs]
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.core.world import World
from supple.errors import Problem, SimulationError, UserError, suggest
from supple.run.claim_runs import Setting, find_mould, load_scene, load_setting

if TYPE_CHECKING:
    from supple.core.blueprint import Blueprint

#: Cells that a worker gets at a time: enough to keep it busy, few enough to lose.
CHUNK = 64


@dataclass(frozen=True)
class Rollout:
    """One run: its metrics at the end, what was asked for of its end by name, and why it failed if it did."""

    metrics: dict[str, float]
    outputs: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Batch:
    """What all runs share; it travels to the workers, so `control` must be a function of a module."""

    scene: Path
    variant: str = ""
    until: float | None = None
    outputs: tuple[str, ...] = ()
    control: Callable[[World], Any] | None = None
    rate: float | None = None
    setting: Setting = field(default_factory=Setting)


def rollouts(
    scene: str | Path,
    cells: Sequence[Mapping[str, Any]],
    jobs: int = 1,
    *,
    variant: str = "",
    until: float | None = None,
    outputs: Sequence[str] = (),
    control: Callable[[World], Any] | None = None,
    rate: float | None = None,
    plugins: Sequence[str | Path] = (),
    allow_outside: bool = False,
    cluster: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Rollout]:
    """Run a scene once for every cell, `jobs` at a time; the results are in the order of the cells.

    A cell names values of the scene by their paths (`ball.pose.position`, `run.seed`), or numbers of the start as
    `world["ball"].velocity` shows them (`ball.velocity`), which is faster still: nothing is built for these. Cells that
    differ in numbers alone use one built world. Results are those of single runs, to the bit. `outputs` are read at the
    end in the same way (`ball.position`). `control` is a callback of `World.on_step`, called at `rate`. With `cluster`
    (the address of a dask scheduler, or `local:4`) the runs are computed there. `progress` is called with the numbers
    of runs done and of all.
    """
    setting = Setting(tuple(Path(file) for file in plugins), (), allow_outside)
    if cluster is not None:
        from supple.run.cluster import check_cluster

        check_cluster(cluster)
        scene = Path(scene).resolve()
    batch = Batch(Path(scene), variant, until, tuple(outputs), control, rate, setting)
    copies = [dict(cell) for cell in cells]
    _check(batch, copies)
    done: list[Rollout | None] = [None] * len(copies)
    for finished, (place, one) in enumerate(_run_all(batch, copies, jobs, cluster), 1):
        done[place] = one
        if progress is not None:
            progress(finished, len(copies))
    return [one for one in done if one is not None]


def _run_all(
    batch: Batch, cells: Sequence[dict[str, Any]], jobs: int, cluster: Any
) -> Iterator[tuple[int, Rollout]]:
    chunks = [list(range(i, min(i + CHUNK, len(cells)))) for i in range(0, len(cells), CHUNK)]
    if cluster is not None:
        from supple.run.cluster import run_on_cluster

        small = max(1, min(CHUNK, len(cells) // 16))
        chunks = [list(range(i, min(i + small, len(cells)))) for i in range(0, len(cells), small)]
        work = [(batch, [cells[place] for place in chunk]) for chunk in chunks]
        results: Iterator[tuple[int, list[Rollout] | str]] = run_on_cluster(
            cluster, run_chunk, work, batch.setting
        )
    elif jobs <= 1:
        results = ((n, run_chunk(batch, [cells[place] for place in chunk])) for n, chunk in enumerate(chunks))
    else:
        from supple.run.claim_pool import run_calls

        chunk_size = max(1, min(CHUNK, -(-len(cells) // (4 * jobs))))
        chunks = [list(range(i, min(i + chunk_size, len(cells)))) for i in range(0, len(cells), chunk_size)]
        work = [(batch, [cells[place] for place in chunk]) for chunk in chunks]
        results = run_calls(run_chunk, work, jobs)
    for number, outcome in results:
        chunk = chunks[number]
        if isinstance(outcome, str):
            outcome = [Rollout({}, error=outcome)] * len(chunk)
        yield from zip(chunk, outcome, strict=True)


def run_chunk(batch: Batch, cells: Sequence[Mapping[str, Any]]) -> list[Rollout]:
    """The runs of some cells, one after the other; a step that fails is part of a result."""
    return [run_cell(batch, cell) for cell in cells]


def run_cell(batch: Batch, cell: Mapping[str, Any]) -> Rollout:
    """One run from start to end."""
    began = time.perf_counter()
    overrides, starts = split_cell(cell)
    world = _cast(batch, overrides)
    for name, value in starts.items():
        world.set_state(name, value)
    if batch.control is not None:
        world.on_step(batch.control, rate=batch.rate)
    error = ""
    try:
        world.step(world.blueprint.run.steps)
    except SimulationError as failed:
        error = str(failed)
    outputs = {name: look_up(world, name) for name in batch.outputs}
    return Rollout(world.metrics(), outputs, error, time.perf_counter() - began)


def split_cell(cell: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values of the scene (`entity.component.field`), and numbers of the start (`entity.attribute`)."""
    overrides = {
        name: value for name, value in cell.items() if name.count(".") > 1 or name.startswith("run.")
    }
    return overrides, {name: value for name, value in cell.items() if name not in overrides}


def _cast(batch: Batch, overrides: Mapping[str, Any]) -> World:
    """The world of a cell at its start; the last blueprint serves for all cells with the same overrides."""
    scene = load_scene(batch.setting, batch.scene)
    mould = find_mould(batch.setting, batch.scene, batch.variant)
    key = (batch.scene, batch.variant, batch.until, repr(sorted(overrides.items())))
    blueprint = _LAST.get(key)
    if blueprint is None:
        blueprint = scene.blueprint(variant=batch.variant, overrides=overrides, until=batch.until)
        _LAST.clear()
        _STARTS.clear()
        _LAST[key] = blueprint
    known = _STARTS.get(key)
    if known is not None and known[0].blueprint is blueprint and known[0].generation == known[1]:
        world = known[0]
        world.rewind(known[2])
        return world
    world = mould.cast(blueprint)
    _STARTS[key] = world, world.generation, world.arrays.keep()
    return world


#: The last blueprint of the process, and its world with the numbers of its start.
_LAST: dict[Any, Blueprint] = {}
_STARTS: dict[Any, tuple[World, int, Any]] = {}


def look_up(world: World, name: str) -> Any:
    """A metric, or what an entity shows, by its name."""
    path, _, attribute = name.rpartition(".")
    if attribute in world.build.exposed.get(path, {}):
        return getattr(world[path], attribute)
    return world.metrics()[name]


def _check(batch: Batch, cells: Sequence[Mapping[str, Any]]) -> None:
    """All names before the first step: a wrong one in cell 9,000 is told at once."""
    load_setting(batch.setting)
    overrides, _ = split_cell(cells[0]) if cells else ({}, {})
    world = _cast(batch, overrides)
    metrics = world.metrics()
    for name in batch.outputs:
        if name not in metrics:
            _refuse_unknown(world, name)
    tried = {name: value for cell in cells for name, value in split_cell(cell)[1].items()}
    for name, value in tried.items():
        world.set_state(name, value)
    _STARTS.clear()
    scene = load_scene(batch.setting, batch.scene)
    for names, cell in {tuple(sorted(split_cell(cell)[0])): cell for cell in cells}.items():
        if names:
            scene.blueprint(variant=batch.variant, overrides=split_cell(cell)[0], until=batch.until)


def _refuse_unknown(world: World, name: str) -> None:
    path, _, attribute = name.rpartition(".")
    shown = world.build.exposed.get(world[path].path, {}) if path else {}
    if attribute not in shown:
        raise UserError(Problem(None, name, "is not known", suggest(attribute, shown, f"{path} has")))
