"""Runs in worker processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from supple.run.claim_runs import Outcome, Setting, Task, run_same_task, run_task

Value = TypeVar("Value")
DIED = "the process that ran it died"
SAFE_PATH = "PYTHONSAFEPATH"
"""What tells an interpreter to leave the current folder out of where it looks for modules."""


def run_tasks(
    setting: Setting,
    tasks: Sequence[Task],
    jobs: int,
    one_by_one: Collection[str] = (),
    cluster: Any = None,
) -> Generator[tuple[Task, Outcome], None, None]:
    """Run all tasks, at most `jobs` at a time or on a cluster, and hand out each as it is finished.

    Those whose keys are in `one_by_one` run one at a time, here and after the others, so that nothing disturbs their
    speed.
    """
    if one_by_one:
        yield from run_tasks(
            setting, [task for task in tasks if task.key not in one_by_one], jobs, (), cluster
        )
        yield from run_tasks(setting, [task for task in tasks if task.key in one_by_one], 1)
        return
    if cluster is not None and tasks:
        from supple.run.cluster import run_on_cluster

        work = [(setting, task.from_anywhere()) for task in tasks]
        for number, outcome in run_on_cluster(cluster, run_same_task, work, setting):
            yield tasks[number], Outcome({}, 0.0, outcome) if isinstance(outcome, str) else outcome
        return
    if min(jobs, len(tasks)) <= 1:
        for task in tasks:
            yield task, run_task(setting, task)
        return
    yield from _run_in_workers(setting, tasks, min(jobs, len(tasks)))


def _run_in_workers(
    setting: Setting, tasks: Sequence[Task], jobs: int
) -> Generator[tuple[Task, Outcome], None, None]:
    for number, outcome in run_calls(run_task, [(setting, task) for task in tasks], jobs):
        yield tasks[number], Outcome({}, 0.0, outcome) if isinstance(outcome, str) else outcome


def run_calls(
    function: Callable[..., Value], work: Sequence[tuple[Any, ...]], jobs: int
) -> Generator[tuple[int, Value | str], None, None]:
    """Call a function with each of these arguments in worker processes; hands out number and result as they come.

    Each worker has one call at a time and dies alone: the others and what waits are not touched. What a worker that
    died had to do has a string as its result, which says so.
    """
    waiting = deque(enumerate(work))
    running: dict[Future[Value], tuple[int, ProcessPoolExecutor]] = {}
    idle = [_make_worker() for _ in range(jobs)]
    try:
        while waiting or running:
            while waiting and idle:
                worker, (number, arguments) = idle.pop(), waiting.popleft()
                running[_submit(worker, function, arguments)] = number, worker
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                number, worker = running.pop(future)
                outcome: Value | str
                try:
                    outcome = future.result()
                    idle.append(worker)
                except BrokenProcessPool:
                    outcome = DIED
                    worker.shutdown(wait=False)
                    idle.append(_make_worker())
                yield number, outcome
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
    with safe_path():
        return ProcessPoolExecutor(1, mp_context=context, initializer=_start_worker)


def _submit(
    worker: ProcessPoolExecutor, function: Callable[..., Value], arguments: tuple[Any, ...]
) -> Future[Value]:
    with safe_path():
        return worker.submit(function, *arguments)


def count_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def safe_path() -> Iterator[None]:
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
