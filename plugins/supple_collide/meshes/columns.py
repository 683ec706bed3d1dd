"""Columns of the two tables that kernels know meshes by.

mesh_table: number of the object, first triangle, root of the tree, grid (-1: it has a tree), whether it bends,
first and last vertex, whether neighbours within it may be paired. mesh_sizes [m]: size of its coordinates, depth to
which it is solid behind its surface, the slack within which a point beside a face counts as above it, how far it is
solid outside its box, centre and half sizes of the box around its rest shape, in its own frame, and how deep its parts
overlap at most.
"""

from __future__ import annotations

OBJECT, FIRST, ROOT, GRID, BENDS, FIRST_VERTEX, LAST_VERTEX, NEIGHBOURS = range(8)
SCALE, DEPTH, SLACK, BEHIND, CENTRE, HALF, DEEPEST = 0, 1, 2, 3, 4, 7, 10
