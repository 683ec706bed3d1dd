"""Robots of MJCF and URDF files as skeletons: a prefab, and a command that writes them out as a scene."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the prefab `robot`, what it says of files that it cannot follow, and `supple import`."""
    registry.add_component("supple_robot.components:Robot")
    registry.add_warning(
        "robot.left_out", "supple_robot.left_out:warn_of_left_out", when=["robot"], built=False
    )
    registry.add_command(
        "import", "supple_robot.command:import_robot", help="Write a robot of MJCF or URDF as a scene."
    )
