"""Where compiled kernels and other things that can be made anew are kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path

CACHE_VARIABLE = "SUPPLE_CACHE_DIR"


def user_cache_folder() -> Path:
    """Where this platform keeps caches of a user; `SUPPLE_CACHE_DIR` overrides it."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData/Local") / "supple"
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/supple"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "supple"
