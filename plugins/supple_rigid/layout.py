"""The arrays of free bodies, as kernels take them: the field x is the array `rigid.x`."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Bodies(NamedTuple):
    """What stays: masses [kg], inertia in the body frame [kg m^2], and its inverse."""

    mass: FloatArray
    inertia: FloatArray
    inverse_inertia: FloatArray


class Motion(NamedTuple):
    """Centres of mass [m], rotations, and velocities: linear in the world, angular in the body frame [m/s, rad/s]."""

    x: FloatArray
    q: FloatArray
    v: FloatArray


class Response(NamedTuple):
    """What answers impulses: masses, and the inverse of the inertia with what joints add to it."""

    mass: FloatArray
    inverse_inertia: FloatArray


class Chain(NamedTuple):
    """Blocks of rows by body: the first of each, the one after each, -1 at the end; and which are of one row alone."""

    first: IntArray
    following: IntArray
    single: IntArray


class Tie(NamedTuple):
    """What joints did to bodies, in their frames: force times lever in the last two steps [N m], and the mean spin."""

    pull: FloatArray
    pull_before: FloatArray
    mean_spin: FloatArray


class Turning(NamedTuple):
    """Made in FREE: inverse inertias of this step; of fast bodies the spin amid it, and how long they turn; and what
    impacts see beyond the mean of the velocities before and after."""

    response: FloatArray
    middle: FloatArray
    turned: FloatArray


class Ended(NamedTuple):
    """Velocities before fast bodies turn: those that rows ask for, and those that impulses led to."""

    v_rows: FloatArray
    v_worked: FloatArray


class Applied(NamedTuple):
    """What others add: force and torque in the world, and the generalised force per velocity [N, N m]."""

    wrench: FloatArray
    force: FloatArray


class Observed(NamedTuple):
    """What is seen of all bodies: metrics, and sums of energies and work [J]."""

    observed: FloatArray
    before: FloatArray
    kinetic: FloatArray
    potential: FloatArray
    applied: FloatArray


MODEL = tuple(f"rigid.{name}" for name in Bodies._fields)
STATE = tuple(f"rigid.{name}" for name in Motion._fields)
ENDED = tuple(f"rigid.{name}" for name in Ended._fields)
TIE = tuple(f"rigid.{name}" for name in Tie._fields)
TURNING = tuple(f"rigid.{name}" for name in Turning._fields)
NEXT_TIE = {name: f"rigid.{name}.next" for name in Tie._fields}
NEXT = {name: f"rigid.{name}.next" for name in Motion._fields}
"""The names of the successors, for `Bound.take`."""
RESPONSE = {"inverse_inertia": "rigid.response"}
"""Where the inverses of `Response` are."""
