"""A hash over all that a compiled kernel depends on.

numba keys its cache by the file of the decorated function only: a changed helper in another file is served
stale. So the kernels of a module are kept in a folder that is named after a hash of the module and of
everything it imports from its own package and from supple, directly or not. A change recompiles what depends on
it and nothing else.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

from supple.core.cache_folder import user_cache_folder

#: Modules that read compiled kernels and have no part in what they compute.
READERS = ("supple.core.kernel_cache", "supple.core.kernel_locator")

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([\w., \t]+))",
    re.MULTILINE,
)


def _imported_names(source: bytes) -> Iterator[str]:
    """Every dotted name that a source may import; `from a import b` may mean the module a.b."""
    for module, members, plain in _IMPORT.findall(source):
        for name in re.findall(rb"[\w.]+", plain):
            yield name.decode()
        if module:
            yield module.decode()
            for member in re.findall(rb"\w+", members):
                yield f"{module.decode()}.{member.decode()}"


@functools.cache
def _read_source(module: str) -> bytes | None:
    """The text of a module, or None if there is no such module or it has no file."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return Path(spec.origin).read_bytes()


def has_source(module: str) -> bool:
    """Whether the text of a module can be found."""
    return _read_source(module) is not None


@functools.cache
def _list_imports(module: str) -> tuple[str, ...]:
    """Every dotted name that a module may import."""
    source = _read_source(module)
    return () if source is None else tuple(dict.fromkeys(_imported_names(source)))


@functools.cache
def hash_sources(module: str) -> str:
    """A hash over a module and what it imports from its own package and from supple, directly or not."""
    home = module.partition(".")[0]
    wanted, sources = [module], {}
    while wanted:
        name = wanted.pop()
        source = None if name in sources else _read_source(name)
        if source is not None:
            sources[name] = source
            tops = ((found, found.partition(".")[0]) for found in _list_imports(name))
            wanted.extend(
                found
                for found, top in tops
                if (top == home or top.startswith("supple")) and found not in READERS
            )
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode() + b"\0" + sources[name] + b"\0")
    return digest.hexdigest()[:16]


@functools.cache
def kernel_cache_folder(module: str) -> Path:
    """The folder of the compiled kernels of a module as its sources are now."""
    return user_cache_folder() / "kernels" / f"{module}-{hash_sources(module)}"
