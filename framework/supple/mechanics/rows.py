"""The laws that rows obey, by the integer code that kernels see.

A *group* is what a law speaks about: one row, or the three rows (n, t, s) of a contact. With lambda the
impulse of the group and v the velocities of all mechanisms, its row velocity is

    u = sum J v + bias + E lambda        E = diag(compliance) >= 0

and each law ties u to lambda (a linear row has u in m/s and lambda in N s, an angular row rad/s and N m s):

BILATERAL   u = 0, lambda free. Joints.
UNILATERAL  0 <= lambda, 0 <= u, lambda u = 0. Limits and frictionless contacts.
COULOMB     rows n, t, s. With D = diag(scale_t, scale_s) and r = D^-1 lambda_T, w = D u_T:
            0 <= lambda_n, 0 <= u_n, lambda_n u_n = 0;
            |r| <= mu lambda_n;  w = 0, or |r| = mu lambda_n and w = -a r with a > 0.
            With scale one this is Coulomb's law. Otherwise the friction impulse lies in an ellipse with
            half axes mu scale_t lambda_n and mu scale_s lambda_n and removes as much energy as it can; a
            scale of zero means no friction along that axis.
            In one line: the vectors (lambda_n, r) and (u_n + mu |w|, w) lie in the cone |r| <= mu lambda_n
            and in its dual, and are orthogonal to each other.
BOUNDED     lower <= lambda <= upper; u = 0 inside, u >= 0 at the lower and u <= 0 at the upper bound. Motors.
COMPLIANT   as BOUNDED, with E > 0 inside u: springs and dampers, also such that can give only so much.

Restitution and push-out of penetration are not laws. Whoever makes the rows puts the push-out into the bias; what
bounces does so before (`impacts`).
"""

from __future__ import annotations

from typing import Final

BILATERAL: Final = 0
UNILATERAL: Final = 1
COULOMB: Final = 2
BOUNDED: Final = 3
COMPLIANT: Final = 4

LAW_NAMES: Final = ("bilateral", "unilateral", "coulomb", "bounded", "compliant")
"""Name of a law by its code."""

ROWS_OF_LAW: Final = (1, 1, 3, 1, 1)
"""Number of rows in a group by the code of its law."""
