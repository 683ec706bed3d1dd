"""The systems of a build in their order, bound to its arrays: runs steps of them, whole or in parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from supple.core.arrays import NEXT, ArrayTable
from supple.core.build import Build
from supple.core.clock import VAIN
from supple.core.control import COMMANDED, WATCHED
from supple.core.fault import naming_fault, raise_fault
from supple.core.program import Part, Program, System, list_parts
from supple.core.registry import Registered, Registry
from supple.core.runaway import Runaways
from supple.core.schedule import Bound, Call, Entry, MovedError, Phase, expand, order_systems, solve_of
from supple.core.timing import Timing
from supple.errors import SimulationError, StrayedStepError, SuppleError

#: Steps from Python before stretches of kernels are driven without it (`supple.core.driver`): that takes as long to
#: prepare as some hundred steps save. Doubled whenever it was in vain.
PATIENCE = 200
#: Doubtful steps whose parts did no better, more than did, after which no more are divided: where the solver stalls in
#: every step, each would cost several times as much.
MOST_VAIN = 8

#: So many halvings more than usual are tried where nothing but the ends of parts is doubted: what turns goes as the
#: square of a part's length off the planes that rows have, so shorter ones are sure to help.
FURTHER = 2


class Stepper:
    """Runs the systems of a build. What is done about a step that fails is the world's business.

    It is made anew with the arrays; `timing` and `patience` of the one before go on.
    """

    _program: Program

    def __init__(self, build: Build, registry: Registry, before: Stepper | None = None) -> None:
        self.build, self.registry, self.arrays = build, registry, build.arrays
        self.schedule = build.schedule = make_schedule(build, registry)
        self._moving_count = sum(entry.phase < Phase.OBSERVE for entry in self.schedule)
        observing = self.schedule[self._moving_count :]
        self.arrays.freeze({name.removesuffix(NEXT) for entry in observing for name in entry.writes})
        #: All arrays that a system writes.
        self.written = {name.removesuffix(NEXT) for entry in self.schedule for name in entry.writes}
        self._cleared = self.arrays.join(sorted(build.accumulating))
        self._number, self._again = self.arrays["run.step"], self.arrays["run.again"]
        self._runaways = Runaways(build)
        names = [entry.name for entry in self.schedule]
        self.timing: Timing = before.timing if before and before.timing.names == names else Timing(names)
        #: After how many steps kernels are driven without Python; None for never. Results are the same to the bit.
        self.patience: int | None = before.patience if before else PATIENCE
        #: What makes a call of the arrays that follows every step, or part of one, that was taken.
        self.follower: Callable[[ArrayTable], Call] | None = before.follower if before else None
        self.bind()

    # Binding

    def bind(self, parts: int = 1, *, trusting: bool = False) -> None:
        """Bind all members and systems, to steps of the run that are divided into so many parts.

        Who is `trusting` takes steps as they come out; so does every one once parts were in vain too often.

        What is bound anew goes on as before: nothing may be kept but in arrays. Slow ones keep their own step.
        """
        self._flags = self._read_flags()
        self.build.trusting = trusting or self._flags[-1]
        rates = {solve.name: solve.rate for solve in self.build.members("solves")}
        for members in self.build.collections.values():
            for member in members:
                self._bind_member(member, rates.get(solve_of(member), 1), parts)
        bound: list[System] = [
            (place, self._bind(entry, parts), entry.system.rate) for place, entry in enumerate(self.schedule)
        ]
        self._parts = parts
        self._assemble(bound[: self._moving_count], bound[self._moving_count :])

    def bind_as_told(self) -> None:
        """Bind anew if the State says otherwise than before which systems are needed."""
        if self._read_flags() != self._flags:
            self.bind()

    def _read_flags(self) -> list[bool]:
        told = [bool(self.arrays[name][0]) for name in (COMMANDED, WATCHED)]
        return [*told, self.arrays[VAIN].item(0) >= MOST_VAIN]

    def _bind(self, entry: Entry, parts: int) -> list[Part]:
        h = self._length(entry.system.rate, parts)
        with naming_fault(self.registry, entry.plugin, f"system {entry.name}"):
            return list(
                list_parts(entry.system.bind(Bound(entry.name, entry.touches, self.arrays, self.build, h)))
            )

    def _bind_member(self, member: Any, rate: int, parts: int) -> None:
        h = self._length(rate, parts)
        with naming_fault(
            self.registry, self.build.plugin_of.get(id(member), "supple"), f"member {member.name}"
        ):
            allowed = frozenset((*member.reads, *getattr(member, "writes", ())))
            member.bind(Bound(member.name, allowed, self.arrays, self.build, h))

    def _length(self, rate: int, parts: int) -> float:
        """The step [s] of what runs in every `rate`-th step of the run."""
        return self.build.run.step * rate if rate > 1 else self.build.run.step / parts

    def _assemble(self, moving: list[System], observing: list[System]) -> None:
        """Make one program of the systems and what is done before, between and behind them."""
        from supple.core.state_kernels import clear, is_set  # numba takes a second to import

        around = len(self.schedule)  # the place of what belongs to no system

        def look(observed: bool) -> list[Call]:
            return [
                Call(*each, otherwise=lambda: self._name_nonfinite(observed))
                for each in self.arrays.looks[observed]
            ]

        start = [Call(clear, values) for values in (self._again, *self._cleared)]
        moving = [(around, start, 1), *moving, (around, look(False), 1)]
        again: list[Part] = [Call(is_set, self._again, otherwise=self._move_again)]
        end = [*look(True), *self._runaways.list_looks(), *self._list_end_looks()]
        follower = [self.follower(self.arrays)] if self.follower is not None else []
        closing = [(around, [*(Call(*each) for each in self.arrays.copies), *follower], 1)]
        whole = [*moving, (around, again, 1), *observing, (around, end, 1)]
        if "_program" in self.__dict__ and self._program.is_driven and self.patience is not None:
            self.patience *= 2
        self._program = Program(whole, closing, self.timing, self.patience)
        self._moving = Program(moving, [], self.timing)

    # Running

    @property
    def refused_kernel(self) -> str:
        """A kernel that is called from Python though it need not be, and why; empty if there is none so far."""
        return self._program.refused

    def calls(self) -> list[tuple[Entry, Callable[[], None]]]:
        """The systems in their order, each with what it runs in a step; without those that have nothing to run."""
        return [
            (self.schedule[place], call)
            for place, call, _ in self._program.singles
            if place < len(self.schedule)
        ]

    def run(self, first: bool, commit: bool, times: int = 1) -> None:
        """Run all systems, at most so many times. Slow ones do nothing but in the first part of their steps."""
        self._first, program = first, self._program
        try:
            self._run_program(program, first, commit, times)
        except MovedError:
            self._forget_found()
            self.arrays.roll_back()
            self.bind(self._parts, trusting=self.build.trusting)
            self.run(first, commit)
        except BaseException:
            self._forget_found()
            raise
        finally:
            if self._parts == 1:  # several count as one
                self.timing.steps += program.done

    def run_parts(self, parts: int, *, trusting: bool = False) -> None:
        """Take one step in so many parts; the systems stay bound to these."""
        self.bind(parts, trusting=trusting)
        for part in range(parts):
            self.run(first=part == 0, commit=True)
        self.timing.steps += parts > 1  # a whole one was counted

    def look_at_start(self, last: Phase) -> None:
        """Run the systems of a step up to a phase and forget what they did to the State.

        Step arrays then hold what they found, such as the contacts at the start of the next step.
        """
        for array in self._cleared:
            array.fill(0)
        try:
            for entry, call in self.calls():
                if entry.phase <= last:
                    call()
        except MovedError:
            self.arrays.roll_back()
            self.bind()
            self.look_at_start(last)
        finally:
            self.arrays.roll_back()

    def _run_program(self, program: Program, first: bool, commit: bool, times: int = 1) -> None:
        """Run a program; errors say which system they are from."""
        try:
            program.run(self._number.item(0), first, commit, times)
        except SimulationError as error:
            if program.system < len(self.schedule):
                error.system = error.system or self.schedule[program.system].name
            raise
        except (SuppleError, MovedError):
            raise
        except Exception as error:
            if program.system >= len(self.schedule):
                raise
            entry = self.schedule[program.system]
            raise_fault(error, self.registry, entry.plugin, f"system {entry.name}")

    def _move_again(self) -> None:
        """Run what moves from the same state, but for what was found out meanwhile, while a system asks for it."""
        while self._again.item(0):
            self.arrays.start_again(self.build.found_out)
            self._run_program(self._moving, self._first, False)

    def _list_end_looks(self) -> list[Call]:
        from supple.core.state_kernels import is_set  # numba takes a second to import

        halvings = self.build.run.halvings
        # The shortest parts are taken anyhow.
        if self.build.trusting or not halvings or self._parts >= 2 ** (halvings + FURTHER):
            return []
        return [
            Call(is_set, self.arrays[name], otherwise=partial(self._look_at_end, judge))
            for name, judge in self.build.end_looks
        ]

    def _look_at_end(self, judge: Callable[[ArrayTable], str]) -> None:
        """Let somebody judge what the systems of DETECT find at the end of the step; then all is as it was before."""
        arrays, calls = self.arrays, [each for each in self.calls() if each[0].phase <= Phase.DETECT]
        written = {name for entry, _ in calls for name in entry.writes if not name.endswith(NEXT)}
        found = [(arrays[name], arrays[name].copy()) for name in sorted(written - set(arrays.records))]
        kept = [
            (buffer, buffer.copy())
            for state in (arrays.now, arrays.next)
            for buffer in state.buffers.values()
        ]
        arrays.now.copy_from(arrays.next)
        try:
            for _, call in calls:
                call()
            what = judge(arrays)
        finally:
            for array, values in (*found, *kept):
                array[...] = values
        if what:
            raise StrayedStepError(what)

    def _forget_found(self) -> None:
        for name in self.build.found_out:
            self.arrays[name].fill(0)

    def _name_nonfinite(self, observing: bool) -> None:
        """Stop at the first number that is not finite and say whose it is."""
        count = self._moving_count
        for entry in self.schedule[count:] if observing else self.schedule[:count]:
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


def make_schedule(build: Build, registry: Registry) -> list[Entry]:
    """The systems that the scene needs, one for each member of what they are made for, in their order."""
    kinds = {kind for entity in build.graph for kind in entity.components}
    entries = []
    for name, registered in registry.systems.items():
        if registered.when and not kinds & set(registered.when):
            continue
        if not registered.each:
            entries.append(_make_entry(name, build, registry, registered, build))
        for member in build.members(registered.each):
            entries.append(_make_entry(f"{member.name}.{name}", build, registry, registered, build, member))
    return order_systems(entries, build.arrays, frozenset(build.accumulating))


def _make_entry(
    name: str, build: Build, registry: Registry, registered: Registered, *arguments: Any
) -> Entry:
    with naming_fault(registry, registered.plugin, f"system {name}"):
        system = registered.load()(*arguments)
    reads, writes, adds = (
        expand(accesses, build.collections) for accesses in (system.reads, system.writes, system.adds)
    )
    return Entry(name, system, reads, writes, adds, registered.plugin)
