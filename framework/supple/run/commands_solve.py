"""`supple solve`: stored problems, once more and by any solver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import rich_click as click

from supple.run.options import FILE, json_option, plugin_options, read_positive


@click.command()
@click.argument("problem", type=FILE)
@click.option(
    "--solver",
    default="",
    metavar="NAME",
    help="For contacts 'newton' by default; for an LCP 'lemke'; for a QPCC 'qpcc', or 'static'.",
)
@click.option(
    "--tolerance", type=read_positive, default=1e-8, show_default=True, metavar="T",
    help="Residual that counts as solved; of contacts its norm over the norm of q.",
)  # fmt: skip
@click.option("--prove", is_flag=True, help="Of a QPCC: go on until the optimum is certified.")
@click.option(
    "--nodes", type=click.IntRange(min=1), default=None, metavar="N",
    help="Of a QPCC: quadratic programs that may be solved, 400 by default, 200000 for a proof.",
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
    prove: bool,
    nodes: int | None,
    out: Path | None,
    plugin_files: tuple[Path, ...],
    disabled: tuple[str, ...],
    as_json: bool,
) -> int:
    """Solve a stored contact problem, linear complementarity problem (LCP) or quadratic program with such (QPCC).

    PROBLEM.npz holds W, q, mu (W dense, or CSR as W_data, W_indices, W_indptr, shape), or M, q, or is a problem that
    supple saved, or holds P, c, C, d, E, f of a QPCC, and c0, G, h, A, b, lb, ub where there are any:
    min 1/2 x'Px + c'x + c0, G x <= h, A x = b, lb <= x <= ub, 0 <= Cx + d perp Ex + f >= 0.

    The residual of contacts is that of the natural map for the exact friction cone, whatever the solver; that of a
    QPCC is the worst violation of a constraint. A solver that does not succeed may be followed by another one. The
    time is that of the quickest of a few repetitions, without compiling. Exit codes: 0 solved to the tolerance of the
    solver's own law, 2 bad input, 3 not solved, infeasible, or not proven.

    Example: supple solve pile.npz --solver newton --tolerance 1e-10 -o impulses.npy --json
    """
    from supple.errors import ExitCode
    from supple.plugin import load_plugins
    from supple.run.atomic import check_folder
    from supple.run.solve_stored import SolveOptions, solve_file

    if out is not None:
        check_folder(out)
    registry = load_plugins(plugin_files, disabled).registry
    answer = solve_file(problem, registry, SolveOptions(solver, tolerance, prove, nodes or 0))
    if out is not None:
        _write_array(out, answer.values)
    summary = {"problem": str(problem), **answer.summary()}
    if as_json:
        from supple.run.json_text import write_json

        click.echo(write_json(summary))
    else:
        _print_summary(summary)
    if not answer.shortfall:
        return ExitCode.FINE
    click.echo(answer.shortfall, err=True)
    return ExitCode.SIMULATION_FAILED


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
