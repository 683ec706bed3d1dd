"""Stopping a run between two steps when the user or the system asks for it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)
"""What asks a process to end: Ctrl-C, the system, a terminal that was closed, Ctrl-Break on Windows."""


def handle_stopping(handler: Callable[[int, FrameType | None], None]) -> dict[int, Any]:
    """Let `handler` have the signals that ask for an end; returns the handlers before.

    A closed terminal stays ignored where it was: a run under `nohup` goes on.
    """
    hang_up = getattr(signal, "SIGHUP", None)
    ignored = {hang_up} if hang_up is not None and signal.getsignal(hang_up) == signal.SIG_IGN else set()
    return {number: signal.signal(number, handler) for number in STOPPING if number not in ignored}


class Stop:
    """Notes signals that ask for an end, for the runner to see after the current step.

    A second Ctrl-C does not wait any longer: it raises KeyboardInterrupt at once.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        # Python lets only the main thread handle signals; elsewhere the caller sets `requested` itself.
        if threading.current_thread() is threading.main_thread():
            self._previous = handle_stopping(self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        self._previous.clear()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True


class Termination:
    """Within it whatever asks for an end is as good as Ctrl-C: files are put in order, and the exit code says so."""

    def __init__(self) -> None:
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            self._previous = handle_stopping(self._interrupt)

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    @staticmethod
    def _interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt
