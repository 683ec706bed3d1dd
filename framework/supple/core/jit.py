"""The decorator of all kernels, with a cache that notices changed helpers.

numba keys its cache by the file of the decorated function only: a changed helper in another file is served
stale. So the kernels of a module are kept in a folder that is named after a hash of the module and of
everything it imports from its own package and from supple, directly or not. A change recompiles what depends on
it and nothing else.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.dispatcher import Dispatcher

from supple.core.cache_folder import user_cache_folder

Function = TypeVar("Function", bound=Callable[..., Any])

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
            tops = ((found, found.partition(".")[0]) for found in _imported_names(source))
            wanted.extend(found for found, top in tops if top == home or top.startswith("supple"))
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode() + b"\0" + sources[name] + b"\0")
    return digest.hexdigest()[:16]


def kernel_cache_folder(module: str) -> Path:
    """The folder of the compiled kernels of a module as its sources are now."""
    return user_cache_folder() / "kernels" / f"{module}-{hash_sources(module)}"


def njit(function: Function) -> Function:
    """Compile a kernel: cached on disk, no fastmath (results repeat bit for bit), division as in numpy.

    The kernel must not make arrays: without numba's reference counting, handing arrays to a helper costs
    nothing. With it, every such call costs an atomic operation for each array, which took half of the time.
    """
    return _compile(function, _nrt=False)


def njit_inlined(function: Function) -> Function:
    """Compile a helper into every kernel that calls it, for inner loops.

    Each array is handed over as seven numbers, which takes longer than a short calculation. The code grows with every
    place that calls it, and so does the time to compile.
    """
    return _compile(function, _nrt=False, forceinline=True)


def njit_with_scratch(function: Function) -> Function:
    """Compile a kernel that makes scratch arrays for itself, once per call and not in a loop."""
    return _compile(function)


def _compile(function: Function, **options: bool) -> Function:
    if "NUMBA_CACHE_DIR" not in os.environ:
        numba.config.CACHE_DIR = str(kernel_cache_folder(function.__module__))
    compiled: Function = numba.njit(cache=True, error_model="numpy", **options)(function)
    return compiled


def bind_kernel(kernel: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
    """A function without arguments that calls the kernel with these.

    numba looks at the type of every argument in every call, which takes longer than many a kernel. Here it is done
    once: the compiled code is called straight away, always with these very arrays and numbers.
    """
    return bind_first_arguments(kernel, arguments, ())


def bind_first_arguments(
    kernel: Callable[..., Any], first: tuple[Any, ...], changing: tuple[Any, ...]
) -> Callable[..., Any]:
    """The same for a kernel whose last arguments change from call to call, but never their types.

    Nobody looks at these again: an array of another type or order than in `changing` would be misread.
    """
    if not isinstance(kernel, Dispatcher):  # compiling is switched off
        return functools.partial(kernel, *first)
    types = tuple(kernel.typeof_pyval(argument) for argument in (*first, *changing))
    kernel.compile(types)
    return functools.partial(kernel.get_overload(types), *first)


class TypedKernel:
    """A kernel whose arguments have the same types in every call: they are looked at in the first one only.

    For what is called a few times a step and cannot be bound, because its arrays are others from time to time. Finding
    the types of a NamedTuple of arrays takes longer than many a kernel. Nobody looks at the types again: an array of
    another type or order than in the first call would be misread.
    """

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel = kernel
        self._call: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel."""
        if self._call is None:
            self._call = bind_first_arguments(self._kernel, (), arguments)
        return self._call(*arguments)
