"""The constraint problem of one step, as plain arrays: all that a solver sees.

Find impulses lambda such that u = W lambda + E lambda + free and lambda obey the law of every group (`rows`).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.jit import TypedKernel
from supple.core.schedule import Call
from supple.errors import CapacityError, SimulationError, UserError
from supple.mechanics import problem_kernels as kernels
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.roots import RootSource

if TYPE_CHECKING:
    from supple.mechanics.holding import Holding
    from supple.mechanics.sieve import Sieve

cut_groups, cut_blocks = TypedKernel(kernels.cut_groups), TypedKernel(kernels.cut_blocks)
reserve_groups = TypedKernel(kernels.reserve_groups)

FORMAT: Final = 1

_ARRAYS: Final = (
    "law", "size", "friction", "restitution", "scale", "lower", "upper", "compliance", "bias", "gap", "u_now",
    "key", "free",
)  # fmt: skip
"""The arrays of the groups, which are saved and trimmed alike."""


class Rows(NamedTuple):
    """The arrays of a problem that solvers look at, for kernels; see `ConstraintProblem` for shapes and units."""

    counts: IntArray
    law: IntArray
    size: IntArray
    friction: FloatArray
    scale: FloatArray
    lower: FloatArray
    upper: FloatArray
    compliance: FloatArray
    free: FloatArray


class Origin(NamedTuple):
    """The other arrays of a problem: what its groups are made from, and who they are."""

    restitution: FloatArray
    bias: FloatArray
    gap: FloatArray
    u_now: FloatArray
    key: IntArray


class Coupled(NamedTuple):
    """Groups whose greatest impulse is a length times the normal impulse of a contact; the first counts[0] are in use.

    A group of one row (BOUNDED) is limited by it on both sides. A group of three rows (COULOMB) has a row n that moves
    nothing: its impulse is made to be that limit, and friction one makes a disc of it.
    """

    counts: IntArray  # [1]
    group: IntArray  # [n]
    contact: IntArray  # [n] group of the contact
    length: FloatArray  # [n] m


_OWNERS: Final = dict.fromkeys(Rows._fields, "rows") | dict.fromkeys(Origin._fields, "origin")
"""The tuple that an array belongs to."""


def _integers(*shape: int) -> IntArray:
    return np.zeros(shape, np.int64)


@dataclass
class ConstraintProblem:
    """Groups of rows, in arrays of full capacity of which the first `count` are in use.

    Vectors per group have three columns (n, t, s); groups of one row use column 0. A linear row is in m/s and
    N s, an angular row in rad/s and N m s.

    Kernels take the arrays as `rows`, `origin` and `W.blocks`. Such a tuple stays the same one until one of its arrays
    is replaced, and is always of the same types: so kernels that take them may be `supple.core.jit.TypedKernel`.
    """

    capacity: int
    step: float = 0.0  # h [s]
    bounce_speed: float = field(default=0.0, init=False)  # approach [m/s] below which nothing bounces
    coupled: Coupled | None = field(default=None, init=False)  # groups that are limited by contacts, if any
    counts: IntArray = field(
        init=False
    )  # [1] groups in use; only methods and kernels of `reserve_groups` set it
    struck: IntArray = field(init=False)  # [1] not 0 where something approaches so fast that it may bounce
    roots: RootSource | None = field(
        default=None, init=False
    )  # W as a product over bodies, where that is known
    holding: Holding | None = field(default=None, init=False)  # who may have left it open, see `holding`
    sieve: Sieve | None = field(default=None, init=False)  # who may have left W open, see `sieve`
    law: IntArray = field(init=False)  # [capacity] code of the law, see `rows`
    size: IntArray = field(init=False)  # [capacity] number of rows, 1 or 3
    friction: FloatArray = field(init=False)  # [capacity] mu [-]
    restitution: FloatArray = field(init=False)  # [capacity] [-]; see `impacts`
    scale: FloatArray = field(init=False)  # [capacity, 3] of friction along t and s [-]; column 0 is unused
    lower: FloatArray = field(init=False)  # [capacity, 3] least impulse [N s]
    upper: FloatArray = field(init=False)  # [capacity, 3] greatest impulse [N s]
    compliance: FloatArray = field(init=False)  # [capacity, 3] diagonal of E [(m/s)/(N s)]
    bias: FloatArray = field(init=False)  # [capacity, 3] [m/s]; already contained in free
    gap: FloatArray = field(init=False)  # [capacity] distance at the start of the step [m]
    u_now: FloatArray = field(init=False)  # [capacity, 3] row velocity at the start of the step [m/s]
    key: IntArray = field(init=False)  # [capacity, 2] identity over the steps, -1 for none [-]
    free: FloatArray = field(init=False)  # [capacity, 3] J v_free + bias: row velocity without impulses [m/s]
    W: BlockMatrix = field(init=False)  # J A^-1 J^T [(m/s)/(N s)], without E

    def __post_init__(self) -> None:
        n = self.capacity
        self.counts, self.struck = _integers(1), _integers(1)
        self.law, self.size, self.key = _integers(n), _integers(n), _integers(n, 2)
        self.friction, self.restitution, self.gap = np.zeros(n), np.zeros(n), np.zeros(n)
        self.scale, self.lower, self.upper = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        self.compliance, self.bias = np.zeros((n, 3)), np.zeros((n, 3))
        self.u_now, self.free = np.zeros((n, 3)), np.zeros((n, 3))
        self.W = BlockMatrix(groups=n)
        self._asked: IntArray = _integers(2)

    def __setattr__(self, name: str, value: Any) -> None:
        owner = _OWNERS.get(name)
        if owner is not None:
            known = self.__dict__.get(name)
            value = np.ascontiguousarray(value, value.dtype if known is None else known.dtype)
            self.__dict__.pop(owner, None)
        object.__setattr__(self, name, value)

    @cached_property
    def rows(self) -> Rows:
        """What solvers look at."""
        return Rows(
            counts=self.counts, law=self.law, size=self.size, friction=self.friction, scale=self.scale,
            lower=self.lower, upper=self.upper, compliance=self.compliance, free=self.free,
        )  # fmt: skip

    @cached_property
    def origin(self) -> Origin:
        """What the groups are made from."""
        return Origin(
            restitution=self.restitution, bias=self.bias, gap=self.gap, u_now=self.u_now, key=self.key
        )

    @property
    def count(self) -> int:
        """Groups in use."""
        return self.counts.item(0)

    @property
    def strikes(self) -> bool:
        """Whether something approaches so fast that it may bounce."""
        return bool(self.struck.item(0))

    @strikes.setter
    def strikes(self, strikes: bool) -> None:
        self.struck[0] = strikes

    def clear(self) -> None:
        """Forget all groups. The matrix keeps its old pattern until `W.set_pattern`."""
        self.counts[0] = self.struck[0] = 0

    def reserve(self, extra: int) -> int:
        """Add `extra` groups with default values (free bilateral rows) and return the index of the first."""
        self._asked[0] = extra
        if reserve_groups(self._asked[:1], self.rows, self.origin, self._asked[1:]):
            self._refuse()
        return self._asked.item(1)

    def bind_reserve(self, extra: IntArray, first_out: IntArray) -> Call:
        """The same as a call for every step: of extra[0] groups, the first of which becomes first_out[0]."""
        return Call(kernels.reserve_groups, extra, self.rows, self.origin, first_out, otherwise=self._refuse)

    def _refuse(self) -> None:
        raise CapacityError(
            f"room for {self.capacity} groups of rows is used up; raise run.capacity.contacts"
        )

    def trimmed(self) -> ConstraintProblem:
        """The same problem with arrays that are views of the groups in use. W is shared."""
        view = copy.copy(self)
        view.capacity, view.counts = self.count, self.counts.copy()
        for name in _ARRAYS:
            setattr(view, name, getattr(self, name)[: self.count])
        return view

    def cut(self, groups: IntArray, into: PartialProblem | None = None) -> PartialProblem:
        """The problem of some groups alone, as if the others were not there: their laws, and their part of W.

        `groups` are rising numbers. Who cuts in every step makes a `PartialProblem` once and gives it as `into`: its
        buffers are filled anew, and only W's grow when they must. Values are copies, so the part may be changed.
        """
        part = into if into is not None else PartialProblem(len(groups), self.capacity)
        part.take(self, groups)
        return part

    def save(self, path: Path) -> None:
        """Write the groups in use to an .npz file of plain arrays."""
        if self.holding is not None:
            self.holding.release()
        if self.sieve is not None:
            self.sieve.release()
        groups, blocks = self.W.group_count, self.W.block_count
        arrays = {name: getattr(self, name)[: self.count] for name in _ARRAYS}
        arrays["W_indptr"] = self.W.indptr[: groups + 1]
        arrays["W_indices"] = self.W.indices[:blocks]
        arrays["W_values"] = self.W.values[:blocks]
        np.savez_compressed(path, format=np.array(FORMAT), step=np.array(self.step), **arrays)

    @classmethod
    def load(cls, path: Path) -> ConstraintProblem:
        """Read what `save` wrote. The capacity is the number of groups."""
        with np.load(path, allow_pickle=False) as stored:
            if "format" not in stored or int(stored["format"]) != FORMAT:
                raise UserError(f"{path}: is not a constraint problem of format {FORMAT}")
            for name in ("step", *_ARRAYS, "W_indptr", "W_indices", "W_values"):
                if stored[name].dtype.kind not in "fiub":
                    raise UserError(f"{path}: {name} has type {stored[name].dtype}; numbers are needed")
            problem = cls(len(stored["law"]), float(stored["step"]))
            problem.reserve(problem.capacity)
            for name in _ARRAYS:
                getattr(problem, name)[:] = stored[name]
            problem.W = BlockMatrix.from_arrays(stored["W_indptr"], stored["W_indices"], stored["W_values"])
        return problem


class PartialProblem(ConstraintProblem):
    """Some groups of a whole problem, in the same order; see `ConstraintProblem.cut`.

    groups  [capacity]           number of each group in the whole problem
    place   [capacity of whole]  number of each group of the whole in this one, -1 where it is left out
    """

    def __init__(self, capacity: int, whole_capacity: int) -> None:
        super().__init__(capacity)
        self.groups: IntArray = _integers(capacity)
        self.place: IntArray = _integers(whole_capacity)

    def take(self, whole: ConstraintProblem, groups: IntArray) -> None:
        """Copy these groups of the whole, and their rows and columns of W."""
        count = len(groups)
        if count > self.capacity or whole.count > len(self.place):
            room = f"{self.capacity} of {len(self.place)}"
            raise SimulationError(f"a part with room for {room} groups is to take {count} of {whole.count}")
        self.step = whole.step
        self.counts[0] = count
        self.groups[:count] = groups
        cut_groups(self.groups, whole.rows, whole.origin, self.place, self.rows, self.origin)
        W = self.W
        W.reserve_blocks(whole.W.block_count)
        W.group_count = count
        W.block_count = int(cut_blocks(self.groups, count, self.place, whole.W.blocks, W.blocks))
