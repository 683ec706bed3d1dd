"""All contacts of primitives with primitives, in one call."""

from __future__ import annotations

from supple.core.jit import njit
from supple_collide.contact_kernels import describe_contacts
from supple_collide.kernel_arrays import Contacts, Manifold, Objects, Shapes
from supple_collide.primitives.broad_kernels import find_pairs
from supple_collide.primitives.narrow_kernels import find_contacts
from supple_collide.primitives.pose_kernels import fill_rotations


@njit
def find_primitive_pairs(
    shapes: Shapes, objects: Objects, surface_number, object_count, order, bounds, pairs, manifold: Manifold,
    shape, feature, contacts: Contacts,
):  # fmt: skip
    """Broad phase, narrow phase, and description: (pairs, contacts). Those beyond the capacities are not written.

    See `find_pairs` and `find_contacts`. The arrays from `order` to `feature` are scratch.
    """
    fill_rotations(shapes.q, shapes.rotation)
    for i in range(order.size):  # a sort that starts anew: the result must not depend on steps before
        order[i] = i
    pair_count = find_pairs(shapes, objects, object_count, order, bounds, pairs)
    found = find_contacts(
        shapes, pairs, min(pair_count, pairs.shape[0]), manifold, shape, feature, contacts.point, contacts.normal,
        contacts.gap,
    )  # fmt: skip
    room = min(found, contacts.gap.size)
    describe_contacts(objects, surface_number, object_count, room, shape, feature, contacts)
    return pair_count, found


@njit
def find_and_count_pairs(
    shapes: Shapes, objects: Objects, surface_number, object_count, order, bounds, pairs, manifold: Manifold,
    shape, feature, contacts: Contacts, pairs_out, count_out,
):  # fmt: skip
    """The same with both numbers as arrays [1]; returns whether there is too little room for one of them."""
    pairs_out[0], count_out[0] = find_primitive_pairs(
        shapes,
        objects,
        surface_number,
        object_count,
        order,
        bounds,
        pairs,
        manifold,
        shape,
        feature,
        contacts,
    )
    return pairs_out[0] > pairs.shape[0] or count_out[0] > contacts.gap.size
