"""What controllers ask of one tree of bones, at the state that the world has now; who owns the tree adds its masses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.core.arrays import FloatArray
from supple.core.build import Build
from supple.core.jit import bind_first_arguments, bind_kernel
from supple.core.schedule import Call
from supple.core.state_kernels import copy_matrix, copy_vector
from supple.errors import suggest
from supple.mechanics.dynamics import (
    CENTRE,
    MOTION_SIZE,
    WHOLE_SIZE,
    Arrays,
    Dynamics,
    FramePoint,
    Located,
    Movable,
    Place,
    Query,
    hand_over,
    refuse_query,
)
from supple_bones.cut_tree import cut_tables, list_frames
from supple_bones.forest import Tree, count_rows
from supple_bones.frame_kernels import query_frames
from supple_bones.layout import JOINT, JOINTS, Q_FIRST, V_COUNT, V_FIRST
from supple_bones.query_kernels import (
    TreeMotion,
    TreeTables,
    follow_tree,
    query_gravity,
    query_inverse_dynamics,
    query_jacobian,
    query_kinetic_energy,
    query_mass_matrix,
    query_momentum_matrix,
    query_motion,
    query_whole,
)

_COORDINATES = {kind.code: kind.q_count for kind in JOINTS.values()}


class TreeDynamics(Dynamics):
    """Queries about one tree of bones, all rates in the order of the owner's array v.

    Rates: hinge, universal, slider and translation have theirs along the joint's axes; ball has the angular velocity
    relative to the parent, in the axes of the bone; free has the velocity of the bone's origin in the parent's frame
    (the world's for a root), then the angular velocity in the bone's axes.
    """

    def __init__(
        self,
        arrays: Arrays,
        owner: str,
        tree: Tree,
        bones: Mapping[str, int],
        path: str = "",
        build: Build | None = None,
        inertia: FloatArray | None = None,
        armature: FloatArray | None = None,
        force: FloatArray | None = None,
    ) -> None:
        """`bones` tells the row of every bone by its path; `path` is that of the tree itself.

        Inertias [bones, 10] and armature [n] are those of this tree; without them it has neither mass nor weight.
        `force` [n] is what generalised forces are added to.
        """
        super().__init__()
        self.owner, self.tree, self.path, self.build = owner, tree, path, build
        frames = list_frames(tree)
        self._local = {int(row): local for local, row in enumerate(frames)}
        self.bones = {name: self._local[row] for name, row in bones.items() if row in self._local}
        bone, dof = cut_tables(arrays[f"{owner}.bone"], arrays[f"{owner}.dof"], tree)
        self.q, self.v = arrays[f"{owner}.q"][tree.q], arrays[f"{owner}.v"][tree.v]
        count, rates, rows = len(bone), len(dof), count_rows(bone, dof)
        self.tables = TreeTables(
            bone=bone, dof=dof, frame=np.ascontiguousarray(arrays[f"{owner}.frame"][frames]),
            inertia=np.zeros((count, 10)) if inertia is None else inertia,
            armature=np.zeros(rates) if armature is None else armature,
        )  # fmt: skip
        self.mass = float(self.tables.inertia[:, 0].sum())
        self.moved = TreeMotion(
            gravity=arrays["run.gravity"], q=self.q, v=self.v, seen_q=np.zeros_like(self.q),
            seen_v=np.zeros_like(self.v), known=np.zeros(1, np.int64), x=np.zeros((count, 3)),
            rotation=np.zeros((count, 4)), axis=np.zeros((rows, 6)), axis_rate=np.zeros((rows, 6)),
            velocity=np.zeros((count, 6)), acceleration=np.zeros((count, 6)), own=np.zeros((count, 10)),
            composite=np.zeros((count, 10)), matrix=np.zeros(int(dof[:, 2].sum()) + rates),
            work=np.zeros((2, count, 6)), zero=np.zeros(max(3, rates)),
        )  # fmt: skip
        self._force = force
        self._coordinate_labels, self._rate_labels = self._label()
        self._bind(rates)

    def _bind(self, rates: int) -> None:
        """The kernels of the queries, bound to what they fill."""
        state = (self.tables, self.moved)
        self._M, self._tau, self._momentum = np.zeros((rates, rates)), np.zeros(rates), np.zeros(rates)
        self._J, self._A = np.zeros((6, rates)), np.zeros((6, rates))
        self._motion, self._whole = np.zeros(MOTION_SIZE), np.zeros(WHOLE_SIZE)
        self._wanted = np.zeros(rates)
        place = (0, 0.0, 0.0, 0.0)
        self._follow = bind_kernel(follow_tree, *state)
        self._find_mass_matrix = bind_kernel(query_mass_matrix, *state, self._M)
        zero, gravity = self.moved.zero, self.moved.gravity
        self._find_bias = bind_kernel(query_inverse_dynamics, *state, zero, zero, self._tau)
        self._find_force = bind_kernel(query_inverse_dynamics, *state, gravity, self._wanted, self._tau)
        self._find_gravity = bind_kernel(query_gravity, *state, self._tau)
        self._find_jacobian = bind_first_arguments(query_jacobian, (*state, self._J), place)
        self._find_motion = bind_first_arguments(query_motion, (*state, self._motion), place)
        self._find_whole = bind_kernel(query_whole, *state, self._whole)
        self._find_momenta = bind_kernel(query_momentum_matrix, *state, self._whole, self._A)
        self._find_energy = bind_kernel(query_kinetic_energy, *state, self._momentum)

    # What it consists of

    @property
    def rate_labels(self) -> Sequence[str]:
        """The bone that every rate moves first."""
        return self._rate_labels

    @property
    def coordinate_labels(self) -> Sequence[str]:
        """The bone that every coordinate places."""
        return self._coordinate_labels

    @property
    def size(self) -> int:
        """Number n of rates."""
        return len(self.v)

    def rates(self, path: str) -> Place:
        """Where the rates are: of a bone its own, of the skeleton all."""
        first, count = self._span(path, V_FIRST, len(self.v), lambda row: int(row[V_COUNT]))
        start = self.tree.v.start + first
        return Place(slice(first, first + count), ((f"{self.owner}.v", slice(start, start + count)),))

    def coordinates(self, path: str) -> Place:
        """Where the coordinates are: of a bone its own, of the skeleton all."""
        first, count = self._span(
            path, Q_FIRST, len(self.q), lambda row: _COORDINATES.get(int(row[JOINT]), 0)
        )
        start = self.tree.q.start + first
        return Place(slice(first, first + count), ((f"{self.owner}.q", slice(start, start + count)),))

    def fill_rate_values(self) -> FloatArray:
        """Rates now."""
        return self.v

    def fill_coordinate_values(self) -> FloatArray:
        """Coordinates now."""
        return self.q

    def add_forces(self, tau: ArrayLike) -> None:
        """Add generalised forces [n] of actuators."""
        if self._force is None:
            what, remedy = "takes no forces here", "bind the request with acts=True, in a system of ACTUATE"
            raise refuse_query(self.path, what, remedy)
        self._force += np.asarray(tau, float)

    # Forces

    def fill_mass_matrix(self) -> FloatArray:
        """M [n, n], with the armature of the joints on its diagonal."""
        self._find_mass_matrix()
        return self._M

    def fill_bias(self) -> FloatArray:
        """Coriolis and centrifugal forces [n]."""
        self._find_bias()
        return self._tau

    def fill_gravity(self) -> FloatArray:
        """What holds the bones against gravity [n]."""
        self._find_gravity()
        return self._tau

    def inverse_dynamics(self, acceleration: ArrayLike, out: FloatArray | None = None) -> FloatArray:
        """tau [n] that gives the rates this acceleration [n]."""
        self._wanted[:] = acceleration
        self._find_force()
        return hand_over(self._tau, out)

    # Points

    def locate(self, entity: Movable) -> Located:
        """The bone of an entity: itself, or what carries it; a tuple counts rows of the owner's frames."""
        if isinstance(entity, tuple):
            if entity[0] == self.owner and entity[1] in self._local:
                return Located(self._local[entity[1]])
            raise refuse_query(f"row {entity[1]} of {entity[0]}", f"is no bone of {self.path}", "name a bone")
        if entity in self.bones:
            return Located(self.bones[entity])
        place = None
        if self.build is not None and entity in self.build.graph:
            place = self.build.pose_in_frame(entity)
        if place is None or place[0].carrier != self.owner or place[0].index not in self._local:
            raise refuse_query(entity, "no bone of this name", suggest(entity, self.bones))
        frame, position, rotation = place
        x, y, z = (float(each) for each in position)
        qw, qx, qy, qz = (float(each) for each in rotation)
        return Located(self._local[frame.index], (x, y, z), (qw, qx, qy, qz))

    def fill_jacobian(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[6, n] of a point of a bone, and of its rotation."""
        self._find_jacobian(frame, px, py, pz)
        return self._J

    def fill_motion(self, frame: Any, px: float, py: float, pz: float) -> FloatArray:
        """[19] of a point of a bone."""
        self._find_motion(frame, px, py, pz)
        return self._motion

    def bind_frame_work(
        self, places: Sequence[FramePoint], slots: Sequence[int], first: int, motion_out: FloatArray,
        jacobian_out: FloatArray,
    ) -> Call:  # fmt: skip
        """One kernel for all."""
        return Call(
            query_frames, self.tables, self.moved, np.array([place[0] for place in places], np.int64),
            np.array([place[1:] for place in places], float), np.array(slots, np.int64), first, motion_out,
            jacobian_out,
        )  # fmt: skip

    def bind_query(self, query: Query, out: FloatArray) -> list[Call]:
        """The kernel of the query, and a copy."""
        moved, zero = self.moved, self.moved.zero
        known: dict[str, tuple[Any, ...]] = {
            "mass_matrix": (query_mass_matrix, self._M),
            "bias": (query_inverse_dynamics, zero, zero, self._tau),
            "gravity": (query_gravity, self._tau),
            "bias_and_gravity": (query_inverse_dynamics, moved.gravity, zero, self._tau),
            "whole": (query_whole, self._whole),
            "momentum_matrix": (query_momentum_matrix, self._whole, self._A),
        }
        kernel, *asked, found = known[query]
        copy = copy_matrix if found.ndim == 2 else copy_vector
        return [Call(kernel, self.tables, moved, *asked, found), Call(copy, found, out)]

    # The whole

    def fill_whole(self) -> FloatArray:
        """Centre of mass, momenta and their drift."""
        self._find_whole()
        return self._whole

    def fill_momentum_matrix(self) -> FloatArray:
        """[6, n]; rotors of the armature are not counted."""
        self._find_momenta()
        return self._A

    def kinetic_energy(self) -> float:
        """v^T M v / 2 [J], with the armature."""
        return float(self._find_energy())

    def potential_energy(self) -> float:
        """Of gravity [J], zero at the world's origin; joint springs are not counted."""
        return float(-self.mass * (self.moved.gravity @ self.fill_whole()[CENTRE]))

    # Within

    def _label(self) -> tuple[list[str], list[str]]:
        names = {local: name for name, local in self.bones.items()}
        coordinates, rates = [], []
        for local, row in enumerate(self.tables.bone[: self.tree.bones.stop - self.tree.bones.start]):
            coordinates += [names[local]] * _COORDINATES.get(int(row[JOINT]), 0)
            rates += [names[local]] * int(row[V_COUNT])
        return coordinates, rates

    def _span(self, path: str, column: int, everything: int, count: Any) -> tuple[int, int]:
        if path == self.path and path not in self.bones:
            return 0, everything
        row = self.tables.bone[self._find(path).frame]
        return int(row[column]), count(row)
