"""The rules of kernels that can be read from the source: `python3 tools/check_kernels.py [FOLDER ...]`.

A kernel is a function decorated with `njit`. Outside `supple/core/jit.py` the decorator is the bare `@njit`
from there; a kernel uses no fastmath, no `np.cross`, `np.dot`, `np.linalg` or `@` (each costs seconds of
compile time), has at most 80 lines and 16 arguments, and a docstring when it has more than 12 lines. Prints
`file:line: what` and exits with 1 when a rule is broken. Nothing is imported.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = (ROOT / "framework", ROOT / "plugins")
HOUSE = "supple.core.jit"
HOUSE_DECORATORS = {f"{HOUSE}.{name}" for name in ("njit", "njit_inlined", "njit_with_scratch")}
DECORATORS = {
    "njit",
    "njit_inlined",
    "njit_with_scratch",
    "jit",
    "vectorize",
    "guvectorize",
    "cfunc",
    "stencil",
}
SLOW_TO_COMPILE = {"numpy.cross", "numpy.dot", "numpy.linalg"}
MOST_LINES = 80
MOST_LINES_WITHOUT_DOCSTRING = 12
#: More are several things: arrays belong in NamedTuples, which are filled by name.
MOST_ARGUMENTS = 16

Finding = tuple[int, str]


def read_imports(tree: ast.Module) -> dict[str, str]:
    """What each imported name stands for, such as `np` for `numpy`."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.split(".")[0]
                names[alias.asname or whole] = whole
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                names[alias.asname or alias.name] = f"{'.' * node.level}{node.module or ''}.{alias.name}"
    return names


def resolve(node: ast.expr, imports: dict[str, str]) -> str:
    """The full dotted name of an expression such as `np.linalg.solve`; empty when it is not a name."""
    if isinstance(node, ast.Name):
        return imports.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        base = resolve(node.value, imports)
        return f"{base}.{node.attr}" if base else ""
    return ""


def find_decorator(function: ast.FunctionDef, imports: dict[str, str]) -> tuple[ast.expr, str] | None:
    """The decorator that makes a function a kernel, with its full name."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = resolve(called, imports)
        if name.startswith(("numba.", f"{HOUSE}.")) or name.rpartition(".")[2] in DECORATORS:
            return decorator, name
    return None


def count_arguments(function: ast.FunctionDef) -> int:
    """How many arguments a function names; *rest counts as one."""
    given = function.args
    return len([*given.posonlyargs, *given.args, *given.kwonlyargs]) + (given.vararg is not None)


def check_kernel(function: ast.FunctionDef, imports: dict[str, str]) -> Iterator[Finding]:
    """The rules that one kernel breaks, as line and sentence."""
    arguments = count_arguments(function)
    if arguments > MOST_ARGUMENTS:
        what = f"kernel {function.name} takes {arguments} arguments; at most {MOST_ARGUMENTS}"
        yield function.lineno, f"{what}: group arrays in NamedTuples"
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if lines > MOST_LINES:
        yield function.lineno, f"kernel {function.name} has {lines} lines; at most {MOST_LINES}"
    if lines > MOST_LINES_WITHOUT_DOCSTRING and not ast.get_docstring(function):
        yield function.lineno, f"kernel {function.name} has {lines} lines and no docstring"
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            yield node.lineno, f"kernel {function.name} uses @; write the loop"
        elif isinstance(node, ast.Name | ast.Attribute):
            name = resolve(node, imports)
            for slow in SLOW_TO_COMPILE:
                if name == slow or name.startswith(f"{slow}."):
                    yield node.lineno, f"kernel {function.name} uses {slow}; write the loop"


def check_source(source: str) -> list[Finding]:
    """All broken rules of one file, as line and sentence, in the order of the lines."""
    tree = ast.parse(source)
    imports = read_imports(tree)
    findings: list[Finding] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "fastmath":
            findings.append((node.lineno, "fastmath: results must repeat bit for bit"))
        if isinstance(node, ast.FunctionDef):
            found = find_decorator(node, imports)
            if found is None:
                continue
            decorator, name = found
            if name not in HOUSE_DECORATORS or isinstance(decorator, ast.Call):
                findings.append((decorator.lineno, f"kernel {node.name}: use the bare @njit of {HOUSE}"))
            findings.extend(check_kernel(node, imports))
        elif isinstance(node, ast.Call) and resolve(node.func, imports).startswith("numba.njit"):
            findings.append((node.lineno, f"numba.njit called; use @njit of {HOUSE}"))
    return sorted(set(findings))


def main(folders: list[str]) -> int:
    """Check all Python files of the folders, by default framework and plugins; 1 when a rule is broken."""
    broken = 0
    files = [file for folder in map(Path, folders or FOLDERS) for file in sorted(folder.rglob("*.py"))]
    for file in files:
        if file.as_posix().endswith("supple/core/jit.py"):
            continue
        shown = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
        for line, what in check_source(file.read_text(encoding="utf-8")):
            print(f"{shown.as_posix()}:{line}: {what}")
            broken += 1
    print(f"{len(files)} files, {broken} broken rules")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
