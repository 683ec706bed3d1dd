"""From a file to a world through the Python interface."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import supple
from supple.core.build import Build
from supple.errors import Problem, SceneError, UserError
from supple.scene.load import build_world
from toy_scenes import HEAD, Desk

PLUGIN = """\
import supple
from supple.core.component import component, field

@component
class Marker:
    '''A mark.'''
    size: float = field(default=1.0, unit="m", doc="How large it is.")

def compile_markers(build):
    pass

@supple.hookimpl
def supple_register(registry):
    registry.add_component(Marker)
    registry.add_compiler("markers", compile_markers, components=["marker"])

@supple.hookimpl
def supple_world_built(world):
    world.noticed = True
"""


def test_load_builds_a_world_with_a_plugin_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "marks.py").write_text(PLUGIN)
    scene = tmp_path / "scene.toml"
    scene.write_text(
        f"{HEAD}[[entity]]\nname = 'm'\nmarker = {{}}\n[variants]\nbig = {{ 'm.marker.size' = 9.0 }}\n"
    )
    world = supple.load(
        scene, variant="big", overrides={"run.step": 0.02}, seed=3, until=0.5, plugins=[tmp_path / "marks.py"]
    )
    blueprint = world.blueprint
    assert blueprint.graph["m"].components["marker"].size == 9.0
    assert (blueprint.run.step, blueprint.seed, blueprint.run.duration, blueprint.variant) == (
        0.02,
        3,
        0.5,
        "big",
    )
    assert blueprint.source == str(scene)
    assert blueprint.text == scene.read_text()
    assert getattr(world, "noticed", False), "the hook was called"
    world.step(2)
    assert world.time == pytest.approx(0.04)


def test_complaints_of_compiling_get_their_line(tmp_path: Path) -> None:
    def refuse(build: Build) -> None:
        raise UserError([Problem(None, "a.mass.mass", "is odd"), Problem(None, "elsewhere", "is odd too")])

    desk = Desk(tmp_path)
    desk.plugins.registry.add_compiler("odd", refuse, components=["mass"])
    scene = desk.read(f"{HEAD}[[entity]]\nname = 'a'\nmass.mass = 1\n")
    with pytest.raises(SceneError) as caught:
        build_world(scene, scene.blueprint(), desk.plugins)
    assert desk.tidy(caught.value) == ["scene.toml:7: a.mass.mass: is odd", "elsewhere: is odd too"]


def test_scene_tells_what_it_is(tmp_path: Path) -> None:
    text = f"about = 'a test'\n{HEAD}"
    scene = Desk(tmp_path).read(text)
    assert (scene.about, scene.text, scene.variants, scene.claims) == ("a test", text, (), ())
    assert scene.source == str(tmp_path / "scene.toml")


def test_reading_a_scene_does_not_import_numba(tmp_path: Path) -> None:
    scene = tmp_path / "scene.toml"
    scene.write_text(
        f"{HEAD}[[entity]]\nname = 'a'\npose = {{}}\n[[expect]]\nmetric = 'run.contacts'\nbelow = 1\nbecause = 'x'\n"
    )
    script = (
        "import sys; from supple.plugin import load_plugins; from supple.scene.load import read_scene;"
        "from supple.scene import schema, reference; p = load_plugins(); read_scene(sys.argv[1], p).blueprint();"
        "schema.make_schema(p.registry); reference.describe_components(p.registry); print('numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(scene)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False"]
