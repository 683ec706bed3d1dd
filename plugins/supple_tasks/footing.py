"""What a controller stands on, from the contacts of the step, and the torques that this allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from supple.core.schedule import Call, Work
from supple.mechanics.dynamics import MOTION_SIZE
from supple_tasks.compile import get_tasks
from supple_tasks.honest import HonestForces, find_strength
from supple_tasks.records import Ground, Stands
from supple_tasks.support_kernels import add_supports, count_joints

if TYPE_CHECKING:
    from supple_tasks.controller import Controller

MOST_CONTACTS: Final = 16
CONTACTS: Final = (
    "contacts.count", "contacts.surface", "contacts.element", "contacts.point", "contacts.normal", "contacts.gap",
    "contacts.friction", "owners.first", "owners.carrier", "owners.frame",
)  # fmt: skip
"""The arrays that tell what stands where."""


def make_honest(controller: Controller) -> Footing | None:
    """For controllers that stand on contacts, or have bounds of strength."""
    tasks = get_tasks(controller.entity)
    if tasks.contacts == "honest" or tasks.strength:
        return Footing(controller)
    return None


class Footing:
    """The contacts of a controller, and its torques within strength and cones."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        motion = controller.motion
        labels = controller.dynamics.rate_labels
        strength = find_strength(
            get_tasks(controller.entity).strength, [labels[rate] for rate in motion.actuated]
        )
        self.forces = HonestForces(motion, strength, MOST_CONTACTS)
        self.forces.bind(
            controller.wishes, controller.bounds, controller.choice, controller.room, controller.answer
        )
        #: Rows of the contacts of the step, after those of joints.
        self.work: list[Work] = [Call(count_joints, motion, self.forces.holds.counts)]
        if get_tasks(controller.entity).contacts == "honest":
            self.work += self._bind_supports()

    def _bind_supports(self) -> list[Work]:
        """What follows the frames of what stands, and makes rows of contacts."""
        controller, arrays = self._controller, self._controller.arrays
        dynamics, build = controller.dynamics, controller.arrays.build
        carriers = [carrier.name for carrier in build.members("carriers")]
        chosen = set(get_tasks(controller.entity).stands)
        bones = build.arrays.specs["skeleton.bone"].labels
        slot = np.full((len(carriers), 1 + max(self._count_frames())), -1, np.int64)
        places: list[Any] = []
        for path in dict.fromkeys(dynamics.rate_labels):
            frame = build.frames[path]
            row = carriers.index(frame.carrier)
            slot[row, frame.index] = -2
            if frame.carrier == "skeleton" and path in bones and (not chosen or path in chosen):
                slot[row, frame.index] = len(places)
                places.append((dynamics.locate(("skeleton", frame.index)).frame, 0.0, 0.0, 0.0))
        stands = Stands(
            slot=slot, motion=np.zeros((len(places), MOTION_SIZE)), jacobian=np.zeros((len(places), 6, dynamics.size)),
            point=np.zeros((MOST_CONTACTS, 3)), friction=self.forces.holds.friction,
        )  # fmt: skip
        ground = Ground(**{name.partition(".")[2]: arrays[name] for name in CONTACTS})
        follow = dynamics.bind_frame_work(places, range(len(places)), 0, stands.motion, stands.jacobian)
        return [follow, Call(add_supports, ground, stands, controller.motion, self.forces.holds.counts)]

    def _count_frames(self) -> list[int]:
        return [int(frame.index) for frame in self._controller.arrays.build.frames.values()]
