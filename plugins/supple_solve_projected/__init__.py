"""Projected Gauss-Seidel with a friction box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the solver `projected_gauss_seidel`."""
    solver = "supple_solve_projected.solver:ProjectedGaussSeidel"
    registry.add_solver(
        "projected_gauss_seidel", solver, settings="supple_solve_projected.components:ProjectedSettings"
    )
