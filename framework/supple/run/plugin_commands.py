"""The commands that plugins add, for `supple --help`: remembered, because loading all plugins takes too long.

What is remembered is keyed by the plugins that are installed. Whatever is wrong with the file only means that they
are asked anew.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import os
from contextlib import suppress
from pathlib import Path

import supple
from supple.core.cache_folder import user_cache_folder
from supple.errors import PluginError
from supple.plugin import AUTOLOAD_VARIABLE, PROJECT


@functools.cache
def list_plugin_commands() -> dict[str, str]:
    """Name and line of help of every command of installed plugins."""
    key = _describe_plugins()
    known = _recall()
    if known.get("plugins") != key:
        from supple.plugin import load_plugins

        try:
            offered = load_plugins().registry.commands
        except PluginError:
            # Help must be had even if a plugin is broken; other commands will tell.
            return {}
        known = {"plugins": key, "commands": {name: entry.help for name, entry in sorted(offered.items())}}
        _remember(known)
    commands = known["commands"]
    return {str(name): str(line) for name, line in commands.items()} if isinstance(commands, dict) else {}


def _describe_plugins() -> str:
    """A hash of what is installed: names, modules and versions."""
    digest = hashlib.sha256(f"{supple.__version__} {os.environ.get(AUTOLOAD_VARIABLE, '')}".encode())
    for entry in sorted(importlib.metadata.entry_points(group=PROJECT), key=lambda entry: entry.name):
        version = entry.dist.version if entry.dist else ""
        digest.update(f"{entry.name} {entry.value} {version};".encode())
    return digest.hexdigest()


def _file() -> Path:
    return user_cache_folder() / "commands.json"


def _recall() -> dict[str, object]:
    try:
        known = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) and isinstance(known.get("commands"), dict) else {}


def _remember(known: dict[str, object]) -> None:
    with suppress(OSError):
        _file().parent.mkdir(parents=True, exist_ok=True)
        beside = _file().with_suffix(f".{os.getpid()}")
        beside.write_text(json.dumps(known), encoding="utf-8")
        os.replace(beside, _file())
