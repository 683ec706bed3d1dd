"""Components and settings that plugins name by strings: imported when somebody needs them, and checked then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from supple.core.registry import Registry
from supple.errors import PluginError
from supple.plugin import load_plugins
from supple.scene.load import read_scene
from supple.scene.settings_tables import SettingsTables

DROP = Path(__file__).resolve().parents[2] / "scenes" / "first" / "drop.toml"


def test_plugins_that_a_scene_does_not_need_import_no_components() -> None:
    code = (
        "import sys\nfrom supple.plugin import load_plugins\nfrom supple.scene.load import read_scene\n"
        f"read_scene({str(DROP)!r}, load_plugins()).blueprint()\n"
        "print(*(name for name in sys.modules if name.startswith('supple_') and 'components' in name))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(said.split()) == {
        "supple_collide.components",
        "supple_collide.mesh_components",
        "supple_push.components",
        "supple_rigid.components",
    }


def test_class_of_another_name_is_refused_when_it_is_loaded() -> None:
    registry = Registry()
    registry.add_component("supple_collide.components:Sphere")
    assert registry.components["sphere"].load().kind == "sphere"
    registry.add_component("supple_collide.nothing:Ball")
    with pytest.raises(PluginError, match=r"cannot import supple_collide.nothing:Ball"):
        registry.components["ball"].load()
    registry.add_component("supple_collide.compile:Build")
    with pytest.raises(PluginError, match="is not a component"):
        registry.components["build"].load()


def test_defaults_are_read_once_and_when_they_are_asked_for() -> None:
    asked: list[str] = []

    def find() -> str:
        asked.append("quiet")
        return "calm"

    tables = SettingsTables({"said": 1}, {"quiet": find})
    assert list(tables) == ["quiet", "said"]
    assert tables == SettingsTables({"said": 1}, {"quiet": find})
    assert not asked
    assert tables["quiet"] == tables["quiet"] == "calm"
    assert asked == ["quiet"]
    assert tables != SettingsTables({"said": 2}, {"quiet": find})
    assert tables != SettingsTables({"said": 1, "quiet": "loud"}, {})


def test_blueprints_have_the_settings_of_all_plugins() -> None:
    plugins = load_plugins()
    blueprint = read_scene(DROP, plugins).blueprint()
    assert set(blueprint.settings) == set(plugins.registry.settings)
    assert blueprint.settings["newton"].tolerance == 1e-10
