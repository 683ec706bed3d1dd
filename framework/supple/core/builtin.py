"""What the framework itself registers: the pose, the clock, the metrics, and the rows."""

from __future__ import annotations

from supple.core.pose import Pose
from supple.core.registry import Registry


def register_builtin(registry: Registry) -> None:
    """Add the framework's own components and systems."""
    registry.add_component(Pose)
    registry.add_system("run.advance_clock", "supple.core.clock:AdvanceClock")
    registry.add_system("metrics.accumulate", "supple.core.metrics:AccumulateMetrics")
    registry.add_compiler("rows", "supple.mechanics.compile:compile_rows", components=())
    registry.add_compiler(
        "rows.groups", "supple.mechanics.compile:compile_row_groups", components=(), after=["row_sources"]
    )
    registry.add_system("rows.assemble", "supple.mechanics.systems:AssembleRows")
    registry.add_system("rows.solve", "supple.mechanics.systems:SolveRows")
    registry.add_system("energy.balance", "supple.mechanics.energy:BalanceEnergy")
