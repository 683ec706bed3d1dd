"""What the framework itself registers: the pose, the clock, the metrics, and the rows."""

from __future__ import annotations

from supple.core.pose import Pose
from supple.core.registry import Registry


def register_builtin(registry: Registry) -> None:
    """Add the framework's own components and systems."""
    registry.add_component(Pose)
    registry.add_system("run.advance_clock", "supple.core.clock:AdvanceClock")
    registry.add_system("metrics.accumulate", "supple.core.metrics:AccumulateMetrics")
    registry.add_collection("mechanisms", "supple.mechanics.mechanism:Mechanism")
    registry.add_collection("carriers", "supple.mechanics.mechanism:Carrier")
    registry.add_collection("row_sources", "supple.mechanics.mechanism:RowSource")
    registry.add_collection(
        "surfaces",
        "supple.mechanics.mechanism:ElementSurface",
        kinds={
            "positions": "supple.mechanics.deforming:DeformingSurface",
            "parts": "supple.mechanics.deforming:PartedSurface",
        },
    )
    registry.add_collection("point_holders", "supple.mechanics.points:PointHolder")
    registry.add_compiler(
        "rows", "supple.mechanics.compile:compile_rows",
        components=(), after=["solves"], provides=["solves", "solve_sums"],
    )  # fmt: skip
    registry.add_compiler(
        "owners", "supple.mechanics.owners:compile_owners", components=(), after=["carriers", "surfaces"]
    )
    registry.add_compiler(
        "rows.groups",
        "supple.mechanics.compile:compile_row_groups",
        components=(),
        after=["row_sources", "solves"],
        provides=["spring_books"],
    )
    registry.add_warning("masses", "supple.mechanics.beginning:warn_of_masses")
    registry.add_system("assemble", "supple.mechanics.systems:AssembleRows", each="solves")
    registry.add_system("solve", "supple.mechanics.systems:SolveRows", each="solves")
    registry.add_system("book_springs", "supple.mechanics.springs:BookSprings", each="spring_books")
    registry.add_system("balance_energy", "supple.mechanics.energy:BalanceEnergy", each="solves")
    registry.add_system("sum_figures", "supple.mechanics.solve_sums:SumFigures", each="solve_sums")
