"""Where numba keeps the kernels of a module: in the folder that is named after a hash of its sources.

numba's own locators add the path of the source file and its time, so that every copy of a project compiles everything
anew, and write a file to every folder once per kernel to see whether it can. Here copies with the same sources share
their kernels, and a folder is tried once.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from supple.core.kernel_hash import has_source, kernel_cache_folder


@functools.cache
def _is_usable(folder: Path) -> bool:
    """Whether kernels can be kept in a folder; makes it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


class KernelLocator:
    """What numba asks about the place of a function's compiled code."""

    def __init__(self, folder: Path, line: int) -> None:
        self._folder, self._line = folder, line

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> KernelLocator | None:
        """The locator of a function, or None if nothing can be kept, so that numba looks elsewhere.

        So it is for functions of modules that nobody can find: a hash of their sources would say nothing.
        """
        if not has_source(function.__module__):
            return None
        folder = kernel_cache_folder(function.__module__)
        return cls(folder, function.__code__.co_firstlineno) if _is_usable(folder) else None

    def ensure_cache_path(self) -> None:
        """Make the folder, should somebody have cleared the cache meanwhile."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """What tells that kernels are out of date: nothing, for the folder is named after their sources."""
        return ""

    def get_disambiguator(self) -> str:
        """What tells functions of one name in one module apart."""
        return str(self._line)
