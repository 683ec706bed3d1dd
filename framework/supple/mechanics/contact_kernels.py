"""The contacts of a step as rows of one table, to be kept."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def keep_contacts(
    first,  # model: where the elements of every surface begin
    count, surface, element, point, normal, force, gap,  # in
    kept_out, count_out,
):  # fmt: skip
    """One row a contact: elements of A and B, point half-way, normal, force on A, gap."""
    for c in range(count[0]):
        for side in range(2):
            kept_out[c, side] = first[surface[c, side]] + element[c, side]
        for k in range(3):
            kept_out[c, 2 + k] = 0.5 * (point[c, 0, k] + point[c, 1, k])
            kept_out[c, 5 + k] = normal[c, k]
            kept_out[c, 8 + k] = force[c, k]
        kept_out[c, 11] = gap[c]
    count_out[0] = count[0]
