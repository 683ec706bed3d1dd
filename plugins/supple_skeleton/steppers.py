"""Who moves bones by shorter steps than those of the constraint problem: a seam of `skeleton.advance_bones`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from supple.core.schedule import Bound
from supple_bones.tables import Motion


class BoneStepper(Protocol):
    """Collection `bone_steppers`, at most one in a scene.

    It is asked within the system `skeleton.advance_bones`, which declares `takes` as read and `makes` as written.
    """

    name: str
    reads: Sequence[str]
    takes: Sequence[str]
    makes: Sequence[str]

    def bind(self, arrays: Bound) -> None:
        """Nothing to look up when the world is bound; see `attach`."""
        ...

    def attach(self, arrays: Bound, after: Motion) -> Callable[[], None]:
        """What is called once `after` has the motion that the constraint problem led to: it may set another one.

        `skeleton.v_rows` keeps the rates of the problem; loads on bones advance with these.
        """
        ...
