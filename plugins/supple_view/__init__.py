"""Looking at runs: a page that plays by itself, and a live viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the command `supple view`."""
    registry.add_command(
        "view", "supple_view.command:view", help="Look at a run in a page or live in a browser."
    )
