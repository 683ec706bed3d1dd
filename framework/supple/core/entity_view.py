"""One entity of a world: what can be seen of it, set, and done to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.looked import Looked
from supple.errors import suggest

if TYPE_CHECKING:
    from supple.core.world import World


class EntityView:
    """One entity of a world, with what its components expose as attributes.

        world["ball"].position                              # a copy in SI units, to look at
        world["man/knee"].target = 0.4                      # a command: it holds until it is set again
        world["man/chest"].apply_force([0, 0, 50])

    What is not a command can only be looked at.
    """

    _world: World
    path: str

    def __init__(self, world: World, path: str) -> None:
        object.__setattr__(self, "_world", world)
        object.__setattr__(self, "path", path)

    def __setattr__(self, attribute: str, value: Any) -> None:
        """Set a command; what follows from the state is refused."""
        commands = self._world.build.commands.get(self.path, {})
        if attribute in commands:
            self._world.control.set(self.path, attribute, value)
            return
        settable = f"it can be told its {', '.join(sorted(commands))}" if commands else "it takes no commands"
        known = self._world.build.exposed.get(self.path, {})
        if attribute not in known:
            remedy = suggest(attribute, [*known, *commands], "it has")
            raise AttributeError(f"{self.path} has no '{attribute}' to set; {settable}; {remedy}")
        # Of what follows from the state at every step, setting it would change nothing.
        remedy = self._say_source(known[attribute][0])
        raise AttributeError(f"{self.path}.{attribute} can only be looked at; {settable}; {remedy}")

    def _say_source(self, array: str) -> str:
        """What to do for somebody who wants to change what is shown of this array."""
        kind = self._world.arrays.spec(array).kind
        return (
            f'set the state itself: world.array("{array}")'
            if kind == "state"
            else "it is an outcome of the step"
        )

    def __getattr__(self, attribute: str) -> Any:
        exposed = self._world.build.exposed.get(self.path, {})
        if attribute not in exposed:
            remedy = suggest(attribute, exposed, "it has")
            raise AttributeError(f"{self.path} has no '{attribute}' to look at; {remedy}")
        name, index = exposed[attribute]
        self._world.refuse_stale(name, f"{self.path}.{attribute}")
        value = self._world.arrays[name][index]
        if not isinstance(value, np.ndarray):
            return value.item()
        what = f"{self.path}.{attribute} is a copy, and what is written into it changes nothing"
        remedy = f"{self._say_source(name)}; to reckon with the numbers, take {attribute}.copy()"
        return Looked.of(value, f"{what}; {remedy}")

    def apply_force(
        self, force: Any, point: Any = None, *, duration: float | None = None, in_world: bool = True
    ) -> None:
        """Let a force [N, in the world] act on the entity from now on, for `duration` [s].

        Without a duration it acts in the next step; if a callback of `on_step` applies it, until that is called again.
        `point` [m] is where: a place in the world, or in the entity's frame with in_world=False; by default the centre
        of mass of a body, the origin of a bone. It moves with the entity. Several forces add up.
        """
        self._world.control.push(self.path, force, np.zeros(3), point, duration, in_world=in_world)

    def apply_torque(self, torque: Any, *, duration: float | None = None) -> None:
        """Let a torque [N m, in the world] act on the entity, as `apply_force` does."""
        self._world.control.push(self.path, np.zeros(3), torque, None, duration, in_world=True)

    def __dir__(self) -> list[str]:
        exposed = self._world.build.exposed.get(self.path, {})
        return sorted(["path", "apply_force", "apply_torque", *exposed])

    def __repr__(self) -> str:
        known = sorted(self._world.build.exposed.get(self.path, {}))
        return f"<entity {self.path}: {', '.join(['path', *known])}>"
