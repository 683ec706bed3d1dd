"""The page for plugin authors says what the code does: every signature, every example, every phase, every error."""

import importlib.util
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import supple
import supple.testing
from supple.core.build import Build
from supple.core.compile_order import COLLECTIONS
from supple.core.component import Metric, field
from supple.core.registry import Registry
from supple.core.schedule import Phase, System
from supple.core.world import World
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.combined_dynamics import CombinedDynamics, DynamicsRequest, ask_dynamics
from supple.mechanics.dynamics import Constraints, ConstraintSource, Dynamics, DynamicsSource
from supple.mechanics.jacobian import JacobianBlocks
from supple.mechanics.mechanism import Carrier, Mechanism, PointRows, RowSource, Surface
from supple.mechanics.problem import ConstraintProblem, PartialProblem
from supple.mechanics.rows import LAW_NAMES
from supple.mechanics.solution import Solution, Solver
from supple.plugin import AUTOLOAD_VARIABLE, Hooks, load_plugins
from supple.run.simulate import RunOptions, simulate
from supple.scene.load import read_scene
from supple.testing import audit_step
from supple_motion.targets import find_targets
from supple_phases.member import Machines

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "framework" / "WRITING_PLUGINS.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
FILES = {
    match[1]: text for language, text in BLOCKS if (match := re.match(r"# (\w+\.(?:py|toml|txt))\n", text))
}
NAMES = sorted(Path(name).stem for name in FILES if name.endswith(".py"))


def public_methods(cls: type) -> list[tuple[str, Callable[..., Any]]]:
    return [
        (name, value) for name, value in vars(cls).items() if inspect.isfunction(value) and name[0] != "_"
    ]


def normalise(text: str) -> str:
    """Without what may differ between a page and Python's own spelling: spaces, quotes, the name of numpy."""
    spelled = text.replace("<class 'numpy.float64'>", "np.float64").replace("Ellipsis", "...")
    return re.sub(r"[\s'\"]", "", spelled)


def spell(name: str, function: Callable[..., Any]) -> str:
    """The signature as the page has it: without self."""
    signature = inspect.signature(function)
    parameters = [one for one in signature.parameters.values() if one.name != "self"]
    return normalise(f"{name}{signature.replace(parameters=parameters)}")


SIGNATURES = [
    *(spell(name, function) for name, function in public_methods(Hooks)),
    *(f"registry.{spell(name, function)}" for name, function in public_methods(Registry)),
    *(f"build.{spell(name, function)}" for name, function in public_methods(Build)),
    *(
        f"world.{spell(name, getattr(World, name))}"
        for name in ("step", "array", "metrics", "members", "dynamics", "snapshot", "restore")
    ),
    *(
        f"supple.testing.{spell(f.__name__, f)}"
        for f in (
            supple.testing.audit_step,
            supple.testing.check_gradient,
            supple.testing.check_mechanism,
            supple.testing.check_memory,
            supple.testing.check_resume,
        )
    ),
    spell("field", field),
    spell("Metric", Metric.__init__),
    spell("Solution", Solution.__init__),
    spell("solve", Solver.solve),
    *(
        spell(name, function)
        for protocol in (
            *(Mechanism, Carrier, Surface, RowSource),
            *(Dynamics, DynamicsSource, Constraints, ConstraintSource),
        )
        for name, function in public_methods(protocol)
        if name != "bind"
    ),
    spell("ask_dynamics", ask_dynamics),
    spell("bind", DynamicsRequest.bind),
    *(
        spell(name, function)
        for name, function in public_methods(CombinedDynamics)
        if name.startswith("constraint")
    ),
    spell("cut", ConstraintProblem.cut),
    spell("PartialProblem", PartialProblem.__init__).removesuffix("->None"),
    spell("PointRows", PointRows.__init__).removesuffix("->None"),
    spell("JacobianBlocks", JacobianBlocks.__init__).removesuffix("->None"),
    spell("BlockMatrix", BlockMatrix.__init__).removesuffix("->None"),
    *(spell(name, function) for name, function in public_methods(Machines) if name != "bind"),
    spell("find_targets", find_targets),
]


def stated_signatures() -> set[str]:
    """All that the page states in its blocks of signatures; a statement ends with its line or a semicolon."""
    stated = set()
    for language, text in BLOCKS:
        if language == "pyi":
            joined = re.sub(r",\n\s+", ", ", text)
            stated |= {normalise(line.strip().removeprefix("class ")) for line in re.split(r"[\n;]", joined)}
    return stated


@pytest.mark.parametrize("signature", SIGNATURES)
def test_signature_is_on_the_page(signature: str) -> None:
    assert signature in stated_signatures()


def test_signatures_are_those_of_all_public_methods() -> None:
    spelled = " ".join(SIGNATURES)
    for name in (
        "supple_register(",
        "registry.add_solver(",
        "registry.find(",
        "build.add_state(",
        "build.refuse(",
    ):
        assert name in spelled


@pytest.mark.parametrize(
    ("word", "owner"),
    [("registry", Registry()), ("build", Build), ("world", World), ("problem", ConstraintProblem(1))],
)
def test_page_mentions_nothing_that_does_not_exist(word: str, owner: Any) -> None:
    known = {name for name in dir(owner) if name[0] != "_"}
    if inspect.isclass(owner):
        known |= set(re.findall(r"self\.(\w+)[ :=,]", inspect.getsource(owner)))
    # The world of one example carries a figure from hook to hook.
    mentioned = set(re.findall(rf"(?<![\w/.\"]){word}\.([a-z]\w*)", PAGE)) - {"tally", "toml"}
    assert mentioned, f"the page says nothing of {word}"
    assert mentioned <= known, mentioned - known


def test_mechanism_attributes_are_on_the_page() -> None:
    for protocol in (Mechanism, Carrier):
        for attribute in protocol.__annotations__:
            assert re.search(rf"\b{attribute}\b", PAGE), attribute


def test_group_arrays_are_on_the_page() -> None:
    section = PAGE[PAGE.index("A **group** is") : PAGE.index("Arrays that every scene has")]
    for name, value in vars(ConstraintProblem(1)).items():
        if name not in ("capacity", "count") and not name.startswith("_"):
            assert f"`{name}`" in section or f"problem.{name}" in section, (name, value)
    assert [name.upper() in section for name in LAW_NAMES] == [True] * len(LAW_NAMES)


def test_every_phase_collection_and_access_is_explained() -> None:
    table = re.findall(r"^\| ([A-Z]+) \|", PAGE, re.MULTILINE)
    assert table == [phase.name for phase in Phase]
    assert set(re.findall(r"^\| `(\w+)` \| `\w+` \|", PAGE, re.MULTILINE)) == set(COLLECTIONS)
    for attribute in System.__annotations__:
        assert f"- `{attribute}`" in PAGE or f"{attribute}: ClassVar" in PAGE, attribute
    for word in (
        AUTOLOAD_VARIABLE,
        "--disable",
        "--plugin",
        "supple plugins",
        "supple schedule",
        "supple new plugin",
    ):
        assert word in PAGE


def test_every_error_on_the_page_exists() -> None:
    section = PAGE[PAGE.index("## 13.") :]
    phrases = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    sources = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "framework").rglob("*.py"))
    assert len(phrases) > 25
    assert [phrase for phrase in phrases if phrase not in sources] == []


def test_contents_lead_to_headings() -> None:
    headings = [re.sub(r"[^\w -]", "", line).strip() for line in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)]
    anchors = [heading.lower().replace(" ", "-") for heading in headings]
    assert re.findall(r"^\d+\. \[.*\]\(#(.*)\)$", PAGE, re.MULTILINE) == anchors


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the page, as a reader would save them."""
    for name, text in FILES.items():
        # The name of a file of numbers is no part of it.
        kept = text.partition("\n")[2] if name.endswith(".txt") else text
        (tmp_path / name).write_text(kept, encoding="utf-8")
    return tmp_path


def test_examples_are_found() -> None:
    assert {"balloon", "fence", "gust", "jelly", "lifter", "necklace", "prox", "tally", "tether"} <= set(
        NAMES
    )
    assert {f"{name}.toml" for name in NAMES} <= set(FILES)


@pytest.mark.parametrize("name", NAMES)
def test_example_runs_and_its_expectations_hold(folder: Path, name: str) -> None:
    result = simulate(RunOptions(folder / f"{name}.toml", plugins=(folder / f"{name}.py",)))
    assert result.failure is None
    verdicts = result.summary["expectations"]
    assert verdicts
    assert [verdict for verdict in verdicts if not verdict["holds"]] == []
    if name == "tally":
        assert result.summary["tally"] == 1


@pytest.mark.parametrize("name", NAMES)
def test_example_needs_its_plugin_and_declares_what_it_touches(folder: Path, name: str) -> None:
    scene = folder / f"{name}.toml"
    with pytest.raises(supple.errors.UserError):
        read_scene(scene, load_plugins())
    world = supple.load(scene, plugins=[folder / f"{name}.py"])
    world.step(3)
    audit_step(world)


def test_command_of_the_example_works(folder: Path) -> None:
    from click.testing import CliRunner

    command = load_plugins([folder / "tally.py"]).registry.commands["tally"]
    result = CliRunner().invoke(command.load(), ["one", "two"])
    assert (result.exit_code, result.output) == (0, "2 words\n")


@pytest.mark.parametrize(
    "text", [text for language, text in BLOCKS if language == "python" and not text.startswith("# ")]
)
def test_fragment_runs(folder: Path, text: str) -> None:
    file = folder / "fragment.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("fragment_of_page", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "add_spring"):
        check_spring(module.add_spring)
    else:
        module.test_systems_touch_what_they_declare(folder / "balloon.toml", folder / "balloon.py")


def check_spring(add_spring: Callable[..., None]) -> None:
    import numpy as np

    x, rest, force = np.arange(6.0).reshape(2, 3), np.ones((2, 3)), np.full((2, 3), 0.5)
    add_spring(np.array([2.0, 3.0]), rest, x, force)
    np.testing.assert_allclose(force, 0.5 - np.array([[2.0], [3.0]]) * (x - rest), rtol=1e-15)


def test_examples_are_tidy(folder: Path) -> None:
    files = [str(folder / name) for name in FILES if name.endswith(".py")]
    ruff = [sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated", "--line-length", "120"]
    rules = ["--select", "E,F,W,B,UP,SIM,D1", "--ignore", "D105,D107"]
    result = subprocess.run([*ruff, *rules, *files], capture_output=True, text=True, check=False)
    if "No module named ruff" in result.stderr:
        pytest.skip("ruff is not installed")
    assert result.returncode == 0, result.stdout + result.stderr
