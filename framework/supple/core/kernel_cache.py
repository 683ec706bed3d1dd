"""A cache from which compiled kernels are read without what is needed to compile.

numba's own makes everything known that kernels might call, its import of scipy.linalg included, and parses the code of
each kernel anew for the sake of others that might be compiled against it. That took half of the start of a scene whose
kernels are all there. Here both wait until something is compiled.
"""

from __future__ import annotations

import functools
import pickle
from typing import Any

import llvmlite.binding as llvm
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.runtime import rtsys

from supple.core.cache_owner import keep_to_own_folder

keep_to_own_folder()


@functools.cache
def _no_code() -> bytes:
    """The bitcode of a module without functions."""
    bitcode: bytes = llvm.parse_assembly("").as_bitcode()
    return bitcode


class _LoadedLibrary(JITCodeLibrary):  # type: ignore[misc]
    """Machine code from the cache. Its bitcode is parsed when another kernel is compiled that calls it."""

    bitcode: bytes | None

    def _get_module_for_linking(self) -> Any:
        if self.bitcode is not None:
            self._shared_module, self.bitcode = llvm.parse_bitcode(self.bitcode), None
            self._codegen._engine._load_defined_symbols(self._shared_module)
        return super()._get_module_for_linking()


def _is_known(codegen: Any) -> bool:
    """Whether this is the numba whose inside is relied on below; any other loads kernels in its own way."""
    symbols = getattr(getattr(codegen, "_engine", None), "_defined_symbols", None)
    links = hasattr(JITCodeLibrary, "_get_module_for_linking")
    return getattr(codegen, "_library_class", None) is JITCodeLibrary and isinstance(symbols, set) and links


class _KernelFiles(CompileResultCacheImpl):  # type: ignore[misc]
    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """The compiled kernel of what lay in the file."""
        (name, kind, data), described, *others = payload
        codegen = target_context.codegen()
        if kind != "object" or not _is_known(codegen):
            return super().rebuild(target_context, payload)
        code, bitcode = data
        # numba asks for the addresses of these only if it knows that there are such functions, from the bitcode.
        codegen._engine._defined_symbols |= {
            described.llvm_func_name,
            described.llvm_cpython_wrapper_name,
            described.llvm_cfunc_wrapper_name,
        }
        made = super().rebuild(target_context, ((name, kind, (code, _no_code())), described, *others))
        made.library.__class__, made.library.bitcode = _LoadedLibrary, bitcode
        return made


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The compiled code of one kernel on the disk."""

    _impl_class = _KernelFiles

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for a signature, or None. Code that is there needs nothing but the runtime."""
        rtsys.initialize(target_context)
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except (
            EOFError,
            pickle.UnpicklingError,
            ValueError,
            TypeError,
            AttributeError,
            IndexError,
            KeyError,
        ):
            # A machine that lost its power may have left files half written: they are made anew.
            self._cache_file.flush()
            return None
