"""The primitive shapes that collide, and what their three sizes [m] mean in the shape's own frame."""

from __future__ import annotations

# size = (radius, 0, 0). For the kernels a sphere is a capsule whose segment has no length.
SPHERE = 0
# size = half extents along the local axes.
BOX = 1
# size = (radius, half length of the segment along local y, 0).
CAPSULE = 2
# The half-space below local y = 0; its outward normal is local +y. Sizes are not used.
PLANE = 3
# size = (radius, half length along local y, 0). Its ends are flat.
CYLINDER = 4
# size = (radius of the base, half height along local y, 0). The base is at local y = -half, the apex at +half.
CONE = 5
# size = half lengths along the local axes.
ELLIPSOID = 6

# Kinds from here on are solids, which kernels of their own look at (`solids`).
FIRST_SOLID = CYLINDER

# The carrier and the group of a shape that nothing moves.
STANDS_STILL = -1
