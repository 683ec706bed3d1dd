"""Brute force: whether the condition of a contact follows from those of others with the same normal."""

import numpy as np
from scipy.optimize import linprog


def is_carried(point, gap, points, gaps, tolerance):
    """Whether weights >= 0 that sum to 1 exist with sum w_i p_i = p and sum w_i g_i <= g, up to the tolerance [m].

    Points are given by two coordinates in the plane of contact.
    """
    away = (points - point) / tolerance
    found = linprog(
        gaps, np.vstack([away.T, -away.T]), np.ones(4), np.ones((1, len(points))), [1.0], bounds=(0, None)
    )  # fmt: skip
    return found.status == 0 and found.fun <= gap + tolerance
