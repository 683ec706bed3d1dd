"""What a run prints when it is over, on one screen unless more is asked for: verdicts, the whole run, metrics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from supple.errors import suggest
from supple.run.report import BAD, print_expectations, print_heading, print_table, say

SHORT = 12
"""So many metrics are shown if nobody asks for more."""
MAIN_SYSTEMS = 3
NOTHING = 1e-9
"""Penetrations [m] below this are round-off."""
_DOUBTFUL = "yellow"
_JOINT_ERROR = "worst joint error"
_UNSOLVED, _HALVED = "UNSOLVED STEPS", "steps that had to be halved"
_DEEPEST = "deepest penetration"
_RESIDUAL = "worst complementarity residual"

Row = tuple[str, str, str]


def print_summary(
    summary: Mapping[str, Any],
    units: Mapping[str, str],
    *,
    patterns: Sequence[str] = (),
    verbose: bool = False,
) -> None:
    """The closing report of a run. `patterns` choose metrics by their names; with `verbose` nothing is left out."""
    name = f"{summary['scene']}" + (f" ({summary['variant']})" if summary["variant"] else "")
    factor = summary["realtime_factor"]
    speed = "" if math.isnan(factor) else f" ({factor:.3g}x real time)"
    print_heading(
        f"{name}: {summary['steps']} steps, {summary['time']:g} s simulated in {summary['wall']:.3g} s{speed},"
        f" seed {summary['seed']}"
    )
    if summary["expectations"]:
        print_expectations(summary["expectations"])
    print_table(
        ("the whole run", "value", "unit"),
        _whole_run(summary, verbose),
        right=(1,),
        styles=_find_styles(summary),
    )
    rows = choose_metrics(summary["metrics"], units, patterns, verbose)
    if rows:
        print_table(("metric", "value", "unit"), rows, right=(1,))
    if verbose:
        slow = [
            (one["name"], f"{one['seconds']:.3f}", f"{one['us_per_step']:.1f}") for one in summary["timings"]
        ]
        print_table(("system", "s", "us/step"), slow, right=(1, 2))
        if summary.get("called_from_python"):
            print_heading(f"not all kernels are run without Python: {summary['called_from_python']}")
    else:
        print_heading(_say_systems(summary["timings"]))


def choose_metrics(
    metrics: Mapping[str, float], units: Mapping[str, str], patterns: Sequence[str], verbose: bool
) -> list[Row]:
    """The metrics that match one of the patterns; without patterns the first few, zero penetrations folded."""
    if patterns:
        chosen = {key for key in metrics if any(fnmatchcase(key, pattern) for pattern in patterns)}
    else:
        chosen = {key for key in metrics if not key.startswith("run.")}
    shallow = {key for key in chosen if key.endswith(".penetration") and abs(metrics[key]) < NOTHING}
    folded = shallow if len(shallow) > 1 and not verbose and not patterns else set()
    rows = [(key, say(metrics[key]), units.get(key, "")) for key in sorted(chosen - folded)]
    more = len(rows) - SHORT
    if more > 1 and not verbose and not patterns:
        first = rows[SHORT][0].rpartition(".")[0]
        rows = [*rows[:SHORT], (f"... {more} more: --metrics '{first}.*', or --verbose", "", "")]
    if folded:
        rows.append((f"{len(folded)} x penetration, each below", say(NOTHING), "m"))
    owners = {f"{key.rpartition('.')[0]}.*" for key in metrics}
    rows += [
        (f"no metric matches {pattern}; {suggest(pattern, owners, 'there are')}", "", "")
        for pattern in patterns
        if not any(fnmatchcase(key, pattern) for key in metrics)
    ]
    return rows


def _say_systems(timings: Sequence[Mapping[str, Any]]) -> str:
    """Where the time went, in a line."""
    whole = sum(one["us_per_step"] for one in timings)
    if not whole:
        return "nothing was timed"
    largest = sorted(timings, key=lambda one: -one["us_per_step"])[:MAIN_SYSTEMS]
    shares = ", ".join(f"{one['name']} {100 * one['us_per_step'] / whole:.0f} %" for one in largest)
    return f"{whole:.0f} us a step: {shares}; --verbose tells all"


def _whole_run(summary: Mapping[str, Any], verbose: bool) -> list[Row]:
    energy, unsolved = summary["energy"], summary["unsolved"]
    worst, deepest = summary["residual_worst"], summary["penetration_worst"]
    rows = [
        (_UNSOLVED, say(unsolved["steps"]) if unsolved["steps"] else "-", f"of {summary['steps']}"),
        (_HALVED, say(summary["halved_steps"]) if summary["halved_steps"] else "-", f"of {summary['steps']}"),
        (_RESIDUAL, say(worst), _say_moment("m/s", worst, summary["residual_worst_at"])),
        ("  in the last fifth of the run", say(summary["residual_settled"]), "m/s"),
        (
            "  asked of the solver",
            say(summary["residual_asked"]["tolerance"]),
            _say_share(summary["residual_asked"]),
        ),
        (_DEEPEST, say(deepest), _say_moment("m", deepest, summary["penetration_worst_at"])),
    ]
    for one in summary["headlines"]:
        unit = _say_moment(one["unit"], one["value"], one["time"])
        rows.append(
            (one["title"], say(one["value"]), f"{unit}, {one['path']}" if one["value"] else one["unit"])
        )
    rows += [
        ("energy at the start", say(energy["initial"]), "J"),
        ("energy now, kinetic", say(energy["kinetic"]), "J"),
        ("energy now, potential", say(energy["potential"]), "J"),
        ("  of it in springs and drives", say(energy["stored"]), "J"),
        ("work of contacts", say(energy["contact_work"]), "J"),
        ("work of applied forces", say(energy["applied_work"]), "J"),
        ("numerical loss of springs", say(energy["numerical_loss"]), "J"),
        ("energy unaccounted for", say(energy["unaccounted"]), "J"),
    ]
    springs = ("  of it in springs and drives", "numerical loss of springs")
    rows = [row for row in rows if verbose or row[0] not in springs or row[1] != "0"]
    return [row for row in rows if row[1] != "-"] or [("nothing moves by forces here", "-", "")]


def _say_share(asked: Mapping[str, float]) -> str:
    """The unit of the tolerance, what it and the worst residual are beside gravity, and what is enough as well."""
    words, share = "m/s", asked["relative_tolerance"]
    if asked["of_weight"] > 0.0:
        words += f", {asked['weight_tolerance']:.2g} g h; reached {asked['of_weight']:.2g} g h"
    return f"{words}; or {share:g} of the free velocities" if share else words


def _find_styles(summary: Mapping[str, Any]) -> dict[str, str]:
    """Colours of the rows that nobody should overlook."""
    styles = {_HALVED: _DOUBTFUL, _UNSOLVED: BAD}
    if summary["deep_steps"]:
        styles[_DEEPEST] = BAD
    unsolved = summary["unsolved"]
    if summary["residual_worst"] > unsolved["residual_allowed"]:
        styles[_RESIDUAL] = BAD if unsolved["steps"] else _DOUBTFUL
    if summary["joint_error_worst"] > summary["joint_error_allowed"]:
        styles[_JOINT_ERROR] = BAD
    return styles


def _say_moment(unit: str, value: float, time: float) -> str:
    """A unit, and when it was if there was something."""
    return f"{unit} at {time:g} s" if value > 0 and not math.isnan(time) else unit
