"""Runs in worker processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Collection, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import FrameType

from supple.run.claim_runs import Outcome, Setting, Task, run_task
from supple.run.stop import handle_stopping

DIED = "the process that ran it died"
SAFE_PATH = "PYTHONSAFEPATH"
"""What tells an interpreter to leave the current folder out of where it looks for modules."""


def run_tasks(
    setting: Setting, tasks: Sequence[Task], jobs: int, one_by_one: Collection[str] = ()
) -> Generator[tuple[Task, Outcome], None, None]:
    """Run all tasks, at most `jobs` at a time, and hand out each as it is finished.

    Those whose keys are in `one_by_one` run one at a time, after the others, so that nothing disturbs their speed.
    """
    if one_by_one:
        yield from run_tasks(setting, [task for task in tasks if task.key not in one_by_one], jobs)
        yield from run_tasks(setting, [task for task in tasks if task.key in one_by_one], 1)
        return
    if min(jobs, len(tasks)) <= 1:
        for task in tasks:
            yield task, run_task(setting, task)
        return
    yield from _run_in_workers(setting, tasks, min(jobs, len(tasks)))


def _run_in_workers(
    setting: Setting, tasks: Sequence[Task], jobs: int
) -> Generator[tuple[Task, Outcome], None, None]:
    """Each worker has one task at a time and dies alone: the others and what waits are not touched."""
    waiting = deque(tasks)
    running: dict[Future[Outcome], tuple[Task, ProcessPoolExecutor]] = {}
    idle = [_make_worker() for _ in range(jobs)]
    try:
        while waiting or running:
            while waiting and idle:
                worker, task = idle.pop(), waiting.popleft()
                running[_submit(worker, setting, task)] = task, worker
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                task, worker = running.pop(future)
                try:
                    outcome = future.result()
                    idle.append(worker)
                except BrokenProcessPool:
                    outcome = Outcome({}, 0.0, DIED)
                    worker.shutdown(wait=False)
                    idle.append(_make_worker())
                yield task, outcome
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        for worker in [*idle, *(worker for _, worker in running.values())]:
            worker.shutdown(wait=False, cancel_futures=True)


def _make_worker() -> ProcessPoolExecutor:
    # A fresh interpreter: forking one that has threads or compiled code is not safe.
    context = multiprocessing.get_context("spawn")
    with _safe_path():
        return ProcessPoolExecutor(1, mp_context=context, initializer=_start_worker)


def _submit(worker: ProcessPoolExecutor, setting: Setting, task: Task) -> Future[Outcome]:
    with _safe_path():
        return worker.submit(run_task, setting, task)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Processes that are started within import nothing from the current folder, where anybody's files lie."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _start_worker() -> None:
    """Leave Ctrl-C and a closed terminal to the parent, and end when it does, even if it is killed."""
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def follow() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=follow, daemon=True).start()


class Termination:
    """Within it whatever asks for an end is as good as Ctrl-C, so that finished runs are saved."""

    def __enter__(self) -> None:
        self._previous = handle_stopping(self._interrupt)

    def __exit__(self, *error: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    @staticmethod
    def _interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt
