"""The layers of the project: who may import whom, and that no plugin escapes the rules."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "check_imports.py"


def load_tool() -> ModuleType:
    """Import a file of the folder tools, which is no package."""
    spec = importlib.util.spec_from_file_location("check_imports", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


tool = load_tool()
CONTRACTS = [contract["id"] for contract in tool.make_contracts(ROOT)["contracts"]]


def check_imports(root: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    """Run the tool on a copy of the project."""
    return subprocess.run(
        [sys.executable, str(TOOL), "--root", str(root), *contracts],
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


def declare_neighbours(root: Path, line: str) -> None:
    """Add a line to the table of neighbours."""
    file = root / "pyproject.toml"
    text = file.read_text(encoding="utf-8")
    heading = "[tool.supple.neighbours]\n"
    assert heading in text
    file.write_text(text.replace(heading, f"{heading}{line}\n"), encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the packages and of pyproject.toml that a test may spoil."""
    for folder in ("framework", "plugins"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize("contract", CONTRACTS)
def test_contract_is_kept(contract: str) -> None:
    result = check_imports(ROOT, contract)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "1 kept, 0 broken" in result.stdout


@pytest.mark.parametrize(
    ("importer", "statement", "contract"),
    [
        ("framework/supple/errors.py", "import supple_push", "framework"),
        ("framework/supple/core/intruder.py", "from supple_rigid import components", "framework"),
        ("plugins/supple_contact/intruder.py", "import supple_collide", "neighbours"),
        ("plugins/supple_collide/intruder.py", "import supple_rigid", "neighbours"),
        ("plugins/supple_rigid/intruder.py", "import supple_push", "neighbours"),
        ("plugins/supple_solve_gauss_seidel/intruder.py", "import supple_contact", "neighbours"),
        ("plugins/supple_export/__init__.py", "def late():\n    from supple_view import page", "neighbours"),
        ("framework/supple/scene/intruder.py", "import supple.run", "layers"),
        ("framework/supple/core/intruder.py", "import supple.scene", "layers"),
        ("framework/supple/mechanics/intruder.py", "def late():\n    import supple.scene", "layers"),
        ("framework/supple/math/intruder.py", "import supple.mechanics", "layers"),
        ("framework/supple/core/intruder.py", "import rich.table", "rich"),
        ("framework/supple/scene/intruder.py", "import rich_click", "rich"),
    ],
)
def test_contract_notices_forbidden_import(copy: Path, importer: str, statement: str, contract: str) -> None:
    with (copy / importer).open("a", encoding="utf-8") as file:
        file.write(f"\n{statement}\n")
    result = check_imports(copy, contract)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "0 kept, 1 broken" in result.stdout


@pytest.mark.parametrize(
    ("importer", "statement"),
    [
        ("plugins/supple_rigid/neighbour.py", "import supple_collide"),
        ("framework/supple/math/kernel.py", "from supple.core.jit import njit"),
        ("framework/supple/run/report.py", "import rich"),
        ("framework/supple/mechanics/late.py", "import supple.core.jit"),
    ],
)
def test_contracts_allow_what_the_design_allows(copy: Path, importer: str, statement: str) -> None:
    (copy / importer).write_text(f"{statement}\n", encoding="utf-8")
    result = check_imports(copy)
    assert result.returncode == 0, result.stdout + result.stderr


def test_wiring_of_the_plugins_is_sound() -> None:
    assert tool.find_problems(ROOT) == []


def test_contracts_cover_every_plugin() -> None:
    linter = tool.make_contracts(ROOT)
    contracts = {contract["id"]: contract for contract in linter["contracts"]}
    plugins = sorted(path.parent.name for path in (ROOT / "plugins").glob("*/__init__.py"))
    assert len(plugins) > 20
    assert linter["root_packages"] == ["supple", *plugins]
    assert contracts["framework"]["forbidden_modules"] == plugins
    assert contracts["neighbours"]["modules"] == plugins


def add_plugin(root: Path, name: str, text: str) -> None:
    (root / "plugins" / name).mkdir()
    (root / "plugins" / name / "__init__.py").write_text(text, encoding="utf-8")
    file = root / "pyproject.toml"
    heading = "[project.entry-points.supple]\n"
    settings = file.read_text(encoding="utf-8").replace(heading, f'{heading}newcomer = "{name}"\n')
    file.write_text(settings, encoding="utf-8")


def test_a_new_plugin_is_ruled_at_once(copy: Path) -> None:
    """Its entry point and its neighbours are all that is written about it."""
    add_plugin(copy, "supple_newcomer", "import supple_push.components\n")
    result = check_imports(copy, "neighbours")
    assert result.returncode == 1
    assert "supple_newcomer is not allowed to import supple_push" in result.stdout
    declare_neighbours(copy, 'supple_newcomer = ["supple_push"]')
    result = check_imports(copy)
    assert result.returncode == 0, result.stdout + result.stderr
    with (copy / "framework" / "supple" / "errors.py").open("a", encoding="utf-8") as file:
        file.write("\nimport supple_newcomer\n")
    assert check_imports(copy, "framework").returncode == 1


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (
            'supple_push = ["supple_rigid"]',
            "neighbours of supple_push: it does not import supple_rigid; take it out",
        ),
        ('supple_push = ["supple_rigit"]', "neighbours of supple_push: there is no plugin supple_rigit"),
        ('supple_pull = ["supple_rigid"]', "neighbours of supple_pull: there is no plugin supple_pull"),
        (
            'supple_solve_lemke = ["supple_push"]',
            "neighbours of supple_solve_lemke: a solver imports no plugin",
        ),
    ],
)
def test_permission_that_makes_no_sense_is_an_error(copy: Path, line: str, what: str) -> None:
    declare_neighbours(copy, line)
    result = check_imports(copy, "framework")
    assert result.returncode == 1
    assert f"pyproject.toml: {what}" in result.stdout


def test_plugin_without_entry_point_is_an_error(copy: Path) -> None:
    (copy / "plugins" / "supple_lost").mkdir()
    (copy / "plugins" / "supple_lost" / "__init__.py").touch()
    assert tool.find_problems(copy) == ["supple_lost has no entry point, so supple does not find it"]
    shutil.rmtree(copy / "plugins" / "supple_lost")
    shutil.rmtree(copy / "plugins" / "supple_push")
    assert tool.find_problems(copy) == ["supple_push has an entry point, but is not in plugins"]


def test_dependencies_are_what_the_code_imports() -> None:
    """What nobody imports is not asked for, and what only tests import is an extra."""
    project = tool.read_settings(ROOT)["project"]
    names = {"rich-click": "rich_click", "Pillow": "PIL"}
    required = {re.split(r"[^\w-]", line, maxsplit=1)[0] for line in project["dependencies"]}
    packages = [ROOT / "framework" / "supple", *(ROOT / "plugins" / name for name in tool.list_plugins(ROOT))]
    imported = set().union(*map(tool.find_imported, packages))
    assert {name for name in required if names.get(name, name) not in imported} == set()
    tests = {re.split(r"[^\w-]", line, maxsplit=1)[0] for line in project["optional-dependencies"]["test"]}
    assert tests == {"pytest", "hypothesis"}
    assert imported & tests == set()
    assert "supple[test]" in project["optional-dependencies"]["check"]
