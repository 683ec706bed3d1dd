"""Objectives as values: what a controller wants of its variables, to be added up and handed to the solver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Objective:
    """1/2 |rows z - aim|^2 + 1/2 sum_i diagonal_i z_i^2 - pull z + constant, over variables z [n].

    rows [k, n] and aim [k] carry the square roots of their weights. So H = rows' rows + diag(diagonal).
    """

    rows: FloatArray
    aim: FloatArray
    diagonal: FloatArray
    pull: FloatArray
    constant: float = 0.0

    @property
    def H(self) -> FloatArray:  # noqa: N802
        """Second derivatives [n, n]."""
        H: FloatArray = self.rows.T @ self.rows + np.diag(self.diagonal)
        return H

    @property
    def c(self) -> FloatArray:
        """First derivatives at zero [n]."""
        c: FloatArray = -self.rows.T @ self.aim - self.pull
        return c

    @property
    def c0(self) -> float:
        """Value at zero."""
        return 0.5 * float(self.aim @ self.aim) + self.constant

    def evaluate(self, z: FloatArray) -> float:
        """The objective at z."""
        miss = self.rows @ z - self.aim
        return float(0.5 * miss @ miss + 0.5 * self.diagonal @ z**2 - self.pull @ z) + self.constant

    def __add__(self, other: Objective) -> Objective:
        """Both at once."""
        return Objective(
            np.concatenate([self.rows, other.rows]), np.concatenate([self.aim, other.aim]),
            self.diagonal + other.diagonal, self.pull + other.pull, self.constant + other.constant,
        )  # fmt: skip

    def __mul__(self, weight: float) -> Objective:
        """The same, `weight` times as important; 0 switches it off."""
        if weight < 0.0:
            raise ValueError(f"a weight of {weight:g} would reward the opposite; give a number from 0 on")
        root = float(np.sqrt(weight))
        return Objective(
            root * self.rows,
            root * self.aim,
            weight * self.diagonal,
            weight * self.pull,
            weight * self.constant,
        )

    __rmul__ = __mul__


def want_nothing(size: int) -> Objective:
    """The objective that is zero, to start sums with."""
    return Objective(np.zeros((0, size)), np.zeros(0), np.zeros(size), np.zeros(size))


def want_rows(
    rows: FloatArray, offset: FloatArray, target: FloatArray, weight: FloatArray | float = 1.0
) -> Objective:
    """1/2 sum_k weight_k (rows_k z + offset_k - target_k)^2, for rows [k, n] over the variables."""
    root = np.sqrt(np.broadcast_to(np.asarray(weight, np.float64), np.shape(offset)))
    size = rows.shape[1]
    return Objective(
        root[:, None] * rows, root * (np.asarray(target) - offset), np.zeros(size), np.zeros(size)
    )


def want_values(
    size: int, which: IntArray | slice, value: FloatArray | float, weight: FloatArray | float
) -> Objective:
    """1/2 sum weight_i (z_i - value_i)^2 over the variables `which`: effort, smoothness, forces."""
    diagonal, centre = np.zeros(size), np.zeros(size)
    diagonal[which], centre[which] = weight, value
    pull = diagonal * centre
    return Objective(np.zeros((0, size)), np.zeros(0), diagonal, pull, 0.5 * float(pull @ centre))


@dataclass(frozen=True)
class Response:
    """How velocities of a body at the end of the step follow from muscles u and contact impulses f.

    v = free + muscles u + contacts f, with free [rates], muscles [rates, m], contacts [rates, 3 contacts]: the columns
    of A^-1 for each muscle and for each row (n, t, s) of each contact.
    """

    free: FloatArray
    muscles: FloatArray
    contacts: FloatArray


def want_rates(
    quantity: FloatArray, target: FloatArray, weight: FloatArray | float, response: Response
) -> Objective:
    """That quantity v comes near target, as an objective over (u, f); quantity [k, rates] as in `quantities`."""
    rows = np.concatenate([quantity @ response.muscles, quantity @ response.contacts], axis=1)
    return want_rows(rows, quantity @ response.free, np.asarray(target, np.float64), weight)
