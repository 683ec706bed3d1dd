"""Every scene in scenes/ loads, runs its smoke span in all variants, keeps its systems' promises, and says why."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from supple.plugin import load_plugins
from supple.scene.load import build_world, read_scene
from supple.testing import audit_step

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "scenes").rglob("*.toml"))
# Files without [run] are parts to include, or lists of claims.
SCENES = [path for path in FILES if "run" in tomllib.loads(path.read_text(encoding="utf-8"))]


@pytest.fixture(scope="module")
def plugins():
    return load_plugins()


@pytest.mark.parametrize("path", SCENES, ids=lambda path: str(path.relative_to(ROOT / "scenes")))
def test_scene_runs_its_smoke_span(path, plugins) -> None:
    if "robot = {" in path.read_text(encoding="utf-8"):
        pytest.importorskip("mujoco")
    scene = read_scene(path, plugins)
    assert scene.about, "a scene says what it is expected to show"
    assert scene.claims or scene.expectations, "a scene says how to tell whether it shows it"
    for variant in scene.variants or ("",):
        world = build_world(scene, scene.blueprint(variant=variant), plugins)
        world.step(world.blueprint.run.smoke)
        for name, values in world.snapshot().items():
            assert np.isfinite(values).all(), f"{variant}: {name}"
        # Other solvers may be stopped early, as an experiment.
        assert world.blueprint.run.solver != "newton" or world.metrics()["run.solver_failures"] == 0
    audit_step(world)


def test_there_are_scenes() -> None:
    assert SCENES
