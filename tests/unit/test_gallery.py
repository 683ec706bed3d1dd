"""The pictures of the README: they are there, small, shown, and what the tool draws again."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def load_tool():
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "tools" / "gallery.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["gallery"] = module
    spec.loader.exec_module(module)
    return module


GALLERY = load_tool()


@pytest.mark.parametrize("entry", GALLERY.ENTRIES, ids=lambda entry: entry.name)
def test_picture_is_kept_small_and_shown(entry) -> None:
    assert (ROOT / entry.scene).is_file()
    assert 1000 < entry.file.stat().st_size <= GALLERY.MOST_BYTES
    with Image.open(entry.file) as image:
        count = len(entry.times)
        assert image.size == (count * entry.size[0] + 4 * (count - 1), entry.size[1])
    assert f"({entry.file.relative_to(ROOT).as_posix()})" in README


def test_nothing_else_is_kept() -> None:
    assert {file.name for file in GALLERY.FOLDER.iterdir()} == {
        entry.file.name for entry in (*GALLERY.ENTRIES, *GALLERY.FILMS)
    }


@pytest.mark.parametrize("film", GALLERY.FILMS, ids=lambda film: film.name)
def test_film_is_kept_small_and_repeats(film) -> None:
    assert (ROOT / film.scene).is_file()
    assert film.file.stat().st_size <= GALLERY.MOST_BYTES_OF_FILM
    with Image.open(film.file) as image:
        assert image.size == film.size
        assert image.n_frames == round((film.span[1] - film.span[0]) * film.fps)
        assert image.info["loop"] == 0


def test_a_picture_is_drawn_again_and_a_change_is_noticed() -> None:
    entry = next(entry for entry in GALLERY.ENTRIES if entry.name == "chain")
    picture = GALLERY.draw(entry)
    assert GALLERY.check(entry, picture) == ""
    np.testing.assert_array_equal(GALLERY.draw(entry), picture)
    moved = np.roll(picture, 10, axis=1)
    assert "chain.png: differs by" in GALLERY.check(entry, moved)
    assert "differs by inf" in GALLERY.check(entry, picture[:-1])
