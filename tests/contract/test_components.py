"""What authors of scenes can write is explained: every kind, every field, every metric, every plugin."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from supple.core.component import Metric, component, field
from supple.core.settings import Run
from supple.mechanics.run_metrics import RUN_METRICS
from supple.plugin import load_plugins
from supple.scene.fields import fields_of, is_table, strip

ROOT = Path(__file__).resolve().parents[2]
REGISTRY = load_plugins().registry
PLUGINS = sorted(
    folder for folder in (ROOT / "plugins").iterdir() if folder.is_dir() and folder.name[0] not in "._"
)
KINDS = {name: entry.load() for name, entry in REGISTRY.kinds().items()}
SETTINGS = {f"run.{name}": entry.load() for name, entry in REGISTRY.settings.items()}
CLASSES: dict[str, type] = {**KINDS, **SETTINGS, "run": Run}
UNIT = re.compile(r"|1|deg|SI|[A-Za-z0-9^/*(), .-]+")


def is_sentence(text: str | None) -> bool:
    """Begins with a capital letter or a symbol and ends with a full stop."""
    first = (text or "").strip().split("\n\n")[0]
    return len(first) > 3 and first.endswith((".", "...")) and not first[0].islower()


def find_gaps(cls: type, path: str) -> Iterator[str]:
    """What a class, its nested tables and its metrics leave unsaid."""
    if not is_sentence(cls.__doc__):
        yield f"{path}: the docstring is no sentence: {cls.__doc__!r}"
    for name, info in cls.__pydantic_fields__.items():  # type: ignore[attr-defined]
        extra = info.json_schema_extra
        unit = extra.get("unit") if isinstance(extra, dict) else None
        if not isinstance(unit, str) or not UNIT.fullmatch(unit):
            yield f"{path}.{name}: has no unit"
        if not is_sentence(info.description):
            yield f"{path}.{name}: doc is no sentence: {info.description!r}"
        numeric = strip(info.annotation) in (int, float) or "float" in str(info.annotation)
        if numeric and unit == "":
            yield f"{path}.{name}: a number with the unit of a word"
        if is_table(strip(info.annotation)):
            yield from find_gaps(strip(info.annotation), f"{path}.{name}")
    for metric in cls.metrics:  # type: ignore[attr-defined]
        yield from find_gaps_of_metric(metric, path)


def find_gaps_of_metric(metric: Metric, path: str) -> Iterator[str]:
    if not metric.unit or not UNIT.fullmatch(metric.unit):
        yield f"{path}.{metric.name}: the metric has no unit"
    if not is_sentence(metric.doc):
        yield f"{path}.{metric.name}: doc of the metric is no sentence: {metric.doc!r}"


@pytest.mark.parametrize("path", sorted(CLASSES))
def test_class_explains_itself(path: str) -> None:
    assert list(find_gaps(CLASSES[path], path)) == []


@pytest.mark.parametrize("metric", RUN_METRICS, ids=lambda metric: metric.name)
def test_metric_of_the_run_explains_itself(metric: Metric) -> None:
    assert list(find_gaps_of_metric(metric, "run")) == []


def test_gaps_are_noticed() -> None:
    @component
    class Vague:
        """no sentence"""

        speed: float = field(unit="", doc="Speed.")
        width: float = field(unit="m", doc="how wide")
        metrics = (Metric("heat", "", "Heat"),)

    gaps = list(find_gaps(Vague, "vague"))
    assert len(gaps) == 5
    assert all(gap.startswith("vague") for gap in gaps)


def test_metrics_of_one_class_have_distinct_names() -> None:
    for path, cls in CLASSES.items():
        names = [metric.name for metric in cls.metrics]  # type: ignore[attr-defined]
        assert len(names) == len(set(names)), path


def test_settings_have_defaults_for_all_fields() -> None:
    for path, cls in SETTINGS.items():
        assert [name for name, facts in fields_of(cls).items() if facts.required] == [], path


def kinds_in_scenes() -> set[str]:
    """Every key of every entity and event of every scene, and of what its overrides set."""
    used: set[str] = set()
    for file in (ROOT / "scenes").rglob("*.toml"):
        scene: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
        for table in [*scene.get("entity", []), *scene.get("event", [])]:
            used |= set(table)
        for values in (scene.get("set", {}), *scene.get("variants", {}).values()):
            used |= {key.split(".")[1] for key in values if "." in key}
    return used


def readme(folder: Path) -> str:
    """The text of a plugin's README; a missing one has a test of its own."""
    file = folder / "README.md"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_kind_is_shown_in_a_scene(kind: str) -> None:
    """In a scene under scenes/, or in a TOML example that the README of a plugin says to be its place."""
    if kind in kinds_in_scenes():
        return
    examples = [
        text for folder in PLUGINS for text in re.findall(r"```toml\n(.*?)```", readme(folder), re.DOTALL)
    ]
    assert any(re.search(rf"^{kind} = ", text, re.MULTILINE) for text in examples), f"nobody shows {kind}"


def test_readme_examples_are_toml() -> None:
    for folder in PLUGINS:
        for text in re.findall(r"```toml\n(.*?)```", readme(folder), re.DOTALL):
            assert tomllib.loads(text), f"an empty example in {folder.name}"


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda folder: folder.name)
def test_plugin_has_a_readme_that_names_what_it_adds(folder: Path) -> None:
    text = readme(folder)
    assert text, f"{folder.name} has no README.md"
    assert text.startswith(f"# {folder.name}\n")
    for heading in ("## What it adds", "## Limitations"):
        assert heading in text
    plugin = folder.name.removeprefix("supple_")
    tables = (
        REGISTRY.components, REGISTRY.events, REGISTRY.systems, REGISTRY.solvers, REGISTRY.settings,
        REGISTRY.commands, REGISTRY.stored_problems,
    )  # fmt: skip
    added = {entry.name for table in tables for entry in table.values() if entry.plugin == plugin}
    assert added
    assert [name for name in sorted(added) if f"`{name}`" not in text and f"`[run.{name}]`" not in text] == []


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda folder: folder.name)
def test_equations_that_the_code_cites_are_numbered_in_the_readme(folder: Path) -> None:
    text = readme(folder)
    numbered = re.findall(r" {3,}\((\d+[a-z]?)\)$", text, re.MULTILINE)
    plain = [number for number in numbered if number.isdigit()]
    assert plain == [str(n + 1) for n in range(len(plain))], "equations are numbered in their order"
    for file in folder.rglob("*.py"):
        for sentence in re.findall(r"README eq\. ([^.\n]*)", file.read_text(encoding="utf-8")):
            cited = re.findall(r"\((\d+[a-z]?)\)", sentence)
            assert cited, f"{file.name}: README eq. {sentence}"
            assert set(cited) <= set(numbered), f"{file.name} cites {cited}"
