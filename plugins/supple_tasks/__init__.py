"""Characters that do several tasks at once, the more important ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add tasks and the system that finds their torques."""
    registry.add_component("supple_tasks.components:Tasks")
    registry.add_compiler(
        "tasks.tables", "supple_tasks.compile:compile_tasks", components=["tasks"],
        after=["skeleton.bones", "targets", "phases", "mechanisms"],
    )  # fmt: skip
    registry.add_system("tasks.control", "supple_tasks.systems:ControlTasks", when=["tasks"])
