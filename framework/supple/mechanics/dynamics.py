"""What controllers ask about things that move: the same questions of every mechanism.

A mechanism that answers says so by the attributes of `DynamicsSource`. `ask_dynamics` finds who answers for entities,
and binds the answers of several mechanisms together, with the joints and grasps between them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import Array, FloatArray
from supple.core.build import Build
from supple.core.pose import multiply, rotate
from supple.core.program import make_callable
from supple.core.schedule import Work
from supple.errors import PluginError, Problem

#: Who is asked about: the path of an entity, or a row of a carrier or mechanism, ("rigid", 3).
Movable = str | tuple[str, int]

#: What `Dynamics.bind_query` can be asked for.
Query = Literal["mass_matrix", "bias", "gravity", "bias_and_gravity", "whole", "momentum_matrix"]

#: A frame, and a point of it [m, in the frame].
FramePoint = tuple[Any, float, float, float]

#: What `Dynamics.motion` has in a row of numbers.
POSITION, ROTATION, VELOCITY, SPIN, DRIFT, SPIN_DRIFT = (
    slice(0, 3), slice(3, 7), slice(7, 10), slice(10, 13), slice(13, 16), slice(16, 19),
)  # fmt: skip
MOTION_SIZE = 19
#: What `fill_whole` has: centre of mass, momentum, angular momentum about the centre, and the drift of both.
CENTRE, MOMENTUM, MOMENTUM_DRIFT = slice(0, 3), slice(3, 9), slice(9, 15)
WHOLE_SIZE = 15
ORIGIN = (0.0, 0.0, 0.0)
UNTURNED = (1.0, 0.0, 0.0, 0.0)


class Arrays(Protocol):
    """Whatever hands out arrays by name: `Bound` in a system, the table of a world, a dict in a test."""

    def __getitem__(self, name: str, /) -> Array:
        """The array of this name."""
        ...


@dataclass(frozen=True)
class Place:
    """Where the coordinates or rates of an entity lie.

    here    in the vectors of the `Dynamics` that was asked
    arrays  in the arrays of the world: name, and the slice of the flattened array; in the order of `here`
    """

    here: slice
    arrays: tuple[tuple[str, slice], ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.here.stop - self.here.start)


@dataclass(frozen=True)
class Located:
    """An entity in the frame that moves it: which, and the entity's pose there."""

    frame: Any
    position: tuple[float, float, float] = ORIGIN
    rotation: tuple[float, float, float, float] = UNTURNED


