"""Finding plugins and asking them what they add.

A plugin is a module with functions marked `@supple.hookimpl`, found through the entry-point group `supple`
or given as a file. Hooks are for registration and for the life of a run; none is called within a step.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pluggy

from supple.errors import PluginError, Problem, SuppleError, suggest

if TYPE_CHECKING:
    from supple.core.registry import Registry
    from supple.core.world import World

PROJECT = "supple"
#: Set to anything but "" or "0": plugins of other distributions are not loaded.
AUTOLOAD_VARIABLE = "SUPPLE_DISABLE_AUTOLOAD"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


class Hooks:
    """The hooks a plugin may implement."""

    @hookspec
    def supple_register(self, registry: Registry) -> None:
        """Add components, events, compilers, systems, solvers, settings and commands. Called once."""

    @hookspec
    def supple_world_built(self, world: World) -> None:
        """A world was built and has not been stepped yet."""

    @hookspec
    def supple_run_finished(self, world: World, summary: dict[str, Any]) -> None:
        """A run has ended; `summary` is what `supple run --json` prints."""


@dataclass(frozen=True)
class PluginInfo:
    """What `supple plugins` shows of a plugin."""

    name: str
    version: str
    origin: str
    hooks: tuple[str, ...]
    adds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Plugins:
    """The plugins that were loaded together, and the registry they filled."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.manager = pluggy.PluginManager(PROJECT)
        self.manager.add_hookspecs(Hooks)
        self._origins: dict[str, tuple[str, str]] = {}

    def add(self, name: str, module: ModuleType, version: str, origin: str) -> None:
        """Register one plugin module; whatever is wrong with its hooks is an error that names both."""
        if name in self._origins:
            what = f"plugin {name}: the name is taken by {self._origins[name][1]}"
            raise PluginError(Problem(None, origin, what, "rename or disable one"))
        _check_markers(name, module)
        try:
            self.manager.register(module, name)
            self.manager.check_pending()
        except pluggy.PluginValidationError as error:
            what = f"plugin {name}: {' '.join(str(error).split())}"
            raise PluginError(Problem(None, origin, what, f"the hooks are {_hook_names()}")) from error
        self._origins[name] = (version, origin)
        if origin != PROJECT:
            self.registry.foreign[module.__name__.partition(".")[0]] = name

    def tell(self, hook: str, **arguments: Any) -> None:
        """Call a hook of all plugins; what one of them raises names it."""
        from supple.core.fault import raise_fault

        try:
            getattr(self.manager.hook, hook)(**arguments)
        except SuppleError:
            raise
        except Exception as error:
            raise_fault(error, self.registry, PROJECT, f"hook {hook}")

    def register_all(self) -> None:
        """Ask every plugin, in the order of their names, what it adds."""
        calls = self.manager.hook.supple_register.get_hookimpls()
        for call in sorted(calls, key=lambda call: call.plugin_name):
            registry = self.registry.scoped(call.plugin_name)
            try:
                call.function(*([registry] if call.argnames else []))
            except PluginError:
                raise
            except Exception as error:
                what = f"plugin {call.plugin_name}: supple_register raised {type(error).__name__}: {error}"
                remedy = f"mend it or pass --disable {call.plugin_name}"
                raise PluginError(Problem(None, self._origins[call.plugin_name][1], what, remedy)) from error

    def infos(self) -> list[PluginInfo]:
        """All plugins, sorted by name."""
        tables = {
            "components": self.registry.components,
            "events": self.registry.events,
            "systems": self.registry.systems,
            "solvers": self.registry.solvers,
            "settings": self.registry.settings,
            "commands": self.registry.commands,
            "stored problems": self.registry.stored_problems,
        }
        found = []
        for name in sorted(self._origins):
            adds = {
                noun: tuple(sorted(entry.name for entry in table.values() if entry.plugin == name))
                for noun, table in tables.items()
            }
            module = self.manager.get_plugin(name)
            hooks = tuple(sorted(hook.name for hook in self.manager.get_hookcallers(module) or []))
            version, origin = self._origins[name]
            found.append(PluginInfo(name, version, origin, hooks, {k: v for k, v in adds.items() if v}))
        return found


