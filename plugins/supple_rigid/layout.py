"""The arrays of free bodies, as kernels take them: the field x is the array `rigid.x`."""

from __future__ import annotations

from typing import NamedTuple

from supple.core.arrays import FloatArray


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
NEXT = {name: f"rigid.{name}.next" for name in Motion._fields}
"""The names of the successors, for `Bound.take`."""
