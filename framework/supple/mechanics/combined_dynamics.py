"""Several mechanisms asked as one: block-diagonal M, stacked rows of joints and grasps between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.schedule import Call, Work
from supple.core.state_kernels import clear
from supple.errors import PluginError, suggest
from supple.mechanics.dynamics import (
    CENTRE,
    MOMENTUM,
    MOMENTUM_DRIFT,
    WHOLE_SIZE,
    Arrays,
    Constraints,
    ConstraintSource,
    Dynamics,
    DynamicsSource,
    FramePoint,
    Located,
    Movable,
    Place,
    Query,
    hand_over,
    refuse_query,
)


class ConstraintRows(NamedTuple):
    """L [rows, n], Ldot v [rows], the error of the positions [rows; m, rad], and whose row each is."""

    matrix: FloatArray
    drift: FloatArray
    error: FloatArray
    labels: tuple[str, ...]


class CombinedDynamics(Dynamics):
    """Queries about a set of entities together. Rates come in the order in which the entities were asked for.

    With the forces lambda of joints and grasps the equation of motion is  M a + bias + gravity = tau + L^T lambda  and
    L a + Ldot v = 0.
    """

    def __init__(self, parts: Sequence[Dynamics], asked: Mapping[str, Sequence[int]]) -> None:
        """`asked` tells for paths that parts do not know, such as that of a prefab, which parts are below it."""
        super().__init__()
        self.parts, self.asked = tuple(parts), dict(asked)
        self._masses = np.array([part.mass for part in self.parts])
        self.mass = float(self._masses.sum())
        self.varies = any(part.varies for part in self.parts)
        self._constraints: tuple[Constraints, ...] = ()
        self._sizes: tuple[int, ...] = ()
        self._whole, self._parts_whole = np.zeros(WHOLE_SIZE), np.zeros((len(self.parts), WHOLE_SIZE))
        self._lay_out()
        self._refuse_overlap()

    def constrain(self, constraints: Sequence[Constraints]) -> None:
        """Take these equations into account."""
        self._constraints = tuple(constraints)
        self._sizes = ()

    # What it consists of

    @property
    def size(self) -> int:
        """Number n of rates."""
        return sum(part.size for part in self.parts)

    @property
    def rate_labels(self) -> Sequence[str]:
        """The path of the entity that every rate moves."""
        return [label for part in self.parts for label in part.rate_labels]

    @property
    def coordinate_labels(self) -> Sequence[str]:
        """The path of the entity that every coordinate places."""
        return [label for part in self.parts for label in part.coordinate_labels]

    def rates(self, path: str) -> Place:
        """Where the rates of an entity are."""
        return self._find_place(path, "rates")

    def coordinates(self, path: str) -> Place:
        """Where the coordinates of an entity are."""
        return self._find_place(path, "coordinates")

    def _find_place(self, path: str, what: str) -> Place:
        self._lay_out()
        slices = self._slices if what == "rates" else self._coordinate_slices
        for part, span in zip(self.parts, slices, strict=True):
            try:
                place: Place = getattr(part, what)(path)
            except PluginError:
                continue
            here = slice(place.here.start + span.start, place.here.stop + span.start)
            return Place(here, place.arrays)
        if path not in self.asked:
            raise self._refuse(path)
        mine = self.asked[path]
        arrays = [pair for number in mine for pair in _place_all(self.parts[number], what)]
        return Place(slice(slices[mine[0]].start, slices[mine[-1]].stop), tuple(arrays))

    def fill_rate_values(self) -> FloatArray:
        """Rates [n] now."""
        self._lay_out()
        for part, mine in zip(self.parts, self._slices, strict=True):
            self._v[mine] = part.fill_rate_values()
        return self._v

    def fill_coordinate_values(self) -> FloatArray:
        """Coordinates now."""
        self._lay_out()
        for part, mine in zip(self.parts, self._coordinate_slices, strict=True):
            self._q[mine] = part.fill_coordinate_values()
        return self._q

    def add_forces(self, tau: ArrayLike) -> None:
        """Add generalised forces [n] to those that act in this step."""
        self._lay_out()
        forces = np.asarray(tau, float)
        for part, mine in zip(self.parts, self._slices, strict=True):
            part.add_forces(forces[mine])

    # Forces

    def fill_mass_matrix(self) -> FloatArray:
        """M [n, n], zero between parts."""
        self._lay_out()
        for part, mine in zip(self.parts, self._slices, strict=True):
            self._M[mine, mine] = part.fill_mass_matrix()
        return self._M

    def fill_bias(self) -> FloatArray:
        """Coriolis and centrifugal forces [n]."""
        return self._stack("fill_bias")

    def fill_gravity(self) -> FloatArray:
        """What holds everything against gravity [n]."""
        return self._stack("fill_gravity")

    def inverse_dynamics(self, acceleration: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """tau [n] that gives the rates this acceleration [n]; joints and grasps give nothing."""
        self._lay_out()
        wanted = np.asarray(acceleration, float)
        for part, mine in zip(self.parts, self._slices, strict=True):
            part.inverse_dynamics(wanted[mine], out=self._tau[mine])
        return hand_over(self._tau, out)

    def _stack(self, query: str) -> FloatArray:
        self._lay_out()
        for part, mine in zip(self.parts, self._slices, strict=True):
            self._tau[mine] = getattr(part, query)()
        return self._tau

    # Points

    def locate(self, entity: Movable) -> Located:
        """The part that knows the entity, and the frame there."""
        for number, part in enumerate(self.parts):
            if part.owns(entity):
                located = part.locate(entity)
                return Located((number, located.frame), located.position, located.rotation)
        raise self._refuse(entity)

    def fill_jacobian(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[6, n], zero for the rates of all other parts."""
        self._lay_out()
        number, inner = frame
        self._J[...] = 0.0
        self._J[:, self._slices[number]] = self.parts[number].fill_jacobian(inner, px, py, pz)
        return self._J

    def fill_motion(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """As the part has it."""
        number, inner = frame
        part: Dynamics = self.parts[number]
        return part.fill_motion(inner, px, py, pz)

    def bind_frame_work(
        self, places: Sequence[FramePoint], slots: Sequence[int], first: int, motion_out: FloatArray,
        jacobian_out: FloatArray,
    ) -> Work:  # fmt: skip
        """Every part follows its own points; where the number of rates changes, one after the other."""
        if self.varies:
            return super().bind_frame_work(places, slots, first, motion_out, jacobian_out)
        self._lay_out()
        following: list[Work] = []
        for number, (part, mine) in enumerate(zip(self.parts, self._slices, strict=True)):
            chosen = [k for k, place in enumerate(places) if place[0][0] == number]
            if chosen:
                inner = [(places[k][0][1], *places[k][1:]) for k in chosen]
                column = first + mine.start
                following.append(
                    part.bind_frame_work(inner, [slots[k] for k in chosen], column, motion_out, jacobian_out)
                )
        return following

    def bind_query(self, query: Query, out: FloatArray) -> Work:
        """Every part answers for itself, but not about the whole."""
        if self.varies or query in ("whole", "momentum_matrix"):
            return super().bind_query(query, out)
        self._lay_out()
        slices = [(mine, mine) if query == "mass_matrix" else mine for mine in self._slices]
        return [part.bind_query(query, out[mine]) for part, mine in zip(self.parts, slices, strict=True)]

    def bind_constraint_rows(
        self, matrix_out: FloatArray, drift_out: FloatArray, count_out: IntArray
    ) -> Work:
        """`fill_constraint_rows` for every step, with the number of rows in count_out[0]."""
        binding: list[Any] = [getattr(each, "bind_fill", None) for each in self._constraints]
        if self.varies or None in binding:

            def fill() -> None:
                count_out[0] = self.fill_constraint_rows(matrix_out, drift_out)

            return fill
        self._lay_out()
        return [Call(clear, count_out), *(bind(matrix_out, drift_out, count_out) for bind in binding)]

    # The whole

    def fill_whole(self) -> FloatArray:
        """Sums over the parts; angular momenta are taken to the common centre."""
        if len(self.parts) == 1:
            return self.parts[0].fill_whole()
        parts, whole = self._parts_whole, self._whole
        for number, part in enumerate(self.parts):
            parts[number] = part.fill_whole()
        whole[CENTRE] = self._masses @ parts[:, CENTRE] / self.mass
        whole[MOMENTUM], whole[MOMENTUM_DRIFT] = parts[:, MOMENTUM].sum(0), parts[:, MOMENTUM_DRIFT].sum(0)
        arms = parts[:, CENTRE] - whole[CENTRE]
        # The arms change too, but their rates times the momenta add up to nothing.
        for of in (MOMENTUM, MOMENTUM_DRIFT):
            linear, angular = parts[:, of][:, :3], whole[of][3:]
            for arm, each in zip(arms, linear, strict=True):
                move_moments(arm, each, angular)
        return whole

    def fill_momentum_matrix(self) -> FloatArray:
        """[6, n], about the common centre."""
        if len(self.parts) == 1:
            return self.parts[0].fill_momentum_matrix()
        self._lay_out()
        centre, matrix = self.fill_whole()[CENTRE], self._A
        for number, (part, mine) in enumerate(zip(self.parts, self._slices, strict=True)):
            matrix[:, mine] = part.fill_momentum_matrix()
            arm = self._parts_whole[number, CENTRE] - centre
            move_moments(arm, matrix[:3, mine], matrix[3:, mine])
        return matrix

    def kinetic_energy(self) -> float:
        """v^T M v / 2 [J]."""
        return sum(part.kinetic_energy() for part in self.parts)

    def potential_energy(self) -> float:
        """Of gravity [J], zero at the world's origin."""
        return sum(part.potential_energy() for part in self.parts)

    # Joints and grasps between them

    @property
    def constraint_count(self) -> int:
        """Number of rows that hold now."""
        return sum(each.update() for each in self._constraints)

    def constraints(self) -> ConstraintRows:
        """The rows of joints and grasps that hold now, between these entities and between them and the world."""
        count = self._fill_constraints()
        return ConstraintRows(
            self._L[:count].copy(), self._drift[:count].copy(), self._error[:count].copy(),
            tuple(label for each in self._constraints for label in each.labels()),
        )  # fmt: skip

    def fill_constraint_rows(self, matrix_out: FloatArray, drift_out: FloatArray) -> int:
        """L and Ldot v into the first rows of these, computed once for both; returns their number."""
        count = self._fill_constraints()
        matrix_out[:count], drift_out[:count] = self._L[:count], self._drift[:count]
        return count

    @property
    def constraint_capacity(self) -> int:
        """The greatest number of rows that may hold."""
        return sum(each.capacity for each in self._constraints)

    def constraint_matrix(self, out: FloatArray | None = None) -> FloatArray:
        """L [rows, n]; `out` may have more rows than there are, and those in use are given back."""
        count = self._fill_constraints()
        return self._hand_over_rows(self._L[:count], out)

    def constraint_drift(self, out: FloatArray | None = None) -> FloatArray:
        """Ldot v [rows]."""
        count = self._fill_constraints()
        return self._hand_over_rows(self._drift[:count], out)

    def constraint_error(self, out: FloatArray | None = None) -> FloatArray:
        """How far the positions are off along the rows [rows; m, rad]."""
        count = self._fill_constraints()
        return self._hand_over_rows(self._error[:count], out)

    def _hand_over_rows(self, values: FloatArray, out: FloatArray | None) -> FloatArray:
        return hand_over(values, None if out is None else out[: len(values)])

    def _fill_constraints(self) -> int:
        self._lay_out()
        first = 0
        for each in self._constraints:
            end = first + each.update()
            each.fill(self._L[first:end], self._drift[first:end], self._error[first:end])
            first = end
        return first

    # Within

    def _lay_out(self) -> None:
        """Where the parts are; arrays are made anew only when the number of rates of a part has changed."""
        if self._sizes and not self.varies:
            return
        sizes = tuple(part.size for part in self.parts)
        if sizes == self._sizes:
            return
        self._sizes = sizes
        self._slices = _stack_slices(sizes)
        self._coordinate_slices = _stack_slices([len(part.coordinate_labels) for part in self.parts])
        n, coordinates = sum(sizes), self._coordinate_slices[-1].stop if self.parts else 0
        rows = sum(each.capacity for each in self._constraints)
        self._v, self._q, self._tau = np.zeros(n), np.zeros(coordinates), np.zeros(n)
        self._M, self._J, self._A = np.zeros((n, n)), np.zeros((6, n)), np.zeros((6, n))
        self._L, self._drift, self._error = np.zeros((rows, n)), np.zeros(rows), np.zeros(rows)

    def _refuse_overlap(self) -> None:
        """A skeleton by itself and the same with its flesh are two answers about one thing."""
        taken: set[tuple[str, int]] = set()
        for part in self.parts:
            for path in dict.fromkeys(part.rate_labels):
                mine = {
                    (name, rows.start) for name, rows in part.rates(path).arrays if rows.start < rows.stop
                }
                if mine & taken:
                    raise refuse_query(path, "asked for twice, in two ways", "leave one of the two out")
                taken |= mine

    def _refuse(self, entity: Movable) -> PluginError:
        known = sorted({*self.rate_labels, *self.asked})
        who = entity if isinstance(entity, str) else f"row {entity[1]} of {entity[0]}"
        return refuse_query(who, "is not among the entities that were asked for", suggest(who, known))


def move_moments(arm: FloatArray, linear: FloatArray, angular_out: FloatArray) -> None:
    """angular_out += arm x linear, both [3] or [3, n]."""
    ax, ay, az = arm.tolist()
    angular_out[0] += ay * linear[2] - az * linear[1]
    angular_out[1] += az * linear[0] - ax * linear[2]
    angular_out[2] += ax * linear[1] - ay * linear[0]


def _stack_slices(sizes: Sequence[int]) -> list[slice]:
    ends = np.cumsum(sizes).tolist()
    return [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]


def _place_all(part: Dynamics, what: str) -> tuple[tuple[str, slice], ...]:
    """The arrays of all coordinates or rates of a part."""
    labels = part.rate_labels if what == "rates" else part.coordinate_labels
    arrays: list[tuple[str, slice]] = []
    for path in dict.fromkeys(labels):
        arrays += getattr(part, what)(path).arrays
    return tuple(arrays)


class DynamicsRequest:
    """What a system or a user wants to know of: `reads` and `forces` go into the system's `reads` and `adds`."""

    def __init__(self, build: Build, paths: Sequence[str]) -> None:
        self.build = build
        sources = [each for each in build.members("mechanisms") if isinstance(each, DynamicsSource)]
        #: Path that was asked for, and what answers for it: a mechanism and keys.
        self._found: list[tuple[str, DynamicsSource, list[str]]] = []
        taken: dict[str, str] = {}
        for path in paths:
            for source, key in self._list_keys(sources, path):
                if key in taken:
                    what = f"asked for twice, by '{taken[key]}' and '{path}'"
                    raise refuse_query(key, what, "name every entity once")
                taken[key] = path
                last = self._found[-1] if self._found else None
                if last is not None and last[:2] == (path, source):
                    last[2].append(key)
                else:
                    self._found.append((path, source, [key]))
        #: Paths of the skeletons and bodies that are asked about.
        self.keys = frozenset(taken)
        self._links = [each for each in build.members("row_sources") if isinstance(each, ConstraintSource)]
        used = list(dict.fromkeys(source.name for _, source, _ in self._found))
        chosen = [source for source in sources if source.name in used]
        names = [name for source in chosen for name in source.dynamics_reads]
        names += [name for link in self._links for name in link.constraint_reads]
        self.reads = tuple(dict.fromkeys(names))
        self.forces = tuple(dict.fromkeys(name for source in chosen for name in source.dynamics_forces))

    def bind(self, arrays: Arrays, acts: bool = False) -> CombinedDynamics:
        """The queries, about the state in these arrays. A system that adds `forces` says that it `acts`."""
        parts: list[Dynamics] = []
        asked: dict[str, list[int]] = {}
        for path, source, keys in self._found:
            for part in source.bind_dynamics(keys, arrays, self.build, acts):
                asked.setdefault(path, []).append(len(parts))
                parts.append(part)
        dynamics = CombinedDynamics(parts, asked)
        dynamics.constrain([link.bind_constraints(dynamics, arrays, self.build) for link in self._links])
        return dynamics

    def _list_keys(self, sources: Sequence[DynamicsSource], path: str) -> list[tuple[DynamicsSource, str]]:
        """Who answers for a path: by this very key; else all that lie below; else what moves it."""
        keys = [(source, key) for source in sources for key in source.dynamics_keys]
        for wanted in (
            [pair for pair in keys if pair[1] == path],
            [pair for pair in keys if pair[1].startswith(f"{path}/") and "." not in pair[1]],
            [pair for pair in keys if path in self.build.graph and path.startswith(f"{pair[1]}/")],
        ):
            if wanted:
                return sorted(wanted, key=lambda pair: pair[1])
        raise refuse_query(path, "nothing that moves has this name", suggest(path, [key for _, key in keys]))


def ask_dynamics(build: Build, *paths: str) -> DynamicsRequest:
    """A request for queries about these entities together; made in `__init__` of a system, which declares its reads."""
    return DynamicsRequest(build, paths)
