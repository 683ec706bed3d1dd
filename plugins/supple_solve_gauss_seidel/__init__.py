"""Block Gauss-Seidel with the exact friction cone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the solver `gauss_seidel`."""
    registry.add_solver(
        "gauss_seidel",
        "supple_solve_gauss_seidel.solver:GaussSeidel",
        settings="supple_solve_gauss_seidel.components:GaussSeidelSettings",
    )
