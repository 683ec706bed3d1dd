"""Plugins: every hook is called, and everything that can be wrong with a plugin is one line that names it."""

import importlib.metadata
import inspect
import sys
from pathlib import Path

import pytest

import supple
from supple.core.world import World
from supple.errors import PluginError
from supple.plugin import AUTOLOAD_VARIABLE, Hooks, Plugins, load_plugins
from supple.run.simulate import RunOptions, simulate

OWN = {"collide", "contact", "push", "rigid", "solve_gauss_seidel"}
SCENE = """
format = 1
[run]
step = 0.01
duration = 0.03
[[entity]]
name = "ball"
sphere = { radius = 0.1 }
body = {}
"""
ALL_HOOKS = """
from supple import hookimpl
calls = []

@hookimpl
def supple_register(registry):
    calls.append(("supple_register", registry.plugin))

@hookimpl
def supple_world_built(world):
    calls.append(("supple_world_built", world.steps))

@hookimpl
def supple_run_finished(world, summary):
    calls.append(("supple_run_finished", world.steps, summary["steps"]))
    summary["seen"] = True
"""


def write(folder: Path, text: str, name: str = "trial.py") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def refusal(file: Path, **more: object) -> str:
    with pytest.raises(PluginError) as caught:
        load_plugins([file], **more)
    assert len(caught.value.problems) == 1
    message = str(caught.value)
    assert "\n" not in message
    return message


def hook_names() -> set[str]:
    return {name for name, value in vars(Hooks).items() if inspect.isfunction(value)}


def test_every_hook_is_called(tmp_path: Path) -> None:
    plugin = write(tmp_path, ALL_HOOKS)
    scene = write(tmp_path, SCENE, "scene.toml")
    result = simulate(RunOptions(scene, plugins=(plugin,)))
    calls = sys.modules["supple_file_plugin_trial"].calls
    assert calls == [("supple_register", "trial"), ("supple_world_built", 0), ("supple_run_finished", 3, 3)]
    assert {call[0] for call in calls} == hook_names()
    assert result.summary["seen"] is True


def test_arguments_of_hooks_may_be_left_out(tmp_path: Path) -> None:
    text = "from supple import hookimpl\n@hookimpl\ndef supple_register():\n    pass\n"
    text += "@hookimpl\ndef supple_run_finished(summary):\n    summary['seen'] = 1\n"
    scene = write(tmp_path, SCENE, "scene.toml")
    assert simulate(RunOptions(scene, plugins=(write(tmp_path, text),))).summary["seen"] == 1


def test_infos_tell_name_version_origin_hooks_and_what_is_added(tmp_path: Path) -> None:
    file = write(tmp_path, ALL_HOOKS)
    infos = {info.name: info for info in load_plugins([file]).infos()}
    assert set(infos) >= OWN | {"trial"}
    assert list(infos) == sorted(infos)
    assert set(infos["trial"].hooks) == hook_names()
    assert infos["trial"].origin == str(file)
    systems = ("push.apply_commanded", "push.apply_forces", "push.hold_points", "push.push_surfaces")
    assert infos["push"].adds == {"events": ("push",), "systems": systems}
    assert infos["push"].version == importlib.metadata.version("supple")
    assert infos["push"].origin == "supple"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("from supple import hookimpl\n@hookimpl\ndef supple_regster(registry): pass\n", "supple_regster"),
        ("from supple import hookimpl\n@hookimpl\ndef supple_register(registri): pass\n", "registri"),
        (
            "def supple_register(registry): pass\n",
            "supple_register is not marked as a hook; put @supple.hookimpl",
        ),
        ("def supple_regster(registry): pass\n", "supple_regster is not marked as a hook"),
        ("raise OSError('no such horse')\n", "cannot be imported: OSError: no such horse"),
        ("def broken(:\n", "cannot be imported: SyntaxError"),
        (
            "from supple import hookimpl\n@hookimpl\ndef supple_register(registry): 1 / 0\n",
            "plugin trial: supple_register raised ZeroDivisionError: division by zero; mend it or pass --disable trial",
        ),
        (
            "from supple import hookimpl\n@hookimpl\ndef supple_register(registry): registry.add_component(int)\n",
            "int: is not a component; decorate the class with @component",
        ),
    ],
)
def test_wrong_plugin_is_refused(tmp_path: Path, text: str, what: str) -> None:
    message = refusal(write(tmp_path, text))
    assert what in message
    assert "trial" in message or "@component" in message


