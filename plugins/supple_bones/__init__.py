"""Trees of bones: their joints, poses, Jacobians and inertias, for whatever mechanism moves them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add bones. What moves them is added by the plugins of their anchors."""
    registry.add_component("supple_bones.components:Bone")
