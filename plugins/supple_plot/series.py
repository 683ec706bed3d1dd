"""The numbers behind the curves, read from a recording and not changed in any way.

Values that belong to a step (metrics, contacts) are zero in the first frame of a recording, because no step has
led to it; every series of such values begins with the second frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from supple.run.recording import Recording

Floats = NDArray[np.float64]
#: A contact bears weight if its normal is within 60 degrees of the vertical.
_UPRIGHT = 0.5


@dataclass(frozen=True)
class Line:
    """One curve: `label` says of what, `of` says of which recording."""

    label: str
    of: str
    x: Floats
    y: Floats

    def figures(self) -> dict[str, Any]:
        """What the curve comes to, over its frames with a value."""
        known = self.y[np.isfinite(self.y)]
        some = known.size > 0
        return {
            "label": self.label,
            "recording": self.of,
            "frames": int(self.y.size),
            "min": float(known.min()) if some else None,
            "max": float(known.max()) if some else None,
            "mean": float(known.mean()) if some else None,
            "last": float(known[-1]) if some else None,
        }


@dataclass(frozen=True)
class Panel:
    """Curves with common axes. `kind` "path" has places on both axes, in equal scales; "bars" has no curves
    but a length for each label, in the `y` of lines with one value. `from_zero`: the axis begins at
    zero; `whole`: it counts things."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    kind: Literal["time", "path", "bars"] = "time"
    log: bool = False
    from_zero: bool = False
    whole: bool = False


def metric_labels(recording: Recording) -> tuple[str, ...]:
    """The metrics that the recording follows."""
    return recording.labels("metrics.now") if "metrics.now" in recording.names else ()


def step_times(recording: Recording) -> Floats:
    """Times [s] of the frames that a step has led to."""
    return np.asarray(recording.times[1:], float)


def read_metric(recording: Recording, name: str) -> Floats:
    """A metric in every frame but the first, in its own unit."""
    column = metric_labels(recording).index(name)
    return np.asarray(recording.array("metrics.now")[1:, column], float)


def has_contacts(recording: Recording) -> bool:
    """Whether the recording says where contacts are, and with what force."""
    return {"contacts.force", "contacts.point", "contacts.normal"} <= set(recording.names)


def count_contacts(recording: Recording) -> Floats:
    """Number of contact points of every frame but the first."""
    return np.diff(recording.offsets("contacts.force"))[1:].astype(float)


def total_forces(recording: Recording) -> Floats:
    """Sums over all contacts of every frame but the first: (frames - 1, 2) in N.

    First the normal forces, then the magnitudes of the friction forces.
    """
    force, normal = recording.array("contacts.force"), recording.array("contacts.normal")
    along = np.einsum("ij,ij->i", force, normal)
    across = np.linalg.norm(force - along[:, None] * normal, axis=1)
    return _sum_frames(np.column_stack([along, across]), recording.offsets("contacts.force"))[1:]


def centre_of_pressure(recording: Recording) -> Floats:
    """Where the weight rests: (frames - 1, 3) in m, nan in frames in which nothing bears weight.

    The mean of the points of all contacts whose normal is within 60 degrees of the vertical, weighted by
    the vertical forces.
    """
    normal, force = recording.array("contacts.normal"), recording.array("contacts.force")
    weight = np.where(np.abs(normal[:, 1]) > _UPRIGHT, np.abs(force[:, 1]), 0.0)
    point = recording.array("contacts.point").mean(axis=1)
    rows = np.column_stack([weight, weight[:, None] * point])
    sums = _sum_frames(rows, recording.offsets("contacts.force"))[1:]
    total = sums[:, :1]
    centre = np.full((len(sums), 3), np.nan)
    np.divide(sums[:, 1:], total, out=centre, where=total > 0)
    return centre


def _sum_frames(rows: Floats, offsets: NDArray[Any]) -> Floats:
    """The sum over the rows of each frame, also of frames without any."""
    frame = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    sums = np.zeros((len(offsets) - 1, rows.shape[1]))
    np.add.at(sums, frame, rows)
    return sums
