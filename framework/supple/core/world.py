"""The world: compiled arrays, an ordered list of systems, and the step."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import NEXT, Array
from supple.core.blueprint import Blueprint
from supple.core.build import Build, run_compilers
from supple.core.metrics import compile_metrics, forget_settled, metric_values
from supple.core.registry import Registry
from supple.core.schedule import Bound, Call, Entry, Work, expand, order_systems
from supple.core.timing import Timing
from supple.errors import SimulationError, suggest

if TYPE_CHECKING:
    from supple.mechanics.combined_dynamics import CombinedDynamics


class World:
    """A scene that can be stepped.

        world = supple.load("scene.toml")
        world.step(100)
        world["walker/torso"].position

    The state only changes when a whole step succeeded; a failed step raises `SimulationError` and leaves
    it as it was.
    """

    def __init__(self, blueprint: Blueprint, registry: Registry) -> None:
        self.blueprint = blueprint
        self.registry = registry
        self.build = Build(blueprint, registry)
        _declare_clock(self.build)
        run_compilers(self.build)
        compile_metrics(self.build)
        self.arrays = self.build.arrays
        self.arrays.freeze()
        self._cleared = self.arrays.join(sorted(self.build.accumulating))
        self.schedule: list[Entry] = self._make_schedule()
        self._bind_members()
        self._steps = [self._bind(entry) for entry in self.schedule]
        self._rated = [
            (call, entry.system.rate) for entry, call in zip(self.schedule, self._steps, strict=True)
        ]
        self._number = self.arrays["run.step"]
        self.timing = Timing([entry.name for entry in self.schedule])

    # Stepping

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return float(self.arrays["run.time"][0])

    @property
    def steps(self) -> int:
        """Steps taken since the start of the scene."""
        return int(self.arrays["run.step"][0])

    def step(self, count: int = 1) -> None:
        """Advance by `count` steps."""
        for _ in range(count):
            try:
                self.compute_step()
                self._guard()
            except SimulationError as error:
                error.time, error.step = self.time, self.steps
                self.arrays.roll_back()
                raise
            self.arrays.commit()

    def compute_step(self) -> None:
        """Run all systems once without committing; most callers want `step`."""
        for array in self._cleared:
            array.fill(0)
        number, index = self._number.item(0), 0
        clock, spent = time.perf_counter_ns, self.timing.nanoseconds
        started = clock()
        try:
            for index, (call, rate) in enumerate(self._rated):
                if rate == 1 or number % rate == 0:
                    call()
                ended = clock()
                spent[index] += ended - started
                started = ended
        except SimulationError as error:
            error.system = error.system or self.schedule[index].name
            raise
        self.timing.steps += 1

    def calls(self) -> list[tuple[Entry, Callable[[], None]]]:
        """The systems in their order, each with what it runs in a step."""
        return list(zip(self.schedule, self._steps, strict=True))

    def _guard(self) -> None:
        """Stop at the first number that is not finite and say whose it is."""
        if self.arrays.is_next_finite():
            return
        for entry in self.schedule:
            for name in (*entry.writes, *entry.adds):
                if name not in self.arrays.records:
                    self._refuse_nonfinite(entry, name)

    def _refuse_nonfinite(self, entry: Entry, name: str) -> None:
        values, spec = self.arrays[name], self.arrays.spec(name)
        used = int(self.arrays.successor(spec.count)[0]) if spec.count else len(values)
        bad = np.argwhere(~np.isfinite(values[:used]))
        if len(bad):
            index = tuple(int(i) for i in bad[0])
            entity = spec.labels[index[0]] if spec.labels else ""
            element = f"{name.removesuffix(NEXT)}[{', '.join(map(str, index))}]"
            what = f"{element} became {values[index]}"
            raise SimulationError(what, system=entry.name, entity=entity, element=element)

    # State

    def snapshot(self) -> dict[str, Array]:
        """A copy of everything that is needed to go on from here."""
        return self.arrays.state_copy()

    def restore(self, state: Mapping[str, Array], *, planned_steps: int | None = None) -> None:
        """Go back to a snapshot. `planned_steps` is the length of the run it was taken from."""
        copied = {name: np.array(values) for name, values in state.items()}
        if planned_steps is not None and planned_steps != self.blueprint.run.steps:
            forget_settled(self.build.metrics, copied)
        self.arrays.load_state(copied)

    # Looking

    def __getitem__(self, path: str) -> EntityView:
        return EntityView(self, self.build.graph[path].path)

    def array(self, name: str) -> Array:
        """An array by name (`supple schedule` lists them); a view, so copy it to keep it."""
        return self.arrays[name]

    def metrics(self) -> dict[str, float]:
        """All metrics over the run so far, by `entity.metric`."""
        return metric_values(self.arrays, self.build.metrics)

    def members(self, collection: str) -> list[Any]:
        """The members of a collection (mechanisms, surfaces, ...), sorted by name."""
        return self.build.members(collection)

    def dynamics(self, *paths: str) -> CombinedDynamics:
        """Queries about these entities together: masses, Jacobians, momenta, joints between them."""
        from supple.mechanics.combined_dynamics import ask_dynamics  # mechanics builds on core

        return ask_dynamics(self.build, *paths).bind(self.arrays)

    # Building

    def _make_schedule(self) -> list[Entry]:
        kinds = {kind for entity in self.build.graph for kind in entity.components}
        entries = []
        for name, registered in self.registry.systems.items():
            if registered.when and not kinds & set(registered.when):
                continue
            system = registered.load()(self.build)
            reads, writes, adds = (
                expand(accesses, self.build.collections)
                for accesses in (system.reads, system.writes, system.adds)
            )
            entries.append(Entry(name, system, reads, writes, adds))
        return order_systems(entries, self.arrays, frozenset(self.build.accumulating))

    def _bind(self, entry: Entry) -> Callable[[], None]:
        h = self.build.run.step * entry.system.rate
        return make_callable(entry.system.bind(Bound(entry.name, entry.touches, self.arrays, self.build, h)))

    def _bind_members(self) -> None:
        h = self.build.run.step
        for members in self.build.collections.values():
            for member in members:
                allowed = frozenset((*member.reads, *getattr(member, "writes", ())))
                member.bind(Bound(member.name, allowed, self.arrays, self.build, h))


def make_callable(work: Work) -> Callable[[], Any]:
    """One function of what `System.bind` returned."""
    if isinstance(work, Call):
        from supple.core.jit import bind_kernel  # numba takes a second to import

        return bind_kernel(work.kernel, *work.arguments)
    if not isinstance(work, Sequence):
        return work
    parts = [make_callable(part) for part in work]

    def run() -> None:
        for part in parts:
            part()

    return parts[0] if len(parts) == 1 else run


def _declare_clock(build: Build) -> None:
    build.add_state("run.time", [0.0], unit="s", doc="Simulated time.")
    build.add_state("run.step", [0], unit="1", doc="Number of the step.", dtype=np.int64)
    build.add_model("run.gravity", build.run.gravity, unit="m/s^2", doc="Acceleration of free fall.")


class EntityView:
    """One entity of a world, with the arrays that its components expose as attributes."""

    def __init__(self, world: World, path: str) -> None:
        self._world = world
        self.path = path

    def __getattr__(self, attribute: str) -> Any:
        exposed = self._world.build.exposed.get(self.path, {})
        if attribute not in exposed:
            remedy = suggest(attribute, exposed, "it has")
            raise AttributeError(f"{self.path} has no '{attribute}' to look at; {remedy}")
        name, index = exposed[attribute]
        value = self._world.arrays[name][index]
        return value.copy() if isinstance(value, np.ndarray) else value.item()

    def __dir__(self) -> list[str]:
        return sorted(["path", *self._world.build.exposed.get(self.path, {})])

    def __repr__(self) -> str:
        return f"<entity {self.path}: {', '.join(dir(self))}>"
