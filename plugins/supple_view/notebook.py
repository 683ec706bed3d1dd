"""The player in a notebook.

from supple_view.notebook import player
player("run.h5")                     # as the last line of a cell
"""

from __future__ import annotations

import html
import tempfile
from pathlib import Path

from supple_view.export import write_player


class Player:
    """A page that plays a recording, framed in a cell."""

    def __init__(self, page: str, height: int) -> None:
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        # A page of its own: its scripts and styles do not mix with those of the notebook.
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe srcdoc="{html.escape(self.page, quote=True)}" style="{style}"></iframe>'


def player(recording: str | Path, *, height: int = 480, fps: float | None = None) -> Player:
    """The player of a recording, `height` pixels high; `fps` thins its frames."""
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        page = Path(folder) / "run.html"
        write_player(Path(recording), page, fps)
        return Player(page.read_text(encoding="utf-8"), height)
