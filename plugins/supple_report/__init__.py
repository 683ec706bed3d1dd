"""Experiments as pages: claims, figures, films and curves of all variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the command `supple report`."""
    registry.add_command(
        "report", "supple_report.command:report", help="Make a page of the results of claims."
    )