class Dynamics(ABC):
    """Queries about entities, at the state that the world has when they are asked.

    The equation of motion is  M a + bias + gravity = tau  with the n accelerations a of the rates and the generalised
    forces tau [N, N m] of everything else. Every query gives a new array, or fills `out` and then makes none. What
    they share is computed once for a state, and anew when coordinates or rates differ from those seen last.

    A mechanism fills the arrays that the `fill_` methods return; these are its own, and stay as they are until it is
    asked again.
    """

    #: Mass of all [kg].
    mass: float
    #: Whether the number of rates changes from step to step.
    varies = False

    def __init__(self) -> None:
        self._located: dict[Hashable, Located] = {}

    # What it consists of

    @property
    @abstractmethod
    def rate_labels(self) -> Sequence[str]:
        """The path of the entity that every rate moves; their number is n."""

    @property
    @abstractmethod
    def coordinate_labels(self) -> Sequence[str]:
        """The path of the entity that every coordinate places."""

    @property
    def size(self) -> int:
        """Number n of rates."""
        return len(self.rate_labels)

    @abstractmethod
    def rates(self, path: str) -> Place:
        """Where the rates of an entity are: of a bone its own, of a skeleton or body all."""

    @abstractmethod
    def coordinates(self, path: str) -> Place:
        """Where the coordinates of an entity are."""

    @abstractmethod
    def fill_rate_values(self) -> FloatArray:
        """Rates [n] now."""

    @abstractmethod
    def fill_coordinate_values(self) -> FloatArray:
        """Coordinates now; there are more of them than rates where something turns freely."""

    def rate_values(self, out: FloatArray | None = None) -> FloatArray:
        """Rates v [n] now."""
        return hand_over(self.fill_rate_values(), out)

    def coordinate_values(self, out: FloatArray | None = None) -> FloatArray:
        """Coordinates now."""
        return hand_over(self.fill_coordinate_values(), out)

    @abstractmethod
    def add_forces(self, tau: ArrayLike) -> None:
        """Add generalised forces [n] to those that act in this step; for systems in ACTUATE, which declare `forces`."""

    # Forces

    @abstractmethod
    def fill_mass_matrix(self) -> FloatArray:
        """M [n, n]."""

    @abstractmethod
    def fill_bias(self) -> FloatArray:
        """Coriolis and centrifugal forces [n]."""

    @abstractmethod
    def fill_gravity(self) -> FloatArray:
        """What holds everything against gravity [n]."""

    def mass_matrix(self, out: FloatArray | None = None) -> FloatArray:
        """M [n, n]; with the armature of joints on its diagonal."""
        return hand_over(self.fill_mass_matrix(), out)

    def bias(self, out: FloatArray | None = None) -> FloatArray:
        """Coriolis and centrifugal forces [n]; without gravity."""
        return hand_over(self.fill_bias(), out)

    def gravity(self, out: FloatArray | None = None) -> FloatArray:
        """What actuators must give to stand still against gravity [n]."""
        return hand_over(self.fill_gravity(), out)

    def inverse_dynamics(self, acceleration: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """tau [n] that gives the rates this acceleration [n]: M a + bias + gravity."""
        tau = self.fill_mass_matrix() @ np.asarray(acceleration, float)
        tau += self.fill_bias()
        tau += self.fill_gravity()
        return hand_over(tau, out)

    # Points

    @abstractmethod
    def locate(self, entity: Movable) -> Located:
        """The frame of an entity; raises `PluginError` if it is none of these."""

    @abstractmethod
    def fill_jacobian(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[6, n]: velocity of the point p [m, in the frame], and angular velocity, both in the world."""

    @abstractmethod
    def fill_motion(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[19]: the point p in the world, rotation of the frame, velocity, spin, and the drift of both."""

    def bind_frames(
        self, places: Sequence[FramePoint], slots: Sequence[int], first: int, motion_out: FloatArray,
        jacobian_out: FloatArray,
    ) -> Callable[[], None]:  # fmt: skip
        """A function that follows several points at once, each as `place_point` gives it.

        Point k fills motion_out[slots[k]] [19] and jacobian_out[slots[k]] [6, columns] from the column `first` on; the
        Jacobians are zero at the beginning, and nobody else writes them.
        """
        return make_callable(self.bind_frame_work(places, slots, first, motion_out, jacobian_out))

    # For every step

    def bind_frame_work(
        self, places: Sequence[FramePoint], slots: Sequence[int], first: int, motion_out: FloatArray,
        jacobian_out: FloatArray,
    ) -> Work:  # fmt: skip
        """The same for every step: calls, where the mechanism has kernels for it."""

        def follow() -> None:
            for slot, place in zip(slots, places, strict=True):
                motion_out[slot] = self.fill_motion(*place)
                jacobian = self.fill_jacobian(*place)
                jacobian_out[slot, :, first : first + jacobian.shape[1]] = jacobian

        return follow

    def bind_query(self, query: Query, out: FloatArray) -> Work:
        """What puts the answer of `fill_QUERY` into `out` in every step: calls, where the mechanism has kernels."""
        fill = getattr(self, f"fill_{query}")

        def put() -> None:
            out[...] = fill()

        return put

    def fill_bias_and_gravity(self) -> FloatArray:
        """The sum of both [n]: what all forces are when no rate changes."""
        forces = self.fill_bias().copy()
        forces += self.fill_gravity()
        return forces

    def owns(self, entity: Movable) -> bool:
        """Whether these queries know the entity."""
        try:
            self._find(entity)
        except PluginError:
            return False
        return True

    def point_jacobian(
        self, entity: Movable, point: ArrayLike = ORIGIN, out: FloatArray | None = None
    ) -> FloatArray:
        """[3, n]: velocity in the world of a point [m] given in the entity's frame."""
        return hand_over(self.fill_jacobian(*self.place_point(entity, point))[:3], out)

    def rotation_jacobian(self, entity: Movable, out: FloatArray | None = None) -> FloatArray:
        """[3, n]: angular velocity of an entity, in the world."""
        return hand_over(self.fill_jacobian(*self.place_point(entity, ORIGIN))[3:], out)

    def point_drift(
        self, entity: Movable, point: ArrayLike = ORIGIN, out: FloatArray | None = None
    ) -> FloatArray:
        """Jdot v [3] of `point_jacobian`: the point's acceleration if no rate changes [m/s^2]."""
        return hand_over(self.fill_motion(*self.place_point(entity, point))[DRIFT], out)

    def rotation_drift(self, entity: Movable, out: FloatArray | None = None) -> FloatArray:
        """Jdot v [3] of `rotation_jacobian` [rad/s^2]."""
        return hand_over(self.fill_motion(*self.place_point(entity, ORIGIN))[SPIN_DRIFT], out)

    def position(
        self, entity: Movable, point: ArrayLike = ORIGIN, out: FloatArray | None = None
    ) -> FloatArray:
        """Where a point [m] given in the entity's frame is in the world [3]."""
        return hand_over(self.fill_motion(*self.place_point(entity, point))[POSITION], out)

    def rotation(self, entity: Movable, out: FloatArray | None = None) -> FloatArray:
        """The entity's rotation in the world, a quaternion (w, x, y, z) [4]."""
        turned = self.fill_motion(*self.place_point(entity, ORIGIN))[ROTATION]
        located = self._find(entity)
        if located.rotation != UNTURNED:
            turned = multiply(turned, np.array(located.rotation))
        return hand_over(turned, out)

    def velocity(
        self, entity: Movable, point: ArrayLike = ORIGIN, out: FloatArray | None = None
    ) -> FloatArray:
        """Velocity of a point and angular velocity of the entity, both in the world [6]."""
        return hand_over(self.fill_motion(*self.place_point(entity, point))[VELOCITY.start : SPIN.stop], out)

    # The whole

    @abstractmethod
    def fill_whole(self) -> FloatArray:
        """[15]: centre of mass, momentum, angular momentum about the centre, and how both change without a."""

    @abstractmethod
    def fill_momentum_matrix(self) -> FloatArray:
        """[6, n]: momentum, and angular momentum about the centre of mass, for a unit of every rate."""

    @abstractmethod
    def kinetic_energy(self) -> float:
        """v^T M v / 2 [J]."""

    @abstractmethod
    def potential_energy(self) -> float:
        """Of gravity [J], zero at the world's origin; springs are not counted."""

    def centre_of_mass(self, out: FloatArray | None = None) -> FloatArray:
        """[3] m, in the world."""
        return hand_over(self.fill_whole()[CENTRE], out)

    def centre_jacobian(self, out: FloatArray | None = None) -> FloatArray:
        """[3, n]: velocity of the centre of mass."""
        found = hand_over(self.fill_momentum_matrix()[:3], out)
        found /= self.mass
        return found

    def centre_drift(self, out: FloatArray | None = None) -> FloatArray:
        """Jdot v [3] of `centre_jacobian` [m/s^2]."""
        found = hand_over(self.fill_whole()[MOMENTUM_DRIFT][:3], out)
        found /= self.mass
        return found

    def momentum(self, out: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Linear momentum [3] kg m/s, and angular momentum about the centre of mass [3] kg m^2/s; `out` is [6]."""
        both = hand_over(self.fill_whole()[MOMENTUM], out)
        return both[:3], both[3:]

    def momentum_matrix(self, out: FloatArray | None = None) -> FloatArray:
        """[6, n]: linear momentum, and angular momentum about the centre of mass, are this times v."""
        return hand_over(self.fill_momentum_matrix(), out)

    def momentum_drift(self, out: FloatArray | None = None) -> FloatArray:
        """[6]: how both momenta change while no rate does, [N] and [N m]."""
        return hand_over(self.fill_whole()[MOMENTUM_DRIFT], out)

    # Within

    def _find(self, entity: Movable) -> Located:
        found = self._located.get(entity)
        if found is None:
            found = self._located[entity] = self.locate(entity)
        return found

    def place_point(self, entity: Movable, point: ArrayLike = ORIGIN) -> tuple[Any, float, float, float]:
        """The frame of an entity and a point of it there, as `fill_jacobian` and `fill_motion` take them."""
        located = self._find(entity)
        if point is ORIGIN:
            return located.frame, *located.position
        px, py, pz = map(float, point)  # type: ignore[arg-type]
        if located.rotation != UNTURNED:
            px, py, pz = map(float, rotate(np.array(located.rotation), np.array([px, py, pz])))
        ox, oy, oz = located.position
        return located.frame, px + ox, py + oy, pz + oz


@runtime_checkable
class DynamicsSource(Protocol):
    """A mechanism that answers `Dynamics`.

    `dynamics_keys` are what can be asked for: paths of skeletons and bodies. A key `path.kind` is asked for by this
    very name only: another answer for something that has a plain one. `dynamics_reads` are the arrays that queries
    look at, `dynamics_forces` those that `add_forces` adds to.
    """

    name: str
    dynamics_keys: Sequence[str]
    dynamics_reads: Sequence[str]
    dynamics_forces: Sequence[str]

    def bind_dynamics(
        self, keys: Sequence[str], arrays: Arrays, build: Build, acts: bool = False
    ) -> Sequence[Dynamics]:
        """Queries about these, in this order: one for each, or one for several. Whoever `acts` may add forces."""
        ...


class Constraints(Protocol):
    """Rows L that the rates of a `Dynamics` obey now: L v = 0. What holds may change from step to step."""

    capacity: int

    def update(self) -> int:
        """Follow the state; returns the number of rows that hold."""
        ...

    def labels(self) -> Sequence[str]:
        """The path of the joint or grasp of every row."""
        ...

    def fill(self, matrix_out: FloatArray, drift_out: FloatArray, error_out: FloatArray) -> None:
        """L [rows, n], Ldot v [rows], and how far the positions are off [rows; m, rad], as of `update`."""
        ...


@runtime_checkable
class ConstraintSource(Protocol):
    """A row source whose rows include equations between entities, as joints and grasps are."""

    name: str
    constraint_reads: Sequence[str]

    def bind_constraints(self, dynamics: Dynamics, arrays: Arrays, build: Build) -> Constraints:
        """The equations among what `dynamics` knows, and between it and the world."""
        ...


def hand_over(values: FloatArray, out: FloatArray | None) -> FloatArray:
    """A copy that belongs to whoever asked."""
    if out is None:
        return values.copy()
    out[...] = values
    return out


def refuse_query(who: str, what: str, remedy: str) -> PluginError:
    """The error for a question that has no answer; raise it."""
    return PluginError(Problem(None, who, what, remedy))
