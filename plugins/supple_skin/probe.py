"""The probe: rows of the skin against differences of the blending, sparse W against a dense product, in a run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.core.arrays import FloatArray, IntArray
from supple.core.build import Build
from supple.core.schedule import Bound, Phase, System
from supple.mechanics.block_matrix import BlockMatrix
from supple.mechanics.problem import ConstraintProblem
from supple_bones.layout import TREE, V_COUNT, V_FIRST
from supple_ghost.mechanism import Ghosts
from supple_skin.oracle import place_bones, place_vertex, shift_coordinates
from supple_skin.systems import list_owners, name_blends
from supple_skin.tables import SkinBlend

#: Plain Python takes a while: only every so many steps, and so many contacts, are looked at.
EVERY, CONTACTS = 20, 4
#: Half of a central difference [rad, m].
NUDGE = 1e-5


def spread_blocks(ghosts: Ghosts, groups: int) -> FloatArray:
    """J of all ghosts over all groups, dense, [3 groups, rates]."""
    blocks, rates = ghosts.jacobian, len(ghosts.dof)
    J = np.zeros((3 * groups, rates + blocks.width))
    for block in range(blocks.count.item(0)):
        row, column = 3 * blocks.group[block], blocks.dof[block]
        J[row : row + 3, column : column + blocks.width] += blocks.values[block]
    return J[:, :rates]


def compare_delassus(ghosts: Ghosts, W: BlockMatrix, J: FloatArray, mobility: FloatArray) -> float:
    """Greatest entry of W - J A^-1 J^T of the ghosts, by the roots of its diagonal; `mobility` is A^-1."""
    groups, blocks = W.group_count, W.block_count
    own = BlockMatrix.from_arrays(W.indptr[: groups + 1], W.indices[:blocks], np.zeros((blocks, 3, 3)))
    ghosts.add_delassus(own)
    sparse, dense = own.to_dense(np.full(groups, 3, np.int64)), (J * mobility) @ J.T
    moved = np.diag(dense) > 0.0
    root = np.sqrt(np.diag(dense)[moved])
    wrong = np.abs(sparse - dense)
    return float(
        (wrong[moved][:, moved] / np.outer(root, root)).max(initial=0.0) + wrong[~moved].max(initial=0.0)
    )


class ProbeSkins(System):
    """Every few steps: greatest relative gaps of J and of W; README, Probe."""

    phase = Phase.OBSERVE
    ghost = ("ghost.bone", "ghost.frame", "ghost.q", "ghost.stiffness", "ghost.recovery")
    contacts = tuple(
        f"contacts.{name}"
        for name in ("count", "surface", "element", "weights", "group", "directions", "force")
    )

    def __init__(self, build: Build) -> None:
        self.skins = [
            (owner, entity)
            for owner, entity in zip(list_owners(build), build.having("skin"), strict=True)
            if entity.components["skin"].probe
        ]
        owners = [owner for owner, _ in self.skins]
        blends = (*name_blends(owners), *(f"{owner}.triangles" for owner in owners))
        more = ("run.step", "rows.problem", *Ghosts.reads, *self.ghost, *self.contacts, *blends)
        self.reads = tuple(dict.fromkeys(more)) if self.skins else ()
        self.writes = tuple(f"{owner}.probed" for owner in list_owners(build))

    def bind(self, arrays: Bound) -> Callable[[], None]:
        """Bind the rows of the step; without a probe there is nothing to do."""
        if not self.skins:
            return lambda: None
        build, step = arrays.build, arrays["run.step"]
        ghosts: Ghosts = next(one for one in build.members("mechanisms") if one.name == Ghosts.name)
        problem: ConstraintProblem = arrays.record("rows.problem")
        h = arrays.h
        mobility = 1.0 / (h * (h + arrays["ghost.recovery"]) * arrays["ghost.stiffness"])
        skins = [
            (SkinRows(arrays, owner, path.path), arrays[f"{owner}.probed"]) for owner, path in self.skins
        ]

        def probe() -> None:
            for _, probed in skins:
                probed[:] = 0.0
            if step.item(0) % EVERY or problem.count == 0:
                return
            J = spread_blocks(ghosts, problem.count)
            gap = compare_delassus(ghosts, problem.W, J, mobility)
            for skin, probed in skins:
                probed[:] = skin.compare_rows(J), gap

        return probe


class SkinRows:
    """The contacts of one skin, whose rows are looked at."""

    def __init__(self, arrays: Bound, owner: str, path: str) -> None:
        """`owner` begins the names of its arrays, `path` is its entity."""
        self.bone, self.frame, self.q = (arrays[f"ghost.{part}"] for part in ("bone", "frame", "q"))
        self.count, self.surface = arrays["contacts.count"], arrays["contacts.surface"]
        self.element, self.weights = arrays["contacts.element"], arrays["contacts.weights"]
        self.group, self.directions = arrays["contacts.group"], arrays["contacts.directions"]
        self.force, self.blend = arrays["contacts.force"], arrays.take(SkinBlend, owner)
        self.triangles = arrays[f"{owner}.triangles"]
        self.number = [each.name for each in arrays.build.members("surfaces")].index(owner)
        tree = [entity.path for entity in arrays.build.having("ghost")].index(path)
        mine = self.bone[self.bone[:, TREE] == tree]
        self.rates = np.concatenate([np.arange(row[V_FIRST], row[V_FIRST] + row[V_COUNT]) for row in mine])

    def compare_rows(self, J: FloatArray) -> float:
        """Greatest entry of J - dp/dq on the contacts that press most, by the greatest of dp/dq."""
        chosen = self._choose()
        if not len(chosen):
            return 0.0
        points = [self._place(chosen, shift_coordinates(self.bone, self.q, k, NUDGE)) for k in self.rates]
        others = [self._place(chosen, shift_coordinates(self.bone, self.q, k, -NUDGE)) for k in self.rates]
        slope = (np.array(points) - np.array(others)) / (2.0 * NUDGE)
        wrong, greatest = 0.0, 0.0
        for n, c in enumerate(chosen):
            expected = self.directions[c] @ slope[:, n].T
            row = 3 * self.group[c]
            wrong = max(wrong, np.abs(J[row : row + 3, self.rates] - expected).max())
            greatest = max(greatest, np.abs(expected).max())
        return float(wrong / greatest)

    def _choose(self) -> IntArray:
        surface = self.surface[: self.count.item(0)]
        touching = np.flatnonzero((surface == self.number).any(axis=1))
        size = np.linalg.norm(self.force[touching], axis=1)
        return touching[np.argsort(-size, kind="stable")[:CONTACTS]]

    def _place(self, chosen: IntArray, q: FloatArray) -> list[FloatArray]:
        """Where the points of these contacts on the skin are at coordinates q, side A less side B."""
        poses = place_bones(self.bone, self.frame, q)
        surface, element, weights = self.surface, self.element, self.weights
        places = []
        for c in chosen:
            total = np.zeros(3)
            for side in np.flatnonzero(surface[c] == self.number):
                for share, corner in zip(weights[c, side], self.triangles[element[c, side]], strict=True):
                    place = place_vertex(poses, *(part[corner] for part in self.blend))
                    total += (1 - 2 * side) * share * place
            places.append(total)
        return places
