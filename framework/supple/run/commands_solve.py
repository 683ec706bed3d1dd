"""`supple solve`: stored problems, once more and by any solver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from supple.run.options import FILE, json_option, plugin_options, read_positive


@click.command()
@click.argument("problem", type=FILE)
@click.option(
    "--solver", default="", metavar="NAME", help="For contacts 'newton' by default; for an LCP 'lemke'."
)
@click.option(
    "--tolerance", type=read_positive, default=1e-8, show_default=True, metavar="T",
    help="Norm of the residual over the norm of q that counts as solved.",
)  # fmt: skip
@click.option(
    "-o",
    "--output",
    "--out",
    "out",
    type=FILE,
    metavar="FILE.npy",
    help="Write the impulses, contact after contact (n, t, s), or z.",
)
@plugin_options
@json_option
def solve(
    problem: Path,
    solver: str,
    tolerance: float,
    out: Path | None,
    plugin_files: tuple[Path, ...],
    disabled: tuple[str, ...],
    as_json: bool,
) -> int:
    """Solve a stored contact problem or linear complementarity problem (LCP).

    PROBLEM.npz holds W, q, mu (W dense, or CSR as W_data, W_indices, W_indptr, shape), or M, q, or is a problem that
    supple saved. The residual is that of the natural map for the exact friction cone, whatever the solver. A solver
    that does not succeed may be followed by another one. The time is that of the quickest of a few repetitions,
    without compiling. Exit codes: 0 solved to the tolerance of the solver's own law, 2 bad input, 3 not solved.

    Example: supple solve pile.npz --solver newton --tolerance 1e-10 -o impulses.npy --json
    """
    from supple.errors import ExitCode
    from supple.mechanics.stored_problems import read_problem
    from supple.plugin import load_plugins
    from supple.run.atomic import check_folder
    from supple.run.solve_stored import solve_stored

    if out is not None:
        check_folder(out)
    registry = load_plugins(plugin_files, disabled).registry
    answer = solve_stored(read_problem(problem), registry, solver, tolerance)
    if out is not None:
        _write_array(out, answer.values)
    summary = {"problem": str(problem), **answer.summary()}
    if as_json:
        from supple.run.json_text import write_json

        click.echo(write_json(summary))
    else:
        _print_summary(summary)
    if answer.status == "converged":
        return ExitCode.FINE
    click.echo(_say_shortfall(answer.status, answer.residual, tolerance), err=True)
    return ExitCode.SIMULATION_FAILED


def _say_shortfall(status: str, residual: float, tolerance: float) -> str:
    """One line for an answer that is none, or only nearly one."""
    if status == "failed":
        return "no solution was found; try another --solver"
    return f"stalled at a residual of {residual:.3g}, above --tolerance {tolerance:g}; try another --solver"


def _write_array(path: Path, values: Any) -> None:
    import numpy as np

    from supple.run.atomic import replacing

    with replacing(path) as file:
        np.save(file, values)


def _print_summary(summary: dict[str, Any]) -> None:
    from supple.run.report import print_table

    shown = {
        key: f"{value:.3g}" if isinstance(value, float) else str(value) for key, value in summary.items()
    }
    print_table(("what", "value"), list(shown.items()))