@pytest.mark.parametrize("hook", ["supple_regster(registry)", "supple_register(registri)"])
def test_misspelt_hook_lists_the_hooks(tmp_path: Path, hook: str) -> None:
    message = refusal(write(tmp_path, f"from supple import hookimpl\n@hookimpl\ndef {hook}: pass\n"))
    for name in hook_names():
        assert name in message


@pytest.mark.parametrize(
    ("call", "noun"),
    [
        ("registry.add_component(Sphere)", "component"),
        ("registry.add_event(Push)", "event"),
        ("registry.add_compiler('rigid.bodies', print, components=[])", "compiler"),
        ("registry.add_system('rigid.move_freely', 'a:b')", "system"),
        ("registry.add_solver('gauss_seidel', 'a:b', settings=Sphere)", "solver"),
        ("registry.add_settings('contact', Sphere)", "settings"),
        (
            "registry.add_command('go', print, help='Go.'); registry.add_command('go', print, help='Go.')",
            "command",
        ),
    ],
)
def test_name_registered_twice_names_both(tmp_path: Path, call: str, noun: str) -> None:
    classes = "@component\nclass Sphere:\n    'A.'\n@component\nclass Push:\n    'A.'\n"
    text = f"from supple import component, hookimpl\n{classes}@hookimpl\ndef supple_register(registry):\n    {call}\n"
    message = refusal(write(tmp_path, text))
    assert f"{noun} registered by both " in message
    assert "and trial" in message or "trial and" in message


def test_file_of_the_same_name_as_a_plugin_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, "", "rigid.py")
    message = refusal(file)
    assert message.startswith(f"{file}: plugin rigid: ")
    assert message.endswith("rename or disable one")
    assert "supple_collide" not in message


def test_missing_file_and_foreign_file_are_refused(tmp_path: Path) -> None:
    assert "nowhere.py: no such plugin file" in refusal(tmp_path / "nowhere.py")
    assert "notes.txt: is not a Python file" in refusal(write(tmp_path, "hello", "notes.txt"))


def test_import_by_string_that_fails_names_the_plugin(tmp_path: Path) -> None:
    text = "from supple import hookimpl\n@hookimpl\ndef supple_register(registry):\n"
    plugins = load_plugins(
        [write(tmp_path, text + "    registry.add_system('a.b', 'supple_nothing:Here')\n")]
    )
    with pytest.raises(PluginError, match="plugin trial: cannot import supple_nothing:Here"):
        plugins.registry.systems["a.b"].load()


def test_disabled_plugins_are_left_out(tmp_path: Path) -> None:
    file = write(tmp_path, "raise OSError")
    plugins = load_plugins([file], disabled=["push", "trial"])
    names = {info.name for info in plugins.infos()}
    assert names >= OWN - {"push"}
    assert not names & {"push", "trial"}
    assert "push" not in plugins.registry.events


def test_disabling_an_unknown_plugin_suggests_the_nearest() -> None:
    with pytest.raises(
        PluginError, match=r"--disable rigit: no plugin of this name; .*Did you mean 'rigid'\?"
    ):
        load_plugins(disabled=["rigit"])


class Distribution:
    """Stands for an installed distribution that is not supple."""

    name, version = "stranger", "2.5"


def install(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str, name: str = "stranger") -> None:
    """Make Python believe that a distribution with one plugin is installed."""
    write(folder, text, f"supple_{name}.py")
    monkeypatch.syspath_prepend(str(folder))
    found = list(importlib.metadata.entry_points(group="supple"))
    entry = importlib.metadata.EntryPoint(name, f"supple_{name}", "supple")
    vars(entry)["dist"] = Distribution()
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry, *found])


