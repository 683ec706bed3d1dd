"""Pictures and films of recordings and scenes, drawn without a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the command `supple picture`."""
    registry.add_command(
        "picture",
        "supple_picture.command:picture",
        help="Draw a recording or a scene as a picture or a film.",
    )
