"""What a run tells whoever watches it. Nothing here knows a terminal; see `report`."""

from __future__ import annotations

from typing import Protocol

from supple.core.world import World
from supple.run.runner import NEVER


class Display(Protocol):
    """Shows how a run gets on; an observer with a beginning and an end."""

    def note(self, text: str) -> None:
        """Something worth knowing."""
        ...

    def compiling(self, owner: str) -> None:
        """Kernels of this plugin, or part of supple, are being compiled."""
        ...

    def begin(self, world: World, last: int) -> None:
        """The run will go on until `last` steps were taken."""
        ...

    def observe(self, world: World) -> int:
        """Show the state of affairs; returns the step after which to be called again."""
        ...

    def end(self) -> None:
        """The run is over, however it ended."""
        ...


class SilentDisplay:
    """Shows nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""

    def compiling(self, owner: str) -> None:
        """Show nothing."""

    def begin(self, world: World, last: int) -> None:
        """Show nothing."""

    def observe(self, world: World) -> int:
        """Ask not to be called again."""
        return NEVER

    def end(self) -> None:
        """Show nothing."""
