"""A second look at a step whose own impulses drove something farther than was looked at."""

from __future__ import annotations

import numpy as np

from supple.core.arrays import IntArray
from supple.core.build import Build
from supple.core.jit import bind_kernel
from supple.core.schedule import Bound, Call, Phase, System, Work
from supple.core.state_kernels import clear, is_either_set
from supple.mechanics.deforming import DeformingSurface, find_rows
from supple.mechanics.mechanism import Carrier
from supple_collide.finders import SHAPES
from supple_collide.kernel_arrays import Mounts, name_arrays
from supple_collide.looking_kernels import (
    find_carried_vertices,
    find_driven_shapes,
    find_driven_vertices,
    is_anything_near,
)
from supple_collide.meshes.columns import BENDS, FIRST_VERTEX, LAST_VERTEX
from supple_collide.meshes.compile import list_deforming
from supple_collide.meshes.systems import has_meshes


class LookAgain(System):
    """Asks for the step to be run again, with a farther look at what came farther than its reach: README eq. (5).

    The state is that of the start, so that contacts are found before anything has passed through anything.
    """

    phase = Phase.ADVANCE

    def __init__(self, build: Build) -> None:
        self.meshes, self.deforming = has_meshes(build), list_deforming(build)
        # A skin that only follows its bones has no velocities after the step: its places tell.
        specs = build.arrays.specs
        self.driven = {each.name for each in self.deforming if specs[each.velocities].kind == "state"}
        self.owners = ("collide", "mesh") if self.meshes else ("collide",)
        carriers: list[Carrier] = build.members("carriers")
        self.ahead = [f"{owner}.ahead" for owner in self.owners]
        if self.meshes:
            self.ahead.append("mesh.vertex_ahead")
        mounts = [name for owner in self.owners for name in (*name_arrays(owner, Mounts), f"{owner}.reach")]
        frames = [f"{each.twist}.next" for each in carriers]
        bending = [name for each in self.deforming for name in self._name_moves(each)]
        self.reads = (
            *mounts, *frames, *bending, *SHAPES, "collide.group", "collide.looks", *self.ahead,
            *(("mesh.table", "mesh.vertex_short") if self.meshes else ()),
        )  # fmt: skip
        self.writes = ("run.again", "collide.looks.next", *(f"{name}.next" for name in self.ahead))

    def _name_moves(self, surface: DeformingSurface) -> tuple[str, ...]:
        """The arrays that tell how far its vertices came."""
        if surface.name in self.driven:
            return (f"{surface.velocities}.next",)
        return surface.positions, f"{surface.positions}.next"

    def bind(self, arrays: Bound) -> Work:
        """Bind what moved, and how far it was looked at."""
        collide = arrays.build.settings("collide")
        driven: IntArray = np.zeros(1, np.int64)  # how many shapes and vertices came too far
        looking = self._look_at_frames(arrays, driven) + self._look_at_vertices(arrays, driven)
        ahead_next = [arrays[f"{name}.next"] for name in self.ahead]
        looks, looks_next, again = arrays["collide.looks"], arrays["collide.looks.next"], arrays["run.again"]
        is_near = bind_kernel(
            is_anything_near, collide.margin, collide.sudden_speed, arrays.h, arrays["collide.kind"],
            arrays["collide.size"], arrays["collide.x"], arrays["collide.q"], arrays["collide.group"],
            arrays["collide.carrier"], arrays["collide.reach"], arrays["collide.ahead"], ahead_next[0],
        )  # fmt: skip

        def decide() -> None:
            count = looks.item(0)
            again[0] = driven[0] > 0 and count < collide.looks and (self.meshes or is_near())
            looks_next[0] = count + 1 if again[0] else 0
            if not again[0]:
                for values in ahead_next:
                    values[:] = 0.0

        return [Call(clear, driven), *looking, Call(is_either_set, driven, looks, otherwise=decide)]

    def _look_at_frames(self, arrays: Bound, driven: IntArray) -> list[Call]:
        """For every carrier, what finds its shapes and meshes that came too far."""
        found = []
        for owner in self.owners:
            mounts = arrays.take(Mounts, owner)
            for number, each in enumerate(arrays.build.members("carriers")):
                shape = np.flatnonzero(mounts.carrier == number)
                if len(shape):
                    mine = (shape, mounts.frame[shape], mounts.extent, arrays[f"{each.twist}.next"])
                    reach, ahead = arrays[f"{owner}.reach"], arrays[f"{owner}.ahead.next"]
                    found.append(Call(find_driven_shapes, arrays.h, *mine, reach, ahead, driven))
        return found

    def _look_at_vertices(self, arrays: Bound, driven: IntArray) -> list[Call]:
        """For every surface that bends, what finds its vertices that came too far."""
        if not self.deforming:
            return []
        table, short = arrays["mesh.table"], arrays["mesh.vertex_short"]
        ahead = arrays["mesh.vertex_ahead.next"]
        first = int(np.argmax(table[:, BENDS]))
        begin, found = table[first, FIRST_VERTEX], []
        for mesh, each in enumerate(self.deforming, start=first):
            rows = slice(table[mesh, FIRST_VERTEX], table[mesh, LAST_VERTEX])
            mine = slice(rows.start - begin, rows.stop - begin)
            moved = [arrays[name][find_rows(each)] for name in self._name_moves(each)]
            find = find_driven_vertices if each.name in self.driven else find_carried_vertices
            looked = arrays["mesh.reach"], short[rows], ahead[mine]
            found.append(Call(find, mesh, arrays.h, *moved, *looked, driven))
        return found
