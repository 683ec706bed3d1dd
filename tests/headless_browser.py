"""A headless Chromium, driven over a pipe with its DevTools protocol. Needs the standard library only."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check",
    # No card is needed: the browser's own software draws.
    "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
    "--disable-extensions", "--disable-default-apps", "--mute-audio", "--hide-scrollbars",
    "--no-sandbox", "--disable-dev-shm-usage",
)  # fmt: skip


def find_chromium() -> str | None:
    """The program, if there is one on this machine."""
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


class Browser:
    """One page of a browser of its own, which notes its requests and everything that goes wrong in it."""

    def __init__(self, program: str, profile: Path, width: int = 1280, height: int = 800) -> None:
        to_child, from_us = os.pipe()
        to_us, from_child = os.pipe()
        try:
            self._process = subprocess.Popen(
                [program, *FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}", "about:blank"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                pass_fds=(3, 4), preexec_fn=lambda: _move(to_child, from_child),
            )  # fmt: skip
        finally:
            os.close(to_child)
            os.close(from_child)
        self._write, self._read = from_us, to_us
        os.set_blocking(to_us, False)
        self._buffer, self._number, self._answers = b"", 0, {}
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._session = ""
        target = self._call("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in target if one["type"] == "page")
        self._session = self._call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._write)
        os.close(self._read)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def open(self, address: str) -> None:
        """Go to a page."""
        self._call("Page.navigate", url=address)
        self.wait_for("document.readyState === 'complete'")

    def resize(self, width: int, height: int, *, touch: bool = False) -> None:
        """The size of the page in CSS pixels."""
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=touch,
        )

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page; promises are waited for."""
        answer = self._call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise AssertionError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, expression: str, seconds: float = 60.0) -> None:
        """Until the expression is true."""
        end = time.monotonic() + seconds
        while not self.ask(expression):
            if time.monotonic() > end:
                raise AssertionError(f"still false after {seconds:g} s: {expression}; errors: {self.errors}")
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """A key, down and up."""
        text = key if len(key) == 1 else ""
        code = {" ": "Space"}.get(key, key)
        for kind in ("keyDown", "keyUp"):
            self._call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=code,
                text=text if kind == "keyDown" else "",
            )

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Press the left button, move, and let go."""
        for kind, place in (("mousePressed", start), ("mouseMoved", end), ("mouseReleased", end)):
            self.mouse(kind, *place)

    def mouse(self, kind: str, x: float, y: float) -> None:
        """One event of the left button, which is down until it is released."""
        down = 0 if kind == "mouseReleased" else 1
        self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=down, clickCount=1)

    def picture(self) -> bytes:
        """A PNG of what the page shows."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        # A page that draws all the time by software may keep events waiting on a busy machine.
        end = time.monotonic() + 180.0
        while self._number not in self._answers:
            self._listen()
            if time.monotonic() > end or self._process.poll() is not None:
                raise AssertionError(f"the browser does not answer {method}")
        answer = self._answers.pop(self._number)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return dict(answer["result"])

    def _listen(self) -> None:
        try:
            self._buffer += os.read(self._read, 1 << 20)
        except BlockingIOError:
            time.sleep(0.005)
        *whole, self._buffer = self._buffer.split(b"\0")
        for text in whole:
            message = json.loads(text)
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self._note(message["method"], message["params"])

    def _note(self, method: str, event: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(event["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(event["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and event["type"] in ("error", "assert"):
            self.errors.append(json.dumps(event["args"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] == "error":
            self.errors.append(event["entry"]["text"])


def _move(reading: int, writing: int) -> None:
    """The browser reads from file 3 and writes to file 4; neither end may be overwritten on the way."""
    reading, writing = os.dup2(reading, 63), os.dup2(writing, 64)
    os.dup2(reading, 3)
    os.dup2(writing, 4)
