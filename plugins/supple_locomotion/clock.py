"""Time and phases, as goals and gaits ask about them."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.schedule import Bound
from supple.errors import UserError
from supple_phases.member import Machines


class Clock:
    """The time of the step, and the state machine of the entity if it has one."""

    def __init__(self, build: Build, path: str) -> None:
        members: list[Machines] = build.members("phases")
        own = members and any(entity.path == path for entity in build.having("phases"))
        self._machines = members[0] if own else None
        self._path = path
        self.reads = (
            "run.time",
            *(
                (Machines.time, Machines.changed, Machines.active, Machines.value, Machines.rate)
                if own
                else ()
            ),
        )

    def bind(self, arrays: Bound) -> Clock:
        """Look the arrays up."""
        self.h, self._time = arrays.h, arrays["run.time"]
        if self._machines is not None:
            self._row = self._machines.row(self._path)
            names = (Machines.time, Machines.changed, Machines.active, Machines.value, Machines.rate)
            self._phase_time, self._changed, self._active, self._value, self._rate = (
                arrays[name] for name in names
            )
        return self

    @property
    def time(self) -> float:
        """Of the run at the start of the step [s]."""
        return float(self._time[0])

    @property
    def changed(self) -> bool:
        """Has a phase begun in this step."""
        return self._machines is not None and bool(self._changed[self._row])

    @property
    def phase_time(self) -> float:
        """Since the phase began [s]."""
        return 0.0 if self._machines is None else float(self._phase_time[self._row])

    def find_flags(self, names: tuple[str, ...]) -> IntArray:
        """Where `is_active` looks for these names."""
        if self._machines is None:
            return np.zeros(0, np.int64)
        return np.array([self._machines.flag(self._path, name) for name in names], np.int64)

    def are_active(self, flags: IntArray) -> list[bool]:
        """Which names are active."""
        return [bool(self._active[flag]) for flag in flags]

    def find_value(self, name: str, needed: bool = True) -> slice | None:
        """Where `read` looks for a value; None without a name, or if there is none and it is not needed."""
        if not name or self._machines is None:
            return None
        try:
            return self._machines.place(self._path, name)
        except UserError:
            if needed:
                raise
            return None

    def read(self, place: slice) -> tuple[FloatArray, FloatArray]:
        """A value and its rate at the end of the step."""
        return self._value[place], self._rate[place]
