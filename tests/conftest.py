"""Lets tests import the helpers that lie beside them, and loads scenes given as text."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent))

# On a build machine the same examples every time, so that a red run means a change; elsewhere new ones.
hypothesis.settings.register_profile("build", derandomize=True)
if os.environ.get("CI"):
    hypothesis.settings.load_profile("build")


@pytest.fixture
def load_text(tmp_path: Path) -> Callable[..., object]:
    """A function that loads a scene from its text; keywords are those of `supple.load`."""
    import supple

    def load(text: str, **keywords: object) -> object:
        file = tmp_path / "scene.toml"
        file.write_text(text, encoding="utf-8")
        return supple.load(file, **keywords)

    return load


@pytest.fixture(params=["bones", "followers"])
def hung(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What the flesh of the test hangs on: bones alone, or followers of their hinges and universal joints too."""
    from flesh_worlds import hang_on_followers

    if request.param == "followers":
        monkeypatch.setattr("supple_flesh.pool.hang_on_seams", hang_on_followers)
    return str(request.param)
