"""Runs in worker processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Collection, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from types import FrameType

from supple.run.claim_runs import Outcome, Setting, Task, run_task

DIED = "the process that ran it died"


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
    # A fresh interpreter each: forking one that has threads or compiled code is not safe.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=context, initializer=_start_worker)
    try:
        futures = {pool.submit(run_task, setting, task): task for task in tasks}
        for future in as_completed(futures):
            try:
                outcome = future.result()
            except BrokenProcessPool:
                outcome = Outcome({}, 0.0, DIED)
            yield futures[future], outcome
        pool.shutdown()
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and end when it does, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def follow() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=follow, daemon=True).start()


class Termination:
    """Within it SIGTERM is as good as Ctrl-C, so that finished runs are saved."""

    def __enter__(self) -> None:
        self._previous = signal.signal(signal.SIGTERM, self._interrupt)

    def __exit__(self, *error: object) -> None:
        signal.signal(signal.SIGTERM, self._previous)

    @staticmethod
    def _interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt
