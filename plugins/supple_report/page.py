"""The page: what an experiment claims, whether it holds, and what it looks like."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from supple.run.report import say, say_bounds
from supple_report.axes import make_axis_tables
from supple_report.html import Html, join, table, tag
from supple_report.intervals import Figure, find_mean, gather_figures, metrics_of
from supple_report.result import Experiment, SceneResult, Variant
from supple_report.style import CSS

#: Nothing is asked of any network, and nothing is executed.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:"
_VERDICTS = {True: ("holds", "holds"), False: ("does not hold", "fails"), None: ("not judged", "open")}
_COMMON = ("run.residual_worst", "run.penetration_worst", "run.energy_unaccounted")


@dataclass
class Media:
    """The pictures of a scene, as paths from the page, and what there is to say about missing ones.

    `frames` has for each variant the times [s] and the files of its film strip; `scale` says how large things are.
    """

    frames: dict[str, list[tuple[float, str]]] = field(default_factory=dict)
    scale: str = ""
    plots: str | None = None
    units: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def make_page(
    experiment: Experiment, media: Mapping[str, Media], *, title: str, command: Sequence[str]
) -> str:
    """The whole page; `media` by the path of the scene, `command` the words that made this page."""
    body = join(
        [
            _make_head(experiment, title),
            _make_claims(experiment),
            _make_expectations(experiment),
            [_make_scene(scene, experiment, media[scene.path]) for scene in experiment.scenes],
            _make_repeat(experiment, command),
            tag("footer", f"Made by supple {experiment.versions.get('supple', '')}. All units are SI."),
        ]
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("title", title),
        tag("style", Html(CSS)),
    )
    return f"<!DOCTYPE html>\n{tag('html', head, tag('body', body), lang='en')}\n"


def _badge(holds: bool | None) -> Html:
    words, look = _VERDICTS[holds]
    return tag("span", words, class_=f"badge {look}")


def _make_head(experiment: Experiment, title: str) -> Html:
    about = experiment.scenes[0].about if len(experiment.scenes) == 1 else ""
    judged = [*experiment.claims, *experiment.expectations]
    counts = {holds: sum(one["holds"] is holds for one in judged) for holds in (True, False, None)}
    tally = [
        tag("span", _say_count(holds, count), class_=f"badge {_VERDICTS[holds][1]}")
        for holds, count in counts.items()
        if count
    ]
    return tag(
        "header",
        tag("h1", title),
        tag("p", about, class_="lead") if about else None,
        tag("div", tally, class_="tally"),
    )


def _say_count(holds: bool | None, count: int) -> str:
    plural = {True: "hold", False: "do not hold", None: "not judged"}
    return f"{count} {_VERDICTS[holds][0] if count == 1 else plural[holds]}"


def _make_claims(experiment: Experiment) -> Html | None:
    if not experiment.claims:
        return None
    return tag(
        "section", tag("h2", "Claims"), [_make_claim(claim, experiment) for claim in experiment.claims]
    )


def _make_claim(claim: Mapping[str, Any], experiment: Experiment) -> Html:
    scene = next((one for one in experiment.scenes if one.path == claim["scene"]), None)
    link = tag("a", scene.title, href=f"#{_anchor(scene)}") if scene else claim["scene"]
    figures = gather_figures(claim["figures"])
    rows = [[tag("code", one.name), _say_figure(one)] for one in figures]
    seeds = ", ".join(map(str, claim["seeds"][:12])) + (" ..." if len(claim["seeds"]) > 12 else "")
    facts = ["Scene ", link, f", seed{'s' if len(claim['seeds']) != 1 else ''} {seeds}"]
    facts += [f", {claim['seconds']:.1f} s of computing"]
    return tag(
        "article",
        tag("header", _badge(claim["holds"]), tag("strong", claim["id"]),
            tag("span", claim["paper"], class_="note") if claim["paper"] else None),
        tag("p", claim["says"], class_="says"),
        tag("p", tag("code", claim["expression"])) if claim["expression"] else None,
        tag("p", f"Not judged: {claim['why']}") if claim["why"] else None,
        table(["figure", "value"], rows, numbers=True) if rows else None,
        tag("p", facts, class_="note"),
        class_="claim",
    )  # fmt: skip


def _make_expectations(experiment: Experiment) -> Html | None:
    if not experiment.expectations:
        return None
    rows = [
        [
            tag("code", one["metric"]),
            _badge(one["holds"]),
            " ".join(part for part in (Path(one["scene"]).name, one["variant"]) if part),
            say(one["value"]),
            say_bounds(one),
            one["why"] or one["because"],
        ]
        for one in experiment.expectations
    ]
    head = ["metric", "", "scene", "value", "expected", "because"]
    return tag("section", tag("h2", "Expectations"), table(head, rows))


def _make_scene(scene: SceneResult, experiment: Experiment, media: Media) -> Html:
    parts: list[Any] = [tag("h2", scene.title, id=_anchor(scene))]
    if scene.about and len(experiment.scenes) > 1:
        parts.append(tag("p", scene.about, class_="lead"))
    if media.frames:
        parts.append(tag("h3", "What it looks like"))
        parts += [
            _make_strip(one, media.frames[one.name]) for one in scene.variants if one.name in media.frames
        ]
        parts.append(tag("p", media.scale, class_="note"))
    parts.append(_make_metrics(scene, experiment, media.units))
    if media.plots:
        alt = f"Curves of {scene.title}: metrics, contacts, energy and residual of all variants over time"
        parts += [tag("h3", "Over time"), tag("figure", tag("img", src=media.plots, alt=alt, class_="plot"))]
    parts += [tag("p", note, class_="note") for note in media.notes]
    return tag("section", parts)


def _make_strip(variant: Variant, frames: Sequence[tuple[float, str]]) -> Html:
    cells = [
        tag("div", tag("img", src=file, alt=f"{variant.title} at {time:.2f} s"), tag("span", f"{time:.2f} s"))
        for time, file in frames
    ]
    first = variant.runs[0].cell if variant.runs else ""
    caption = tag("figcaption", tag("b", variant.title), f", {first}")
    return tag("figure", caption, tag("div", cells, class_="strip"))


def _make_metrics(scene: SceneResult, experiment: Experiment, units: Mapping[str, str]) -> Html:
    """The metrics that claims and expectations speak of, and how well the runs were computed."""
    asked = metrics_of(one["expression"] for one in experiment.claims if one["scene"] == scene.path)
    asked += [one["metric"] for one in experiment.expectations if one["scene"] == scene.path]
    known = {name for variant in scene.variants for run in variant.runs for name in run.outcome.metrics}
    names = [name for name in dict.fromkeys([*asked, *_COMMON]) if name in known]
    rows: list[list[Any]] = []
    for name in names:
        unit = f" [{units[name]}]" if units.get(name, "1") != "1" else ""
        cells = [_say_figure(find_mean(name, variant.values(name))) for variant in scene.variants]
        rows.append([join([tag("code", name), unit]), *cells])
    rows.append(["runs", *[_say_runs(variant) for variant in scene.variants]])
    several = any(len(variant.runs) > 1 for variant in scene.variants)
    means = "Means over all cells, with 95 % intervals from resampling the cells. " if several else ""
    link = tag("a", "metrics.csv", href="metrics.csv")
    head = ["metric", *[variant.title for variant in scene.variants]]
    note = tag("p", means, "All metrics of all runs are in ", link, ".", class_="note")
    axes = make_axis_tables(scene, [name for name in names if name in asked] or names, units, _say_figure)
    return join([tag("h3", "Figures"), table(head, rows, numbers=True), note, axes])


def _say_runs(variant: Variant) -> str:
    failed = sum(bool(run.outcome.error) for run in variant.runs)
    return f"{len(variant.runs)}" + (f", {failed} failed" if failed else "")


def _say_figure(figure: Figure) -> Html:
    if figure.low is not None and say(figure.low) == say(figure.high):
        return join([say(figure.value)])
    if figure.low is not None and figure.high is not None:
        interval = f" [{say(figure.low)}, {say(figure.high)}]"
    elif figure.low is not None:
        interval = f" from {say(figure.low)} on"
    elif figure.high is not None:
        interval = f" up to {say(figure.high)}"
    else:
        return join([say(figure.value)])
    known = say(figure.value) if math.isfinite(figure.value) else ""
    return join([known, tag("span", interval, class_="interval")])


def claims_command(experiment: Experiment) -> str:
    """The command line that gives the same results."""
    words = ["supple", "claims", *dict.fromkeys(scene.path for scene in experiment.scenes)]
    for flag, values in (
        ("--only", experiment.only),
        ("--plugin", experiment.setting.plugins),
        ("--disable", experiment.setting.disabled),
    ):
        for value in values:
            words += [flag, str(value)]
    words += ["--allow-outside"] if experiment.setting.allow_outside else []
    return shlex.join([*words, "-o", experiment.source.name, "--record", "runs"])


def _make_repeat(experiment: Experiment, command: Sequence[str]) -> Html:
    versions = {name: value for name, value in experiment.versions.items() if not isinstance(value, dict)}
    plugins = experiment.versions.get("plugins")
    rows = [[name, str(value)] for name, value in versions.items()]
    if isinstance(plugins, dict):
        rows.append(["plugins", ", ".join(f"{name} {version}" for name, version in plugins.items())])
    lines = f"{claims_command(experiment)}\n{shlex.join(command)}"
    return tag(
        "section",
        tag("h2", "How to repeat it"),
        tag("pre", lines),
        tag("p", "Seeds are part of the scenes; equal versions give equal numbers."),
        table(["made with", "version"], rows),
    )


def _anchor(scene: SceneResult) -> str:
    return "scene-" + "".join(letter if letter.isalnum() else "-" for letter in scene.path)
