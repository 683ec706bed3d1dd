"""What rides on the bones of ghosts and needs frames between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from supple.core.schedule import Bound
from supple_bones.forest import Follower


class BoneRider(Protocol):
    """Something on the bones of ghosts. Collection `bone_riders`; made before the ghosts are compiled."""

    name: str
    reads: Sequence[str]

    def bind(self, arrays: Bound) -> None:
        """Look up arrays once."""
        ...

    def followers(self) -> Sequence[Follower]:
        """Frames over joints that it hangs on, each once."""
        ...
