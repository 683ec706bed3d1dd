"""Memory that was freed between other things goes back to the system."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from supple.core.freed_memory import give_back


def read_resident() -> float:
    """Resident memory of this process [MiB]."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def test_may_be_called_anywhere() -> None:
    assert give_back() is None


@pytest.mark.skipif(
    sys.platform != "linux", reason="reads /proc, and other systems give memory back by themselves"
)
def test_pages_below_what_is_still_in_use_are_given_back() -> None:
    blocks = [bytearray(60_000) for _ in range(3000)]  # too small to be mapped one by one
    pinned = blocks[::100]
    before = read_resident()
    del blocks
    give_back()
    assert len(pinned) == 30
    assert read_resident() < before - 100
