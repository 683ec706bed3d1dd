"""The live viewer in a real browser: a body is dragged with the mouse, and joints are posed with sliders."""

from __future__ import annotations

import importlib.util
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import supple
from headless_browser import Browser, find_chromium
from supple.run.recording import open_recording

CHROMIUM = find_chromium()
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine (apt-get install chromium)"),
    pytest.mark.skipif(importlib.util.find_spec("viser") is None, reason="viser is not installed"),
]
ROOT = Path(__file__).resolve().parents[2]
CRATE = """
format = 1
about = "A crate on the ground."
[run]
step = 0.004
duration = 600.0
[[entity]]
name = "ground"
plane = {}
[[entity]]
name = "crate"
pose = { position = [0, 0.2, 0] }
box = { size = [0.4, 0.4, 0.4] }
body = {}
"""


@contextmanager
def viewed(folder: Path, *arguments: str) -> Iterator[Browser]:
    """A small window on `supple view`, which ends in order when this does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "supple", "view", *arguments, "--no-browser", "--port", str(port)]
    with subprocess.Popen([*command, "--json"], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            while "}" not in process.stdout.readline():  # it says its address once it serves
                assert process.poll() is None
            with Browser(str(CHROMIUM), folder / "profile", 760, 480) as browser:
                browser.open(f"http://localhost:{port}")
                browser.wait_for("document.body.innerText.includes('Connected')")
                yield browser
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0


def hold(browser: Browser, places: list[tuple[float, float]]) -> None:
    """Press the button at the first place and move through the others."""
    for number, (x, y) in enumerate(places):
        browser.mouse("mousePressed" if number == 0 else "mouseMoved", x, y)
        time.sleep(0.05)


def test_mouse_lifts_a_body_and_the_run_repeats(tmp_path: Path) -> None:
    scene, record = tmp_path / "crate.toml", tmp_path / "dragged.h5"
    scene.write_text(CRATE)
    with viewed(tmp_path, str(scene), "--touch", "--record", str(record)) as browser:
        # A single body is in the middle of the picture from the start.
        browser.wait_for("/t = 0\\.[1-9]|t = [1-9]/.test(document.body.innerText)")
        middle = browser.ask("[innerWidth / 2, innerHeight / 2]")
        hold(browser, [(middle[0], middle[1] - 18 * k) for k in range(8)])
        end = time.monotonic() + 60
        height = 0.0
        with open_recording(record) as recording:
            while height < 0.25 and time.monotonic() < end:
                time.sleep(0.2)
                recording.refresh()
                height = float(recording.rows("rigid.x", recording.frames - 1)[0, 1])
        assert height >= 0.25
        browser.mouse("mouseReleased", middle[0], middle[1] - 126)
    again = supple.load(scene)
    assert supple.replay(again, record) > 0
    with open_recording(record) as recording:
        heights = recording.array("rigid.x")[:, 0, 1]
        highest = int(np.argmax(heights))
        again.step(round(recording.times[highest] / again.blueprint.run.step))
        assert again.array("rigid.x").tobytes() == recording.rows("rigid.x", highest).tobytes()


def test_slider_poses_a_joint_and_the_keys_follow(tmp_path: Path) -> None:
    scene = ROOT / "scenes" / "control" / "cart_pole.toml"
    with viewed(tmp_path, str(scene), "--pose") as browser:
        browser.wait_for("document.querySelectorAll('[role=slider]').length === 2")
        place = "document.querySelectorAll('[role=slider]')[1].getBoundingClientRect()"
        x, y = browser.ask(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({place})")
        hold(browser, [(x + 4 * k, y) for k in range(8)])
        browser.mouse("mouseReleased", x + 28, y)
        browser.wait_for("/pole.bone.start. = .[1-9]/.test(document.querySelector('textarea').value)")
        said = json.dumps(browser.ask("document.querySelector('textarea').value"))
        assert "cart/base.bone.start" in said
        assert browser.errors == []
