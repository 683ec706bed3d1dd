"""Arrays that take long to make, follow from a few numbers alone, and are kept in the cache folder of the user."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.core.cache_folder import user_cache_folder
from supple.core.kernel_hash import hash_sources

Arrays = Mapping[str, NDArray[Any]]


def keep_arrays(module: str, asked: str, make: Callable[[], Arrays]) -> Arrays:
    """What `make` gives, from the cache if it was made before.

    It must follow bit for bit from the text `asked` and the sources of the module; a change of these makes it anew.
    A cache that cannot be written or read is as good as none.
    """
    packages = (f"{name} {importlib.metadata.version(name)}" for name in ("numpy", "numba"))
    key = "\n".join((hash_sources(module), *packages, asked))
    place = user_cache_folder() / "arrays" / f"{module}-{hashlib.sha256(key.encode()).hexdigest()[:32]}.npz"
    known = _read(place)
    if known is not None:
        return known
    made = make()
    _write(place, made)
    return made


def _read(place: Path) -> Arrays | None:
    try:
        with np.load(place, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except Exception:  # a damaged file can fail anywhere in the reader
        return None


def _write(place: Path, arrays: Arrays) -> None:
    """Write such that nobody ever reads half of it."""
    name = ""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place.parent, suffix=".part", delete=False) as file:
            name = file.name
            np.savez(file, allow_pickle=False, **dict(arrays))
        os.replace(name, place)
    except OSError:
        with suppress(OSError):
            Path(name).unlink()
