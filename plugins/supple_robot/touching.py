"""Who touches whom: MuJoCo's masks of geoms and its excluded pairs of bodies, as groups that ignore each other."""

from __future__ import annotations

from typing import Any

from supple.core.entity import Entity
from supple_collide.mesh_components import Collides

Mask = tuple[int, int]
#: What geoms have that say nothing, and so the rest of the scene.
DEFAULT: Mask = (1, 1)


def meet(one: Mask, other: Mask) -> bool:
    """Whether geoms with these contype and conaffinity touch."""
    return bool(one[0] & other[1] or other[0] & one[1])


class Masks:
    """Collects shapes, and says in the end what each of them ignores."""

    def __init__(self, model: Any, path: str) -> None:
        self.model, self.path = model, path
        self.made: list[tuple[int, Entity]] = []
        self.excluded: dict[int, set[int]] = {}
        for signature in model.exclude_signature:
            one, other = int(signature) >> 16, int(signature) & 0xFFFF
            self.excluded.setdefault(one, set()).add(other)
            self.excluded.setdefault(other, set()).add(one)

    def add(self, geom: int, shape: Entity) -> None:
        """The shape of a geom."""
        self.made.append((geom, shape))

    def finish(self) -> list[Entity]:
        """All shapes, with what they ignore."""
        masks = {self._mask(geom) for geom, _ in self.made}
        if len(masks) == 1 and masks == {DEFAULT} and not self.excluded:
            return [shape for _, shape in self.made]
        of_body: dict[int, list[str]] = {}
        for geom, shape in self.made:
            of_body.setdefault(int(self.model.geom_bodyid[geom]), []).append(shape.path)
        done = []
        for geom, shape in self.made:
            mask = self._mask(geom)
            ignores = [self._group(other) for other in sorted(masks) if not meet(mask, other)]
            for body in sorted(self.excluded.get(int(self.model.geom_bodyid[geom]), ())):
                ignores += of_body.get(body, [])
            said = Collides(group=self._group(mask), ignores=tuple(ignores))
            done.append(Entity(shape.path, {**shape.components, "collides": said}))
        return done

    def _mask(self, geom: int) -> Mask:
        return int(self.model.geom_contype[geom]), int(self.model.geom_conaffinity[geom])

    def _group(self, mask: Mask) -> str:
        return f"{self.path} {mask[0]}/{mask[1]}"
