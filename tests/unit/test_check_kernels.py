"""The rules of kernels: every rule finds its breach at the right line, and sound kernels pass."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check_kernels.py"
spec = importlib.util.spec_from_file_location("check_kernels", TOOL)
assert spec is not None
assert spec.loader is not None
check_kernels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_kernels)

HOUSE = "import numpy as np\nfrom supple.core.jit import njit\n"


def write_kernel(lines: int, docstring: str = "") -> str:
    """A kernel of so many lines, from `def` to its end."""
    body = [f'    """{docstring}"""'] if docstring else []
    body += ["    a = a + 1.0"] * (lines - 2 - len(body))
    return "\n".join([f"{HOUSE}@njit", "def grow(a):", *body, "    return a", ""])


def write_taker(arguments: int) -> str:
    """A kernel with so many arguments."""
    names = ", ".join(f"a{k}" for k in range(arguments))
    return f"{HOUSE}@njit\ndef take({names}):\n    return a0\n"


def test_all_kinds_of_arguments_are_counted() -> None:
    kinds = "a, b, /, c, *d, " + ", ".join(f"e{k}" for k in range(13))
    assert check_kernels.check_source(f"{HOUSE}@njit\ndef f({kinds}):\n    return a\n") != []


@pytest.mark.parametrize(
    "source",
    [
        HOUSE + "@njit\ndef f(x):\n    return np.sqrt(x)\n",
        "import numpy as np\ndef f(a, b):\n    return np.cross(a, b) @ np.linalg.inv(a)\n",
        HOUSE + "from supple.math.vectors import cross\n@njit\ndef f(a):\n    return cross(a)\n",
        write_kernel(12),
        write_kernel(80, "grows"),
        write_taker(16),
        write_taker(17).replace("@njit\n", ""),
    ],
)
def test_sound_source_passes(source: str) -> None:
    assert check_kernels.check_source(source) == []


@pytest.mark.parametrize(
    ("source", "line", "word"),
    [
        ("import numba\n@numba.njit\ndef f(x):\n    return x\n", 2, "bare @njit"),
        ("from numba import njit\n@njit\ndef f(x):\n    return x\n", 2, "bare @njit"),
        ("import numba as nb\n@nb.vectorize\ndef f(x):\n    return x\n", 2, "bare @njit"),
        ("import numba\ndef g(x):\n    return x\nf = numba.njit(g)\n", 4, "numba.njit"),
        (HOUSE + "@njit(parallel=True)\ndef f(x):\n    return x\n", 3, "bare @njit"),
        (HOUSE + "@njit\ndef f(a):\n    return np.cross(a, a)\n", 5, "numpy.cross"),
        (HOUSE + "@njit\ndef f(a):\n    return np.dot(a, a)\n", 5, "numpy.dot"),
        (HOUSE + "@njit\ndef f(a):\n    b = a\n    return np.linalg.solve(a, b)\n", 6, "numpy.linalg"),
        (HOUSE + "from numpy.linalg import inv\n@njit\ndef f(a):\n    return inv(a)\n", 6, "numpy.linalg"),
        (HOUSE + "@njit\ndef f(a):\n    return a @ a\n", 5, "uses @"),
        (write_kernel(13), 4, "no docstring"),
        (write_kernel(81, "grows"), 4, "81 lines"),
        (write_taker(17), 4, "17 arguments"),
    ],
)
def test_breach_is_found_once_at_its_line(source: str, line: int, word: str) -> None:
    findings = check_kernels.check_source(source)
    assert [finding[0] for finding in findings] == [line]
    assert word in findings[0][1]


def test_fastmath_is_found_wherever_it_hides() -> None:
    source = "OPTIONS = dict(\n    fastmath=True,\n)\n"
    assert [line for line, _ in check_kernels.check_source(source)] == [2]


def test_command_prints_places_and_fails(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(HOUSE + "@njit\ndef f(a):\n    return a @ a\n")
    result = subprocess.run(
        [sys.executable, TOOL, tmp_path], capture_output=True, encoding="utf-8", check=False
    )
    assert result.returncode == 1
    assert "kernels.py:5: kernel f uses @" in result.stdout


def test_kernels_of_the_project_keep_the_rules() -> None:
    assert check_kernels.main([]) == 0
