"""The decorators of all kernels, with a cache that notices changed helpers; see `kernel_hash`,
`kernel_locator` and `kernel_cache`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numba
from numba import _dispatcher
from numba.core.dispatcher import Dispatcher

from supple.core.kernel_cache import KernelCache
from supple.core.kernel_hash import kernel_cache_folder

#: The text by which numba tells types of arguments apart; another inside of numba may have none.
_compute_fingerprint: Any = getattr(_dispatcher, "compute_fingerprint", None)
Function = TypeVar("Function", bound=Callable[..., Any])


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


LOCATORS = "supple.core.kernel_locator.KernelLocator,UserProvidedCacheLocator,UserWideCacheLocator"


@contextmanager
def _cache_of(module: str) -> Iterator[None]:
    """Within it numba keeps kernels where supple wants them; afterwards those of others are again where they were."""
    if "NUMBA_CACHE_DIR" in os.environ:
        yield
        return
    config = numba.config
    # Older versions of numba know no locators of others; they compile anew for every copy of a project.
    wanted = {"CACHE_DIR": str(kernel_cache_folder(module)), "CACHE_LOCATOR_CLASSES": LOCATORS}
    before = {name: getattr(config, name, "") for name in wanted}
    for name, value in wanted.items():
        setattr(config, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(config, name, value)


def _compile(function: Function, **options: bool) -> Function:
    compiled: Any = numba.njit(error_model="numpy", **options)(function)
    if isinstance(compiled, Dispatcher):  # or else compiling is switched off
        with _cache_of(function.__module__):
            cast(Any, compiled)._cache = KernelCache(compiled.py_func)
    return cast(Function, compiled)


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
    return functools.partial(find_version(kernel, (*first, *changing)).entry_point, *first)


def find_version(kernel: Dispatcher, arguments: tuple[Any, ...]) -> Any:
    """What numba made of a kernel for arguments of these types, compiled now if it was not yet.

    Worlds are bound time and again to arrays of the same types, and looking these up takes ten times as long as the
    text by which numba itself tells types apart.
    """
    if _compute_fingerprint is None:
        return _compile_version(kernel, arguments)
    try:
        key = (kernel, tuple(map(type, arguments)), _compute_fingerprint(arguments))
    except NotImplementedError:  # of something that numba knows only by its slower ways
        return _compile_version(kernel, arguments)
    if key not in _versions:
        _versions[key] = _compile_version(kernel, arguments)
    return _versions[key]


def _compile_version(kernel: Dispatcher, arguments: tuple[Any, ...]) -> Any:
    types = tuple(map(kernel.typeof_pyval, arguments))
    kernel.compile(types)
    return kernel.overloads[types]


_versions: dict[Any, Any] = {}


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
