"""The layers of the project: who may import whom, and that no plugin escapes the rules."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = [contract["id"] for contract in PYPROJECT["tool"]["importlinter"]["contracts"]]


def lint_imports(root: Path, *contracts: str) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the packages in `root`, whatever is installed."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    options = [option for contract in contracts for option in ("--contract", contract)]
    folders = os.pathsep.join(str(root / folder) for folder in ("framework", "plugins"))
    return subprocess.run(
        [sys.executable, "-c", program, "--no-logo", "--no-cache", *options],
        cwd=root, env={**os.environ, "PYTHONPATH": folders, "PYTHONIOENCODING": "utf-8"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


def find_unruled_plugins(root: Path) -> list[str]:
    """A sentence for each place in pyproject.toml that forgets a plugin of the folder `plugins`."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    linter = settings["tool"]["importlinter"]
    contracts = {contract["id"]: contract for contract in linter["contracts"]}
    solvers = set(contracts["solvers"]["source_modules"])
    entries = settings["project"]["entry-points"]["supple"].values()
    places = {
        "entry points": {entry.split(":")[0].split(".")[0] for entry in entries},
        "root_packages": set(linter["root_packages"]),
        "contract framework": set(contracts["framework"]["forbidden_modules"]),
        "contract neighbours": set(contracts["neighbours"]["modules"]),
        "contract solvers": solvers | set(contracts["solvers"]["forbidden_modules"]),
    }
    plugins = sorted(path.parent.name for path in (root / "plugins").glob("*/__init__.py"))
    found = [
        f"{plugin} is missing from {place}"
        for plugin in plugins
        for place, names in places.items()
        if plugin not in names
    ]
    # A solver on the forbidden side of its contract would be free to import the others.
    stray = [plugin for plugin in plugins if plugin.startswith("supple_solve_") and plugin not in solvers]
    return found + [f"{plugin} is no source of contract solvers" for plugin in stray]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the packages and of pyproject.toml that a test may spoil."""
    for folder in ("framework", "plugins"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize("contract", CONTRACTS)
def test_contract_is_kept(contract: str) -> None:
    result = lint_imports(ROOT, contract)
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
        ("plugins/supple_solve_gauss_seidel/intruder.py", "import supple_contact", "solvers"),
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
    result = lint_imports(copy, contract)
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
    result = lint_imports(copy)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_plugin_is_ruled() -> None:
    assert find_unruled_plugins(ROOT) == []


@pytest.mark.parametrize(("name", "count"), [("supple_newcomer", 5), ("supple_solve_newcomer", 6)])
def test_a_new_plugin_must_be_ruled(copy: Path, name: str, count: int) -> None:
    (copy / "plugins" / name).mkdir()
    (copy / "plugins" / name / "__init__.py").touch()
    found = find_unruled_plugins(copy)
    assert len(found) == count
    assert all(sentence.startswith(f"{name} is ") for sentence in found)
