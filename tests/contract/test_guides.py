"""The guides are true: every command is typed, every scene stepped, every quoted line printed, every link followed."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
import tomli

import supple
from guide_pages import DOCS, ROOT, Reader, agree, read_blocks
from supple.mechanics.run_metrics import RUN_METRICS
from supple.plugin import load_plugins
from supple.run.gauge import Gauge
from supple.run.simulate import RunOptions, simulate
from supple.scene.expression_functions import CONFIDENCE, FUNCTIONS, RESAMPLES
from supple.scene.schema import make_schema

PAGES = sorted(DOCS.glob("*.md"))
TOLD = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
FRAGMENTS = [
    block for page in PAGES for block in read_blocks(page) if block.language == "toml" and not block.file
]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Somebody in an empty folder beside the project's scenes, with room to install packages into."""
    folder, site = tmp_path / "here", tmp_path / "site"
    shutil.copytree(ROOT / "scenes", folder / "scenes")
    site.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(site))
    known = set(sys.modules)
    yield Reader(folder, site)
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_does_what_it_says(page: Path, reader: Reader) -> None:
    for block in read_blocks(page):
        reader.follow(block)
    plugins = [reader.folder / name for name, text in reader.files.items() if "hookimpl" in text]
    for name in reader.files:
        if name.endswith(".toml"):
            supple.load(name, plugins=plugins).step(3)
    if reader.left_out:
        pytest.skip("all but this was run and holds: " + "; ".join(reader.left_out))


def test_all_guides_are_there() -> None:
    assert set(TOLD) == {
        "index.md", "first_scene.md", "choosing_parameters.md", "reading_the_report.md", "writing_plugins.md",
        "security.md", "control_from_python.md", "learning.md", "clusters.md",
    }  # fmt: skip
    for name in set(TOLD) - {"index.md"}:
        assert f"]({name})" in TOLD["index.md"], name
        assert "](index.md)" in TOLD[name], name
    assert "(framework/docs/index.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("block", FRAGMENTS, ids=lambda block: block.where)
def test_fragment_obeys_the_schema(block) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    scene = {"format": 1, **tomli.loads(block.text)}
    scene["run"] = {"step": 0.004, "duration": 1.0, **scene.get("run", {})}
    errors = jsonschema.Draft7Validator(make_schema(load_plugins().registry)).iter_errors(scene)
    assert [error.message for error in errors] == []


def anchors_of(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", sorted(TOLD))
def test_links_lead_somewhere(name: str) -> None:
    prose = re.sub(r"^```.*?^```$", "", TOLD[name], flags=re.MULTILINE | re.DOTALL)
    for link in re.findall(r"\]\((?!https://)([^)]+)\)", prose):
        target, _, anchor = link.partition("#")
        file = (DOCS / target).resolve() if target else DOCS / name
        assert file.exists(), link
        assert not anchor or anchor in anchors_of(file.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("name", sorted(TOLD))
def test_page_is_easy_on_the_eye(name: str) -> None:
    lines = TOLD[name].splitlines()
    assert lines[0].startswith("# ")
    assert len(lines) <= 400
    assert [line for line in lines if len(line) > 125 and not line.startswith("|")] == []


def test_every_solver_is_compared() -> None:
    table = set(re.findall(r"^\| `(\w+)` \|", section("choosing_parameters.md", "The solver"), re.MULTILINE))
    assert table == set(load_plugins().registry.solvers)


def section(name: str, heading: str) -> str:
    return re.split(rf"^#+ {heading}$", TOLD[name], flags=re.MULTILINE)[1].split("\n## ")[0]


def names_in_table(name: str, heading: str) -> set[str]:
    return {
        word
        for row in re.findall(r"^\| (`.*?) \|", section(name, heading), re.MULTILINE)
        for word in re.findall(r"`([\w.]+)`", row)
    }


def test_every_figure_of_a_run_is_explained() -> None:
    told = names_in_table("reading_the_report.md", "The whole run")
    assert told == {f"run.{metric.name}" for metric in RUN_METRICS}


def test_every_key_of_the_json_is_explained() -> None:
    summary = simulate(RunOptions(ROOT / "scenes/first/drop.toml", until=0.02)).summary
    assert names_in_table("reading_the_report.md", "The same for programs") == {*summary, "failed"}
    for key in summary["energy"]:
        assert f"`{key}`" in section("reading_the_report.md", "The same for programs"), key


def test_functions_of_claims_are_explained() -> None:
    text = section("reading_the_report.md", "Claims")
    assert [name for name in FUNCTIONS if not re.search(rf"`{name}[`(]", text)] == []
    assert f"{RESAMPLES:,}".replace(",", " ") in " ".join(text.split())
    assert f"{CONFIDENCE:.0%}".replace("%", " %") in text


OTHERS = "dask|srun|#SBATCH"


def test_options_that_pages_mention_exist() -> None:
    from supple.run.cli import COMMANDS
    from supple.run.cli import supple as group

    names = [*COMMANDS, *load_plugins().registry.commands]
    commands = [group.resolve_command(group.make_context("supple", [name]), [name])[1] for name in names]
    # `supple new` is a group: its options are those of its commands.
    commands += [inner for command in commands for inner in getattr(command, "commands", {}).values()]
    known = {option for command in commands for one in command.params for option in one.opts} | {"--help"}
    for name, text in TOLD.items():
        # Commands of other programs have their own options.
        mine = re.sub(rf"`(?:{OTHERS})\b[^`]*`", "", text)
        mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", mine))
        assert mentioned <= known, f"{name}: {mentioned - known}"


def test_settings_that_pages_mention_exist() -> None:
    registry = load_plugins().registry
    for name, text in TOLD.items():
        for table, key in re.findall(r"run\.([a-z_]+)\.([a-z_]+)=", text):
            assert key in registry.settings[table].load().__dataclass_fields__, f"{name}: run.{table}.{key}"


def test_progress_counts_contacts_and_not_joints() -> None:
    world = supple.load(ROOT / "scenes/mechanics/bridge.toml")
    world.step()
    assert int(world.array("rows.count")[0]) > 0
    assert ", 0 contacts" in Gauge(world, 10).describe()


@pytest.mark.parametrize(
    ("told", "printed", "same"),
    [
        ("ball.height 1.40 m", "ball.height 1.4043 m", True),
        ("ball.height 1.40 m", "ball.height 1.3 m", False),
        ("residual 9.9e-11", "residual 3e-14", True),
        ("residual 9.9e-11", "residual 3e-4", False),
        ("box9 stands", "box8 stands", False),
        ("two words ...", "two words and more", True),
        ("two words ...", "two other words", False),
        ("fails 50", "fails 51", True),
        ("fails 5", "fails 6", False),
    ],
)
def test_the_comparison_can_fail(told: str, printed: str, same: bool) -> None:
    assert agree(told, printed) is same


def test_rough_columns_are_held_to_a_factor_of_two() -> None:
    assert agree("newton 0.3793 10", "newton 0.3793 15", {2})
    assert not agree("newton 0.3793 10", "newton 0.3793 25", {2})
    assert not agree("newton 0.3793 10", "newton 0.5 10", {2})
