"""What is looked at of an entity: a copy, into which nobody writes by mistake."""

from __future__ import annotations

from typing import Any

import numpy as np


class Looked(np.ndarray[Any, np.dtype[Any]]):
    """A copy of a part of the state, which refuses to have its elements set: nothing would come of it.

    It is not marked as read-only, because compiled code of others (scipy's rotations) refuses such arrays though it
    only reads them. What is computed from it is an array like any other, and so is what `copy` makes.
    """

    _copied: np.ndarray | None = None
    _refusal = ""

    @classmethod
    def of(cls, values: np.ndarray, refusal: str) -> Looked:
        """A copy of `values`; whoever writes into it, or into a part of it, is told the refusal."""
        copied = values.copy()
        made = copied.view(cls)
        made._copied, made._refusal = copied, refusal
        return made

    def __array_finalize__(self, made_from: Any) -> None:
        if isinstance(made_from, Looked):
            self._copied, self._refusal = made_from._copied, made_from._refusal

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._copied is not None and np.may_share_memory(self, self._copied):
            raise ValueError(self._refusal)
        super().__setitem__(key, value)

    def __array_wrap__(self, made: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Outcomes of reckoning are plain arrays, or numbers."""
        return made[()] if made.ndim == 0 else np.asarray(made)

    def __repr__(self) -> str:
        return repr(np.asarray(self))
