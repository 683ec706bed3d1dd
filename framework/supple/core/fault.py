"""Whose fault an exception is: a plugin's, which is named, or supple's own."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from supple.core.registry import Registry
from supple.errors import PluginFaultError, Problem, SuppleError


@contextmanager
def naming_fault(registry: Registry, plugin: str, part: str) -> Iterator[None]:
    """Name plugin and part in whatever is raised within; errors that say by themselves what is wrong pass."""
    try:
        yield
    except SuppleError:
        raise
    except Exception as error:
        raise_fault(error, registry, plugin, part)


def raise_fault(error: Exception, registry: Registry, plugin: str, part: str) -> NoReturn:
    """Raise what stands for an exception that came out of `part` (a compiler, a system, a component) of a plugin.

    It is the fault of the innermost plugin from outside that was at work; of `plugin`, where compiled code hides
    that. What came with supple keeps its exception, with a note of where it was raised.
    """
    external = set(registry.foreign.values())
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        owner = registry.foreign.get(str(frame.f_globals.get("__name__", "")).partition(".")[0])
        if owner is not None:
            plugin, place = owner, f" ({frame.f_code.co_filename}:{line})"
    if plugin not in external:
        error.add_note(f"raised in {part} of plugin {plugin}")
        raise error
    text = str(error).splitlines()[0] if str(error) else ""
    what = f"{part} raised {type(error).__name__}{': ' if text else ''}{text}{place}"
    remedy = f"mend it or pass --disable {plugin}"
    raise PluginFaultError(Problem(None, f"plugin {plugin}", what, remedy)) from error
