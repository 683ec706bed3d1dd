"""Whose fault it is: an exception in a plugin from outside names it; only supple's own are called so."""

from __future__ import annotations

from pathlib import Path

import pytest

import supple
from supple.errors import ExitCode, PluginFaultError
from supple.run.cli import run_command

PLUGIN = '''
import numpy as np
import supple

WHERE = "{where}"


def slip(here):
    if here == WHERE:
        return {slip}


@supple.component
class Clumsy:
    """Something that goes wrong."""


class Source:
    name = "clumsy"
    reads = ()

    def bind(self, arrays):
        slip("member bind")

    def append(self, problem):
        slip("member call")

    def set_bias(self, problem):
        pass


def compile_clumsy(build):
    slip("compiler")
    build.add_member("row_sources", Source())


class Stumble(supple.System):
    phase = supple.Phase.FREE

    def __init__(self, build):
        slip("system init")

    def bind(self, arrays):
        slip("bind")
        return lambda: slip("call")


@supple.hookimpl
def supple_register(registry):
    registry.add_component(Clumsy)
    registry.add_compiler("clumsy.rows", compile_clumsy, components=["clumsy"], provides=["row_sources"])
    registry.add_system("clumsy.stumble", Stumble, when=["clumsy"])


@supple.hookimpl
def supple_world_built(world):
    slip("hook")
'''
SCENE = """
format = 1
[run]
step = 0.01
duration = 0.05
[[entity]]
name = "thing"
sphere = { radius = 0.1 }
body = {}
clumsy = {}
"""
PLACES = {
    "compiler": "compiler clumsy.rows",
    "system init": "system clumsy.stumble",
    "bind": "system clumsy.stumble",
    "call": "system clumsy.stumble",
    "member bind": "member clumsy",
    "member call": "system rows.assemble",
    "hook": "hook supple_world_built",
}


def write(folder: Path, where: str, slip: str = "1 / 0") -> tuple[Path, Path]:
    plugin, scene = folder / "clumsy.py", folder / "scene.toml"
    plugin.write_text(PLUGIN.replace("{where}", where).replace("{slip}", slip))
    scene.write_text(SCENE)
    return scene, plugin


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize(
    ("slip", "named"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("np.linalg.inv(np.zeros((2, 2)))", "LinAlgError: Singular matrix"),
    ],
)
def test_an_exception_names_plugin_place_and_line(tmp_path: Path, where: str, slip: str, named: str) -> None:
    scene, plugin = write(tmp_path, where, slip)
    with pytest.raises(PluginFaultError) as caught:
        supple.load(scene, plugins=[plugin]).step()
    line = PLUGIN[: PLUGIN.index("{slip}")].count("\n") + 1
    assert str(caught.value) == (
        f"plugin clumsy: {PLACES[where]} raised {named} ({plugin}:{line}); mend it or pass --disable clumsy"
    )
    assert type(caught.value.__cause__).__name__ == named.partition(":")[0]


def test_the_world_stays_as_it_was(tmp_path: Path) -> None:
    scene, plugin = write(tmp_path, "call")
    world = supple.load(scene, plugins=[plugin])
    before = world.snapshot()
    with pytest.raises(PluginFaultError):
        world.step()
    assert all(world.array(f"{name}.next").tobytes() == values.tobytes() for name, values in before.items())


def test_on_the_command_line_it_is_a_traceback_one_line_and_exit_code_2(tmp_path: Path, capsys) -> None:
    scene, plugin = write(tmp_path, "call")
    code = run_command(["run", str(scene), "--plugin", str(plugin), "--quiet"])
    shown = capsys.readouterr().err
    assert code == ExitCode.BAD_INPUT
    assert "ZeroDivisionError" in shown
    assert "plugin clumsy: system clumsy.stumble raised ZeroDivisionError: division by zero" in shown
    assert "there is no checkpoint of this run" in shown
    assert "defect of supple" not in shown


def test_a_fault_of_supple_is_called_so(tmp_path: Path, capsys, monkeypatch) -> None:
    from supple_rigid import systems

    def slip(self, arrays):
        return lambda: 1 / 0

    monkeypatch.setattr(systems.MoveFreely, "bind", slip)
    scene, plugin = write(tmp_path, "nowhere")
    code = run_command(["run", str(scene), "--plugin", str(plugin), "--quiet"])
    shown = capsys.readouterr().err
    assert code == ExitCode.DEFECT
    assert "this is a defect of supple" in shown
    assert "raised in system rigid.move_freely of plugin rigid" in shown
