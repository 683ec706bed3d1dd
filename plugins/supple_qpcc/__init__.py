"""Quadratic programs with complementarity constraints, and the objectives of controllers that solve them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from supple.plugin import hookimpl

if TYPE_CHECKING:
    from supple.core.registry import Registry


@hookimpl
def supple_register(registry: Registry) -> None:
    """Add QPCCs to what `supple solve` reads."""
    registry.add_stored_problem("qpcc", "supple_qpcc.stored:solve_stored_qpcc", keys=("P", "c"))