@pytest.mark.parametrize(
    ("value", "loaded"), [(None, True), ("", True), ("0", True), ("1", False), ("yes", False)]
)
def test_autoload_variable(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str | None, loaded: bool
) -> None:
    install(monkeypatch, tmp_path, ALL_HOOKS)
    monkeypatch.delenv(AUTOLOAD_VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(AUTOLOAD_VARIABLE, value)
    infos = {info.name: info for info in load_plugins([write(tmp_path, ALL_HOOKS)]).infos()}
    assert ("stranger" in infos) is loaded
    # supple's own plugins, and files that somebody named, are loaded in either case.
    assert set(infos) >= OWN | {"trial"}
    if loaded:
        assert (infos["stranger"].version, infos["stranger"].origin) == ("2.5", "stranger")


def test_a_plugin_that_is_not_loaded_can_still_be_disabled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(monkeypatch, tmp_path, "raise OSError('defect')", "lame")
    with pytest.raises(PluginError, match=r"plugin lame \(supple_lame\) cannot be imported: OSError: defect"):
        load_plugins()
    assert "lame" not in {info.name for info in load_plugins(disabled=["lame"]).infos()}
    monkeypatch.setenv(AUTOLOAD_VARIABLE, "1")
    assert "lame" not in {info.name for info in load_plugins(disabled=["lame"]).infos()}


def test_entry_point_must_name_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = importlib.metadata.EntryPoint("odd", "math:pi", "supple")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry])
    with pytest.raises(PluginError, match=r"plugin odd \(math:pi\) is not a module"):
        load_plugins()


def test_folder_that_is_no_package_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Python takes any folder of the right name for a package, if it finds no other."""
    (tmp_path / "supple_hollow").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    entry = importlib.metadata.EntryPoint("hollow", "supple_hollow", "supple")
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [entry])
    with pytest.raises(PluginError) as caught:
        load_plugins()
    message = str(caught.value)
    assert "plugin hollow (supple_hollow) is a folder without __init__.py" in message
    assert str(tmp_path / "supple_hollow") in message
    assert "\n" not in message


def test_prefab_that_does_not_take_files_is_refused(tmp_path: Path) -> None:
    text = (
        "from supple import component, hookimpl\n@component\nclass Row:\n    def expand(self, entity): return []\n"
        "@hookimpl\ndef supple_register(registry): registry.add_component(Row)\n"
    )
    message = refusal(write(tmp_path, text))
    assert "Row: expand of the prefab cannot take an entity and the scene's files" in message
    assert "write def expand(self, entity, files)" in message


def test_plugins_are_asked_in_the_order_of_their_names(tmp_path: Path) -> None:
    text = "from supple import hookimpl\n@hookimpl\ndef supple_register(registry):\n"
    text += "    registry.add_command(registry.plugin, print, help='Print.')\n"
    files = [write(tmp_path, text, name) for name in ("zebra.py", "ant.py", "mole.py")]
    registered = load_plugins(files).registry.commands
    commands = list(registered)
    assert [name for name in commands if name in ("ant", "mole", "zebra")] == ["ant", "mole", "zebra"]
    plugins = [entry.plugin for entry in registered.values()]
    assert plugins == sorted(plugins)


def test_every_loading_has_its_own_registry(tmp_path: Path) -> None:
    file = write(tmp_path, "from supple import component, hookimpl\n@component\nclass Own:\n    'A.'\n"
                 "@hookimpl\ndef supple_register(registry):\n    registry.add_component(Own)\n")  # fmt: skip
    first, second = load_plugins([file]), load_plugins()
    assert isinstance(first, Plugins)
    assert "own" in first.registry.components
    assert "own" not in second.registry.components


def test_world_built_sees_a_world(tmp_path: Path) -> None:
    text = "from supple import hookimpl\n@hookimpl\ndef supple_world_built(world):\n    world.seen = world.time\n"
    world = supple.load(write(tmp_path, SCENE, "scene.toml"), plugins=[write(tmp_path, text)])
    assert isinstance(world, World)
    assert world.seen == 0.0
