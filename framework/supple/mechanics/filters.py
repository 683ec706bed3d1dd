"""Which frames do not touch each other although they could: jointed bodies, neighbouring bones."""

from __future__ import annotations

from supple.core.build import Build

FrameName = tuple[str, int]
"""A frame by the name of its carrier and its row there; a deforming surface by its name and 0."""


def ignore_pair(build: Build, frame_a: FrameName, frame_b: FrameName) -> None:
    """Let shapes of the one frame pass through shapes of the other. For compile functions."""
    build.ignored_pairs.add((min(frame_a, frame_b), max(frame_a, frame_b)))
