"""Joints and grasps as equations between entities that a controller knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.jit import TypedKernel
from supple.core.program import make_callable
from supple.core.schedule import Call, Work
from supple.mechanics.dynamics import MOTION_SIZE, Arrays, Dynamics
from supple_joints.codes import LOCK, STANDS_STILL
from supple_joints.constraint_kernels import append_constraint_rows, choose_rows, gather_links, place_links
from supple_joints.tables import LinkRates, LockedRows, make_anchors, make_measured

READS = (
    "run.step", "grasps.link", "grasps.first", "grasps.last", "joints.kind", "joints.carrier", "joints.frame",
    "joints.anchor_x", "joints.anchor_q", "joints.position", "joints.row_link", "joints.row_role",
    "joints.row_motion", "joints.row_column",
)  # fmt: skip
"""The arrays that the equations are made of."""


class LinkConstraints:
    """The locked directions of the links between entities of one `Dynamics`, and between these and the world.

    Limits, motors, friction and springs are no equations. A link to something that moves and was not asked for is left
    out; its path is in `left_out`. A grasp has rows while it holds.
    """

    def __init__(self, dynamics: Dynamics, arrays: Arrays, build: Build) -> None:
        """`arrays` hands out the arrays of READS by name."""
        self.dynamics = dynamics
        carriers = [carrier.name for carrier in build.members("carriers")]
        names = [*build.arrays.spec("joints.kind").labels]
        #: For every side the frame that moves it, or None.
        self._sides: list[tuple[str, int] | None] = []
        chosen, left_out = [], []
        for link, name in enumerate(names):
            ends = zip(arrays["joints.carrier"][link], arrays["joints.frame"][link], strict=True)
            sides = [None if c == STANDS_STILL else (carriers[c], int(f)) for c, f in ends]
            known = [side is not None and dynamics.owns(side) for side in sides]
            if not any(known):
                continue
            if any(side is not None and not mine for side, mine in zip(sides, known, strict=True)):
                left_out.append(name)
                continue
            chosen.append(link)
            self._sides += sides
        self.left_out = tuple(left_out)
        self._names, self._chosen = [names[link] for link in chosen], np.array(chosen, np.int64)
        self._table = self._choose_rows(arrays)
        self.capacity = len(self._table.link)
        self._kind = arrays["joints.kind"][self._chosen]
        n = len(chosen)
        self._anchors, self._last, self._measured = make_anchors(n), np.zeros(n), make_measured(n)
        self._rates = LinkRates(axes=np.zeros((n, 2, 3, 3)), point=np.zeros((n, 3)))
        self._motion = np.zeros((2 * n, MOTION_SIZE))
        self._motion[:, 3] = 1.0
        self._frames = [
            (k, dynamics.locate(side).frame) for k, side in enumerate(self._sides) if side is not None
        ]
        self._moves = np.array([side is not None for side in self._sides], np.int64)
        self._closing = np.zeros(n, np.int64)
        self._jacobian = np.zeros((2 * n, 6, 0))
        self._rows: IntArray = np.zeros(self.capacity, np.int64)
        self._count: IntArray = np.zeros(1, np.int64)
        self._choosing = Call(
            choose_rows, arrays["run.step"], self._grasps, self._held, *self._spans, self._first, self._end,
            self._table.link, self._rows, self._count,
        )  # fmt: skip
        self._placing = [
            Call(
                gather_links, arrays["run.step"], self._chosen, self._first, arrays["joints.anchor_x"],
                arrays["joints.anchor_q"], arrays["joints.position"], self._anchors, self._last, self._closing,
            ),
            Call(
                place_links, self._kind, self._motion, self._anchors, self._closing, self._last,
                make_anchors(n), self._measured, self._rates,
            ),
        ]  # fmt: skip
        self._choose = make_callable(self._choosing)
        self._append = TypedKernel(append_constraint_rows)

    def _choose_rows(self, arrays: Arrays) -> LockedRows:
        """Rows of the chosen links that lock something, and in which steps they do."""
        place = {int(link): k for k, link in enumerate(self._chosen)}
        locked = np.flatnonzero(arrays["joints.row_role"] == LOCK)
        rows = [row for row in locked if int(arrays["joints.row_link"][row]) in place]
        #: First step, and the step after the last, of every chosen link that is a grasp; all others always hold.
        self._first = np.full(len(place), -1, np.int64)
        self._end = np.full(len(place), np.iinfo(np.int64).max, np.int64)
        grasps = [(g, place[int(link)]) for g, link in enumerate(arrays["grasps.link"]) if int(link) in place]
        self._grasps = np.array([g for g, _ in grasps], np.int64)
        self._held = np.array([link for _, link in grasps], np.int64)
        self._spans = arrays["grasps.first"], arrays["grasps.last"]
        return LockedRows(
            link=np.array([place[int(arrays["joints.row_link"][row])] for row in rows], np.int64),
            motion=np.array([arrays["joints.row_motion"][row] for row in rows], np.int64),
            column=np.array([arrays["joints.row_column"][row] for row in rows], np.int64),
        )

    def update(self) -> int:
        """Which rows hold in the step that begins now."""
        self._choose()
        return self._count.item(0)

    def labels(self) -> Sequence[str]:
        """The joint or grasp of every row."""
        return [self._names[self._table.link[row]] for row in self._rows[: self._count.item(0)]]

    def fill(self, matrix_out: FloatArray, drift_out: FloatArray, error_out: FloatArray) -> None:
        """L, Ldot v and errors: README eq. (9) and (15)."""
        if not self._count.item(0):
            return
        if self._jacobian.shape[2] != self.dynamics.size:
            self._bind_measuring()
        self._measure()
        self._append(*self._list_made(), matrix_out, drift_out, error_out, np.zeros(1, np.int64))

    def bind_fill(self, matrix_out: FloatArray, drift_out: FloatArray, count_inout: IntArray) -> Work:
        """`update` and `fill` for every step, behind the first count_inout[0] rows, to which theirs are added."""
        measuring, error = self._bind_measuring(), np.zeros(len(drift_out))
        appending = Call(
            append_constraint_rows, *self._list_made(), matrix_out, drift_out, error, count_inout
        )
        return [self._choosing, measuring, appending]

    def _list_made(self) -> tuple[Any, ...]:
        """What rows are made of."""
        return (
            self._count, self._rows, self._table, self._measured, self._rates, self._motion, self._jacobian,
            self._moves,
        )  # fmt: skip

    def _bind_measuring(self) -> Work:
        """What follows the frames and places the links; the Jacobians have as many columns as there are rates."""
        self._jacobian = np.zeros((len(self._sides), 6, self.dynamics.size))
        places = [(frame, 0.0, 0.0, 0.0) for _, frame in self._frames]
        slots = [k for k, _ in self._frames]
        follow = self.dynamics.bind_frame_work(places, slots, 0, self._motion, self._jacobian)
        work: Work = [follow, *self._placing]
        self._measure = make_callable(work)
        return work
