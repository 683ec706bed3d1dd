"""Noticing that kernels are being compiled, which can take a minute after a change."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from supple.core.timing import Timing
from supple.core.world import World
from supple.run.runner import NEVER, Runner


class CompileWatch:
    """Says whose kernels are being compiled, each owner once, and nothing when they come from the cache.

    Kernels are compiled when first called, which may be in the middle of a run, at the first contact. As an
    observer of the runner it takes that time out of the timings again.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.seconds = 0.0
        self._say = say
        self._said: set[str] = set()
        self._depth = 0
        self._began = 0.0
        self._timing: Timing | None = None
        self._wake: Callable[[], None] = lambda: None
        self._before: list[int] = []
        self._unsettled: list[tuple[list[int], float]] = []
        self._installed = ExitStack()

    def __enter__(self) -> CompileWatch:
        self._installed.enter_context(_listen(self._start, self._end))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._installed.close()

    def correct(self, runner: Runner) -> None:
        """From now on take the time of compiling out of the timings of the runner's world."""
        self._timing = runner.world.timing
        self._wake = lambda: runner.call_soon(self)

    def observe(self, world: World) -> int:
        """Settle what was compiled in the step that has just ended."""
        for before, seconds in self._unsettled:
            spent = world.timing.nanoseconds
            # Systems run in their order: the first one whose time has grown since was the one under way.
            grown = [index for index, value in enumerate(before) if spent[index] > value]
            if grown:
                spent[grown[0]] -= min(round(seconds * 1e9), spent[grown[0]] - before[grown[0]])
        self._unsettled.clear()
        return NEVER

    def _start(self, owner: str) -> None:
        if owner not in self._said and owner != "numba":
            self._said.add(owner)
            self._say(owner)
        # A kernel that calls another compiles it within its own compilation.
        if self._depth == 0:
            self._began = time.perf_counter()
            self._before = list(self._timing.nanoseconds) if self._timing else []
        self._depth += 1

    def _end(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            seconds = time.perf_counter() - self._began
            self.seconds += seconds
            self._unsettled.append((self._before, seconds))
            self._wake()


def _owner_of(dispatcher: Any) -> str:
    """The plugin or part of supple that a kernel belongs to: supple_rigid.kernels -> rigid."""
    parts = str(dispatcher.py_func.__module__).split(".")
    return parts[1] if parts[0] == "supple" and len(parts) > 1 else parts[0].removeprefix("supple_")


def _listen(start: Callable[[str], None], end: Callable[[], None]) -> Any:
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]  # numba is not annotated
        """Hears when a dispatcher has found nothing in the cache."""

        def on_start(self, heard: Any) -> None:
            start(_owner_of(heard.data["dispatcher"]))

        def on_end(self, heard: Any) -> None:
            end()

    return event.install_listener("numba:compile", Listener())
