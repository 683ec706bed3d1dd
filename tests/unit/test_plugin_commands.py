"""`supple --help` lists the commands of plugins without loading them every time."""

import json

import pytest

from supple.core.cache_folder import CACHE_VARIABLE
from supple.run import plugin_commands


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """The file of what is remembered, not yet there."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    plugin_commands.list_plugin_commands.cache_clear()
    yield tmp_path / "cache" / "commands.json"
    plugin_commands.list_plugin_commands.cache_clear()


def test_commands_are_asked_for_once(memory, monkeypatch):
    asked = plugin_commands.list_plugin_commands()
    assert {"picture", "plot", "view", "export", "report"} <= set(asked)
    assert all(asked.values())
    plugin_commands.list_plugin_commands.cache_clear()
    monkeypatch.setattr("supple.plugin.load_plugins", lambda: pytest.fail("loaded again"))
    assert plugin_commands.list_plugin_commands() == asked


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"plugins": 3}', '{"plugins": "old", "commands": {"gone": "x"}}']
)
def test_what_is_remembered_wrongly_is_asked_anew(memory, content):
    memory.parent.mkdir()
    memory.write_text(content)
    found = plugin_commands.list_plugin_commands()
    assert "picture" in found
    assert "gone" not in found
    assert json.loads(memory.read_text())["commands"] == found


def test_folder_that_cannot_be_written_does_no_harm(memory):
    memory.parent.write_text("a file in the way")
    assert "picture" in plugin_commands.list_plugin_commands()
