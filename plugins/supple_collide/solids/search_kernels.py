"""All contacts of primitives with primitives, in one call, where some of them are solids."""

from __future__ import annotations

from supple.core.jit import njit
from supple_collide.contact_kernels import describe_contacts
from supple_collide.kernel_arrays import Contacts, Manifold, Objects, Shapes
from supple_collide.primitives.broad_kernels import find_pairs
from supple_collide.primitives.narrow_kernels import find_contacts
from supple_collide.primitives.pose_kernels import fill_rotations
from supple_collide.solids.solid_kernels import Solids, find_solid_contacts


@njit
def find_and_count_all_pairs(
    shapes: Shapes, objects: Objects, surface_number, object_count, order, bounds, pairs, manifold: Manifold,
    solids: Solids, shape, feature, contacts: Contacts, pairs_out, count_out,
):  # fmt: skip
    """`find_and_count_pairs` of scenes that have solids; their contacts come last."""
    fill_rotations(shapes.q, shapes.rotation)
    for i in range(order.size):
        order[i] = i
    pair_count = find_pairs(shapes, objects, object_count, order, bounds, pairs)
    near = min(pair_count, pairs.shape[0])
    point, normal, gap = contacts.point, contacts.normal, contacts.gap
    found = find_contacts(shapes, pairs, near, manifold, shape, feature, point, normal, gap)
    found = find_solid_contacts(
        shapes, pairs, near, manifold, solids, found, shape, feature, point, normal, gap
    )
    describe_contacts(
        objects, surface_number, object_count, min(found, gap.size), shape, feature, contacts
    )  # fmt: skip
    pairs_out[0], count_out[0] = pair_count, found
    return pair_count > pairs.shape[0] or found > gap.size
