"""Sweeps, then semismooth Newton: exact friction to the last digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the solver `newton`."""
    registry.add_solver(
        "newton",
        "supple_solve_newton.solver:Newton",
        settings="supple_solve_newton.components:NewtonSettings",
    )
