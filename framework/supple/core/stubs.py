"""Machine code that calls a compiled kernel with the words of a table, made by LLVM and kept on disk.

A stub belongs to a shape of arguments, not to a kernel. It gets the address of a table of words: the first is the
address of the kernel, the others are handed to it. The shape is a text with a letter for every word behind the first:
w is an integer or an address, d a float, b a truth value. So one stub serves many kernels, and code that was made once
is good for every scene that has such shapes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import llvmlite
import llvmlite.binding as llvm

from supple.core.cache_folder import user_cache_folder

_TYPES: Final = {"w": "i64", "d": "double", "b": "i8"}
_OPAQUE: Final = 15  # from this LLVM on addresses have one type
_HASH: Final = hashlib.sha256().digest_size

# Code must stay where it is as long as somebody may call it: for good.
_engines: list[Any] = []
_addresses: dict[str, int] = {}


def find_stubs(shapes: Iterable[str]) -> dict[str, int]:
    """The addresses of the stubs of these shapes, `int stub(word *table)`, with the status that the kernel returned."""
    missing = sorted(set(shapes) - set(_addresses))
    if missing:
        _load(missing)
    return {shape: _addresses[shape] for shape in shapes}


def _load(shapes: Sequence[str]) -> None:
    machine = _make_machine()
    said = (llvmlite.__version__, machine.triple, llvm.get_host_cpu_name(), *shapes)
    key = hashlib.sha256("\n".join(said).encode()).hexdigest()[:20]
    file = user_cache_folder() / "stubs" / f"{key}.stub"
    code = _recall(file)
    if not code:
        code = machine.emit_object(llvm.parse_assembly("\n".join(map(_write, range(len(shapes)), shapes))))
        _keep(file, code)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _make_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    for number, shape in enumerate(shapes):
        _addresses[shape] = engine.get_function_address(f"supple_stub_{number}")
    _engines.append(engine)


def _make_machine() -> Any:
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=2, jit=True
    )


def _write(number: int, shape: str) -> str:
    """The code of one stub in the language of LLVM."""
    opaque = llvm.llvm_version_info[0] >= _OPAQUE
    word = "ptr" if opaque else "i64*"
    types = [_TYPES[letter] for letter in shape]
    lines = [f"define i32 @supple_stub_{number}({word} %table) {{"]
    for place, kind in enumerate(("i64", *types)):
        typed = "ptr" if opaque else f"{kind}*"
        lines.append(f"%w{place} = getelementptr i64, {word} %table, i64 {place}")
        if not opaque:
            lines.append(f"%p{place} = bitcast i64* %w{place} to {typed}")
        lines.append(f"%a{place} = load {kind}, {typed} %{'w' if opaque else 'p'}{place}")
    kernel = "ptr" if opaque else f"i32 ({', '.join(types)})*"
    given = ", ".join(f"{kind} %a{place}" for place, kind in enumerate(types, start=1))
    lines += [f"%kernel = inttoptr i64 %a0 to {kernel}", f"%status = call i32 %kernel({given})"]
    return "\n".join([*lines, "ret i32 %status", "}"])


def _recall(file: Path) -> bytes:
    """The code in a file behind its own hash, or nothing: LLVM ends the process over code that is not whole."""
    try:
        content = file.read_bytes()
    except OSError:
        return b""
    said, code = content[:_HASH], content[_HASH:]
    return code if hashlib.sha256(code).digest() == said else b""


def _keep(file: Path, code: bytes) -> None:
    """Write it whole or not at all; without it the code is made again next time."""
    name = ""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(hashlib.sha256(code).digest() + code)
        os.replace(name, file)
    except OSError:
        with contextlib.suppress(OSError):
            Path(name).unlink()
