"""Runs on many machines, through dask.distributed.

A cluster is the address of a scheduler (`tcp://head:8786`), `local` or `local:4` for processes of this machine, or a
dask client or cluster of one's own. Runs of a worker that dies are computed again by others; a run that brings down one
worker after another is given up, and its result says so. Workers need the same supple, plugins and versions, which is
looked at, and see the same files.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from supple.errors import Problem, UserError
from supple.run.claim_pool import DIED, count_cores, safe_path
from supple.run.claim_runs import Setting, hash_code, load_setting
from supple.run.versions import list_versions

Value = TypeVar("Value")
LOCAL = "local"
#: How long a scheduler is waited for [s], and its first worker.
PATIENCE = 20.0
#: Calls that wait on the cluster for each worker, so that none is idle and a client that ends leaves little behind.
AHEAD = 4


def check_cluster(cluster: Any) -> None:
    """Whether this can be a cluster at all, before anything is run."""
    if importlib.util.find_spec("distributed") is None:
        raise _refuse(cluster, "needs dask.distributed", "pip install 'supple[cluster]'")
    if not isinstance(cluster, str):
        return
    name, _, count = cluster.partition(":")
    if name == LOCAL and count and not (count.isdecimal() and int(count) > 0):
        raise _refuse(cluster, f"'{count}' is no number of processes", "say local:4, or local for all cores")
    if name != LOCAL and ":" not in cluster:
        remedy = "give the address of a scheduler, such as tcp://head:8786, or local:4"
        raise _refuse(cluster, "is no address", remedy)


def run_on_cluster(
    cluster: Any,
    function: Callable[..., Value],
    work: Sequence[tuple[Any, ...]],
    setting: Setting | None = None,
) -> Generator[tuple[int, Value | str], None, None]:
    """Call a function of a module with each of these arguments; hands out number and result as they come.

    A string as result says that the call took its workers down.
    """
    check_cluster(cluster)
    setting = setting or Setting()
    with _connect(cluster) as client:
        expected = describe_machine(setting)
        _check_machines(cluster, client, setting, expected)
        yield from _submit_all(client, function, work, setting, expected)


def _submit_all(
    client: Any,
    function: Callable[..., Any],
    work: Sequence[tuple[Any, ...]],
    setting: Setting,
    expected: Any,
) -> Iterator[tuple[int, Any]]:
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    waiting = iter(enumerate(work))
    numbers: dict[str, int] = {}
    collected = as_completed(loop=client.loop)

    def submit(count: int) -> None:
        for _, (number, arguments) in zip(range(count), waiting, strict=False):
            future = client.submit(
                call_checked, setting, expected, function, arguments, pure=False, key=f"supple-{number}"
            )
            numbers[future.key] = number
            collected.add(future)

    submit(AHEAD * max(1, len(client.scheduler_info(n_workers=-1)["workers"])))
    for future in collected:
        number = numbers.pop(future.key)
        try:
            result: Any = future.result()
        except KilledWorker:
            result = DIED
        future.release()
        submit(1)
        yield number, result


@contextmanager
def _connect(cluster: Any) -> Iterator[Any]:
    """A client of the cluster; what was started here is ended here."""
    import dask
    from distributed import Client, LocalCluster

    quiet = {"distributed.admin.tick.limit": "60s", "distributed.scheduler.allowed-failures": 2}
    if isinstance(cluster, Client):
        yield cluster
        return
    with dask.config.set(quiet):
        own = None
        if isinstance(cluster, str) and cluster.partition(":")[0] == LOCAL:
            count = int(cluster.partition(":")[2] or count_cores())
            with safe_path():
                own = LocalCluster(
                    n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None,
                    silence_logs=50, memory_limit=0,
                )  # fmt: skip
        try:
            client = Client(own or cluster, timeout=PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise _refuse(
                cluster, f"cannot be reached: {reason}", "start one with 'dask scheduler'"
            ) from error
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
            yield client
        except TimeoutError as error:
            raise _refuse(cluster, "has no workers", "start some with 'dask worker ADDRESS'") from error
        finally:
            client.close()
            if own is not None:
                own.close()


def describe_machine(setting: Setting) -> dict[str, Any]:
    """What decides results: versions, and the sources of supple and its plugins."""
    plugins = load_setting(setting)
    return {**list_versions(plugins), "sources": hash_code(plugins)[:16]}


@lru_cache(maxsize=4)
def _describe_here(setting: Setting) -> str:
    return repr(describe_machine(setting))


def call_checked(
    setting: Setting, expected: dict[str, Any], function: Callable[..., Value], arguments: tuple[Any, ...]
) -> Value:
    """On a worker: call the function, if what is installed here is what the client has."""
    if _describe_here(setting) != repr(expected):
        # A worker that came later: those that were there were looked at before.
        raise _refuse("cluster", tell_difference(expected, describe_machine(setting)), _REMEDY)
    return function(*arguments)


_REMEDY = "install the same versions of supple and its plugins on all machines"


def _check_machines(cluster: Any, client: Any, setting: Setting, expected: dict[str, Any]) -> None:
    for address, found in sorted(client.run(describe_machine, setting, on_error="return").items()):
        if isinstance(found, BaseException):
            raise _refuse(cluster, f"the worker {address} cannot load supple: {found}", _REMEDY)
        if found != expected:
            raise _refuse(cluster, f"the worker {address} {tell_difference(expected, found)}", _REMEDY)


def tell_difference(expected: dict[str, Any], found: dict[str, Any]) -> str:
    """The first things in which two machines differ."""
    parts = [
        f"{name} {found.get(name)} and not {expected[name]}"
        for name in expected
        if found.get(name) != expected[name]
    ]
    return "has " + "; ".join(parts)[:300]


def _refuse(cluster: Any, what: str, remedy: str) -> UserError:
    return UserError(Problem(None, f"--cluster {cluster}", what, remedy))
