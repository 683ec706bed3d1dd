"""The work of a step in its order, run one call at a time or in compiled stretches; see `driver`."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from supple.core.schedule import Call, Work
from supple.core.timing import Timing

if TYPE_CHECKING:
    from supple.core.driver import DrivenCall, Driver

Part = Call | Callable[[], Any]
System = tuple[int, Sequence[Part], int]
"""Its place in the schedule, its parts, and in every how many steps it runs."""
Item = tuple[int, Callable[..., Any], int]
"""The same with a function; the place is -1 for a stretch of several systems."""
Prepared = tuple[int, Part, int, "DrivenCall | None"]
"""A part of a system; None if it cannot be driven."""


def list_parts(work: Work) -> Iterator[Part]:
    """What `System.bind` returned, as a flat list."""
    if isinstance(work, Sequence):
        for each in work:
            yield from list_parts(each)
    else:
        yield work


def make_callable(work: Work) -> Callable[[], Any]:
    """One function of what `System.bind` returned."""
    parts = [_bind_part(part) for part in list_parts(work)]

    def run() -> None:
        for part in parts:
            part()

    return parts[0] if len(parts) == 1 else run


def _bind_part(part: Part) -> Callable[[], Any]:
    if not isinstance(part, Call):
        return part
    from supple.core.jit import bind_kernel  # numba takes a second to import

    kernel, otherwise = bind_kernel(part.kernel, *part.arguments), part.otherwise
    if otherwise is None:
        return kernel

    def call() -> None:
        if kernel():
            otherwise()

    return call


class Program:
    """The parts of a step, each of a system: its place in the schedule, what it does, in every how many steps.

    First every part is called from Python. Once it has run so often that it pays (`patience`), stretches of kernels
    are driven without coming back to Python, with the same results to the bit.
    """

    def __init__(
        self,
        systems: Sequence[System],
        closing: Sequence[System],
        timing: Timing,
        patience: int | None = None,
    ) -> None:
        """`closing` is what follows where the step is taken and not only computed.

        `patience` is after how many runs stretches are made; None for never.
        """
        self._systems, self._closing, self._timing = systems, closing, timing
        self._patience, self._runs = patience, 0
        #: The system that is at work, or that failed, and how often all was run before.
        self.system = self.done = 0
        self._is_one = False
        #: What each system does, by its place in the schedule, and in every how many steps.
        self.singles = _call_singly(systems)
        self._items = [self.singles, self.singles + _call_singly(closing)]
        #: Why a kernel cannot be driven, if there is such.
        self.refused = ""

    @property
    def is_driven(self) -> bool:
        """Whether stretches are compiled by now."""
        return any(place < 0 for place, _, _ in self._items[0])

    def run(self, number: int, first: bool, close: bool = False, times: int = 1) -> None:
        """Run all. Slow ones do nothing but in the first part of a step whose turn it is; `number` is that of it.

        Where all of it is one stretch, it is run so many `times`, else once; `done` is how often that was.
        """
        self.done = 0
        self._runs += 1
        if self._runs == self._patience:
            self._try_to_drive()
        if times > 1 and self._is_one:
            self._items[close][0][1](times)
            self.done = times
            return
        clock, spent = time.perf_counter_ns, self._timing.nanoseconds
        started = clock()
        for place, call, rate in self._items[close]:
            self.system = place
            if rate == 1 or (first and number % rate == 0):
                call()
            ended = clock()
            if place >= 0:  # a stretch takes the times of its systems itself
                spent[place] += ended - started
            started = ended
        self.done = 1

    def _try_to_drive(self) -> None:
        try:
            self.drive()
        except Exception as error:  # a platform for which LLVM makes no such code: all goes on as it was
            self.refused = f"no code could be made: {error}"

    def drive(self) -> None:
        """From now on call stretches of kernels without coming back to Python, where that can be."""
        from supple.core.driver import Driver

        driver = Driver(self._timing.nanoseconds)

        def prepare(systems: Sequence[System]) -> list[Prepared]:
            parts = [(place, part, rate) for place, mine, rate in systems for part in mine]
            return [(*each, driver.prepare(each[1]) if each[2] == 1 else None) for each in parts]

        body = prepare(self._systems)
        self._items = [self._stretch(driver, parts) for parts in (body, body + prepare(self._closing))]
        self._is_one = all(len(items) == 1 and items[0][0] < 0 for items in self._items)
        self.refused = driver.refused

    def _stretch(self, driver: Driver, parts: Sequence[Prepared]) -> list[Item]:
        """Parts side by side that can be driven become one."""
        items: list[Item] = []
        for driven, group in itertools.groupby(parts, key=lambda part: part[3] is not None):
            mine = list(group)
            if driven:
                calls = [(place, call) for place, _, _, call in mine if call is not None]
                items.append((-1, driver.bind(calls, self._note), 1))
            else:
                items += [(place, _bind_part(part), rate) for place, part, rate, _ in mine]
        return items

    def _note(self, place: int, done: int) -> None:
        self.system, self.done = place, done


def _call_singly(systems: Sequence[System]) -> list[Item]:
    return [(place, make_callable(parts), rate) for place, parts, rate in systems if parts]
