"""The notebook runs, and its cells show a picture and the player."""

from __future__ import annotations

import ast
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "framework" / "docs").glob("*.ipynb"))


def run_cell(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; returns the value of its last line, as a notebook would show it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_shows_a_picture_and_the_player(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    shown = [run_cell("".join(cell["source"]), names) for cell in cells]
    pictures = [value._repr_png_() for value in shown if hasattr(value, "_repr_png_")]
    pages = [value._repr_html_() for value in shown if hasattr(value, "_repr_html_")]
    assert pictures
    assert pages
    image = Image.open(io.BytesIO(pictures[0]))
    assert image.size == (480, 360)
    assert len(image.getcolors(1 << 20) or ()) > 100
    assert pages[0].startswith("<iframe srcdoc=")
    assert names["world"].steps == 1500
