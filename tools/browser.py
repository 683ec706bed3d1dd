"""Sees to a browser for the tests that look at pages, where that is easy: Chromium of Debian's packages.

Whatever goes wrong here only means that those tests are skipped. The syntax is that of `environment.py`.
"""

import os
import shutil
import subprocess
import time
from pathlib import Path

from environment import say

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Seconds for looking up and fetching the packages, and for unpacking what was fetched.
FETCHING, UNPACKING = 150.0, 150.0
_APT = ("apt-get", "-y", "-q", "-o", "DPkg::Lock::Timeout=20", "-o", "Acquire::Retries=0")
_INSTALL = ("install", "--no-install-recommends", "chromium")


def prepare_browser() -> None:
    """Install Chromium if there is no such browser and the system lets us; say so if it stays away."""
    if find_browser():
        return
    reason = find_hindrance()
    if not reason:
        say("installing Chromium for the tests of pages (a minute or so) ...")
        reason = install()
    if reason:
        say(f"without Chromium ({reason}): the tests that need a browser will be skipped")


def find_browser() -> bool:
    """Whether one of the programs that the tests know is there."""
    return any(shutil.which(name) for name in PROGRAMS)


def find_hindrance(release: Path = Path("/etc/os-release")) -> str:
    """Why nothing can be installed here; empty when it can be tried."""
    try:
        lines = release.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    # Ubuntu's package of that name only leads to another store.
    if "ID=debian" not in lines or shutil.which("apt-get") is None:
        return "install Chromium or Chrome to have them run"
    return "" if os.geteuid() == 0 else "'apt-get install chromium' as root brings it"


def install() -> str:
    """Fetch, then unpack, each for a limited time; gives what went wrong, or nothing.

    Fetching is a step of its own because it may be broken off at any time without harm.
    """
    end = time.monotonic() + FETCHING
    for command in (("update",), ("--download-only", *_INSTALL)):
        if not run((*_APT, *command), end - time.monotonic()):
            return f"its packages could not be fetched within {FETCHING:g} s"
    if not run((*_APT, "--no-download", *_INSTALL), UNPACKING) or not find_browser():
        return "its packages could not be installed"
    return ""


def run(command: tuple[str, ...], seconds: float) -> bool:
    """Run a command without questions and without output; whether it succeeded in time."""
    try:
        finished = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}, timeout=max(seconds, 1.0), check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return finished.returncode == 0
