"""Recordings as files that other programs read: glTF, USD, PC2, VTK, CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the command `supple export`."""
    registry.add_command(
        "export", "supple_export.command:export", help="Write a recording as glTF, USD, PC2, VTK or CSV."
    )
