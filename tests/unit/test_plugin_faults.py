"""Whose fault it is: an exception in a plugin from outside names it; only supple's own are called so."""

from __future__ import annotations

from pathlib import Path

import pytest

import supple
from supple.errors import ExitCode, PluginFaultError, SceneError
from supple.plugin import load_plugins
from supple.run.cli import run_command

PLUGIN = '''
import click
import numpy as np
import supple

WHERE = "{where}"


def slip(here):
    if here == WHERE:
        return {slip}


@supple.component
class Clumsy:
    """Something that goes wrong."""

    def __post_init__(self):
        slip("post init")

    def expand(self, entity, files):
        slip("expand")
        return [3] if WHERE == "children" else []

    def check(self, entity, graph):
        slip("check")
        return []

    def check_files(self, entity, files):
        slip("check files")


@supple.component
class ClumsySettings:
    """Settings that go wrong."""

    def __post_init__(self):
        slip("settings")


@click.command()
def clumsy():
    """Stumble."""
    slip("command")


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
    registry.add_settings("clumsy", ClumsySettings)
    registry.add_command("clumsy", clumsy, help="Stumble.")
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


@pytest.mark.parametrize(
    ("where", "part"),
    [
        ("post init", "component clumsy of 'thing'"),
        ("expand", "component clumsy of 'thing'"),
        ("check", "component clumsy of 'thing'"),
        ("check files", "component clumsy of 'thing'"),
        ("settings", "settings run.clumsy"),
    ],
)
def test_methods_of_components_name_plugin_component_and_line(
    tmp_path: Path, capsys, where: str, part: str
) -> None:
    scene, plugin = write(tmp_path, where)
    code = run_command(["check", str(scene), "--plugin", str(plugin)])
    line = PLUGIN[: PLUGIN.index("{slip}")].count("\n") + 1
    place = f"({plugin}:{line}); mend it or pass --disable clumsy"
    shown = capsys.readouterr().err
    assert code == ExitCode.BAD_INPUT
    assert shown.endswith(f"plugin clumsy: {part} raised ZeroDivisionError: division by zero {place}\n")
    assert "defect of supple" not in shown


def test_values_that_a_component_refuses_stay_complaints(tmp_path: Path) -> None:
    """A ValueError is the author's fault, as the page says, and no traceback."""
    slip = "(_ for _ in ()).throw(ValueError('too clumsy; take care'))"
    for where in ("post init", "expand"):
        scene, plugin = write(tmp_path, where, slip)
        with pytest.raises(SceneError, match=r"scene\.toml:10: thing\.clumsy: too clumsy; take care"):
            supple.load(scene, plugins=[plugin])


def test_what_expand_gives_must_be_entities(tmp_path: Path) -> None:
    scene, plugin = write(tmp_path, "children")
    with pytest.raises(
        PluginFaultError, match="component clumsy of 'thing' raised TypeError: expand gives 3, which"
    ):
        supple.load(scene, plugins=[plugin])


def test_a_command_names_its_plugin(tmp_path: Path, capsys, monkeypatch) -> None:
    _, plugin = write(tmp_path, "command")
    plugins = load_plugins([plugin])
    monkeypatch.setattr("supple.plugin.load_plugins", lambda: plugins)
    assert run_command(["clumsy"]) == ExitCode.BAD_INPUT
    line = PLUGIN[: PLUGIN.index("{slip}")].count("\n") + 1
    what = f"command clumsy raised ZeroDivisionError: division by zero ({plugin}:{line})"
    assert capsys.readouterr().err.endswith(f"plugin clumsy: {what}; mend it or pass --disable clumsy\n")
    assert run_command(["clumsy", "--help"]) == ExitCode.FINE
    assert run_command(["clumsy", "--no-such-option"]) == ExitCode.BAD_INPUT
    assert "raised" not in capsys.readouterr().err


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
