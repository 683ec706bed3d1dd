"""The results file of `supple claims`, read and checked."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from supple.errors import Problem, UserError
from supple.run.claim_runs import Outcome, Setting, read_outcome
from supple.run.claim_store import FORMAT, MADE_BY


@dataclass(frozen=True)
class Run:
    """One cell of a variant, with its outcome."""

    key: str
    cell: str
    seed: int
    outcome: Outcome


@dataclass(frozen=True)
class Variant:
    """The runs of a variant; the recording is of the first of them."""

    name: str
    runs: tuple[Run, ...]
    recording: Path | None = None

    @property
    def title(self) -> str:
        """Its name, also where the scene has no variants."""
        return self.name or "as it stands"

    def values(self, metric: str) -> list[float]:
        """A metric at the end of every run that came to its end and measured it."""
        found = [run.outcome.metrics.get(metric, math.nan) for run in self.runs if not run.outcome.error]
        return [value for value in found if math.isfinite(value)]


@dataclass(frozen=True)
class SceneResult:
    """What was run for a scene."""

    path: str
    about: str
    variants: tuple[Variant, ...]

    @property
    def title(self) -> str:
        """The file's name without the suffix."""
        return Path(self.path.replace("\\", "/")).name.removesuffix(".toml")


@dataclass(frozen=True)
class Experiment:
    """All of a results file."""

    source: Path
    claims: tuple[dict[str, Any], ...]
    expectations: tuple[dict[str, Any], ...]
    scenes: tuple[SceneResult, ...]
    versions: dict[str, Any] = field(default_factory=dict)
    setting: Setting = field(default_factory=Setting)
    only: tuple[str, ...] = ()


def read_experiment(path: Path) -> Experiment:
    """Read a results file; whatever is wrong with it is an error of one line."""
    remedy = "give what 'supple claims SCENES -o FILE' wrote"
    try:
        whole = json.loads(path.read_bytes())
        if whole["made_by"] != MADE_BY:
            raise ValueError("made by something else")
        if whole["format"] > FORMAT:
            what = f"has the format {whole['format']}; this supple reads up to {FORMAT}"
            raise UserError(Problem(None, str(path), what, "update supple"))
        if "claims" not in whole:
            what = "is not complete: the claims were not judged yet"
            raise UserError(Problem(None, str(path), what, "run the same 'supple claims' again"))
        if "scenes" not in whole:
            what = "does not say what was run"
            raise UserError(Problem(None, str(path), what, "run 'supple claims' again with this version"))
        return _read(path, whole)
    except FileNotFoundError as error:
        raise UserError(Problem(None, str(path), "no such file", remedy)) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(Problem(None, str(path), "holds no results of claims", remedy)) from error


def check_trust(experiment: Experiment, plugins: Sequence[Path], *, allow_outside: bool) -> None:
    """Refuse to run code, or to leave the scenes' folders, because a file says so: whoever runs it must say it too."""
    trusted = {file.resolve() for file in plugins}
    for file in experiment.setting.plugins:
        if file.resolve() not in trusted:
            what, remedy = (
                f"names the plugin {file}, whose code would run",
                f"pass --plugin {file} if you trust it",
            )
            raise UserError(Problem(None, str(experiment.source), what, remedy))
    if experiment.setting.allow_outside and not allow_outside:
        what, remedy = "asks for files outside the scenes' folders", "pass --allow-outside if you trust it"
        raise UserError(Problem(None, str(experiment.source), what, remedy))


def _read(path: Path, whole: dict[str, Any]) -> Experiment:
    outcomes = {str(key): read_outcome(plain) for key, plain in whole["runs"].items()}
    setting = whole["setting"]
    return Experiment(
        source=path,
        claims=tuple(_read_claim(one) for one in whole["claims"]),
        expectations=tuple(_read_expectation(one) for one in whole["expectations"]),
        scenes=tuple(_read_scene(one, outcomes, path.absolute().parent) for one in whole["scenes"]),
        versions=dict(whole["versions"]),
        setting=Setting(
            tuple(Path(file) for file in setting["plugins"]),
            tuple(map(str, setting["disabled"])),
            bool(setting["allow_outside"]),
        ),
        only=tuple(map(str, whole["only"])),
    )


def _read_scene(plain: dict[str, Any], outcomes: dict[str, Outcome], folder: Path) -> SceneResult:
    lost = Outcome({}, 0.0, "this run was lost")
    variants = []
    for one in plain["variants"]:
        runs = tuple(
            Run(str(run["key"]), str(run["cell"]), int(run["seed"]), outcomes.get(run["key"], lost))
            for run in one["runs"]
        )
        recording = folder / str(one["recording"]) if one["recording"] else None
        variants.append(Variant(str(one["name"]), runs, recording))
    return SceneResult(str(plain["scene"]), str(plain["about"]), tuple(variants))


def _read_claim(plain: dict[str, Any]) -> dict[str, Any]:
    figures = {str(name): _read_number(value) for name, value in plain["figures"].items()}
    texts = {name: str(plain.get(name, "")) for name in ("id", "says", "paper", "expression", "scene", "why")}
    seeds = [int(seed) for seed in plain["seeds"]]
    return {
        **texts, "holds": _read_verdict(plain["holds"]), "figures": figures, "seeds": seeds,
        "seconds": float(plain["seconds"]),
    }  # fmt: skip


def _read_expectation(plain: dict[str, Any]) -> dict[str, Any]:
    bounds: dict[str, Any] = {
        name: float(plain[name]) for name in ("above", "below", "equals", "tolerance") if name in plain
    }
    texts = {name: str(plain.get(name, "")) for name in ("scene", "variant", "metric", "because", "why")}
    return {**texts, **bounds, "value": _read_number(plain["value"]), "holds": _read_verdict(plain["holds"])}


def _read_number(value: Any) -> float:
    return math.nan if value is None else float(value)


def _read_verdict(value: Any) -> bool | None:
    if value not in (True, False, None):
        raise ValueError("no verdict")
    return value if value is None else bool(value)