def load_plugins(files: Iterable[Path] = (), disabled: Iterable[str] = ()) -> Plugins:
    """Load installed plugins and one-file plugins, except the disabled ones, and let them register."""
    from supple.core.builtin import register_builtin
    from supple.core.registry import Registry

    plugins = Plugins(Registry())
    register_builtin(plugins.registry)
    disabled = set(disabled)
    available = set()
    for entry in sorted(importlib.metadata.entry_points(group=PROJECT), key=lambda entry: entry.name):
        available.add(entry.name)
        distribution, version = _name_distribution(entry.dist)
        foreign = distribution != PROJECT
        if entry.name in disabled or (foreign and _autoload_is_off()):
            continue
        plugins.add(entry.name, _import_entry(entry), version, distribution)
    for file in files:
        available.add(file.stem)
        if file.stem not in disabled:
            plugins.add(file.stem, _import_file(file), "-", str(file))
    for name in sorted(disabled - available):
        raise PluginError(
            Problem(None, f"--disable {name}", "no plugin of this name", suggest(name, available))
        )
    plugins.register_all()
    return plugins


@functools.cache
def _name_distribution(distribution: importlib.metadata.Distribution | None) -> tuple[str, str]:
    """Name and version; each is found by parsing the whole description of the package."""
    return (distribution.name, distribution.version) if distribution else ("unknown", "unknown")


def _autoload_is_off() -> bool:
    return os.environ.get(AUTOLOAD_VARIABLE, "") not in ("", "0")


def _hook_names() -> str:
    return ", ".join(name for name in vars(Hooks) if name.startswith("supple_"))


def _check_markers(name: str, module: ModuleType) -> None:
    """A function called supple_... that is no hook implementation is surely meant as one."""
    for attribute, value in vars(module).items():
        if attribute.startswith("supple_") and callable(value) and not hasattr(value, "supple_impl"):
            what = f"plugin {name}: {attribute} is not marked as a hook"
            raise PluginError(Problem(None, name, what, "put @supple.hookimpl above it"))


def _import_entry(entry: importlib.metadata.EntryPoint) -> ModuleType:
    try:
        module = entry.load()
    except Exception as error:
        what = f"plugin {entry.name} ({entry.value}) cannot be imported: {type(error).__name__}: {error}"
        raise PluginError(
            Problem(None, entry.name, what, f"mend it or pass --disable {entry.name}")
        ) from error
    if not isinstance(module, ModuleType):
        what = f"plugin {entry.name} ({entry.value}) is not a module"
        raise PluginError(Problem(None, entry.name, what, "let the entry point name a module"))
    if getattr(module, "__file__", None) is None and hasattr(module, "__path__"):
        folder = next(iter(module.__path__), "")
        what = f"plugin {entry.name} ({entry.value}) is a folder without __init__.py, and so without hooks: {folder}"
        remedy = "if it only hides the package of this name, rename that folder or start elsewhere; else add the file"
        raise PluginError(Problem(None, entry.name, what, remedy))
    return module


def _import_file(file: Path) -> ModuleType:
    if not file.is_file():
        raise PluginError(Problem(None, str(file), "no such plugin file", "give the path of a Python file"))
    spec = importlib.util.spec_from_file_location(f"supple_file_plugin_{file.stem}", file.resolve())
    if spec is None or spec.loader is None:
        raise PluginError(Problem(None, str(file), "is not a Python file", "its name must end in .py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        what = f"cannot be imported: {type(error).__name__}: {error}"
        raise PluginError(Problem(None, str(file), what, "mend the file")) from error
    return module
