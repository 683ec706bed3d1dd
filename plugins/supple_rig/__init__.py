"""Rigged figures of glTF files: bones, skin with its weights, and a clip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the prefab `rig`; it expands into components of other plugins."""
    registry.add_component("supple_rig.components:Rig")
