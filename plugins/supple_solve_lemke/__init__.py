"""Lemke's method on the polyhedral friction cone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add the solver `lemke`."""
    registry.add_solver(
        "lemke", "supple_solve_lemke.solver:Lemke", settings="supple_solve_lemke.components:LemkeSettings"
    )
