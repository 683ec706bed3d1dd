"""What plugins add: components, events, compile functions, systems, solvers, stored problems, settings and commands.

Code that needs numba is named by a string ("supple_rigid.systems:AdvanceBodies") and imported only when a
world is built, so that checking a scene stays light.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from supple.core.compile_order import order_compilers
from supple.core.component import kind_of
from supple.errors import PluginError, Problem, suggest

if TYPE_CHECKING:
    from supple.core.build import Build
    from supple.core.schedule import System

CompileFunction = Callable[["Build"], None]
WarningFunction = Callable[[Any], Iterable[Problem]]


@dataclass(frozen=True)
class Registered:
    """One thing that a plugin added. `target` is the object itself or "module:attribute"."""

    name: str
    target: Any
    plugin: str
    components: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    provides: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    each: str = ""
    kinds: Mapping[str, Any] = field(default_factory=dict)
    settings: Any = None
    help: str = ""
    keys: tuple[str, ...] = ()
    is_kind: bool = False

    def load(self) -> Any:
        """The object, imported now if it was named by a string."""
        made = self._import(self.target)
        if self.is_kind and made is not self.target:
            _check_kind(made, self.name, self.plugin)
        return made

    def load_settings(self) -> Any:
        """Of a solver: the component class of its table."""
        return self._import(self.settings)

    def choose_protocol(self, member: object) -> Any:
        """Of a collection: the protocol for members like this one, the last of `kinds` whose attribute it has."""
        for attribute, protocol in reversed(list(self.kinds.items())):
            if hasattr(member, attribute):
                return self._import(protocol)
        return self.load()

    def _import(self, target: Any) -> Any:
        if not isinstance(target, str):
            return target
        module, _, attribute = target.partition(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            what = f"plugin {self.plugin}: cannot import {target} ({error})"
            raise PluginError(
                Problem(None, self.name, what, "name it as package.module:attribute")
            ) from error


@dataclass
class Registry:
    """All that the plugins loaded together offer, by name."""

    components: dict[str, Registered] = field(default_factory=dict)
    events: dict[str, Registered] = field(default_factory=dict)
    compilers: dict[str, Registered] = field(default_factory=dict)
    systems: dict[str, Registered] = field(default_factory=dict)
    solvers: dict[str, Registered] = field(default_factory=dict)
    settings: dict[str, Registered] = field(default_factory=dict)
    commands: dict[str, Registered] = field(default_factory=dict)
    collections: dict[str, Registered] = field(default_factory=dict)
    warnings: dict[str, Registered] = field(default_factory=dict)
    stored_problems: dict[str, Registered] = field(default_factory=dict)
    #: Modules of plugins that did not come with supple, and the plugins' names.
    foreign: dict[str, str] = field(default_factory=dict)
    plugin: str = "supple"

    def add_component(self, component: type | str) -> None:
        """Offer a component class made by `@component` under its kind.

        Named as "package.module:Class" it is imported when a scene first has such a component.
        """
        if not isinstance(component, str):
            _check_expand(component)
        self._add("component", self.components, _kind(component), component, is_kind=True)

    def add_event(self, event: type | str) -> None:
        """Offer a component class that stands in `[[event]]` tables and acts from its time `at` on."""
        self._add("event", self.events, _kind(event), event, is_kind=True)

    def add_compiler(
        self,
        name: str,
        function: CompileFunction | str,
        *,
        components: Iterable[str],
        after: Iterable[str] = (),
        provides: Iterable[str] = (),
    ) -> None:
        """Turn entities with any of these components (none: always) into arrays.

        It runs after the compilers named in `after`, and after all that provide members for a collection
        named there; `provides` lists the collections that it puts members into itself.
        """
        more = {"components": tuple(components), "after": tuple(after), "provides": tuple(provides)}
        self.__dict__.pop("ordered_compilers", None)
        self._add("compiler", self.compilers, name, function, **more)

    @functools.cached_property
    def ordered_compilers(self) -> list[Registered]:
        """All compile functions in the order in which they run."""
        return order_compilers(self.compilers)

    def add_system(
        self, name: str, system: type[System] | str, *, when: Iterable[str] = (), each: str = ""
    ) -> None:
        """Offer a system; it takes part in scenes that have any of the components `when` (none: always).

        With `each`, the name of a collection, there is one for every member: it is made with the build and the
        member, and its name is `member.NAME`.
        """
        self._add("system", self.systems, name, system, when=tuple(when), each=each)

    def add_collection(
        self, name: str, protocol: type | str, *, kinds: Mapping[str, type | str] | None = None
    ) -> None:
        """Say what members of a collection must be; they are checked when they are added.

        `kinds` are protocols for members with a certain attribute, each asking for more than those before it.
        """
        self._add("collection", self.collections, name, protocol, kinds=dict(kinds or {}))

    def add_warning(
        self,
        name: str,
        function: WarningFunction | str,
        *,
        when: Iterable[str] = (),
        built: bool = True,
        at_end: bool = False,
    ) -> None:
        """Look at how scenes begin that have any of the components `when` (none: all), and yield what looks wrong.

        The function is called with the world before its first step. With `built=False` it is called with the
        blueprint: then `supple check` asks it too. With `at_end=True` it is called with the world when the run is over.
        """
        kind = "end" if at_end else "world" if built else "blueprint"
        self._add("warning", self.warnings, name, function, when=tuple(when), each=kind)

    def add_solver(self, name: str, solver: type | str, *, settings: type | str) -> None:
        """Offer a solver for `run.solver`; `settings` is the component class of its table `[run.NAME]`."""
        self._add("solver", self.solvers, name, solver, settings=settings)
        self.add_settings(name, settings)

    def add_settings(self, name: str, settings: type | str) -> None:
        """Offer a table `[run.NAME]` of a component class whose fields all have defaults."""
        self._add("settings", self.settings, name, settings)

    def add_command(self, name: str, command: Any, *, help: str) -> None:
        """Offer a click command `supple NAME`; `help` is its line in `supple --help`."""
        self._add("command", self.commands, name, command, help=help)

    def add_stored_problem(self, name: str, function: Any, *, keys: Iterable[str]) -> None:
        """Let `supple solve` take .npz files that have all these arrays.

        The function is called with the path, the arrays by name and `supple.run.solve_stored.SolveOptions`, and
        returns a `StoredAnswer`.
        """
        self._add("stored problem", self.stored_problems, name, function, keys=tuple(keys))

    def scoped(self, plugin: str) -> Registry:
        """The same registry, noting what is added as this plugin's."""
        return Registry(**{**self.__dict__, "plugin": plugin})

    def kinds(self) -> Mapping[str, Registered]:
        """All component and event kinds."""
        return {**self.components, **self.events}

    def find(self, table: Mapping[str, Registered], noun: str, name: str) -> Registered:
        """The thing of this name, or an error that lists what exists."""
        if name not in table:
            raise PluginError(Problem(None, name, f"no {noun} of this name", suggest(name, table)))
        return table[name]

    def _add(self, noun: str, table: dict[str, Registered], name: str, target: Any, **more: Any) -> None:
        if name in table:
            what = f"{noun} registered by both {table[name].plugin} and {self.plugin}"
            raise PluginError(Problem(None, name, what, "rename one or disable one of the plugins"))
        table[name] = Registered(name, target, self.plugin, **more)


@functools.cache
def _check_kind(made: Any, name: str, plugin: str) -> None:
    """What a plugin named by a string must be the component that the string says."""
    if _kind(made) != name:
        what = f"plugin {plugin}: the class named for it is the component {made.kind}"
        raise PluginError(Problem(None, name, what, "name the class by the name that it was made with"))
    _check_expand(made)


@functools.cache
def _check_expand(component: type) -> None:
    """A prefab that does not take the scene's files would fail in every scene, far from its cause."""
    expand = getattr(component, "expand", None)
    if not callable(expand):
        return
    try:
        inspect.signature(expand).bind(None, None, None)
    except TypeError as error:
        name = component.__name__
        what = f"expand of the prefab cannot take an entity and the scene's files ({error})"
        raise PluginError(
            Problem(None, name, what, "write def expand(self, entity, files), even if it reads none")
        ) from error


def _kind(component: type | str) -> str:
    if isinstance(component, str):
        return kind_of(component.rpartition(":")[2])
    kind = getattr(component, "kind", None)
    if not isinstance(kind, str):
        name = getattr(component, "__name__", str(component))
        raise PluginError(Problem(None, name, "is not a component", "decorate the class with @component"))
    return kind
