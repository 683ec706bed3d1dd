"""Contact by springs and dampers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the solver `penalty`."""
    registry.add_solver(
        "penalty",
        "supple_solve_penalty.solver:Penalty",
        settings="supple_solve_penalty.components:PenaltySettings",
    )
