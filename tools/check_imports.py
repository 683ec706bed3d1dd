"""Who may import whom: `python3 tools/check_imports.py [--root FOLDER] [CONTRACT ...]`.

A plugin imports the framework, and of other plugins only the neighbours that `[tool.supple.neighbours]` in
pyproject.toml gives it. All else is derived: the plugins are the packages in the folder `plugins`, the framework
imports none of them, and a solver has no neighbours. import-linter holds the code against the contracts made of that,
and against those that stand in pyproject.toml (the layers of the framework). A permission that nobody uses is an
error: it would let in what nobody decided on.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOLVER = "supple_solve_"
LINTER = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def list_plugins(root: Path) -> list[str]:
    """The packages in the folder `plugins`, sorted."""
    return sorted(path.parent.name for path in (root / "plugins").glob("*/__init__.py"))


def read_settings(root: Path) -> dict[str, Any]:
    """All of pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


def read_neighbours(settings: dict[str, Any]) -> dict[str, list[str]]:
    """Which plugins a plugin may import, by its package."""
    table: dict[str, list[str]] = settings.get("tool", {}).get("supple", {}).get("neighbours", {})
    return table


def find_imported(package: Path) -> set[str]:
    """The top packages that the files of a package import, wherever in the file."""
    return {
        name.partition(".")[0]
        for file in package.rglob("*.py")
        for name in _imported_names(ast.parse(file.read_text(encoding="utf-8"), str(file)))
    }


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def find_problems(root: Path) -> list[str]:
    """A sentence for everything that is wrong with the wiring of the plugins in pyproject.toml."""
    settings, plugins = read_settings(root), list_plugins(root)
    entries = {value.partition(":")[0] for value in settings["project"]["entry-points"]["supple"].values()}
    found = [
        f"{plugin} has no entry point, so supple does not find it"
        for plugin in plugins
        if plugin not in entries
    ]
    found += [f"{entry} has an entry point, but is not in plugins" for entry in sorted(entries - {*plugins})]
    for plugin, neighbours in read_neighbours(settings).items():
        unknown = [name for name in (plugin, *neighbours) if name not in plugins]
        found += [f"neighbours of {plugin}: there is no plugin {name}" for name in unknown]
        if unknown:
            continue
        if plugin.startswith(SOLVER):
            found.append(f"neighbours of {plugin}: a solver imports no plugin at all")
        imported = find_imported(root / "plugins" / plugin)
        unused = [name for name in neighbours if name not in imported]
        found += [f"neighbours of {plugin}: it does not import {name}; take it out" for name in unused]
    return found


def make_contracts(root: Path) -> dict[str, Any]:
    """The settings of import-linter: those of pyproject.toml, and what follows from the plugins."""
    settings, plugins = read_settings(root), list_plugins(root)
    linter = dict(settings["tool"]["importlinter"])
    # A package and what is in it are matched separately.
    permitted = [
        f"{importer}{inside} -> {imported}{below}"
        for importer, neighbours in read_neighbours(settings).items()
        for imported in neighbours
        for inside in ("", ".**")
        for below in ("", ".**")
    ]
    framework = {
        "id": "framework",
        "name": "The framework imports no plugin",
        "type": "forbidden",
        "source_modules": ["supple"],
        "forbidden_modules": plugins,
    }
    neighbours = {
        "id": "neighbours",
        "name": "A plugin imports no plugin except its neighbours",
        "type": "independence",
        "modules": plugins,
        "ignore_imports": permitted,
        "unmatched_ignore_imports_alerting": "none",
    }
    linter["root_packages"] = [*linter["root_packages"], *plugins]
    linter["contracts"] = [framework, neighbours, *linter["contracts"]]
    return linter


def write_toml(linter: dict[str, Any]) -> str:
    """The settings as the file that import-linter reads; strings, switches and lists look in TOML as in JSON."""
    contracts = linter["contracts"]
    lines = ["[tool.importlinter]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in linter.items() if key != "contracts"]
    for contract in contracts:
        lines.append("[[tool.importlinter.contracts]]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in contract.items()]
    return "\n".join(lines) + "\n"


def lint(root: Path, contracts: list[str]) -> int:
    """Run import-linter on the packages in `root`, whatever is installed; gives its exit code."""
    options = [option for contract in contracts for option in ("--contract", contract)]
    folders = os.pathsep.join(str(root / folder) for folder in ("framework", "plugins"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "contracts.toml"
        file.write_text(write_toml(make_contracts(root)), encoding="utf-8")
        command = [sys.executable, "-c", LINTER, "--no-logo", "--no-cache", "--config", str(file), *options]
        environment = {**os.environ, "PYTHONPATH": folders, "PYTHONIOENCODING": "utf-8"}
        return subprocess.run(command, cwd=root, env=environment, check=False).returncode


def main(arguments: list[str]) -> int:
    """Check the table and the code; 0 only when nothing is wrong."""
    parser = argparse.ArgumentParser(description="Who may import whom.")
    parser.add_argument("--root", type=Path, default=ROOT, help="another copy of the project")
    parser.add_argument("contracts", nargs="*", help="check only these contracts")
    options = parser.parse_args(arguments)
    problems = find_problems(options.root)
    for problem in problems:
        print(f"pyproject.toml: {problem}", flush=True)
    return lint(options.root.resolve(), options.contracts) or (1 if problems else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
