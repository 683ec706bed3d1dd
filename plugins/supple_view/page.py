"""One HTML file that plays a recording: no server, and nothing to load from anywhere."""

from __future__ import annotations

import base64
import json
import re
import zlib
from importlib.resources import files
from typing import IO, Any

import numpy as np

from supple_picture.colour import scale_colours

#: The player's parts in an order in which each finds what it uses.
SCRIPTS = (
    "decode.js", "algebra.js", "things.js", "shaders.js", "buffers.js", "renderer.js",
    "camera.js", "clock.js", "plots.js", "controls.js", "main.js",
)  # fmt: skip


#: Colours of values from low to high that are told to the player; it interpolates between them.
_STOPS = 16


def write_page(file: IO[bytes], about: dict[str, Any], blob: bytes) -> None:
    """Write the page with its data; `about` and `blob` come from `gather`."""
    ramp = scale_colours(np.linspace(0.0, 1.0, _STOPS), 0.0, 1.0).round(4).tolist()
    parts = {
        "style": _read("player.css"),
        "about": _protect(json.dumps({**about, "ramp": ramp}, allow_nan=False, separators=(",", ":"))),
        "frames": base64.b64encode(zlib.compress(blob, 7)).decode(),
        "script": "\n".join(_read(name) for name in SCRIPTS),
    }
    for text in re.split(r"/\*\{(\w+)\}\*/", _read("player.html")):
        file.write(parts.get(text, text).encode())


def read_page(text: str) -> tuple[dict[str, Any], bytes]:
    """The data of a page, as the player finds it."""
    found = {
        name: match[1]
        for name in ("about", "frames")
        if (match := re.search(rf'<script type="[^"]+" id="{name}">(.*?)</script>', text, re.DOTALL))
    }
    return json.loads(found["about"]), zlib.decompress(base64.b64decode(found["frames"]))


def _protect(text: str) -> str:
    """JSON that no HTML parser mistakes for the end of its element: `<` occurs in strings only."""
    return text.replace("<", "\\u003c")


def _read(name: str) -> str:
    return files("supple_view").joinpath("player", name).read_text(encoding="utf-8")
