"""Curves of recordings: metrics, contacts, energy and residual over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the command `supple plot`."""
    registry.add_command("plot", "supple_plot.command:plot", help="Draw curves of recordings.")
