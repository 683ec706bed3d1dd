"""Runs on a real cluster of processes, one of which is killed, are those of this process to the bit."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple
from supple.errors import UserError
from supple.mechanics.run_metrics import STEP_TIME
from supple.run.claim_pool import run_tasks
from supple.run.claim_runs import Setting
from supple.run.claims import list_tasks, make_plan
from supple.run.cli import run_command
from supple.run.cluster import check_cluster, tell_difference

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed (supple[cluster])")
pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows kills in another way")

GRID = """
format = 1
[run]
step = 0.004
duration = 0.04
[[entity]]
name = "floor"
plane = {}
[[entity]]
name = "ball"
pose = { position = [0, 0.1, 0] }
sphere = { radius = 0.1 }
body = { mass = 0.5 }
[sweep]
"ball.body.velocity" = VELOCITIES
"ball.body.mass" = MASSES
[[claim]]
id = "G1"
says = "no ball flies away"
holds = "max(ball.speed) < 10"
"""


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


def write_grid(folder: Path, many: int) -> Path:
    velocities = [[0.01 * k, 0.3, 0.0] for k in range(many)]
    masses = [0.5 + 0.1 * k for k in range(10)]
    text = GRID.replace("VELOCITIES", json.dumps(velocities)).replace("MASSES", json.dumps(masses))
    path = folder / "grid.toml"
    path.write_text(text)
    return path


def as_bytes(metrics: dict[str, float]) -> dict[str, bytes]:
    timed = f"run.{STEP_TIME.name}"
    return {name: np.float64(value).tobytes() for name, value in metrics.items() if name != timed}


def test_grid_of_200_runs_with_a_killed_worker_is_that_of_this_process(tmp_path: Path, client: Any) -> None:
    path, setting = write_grid(tmp_path, 20), Setting()
    tasks = list_tasks(make_plan([path], setting, (), print))
    assert len(tasks) == 200
    pids = client.run(os.getpid)
    found = {}
    for number, (task, outcome) in enumerate(run_tasks(setting, tasks, 1, cluster=client)):
        if number == 30:
            os.kill(min(pids.values()), signal.SIGKILL)
        found[task.key] = outcome
    alone = {task.key: outcome for task, outcome in run_tasks(setting, tasks, 1)}
    assert len(found) == 200
    assert all(not outcome.error for outcome in found.values())
    for key, outcome in alone.items():
        assert as_bytes(found[key].metrics) == as_bytes(outcome.metrics)


def test_rollouts_on_the_cluster_are_those_of_this_process(tmp_path: Path, client: Any) -> None:
    path = write_grid(tmp_path, 1)
    cells = [{"ball.velocity": [0.01 * k, 0, 0, 0, 0, 0]} for k in range(20)]
    there = supple.rollouts(path, cells, cluster=client)
    here = supple.rollouts(path, cells)
    assert [as_bytes(run.metrics) for run in there] == [as_bytes(run.metrics) for run in here]


@pytest.mark.parametrize(
    ("cluster", "word"), [("local:x", "local:4"), ("local:0", "local:4"), ("head", "tcp://head:8786")]
)
def test_what_is_no_cluster_is_refused_in_one_line(
    cluster: str, word: str, tmp_path: Path, capfd: Any
) -> None:
    with pytest.raises(UserError, match="--cluster"):
        check_cluster(cluster)
    assert run_command(["claims", str(write_grid(tmp_path, 1)), "--cluster", cluster]) == 2
    printed = capfd.readouterr().err.strip().splitlines()
    assert len(printed) == 1
    assert word in printed[0]


def test_difference_between_machines_is_told() -> None:
    told = tell_difference({"numpy": "2.0", "python": "3.11"}, {"numpy": "1.26", "python": "3.11"})
    assert told == "has numpy 1.26 and not 2.0"
