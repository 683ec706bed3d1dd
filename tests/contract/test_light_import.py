"""What must be quick imports nothing heavy: `import supple`, `supple --help`, `supple check`."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"numpy", "numba", "llvmlite", "pydantic", "scipy", "h5py", "rich", "rich_click", "matplotlib", "PIL"}

# The list of modules goes to a file, because the command owns the standard output.
SCRIPT = """
import json, sys
report, sys.argv = sys.argv[1], ["supple", *sys.argv[2:]]
code = 0
try:
    import supple
    if sys.argv[1:]:
        from supple.run.cli import main
        code = main()
except SystemExit as exit:
    code = exit.code
with open(report, "w") as file:
    json.dump({"code": code or 0, "modules": sorted({name.split(".")[0] for name in sys.modules})}, file)
"""


def find_imported(tmp_path: Path, *arguments: str, code: int = 0) -> set[str]:
    """The top-level modules in memory after `import supple` and, with arguments, the command."""
    report = tmp_path / "modules.json"
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(report), *arguments],
        cwd=ROOT, capture_output=True, encoding="utf-8", errors="replace", check=False,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    content = json.loads(report.read_text())
    assert content["code"] == code, result.stdout + result.stderr
    assert "supple" in content["modules"]
    return set(content["modules"])


def test_import_of_supple_is_light(tmp_path: Path) -> None:
    assert find_imported(tmp_path) & HEAVY == set()


@pytest.mark.parametrize("arguments", [("--help",), ("run", "--help")])
def test_help_is_light(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    forbidden = HEAVY - {"rich", "rich_click"}
    assert find_imported(tmp_path, *arguments) & forbidden == set()


def test_mistakes_in_a_file_are_found_without_the_compiler(tmp_path: Path) -> None:
    scene = tmp_path / "wrong.toml"
    scene.write_text((ROOT / "scenes/first/drop.toml").read_text().replace("duration", "duratoin", 1))
    imported = find_imported(tmp_path, "check", str(scene), code=2)
    assert imported & {"numba", "llvmlite"} == set()
    # A check that does not look at the components would be light and worthless.
    assert "pydantic" in imported


def test_the_measurement_sees_a_heavy_module(tmp_path: Path) -> None:
    script = SCRIPT.replace("import supple\n", "import supple, numba\n", 1)
    report = tmp_path / "modules.json"
    subprocess.run([sys.executable, "-c", script, str(report)], cwd=ROOT, check=True)
    assert {"numba", "numpy"} <= set(json.loads(report.read_text())["modules"])
