"""Lets tests import the helpers that lie beside them, and loads scenes given as text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def load_text(tmp_path: Path) -> Callable[..., object]:
    """A function that loads a scene from its text; keywords are those of `supple.load`."""
    import supple

    def load(text: str, **keywords: object) -> object:
        file = tmp_path / "scene.toml"
        file.write_text(text, encoding="utf-8")
        return supple.load(file, **keywords)

    return load
