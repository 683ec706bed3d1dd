"""MuJoCo, imported such that no code of the current folder runs."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

GLFW_LIBRARY = "PYGLFW_LIBRARY"


def import_mujoco() -> Any:
    """The package; raises ImportError without it.

    It imports glfw to open windows, which tries libraries in a Python of its own, and that imports modules from the
    current folder: whatever lies beside a scene would run. So glfw is told where its library is, and tries none.
    """
    with _own_library():
        import mujoco
    return mujoco


@contextmanager
def _own_library() -> Iterator[None]:
    """Whoever chose a library of glfw keeps it."""
    if os.environ.get(GLFW_LIBRARY):
        yield
        return
    os.environ[GLFW_LIBRARY] = str(_find_library())
    try:
        yield
    finally:
        del os.environ[GLFW_LIBRARY]


def _find_library() -> Path:
    """The library that came with glfw; a name that nothing has if there is none, with which no window opens."""
    spec = importlib.util.find_spec("glfw")
    home = Path(spec.origin).parent if spec is not None and spec.origin else Path(__file__).parent
    kind = "wayland" if os.environ.get("XDG_SESSION_TYPE") == "wayland" else "x11"
    places = [folder / name for folder in (home / kind, home) for name in _NAMES]
    return next((place for place in places if place.is_file()), home / "no_library_of_glfw")


_NAMES = ("libglfw.so", "libglfw.so.3", "libglfw.3.dylib", "libglfw.dylib", "glfw3.dll")
