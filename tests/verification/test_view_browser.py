"""A page in a real browser: it plays, obeys its controls, says nothing on the console, and asks nobody for anything."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from headless_browser import Browser, find_chromium
from supple.run.cli import run_command
from view_toys import write_creature

CHROMIUM = find_chromium()
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on this machine (apt-get install chromium)"
)

#: The scene's part of the page; the panel and the bar beneath it are left out.
SCENE = (0, 60, 650, 500)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Browser, str]]:
    folder = tmp_path_factory.mktemp("page")
    page = folder / "creature.html"
    recording = write_creature(folder / "creature.h5", 100)
    assert run_command(["view", str(recording), "--html", str(page)]) == 0
    with Browser(str(CHROMIUM), folder / "profile") as browser:
        yield browser, page.as_uri()


@pytest.fixture
def page(opened: tuple[Browser, str]) -> Iterator[Browser]:
    """The page, freshly opened, at rest at its first frame; whatever a test does, nothing may go wrong in it."""
    browser, address = opened
    browser.errors.clear()
    browser.requests.clear()
    browser.resize(960, 600)
    browser.open(address)
    browser.wait_for("document.getElementById('play').dataset.playing === 'true'")
    browser.ask("document.getElementById('play').click()")
    seek(browser, 0.0)
    yield browser
    assert browser.errors == []
    assert browser.requests == [address]


def seek(page: Browser, time_: float) -> None:
    page.ask(
        f"(() => {{ const s = document.getElementById('scrub'); s.value = {time_};"
        " s.dispatchEvent(new Event('input')); })()"
    )
    wait_for_picture(page)


def choose(page: Browser, select: str, value: str) -> None:
    page.ask(
        f"(() => {{ const s = document.getElementById('{select}'); s.value = '{value}';"
        " s.dispatchEvent(new Event('change')); })()"
    )


def wait_for_picture(page: Browser) -> None:
    page.ask("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")


def shown_time(page: Browser) -> float:
    return float(page.ask("document.getElementById('time').textContent").split()[0])


def look(page: Browser) -> np.ndarray:
    wait_for_picture(page)
    return np.asarray(Image.open(io.BytesIO(page.picture())).convert("RGB").crop(SCENE), np.int16)


def measure(page: Browser, element: str) -> list[float]:
    """Left, top, width and height of an element."""
    return list(
        page.ask(f"(({{x, y, width, height}}) => [x, y, width, height])({element}.getBoundingClientRect())")
    )


def differing(a: np.ndarray, b: np.ndarray) -> int:
    """Pixels that differ visibly."""
    return int((np.abs(a - b).max(axis=2) > 12).sum())


def test_page_plays_and_pauses(page: Browser) -> None:
    before = look(page)
    page.press(" ")
    page.wait_for("Number(document.getElementById('time').textContent.split(' ')[0]) > 0.3")
    page.press(" ")
    here = shown_time(page)
    after = look(page)
    assert differing(before, after) > 500
    time.sleep(0.3)
    assert shown_time(page) == here
    assert differing(after, look(page)) == 0


def test_scrubber_and_keys_choose_the_frame(page: Browser) -> None:
    pictures = []
    for wanted in (0.0, 0.8, 1.6):
        seek(page, wanted)
        assert shown_time(page) == pytest.approx(wanted, abs=1e-3)
        pictures.append(look(page))
    assert min(differing(pictures[0], pictures[1]), differing(pictures[1], pictures[2])) > 500
    seek(page, 0.8)
    assert differing(pictures[1], look(page)) == 0
    page.ask("document.activeElement.blur()")
    for key, wanted in (("ArrowRight", 0.82), ("ArrowLeft", 0.8), ("End", 1.98), ("Home", 0.0)):
        page.press(key)
        wait_for_picture(page)
        assert shown_time(page) == pytest.approx(wanted, abs=1e-3), key


def test_slow_motion_is_slow(page: Browser) -> None:
    choose(page, "speed", "0.1")
    page.press(" ")
    began = time.monotonic()
    page.wait_for("Number(document.getElementById('time').textContent.split(' ')[0]) > 0.05")
    # A tenth of real time; drawing may be slower than that, and never faster.
    assert time.monotonic() - began > 0.4


def test_layers_colours_and_contacts_change_the_picture(page: Browser) -> None:
    seek(page, 0.8)
    everything = look(page)
    names = page.ask("[...document.querySelectorAll('#layers label')].map(label => label.textContent.trim())")
    veils = ["see through skin", "see through bodies"]
    assert names == ["ground", "bodies", "bones", "skin", "muscles", "contact forces", *veils]
    for name in ("ground", "bodies", "skin", "contact forces", *veils):
        toggle = f"document.querySelectorAll('#layers input')[{names.index(name)}].click()"
        page.ask(toggle)
        assert differing(everything, look(page)) > 100, name
        page.ask(toggle)
        assert differing(everything, look(page)) == 0, name
    choose(page, "channel", "pressure")
    coloured = look(page)
    assert differing(everything, coloured) > 5000
    assert page.ask("document.getElementById('legend-high').textContent").split() == ["1000", "Pa"]
    # Pressure grows downwards, and so does the darkness of the scale: the colour of skin above, dark violet below.
    column = coloured[:, 330:400].mean(axis=1)
    light = np.flatnonzero((column[:, 0] - column[:, 2] > 40) & (column.mean(axis=1) > 130))
    dark = np.flatnonzero(column.mean(axis=1) < 100)
    assert len(light)
    assert len(dark)
    assert light.mean() < dark.mean()


def test_camera_turns_by_mouse_and_comes_back(page: Browser) -> None:
    before = look(page)
    page.drag((300, 300), (420, 330))
    assert differing(before, look(page)) > 2000
    page.drag((420, 330), (300, 300))
    assert differing(before, look(page)) < 200


def test_plots_follow_and_take_clicks(page: Browser) -> None:
    assert page.ask("[...document.querySelectorAll('.plot span')].map(s => s.textContent)") == [
        "creature.energy [J]", "creature.height [m]"
    ]  # fmt: skip
    seek(page, 1.0)
    height = 0.5 + 0.1 * np.sin(6.0)
    shown = page.ask("document.querySelectorAll('.plot output')[1].textContent")
    assert float(shown) == pytest.approx(height, rel=1e-3)
    left, top, wide, tall = measure(page, "document.querySelectorAll('.plot canvas')[1]")
    middle = (left + wide / 2, top + tall / 2)
    page.drag(middle, middle)
    wait_for_picture(page)
    assert shown_time(page) == pytest.approx(0.99, abs=0.02)
    page.ask("document.querySelector('.plot button').click()")
    assert page.ask("document.querySelectorAll('.plot').length") == 1


def test_followed_thing_stays_in_the_middle(page: Browser) -> None:
    """The bone alone is left: its middle moves on the screen unless it is followed."""
    page.ask("[...document.querySelectorAll('#layers label')].filter(label => label.textContent.trim() !== 'bones')"
             ".slice(0, 5).forEach(label => label.querySelector('input').click())")  # fmt: skip

    def middle(time_: float) -> float:
        seek(page, time_)
        picture = look(page)
        rows, _ = np.nonzero(picture[:, :, 0] - picture[:, :, 2] > 50)
        return float(rows.min() + rows.max()) / 2

    high, low = 0.26, 0.78
    assert middle(low) - middle(high) > 20
    choose(page, "follow", "creature/bone")
    assert middle(low) == pytest.approx(middle(high), abs=3)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 800)])
def test_page_fits_on_the_screen(page: Browser, width: int, height: int) -> None:
    page.resize(width, height, touch=width < 600)
    wait_for_picture(page)
    assert page.ask("document.documentElement.scrollWidth") <= width
    _, _, *canvas = measure(page, "document.getElementById('view')")
    assert min(canvas) > 200
    _, top, _, tall = measure(page, "document.querySelector('footer')")
    assert top + tall <= height + 1


def test_title_is_text_and_not_markup(page: Browser) -> None:
    assert page.ask("document.getElementById('run').textContent") == "variant soft </script> · seed 7"
    assert page.ask("document.title") == "creature.toml (soft </script>) | supple"
