"""What touches an entity, as State that controllers may read in the next step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.mechanics.owners import list_owners


class Touch(NamedTuple):
    """Of the contacts of the last step on every entity that owns elements, and on all that its frame moves.

    The entities are the labels of the arrays `touch.*`. Contact points are those of the step's start.
    """

    force: FloatArray  # [n, 3] on the entity, in the world [N]
    torque: FloatArray  # [n, 3] on the entity, about the world's origin [N m]
    normal_force: FloatArray  # [n] sum of the sizes of the normal forces [N]
    count: IntArray  # type: ignore[assignment]  # [n] contact points that press; hides tuple.count
    centre: FloatArray  # [n, 3] centre of pressure in the world [m]; zero while nothing presses


ATTRIBUTES = {
    "force": "contact_force",
    "torque": "contact_torque",
    "normal_force": "contact_normal_force",
    "count": "contact_count",
    "centre": "contact_centre",
}
"""What `world[path]` calls a field of `Touch`."""


def compile_touch(build: Build) -> None:
    """Declare the arrays, and show them by the names of the entities."""
    paths = list_owners(build)
    n = len(paths)
    for name, shape, unit, doc, dtype in (
        ("force", (n, 3), "N", "Contact force on an entity, in the world.", np.float64),
        ("torque", (n, 3), "N m", "Its torque about the world's origin.", np.float64),
        ("normal_force", (n,), "N", "Sum of the normal forces.", np.float64),
        ("count", (n,), "1", "Contact points that press.", np.int64),
        ("centre", (n, 3), "m", "Centre of pressure in the world; zero without normal force.", np.float64),
    ):
        build.add_state(f"touch.{name}", np.zeros(shape), unit=unit, doc=doc, labels=paths, dtype=dtype)
    for row, path in enumerate(paths):
        for name, attribute in ATTRIBUTES.items():
            build.expose(path, attribute, f"touch.{name}", row)
