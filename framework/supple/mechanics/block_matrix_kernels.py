"""Kernels of the block-sparse symmetric matrix; see `block_matrix` for the layout."""

from __future__ import annotations

from supple.core.jit import njit, njit_inlined


@njit_inlined
def find_block(indptr, indices, row, column):
    """Position of block (row, column), or -1 where the pattern has none. Columns of a row are sorted."""
    low = indptr[row]
    high = indptr[row + 1] - 1
    while low <= high:
        middle = (low + high) // 2
        found = indices[middle]
        if found == column:
            return middle
        if found < column:
            low = middle + 1
        else:
            high = middle - 1
    return -1


@njit
def clear_blocks(count, values_out):
    """The first `count` blocks become zero."""
    for p in range(count):
        for row in range(3):
            for column in range(3):
                values_out[p, row, column] = 0.0


@njit
def sort_by_unit(group, unit, incidence_count, unit_count, unit_start_out, groups_of_unit_out):
    """List the groups that touch each unit: groups_of_unit_out[unit_start_out[k]:unit_start_out[k + 1]]."""
    for k in range(unit_count + 1):
        unit_start_out[k] = 0
    for k in range(incidence_count):
        unit_start_out[unit[k] + 1] += 1
    for k in range(unit_count):
        unit_start_out[k + 1] += unit_start_out[k]
    for k in range(incidence_count):
        groups_of_unit_out[unit_start_out[unit[k]]] = group[k]
        unit_start_out[unit[k]] += 1
    for k in range(unit_count, 0, -1):  # filling moved every start to the next one
        unit_start_out[k] = unit_start_out[k - 1]
    unit_start_out[0] = 0


@njit
def count_pattern(
    group_start, units_of_group, unit_start, groups_of_unit, group_count,
    mark_out, indptr_out,
):  # fmt: skip
    """Row starts of the pattern: groups are coupled that touch a common unit. Returns the block count."""
    for i in range(group_count):
        mark_out[i] = -1
    indptr_out[0] = 0
    for i in range(group_count):
        mark_out[i] = i
        length = 1
        for a in range(group_start[i], group_start[i + 1]):
            k = units_of_group[a]
            for b in range(unit_start[k], unit_start[k + 1]):
                j = groups_of_unit[b]
                if mark_out[j] != i:
                    mark_out[j] = i
                    length += 1
        indptr_out[i + 1] = indptr_out[i] + length
    return indptr_out[group_count]


@njit
def measure_pattern(group, unit, group_count, unit_count, count, scratch, indptr_out):
    """Sort the first `count` incidences both ways and find the row starts of the pattern. Returns the block count."""
    sort_by_unit(group, unit, count, unit_count, scratch.unit_start, scratch.groups_of_unit)
    sort_by_unit(unit, group, count, group_count, scratch.group_start, scratch.units_of_group)
    return count_pattern(
        scratch.group_start, scratch.units_of_group, scratch.unit_start, scratch.groups_of_unit, group_count,
        scratch.mark, indptr_out,
    )  # fmt: skip


@njit
def build_pattern(group_count, scratch, blocks_out):
    """Columns of the pattern that `measure_pattern` measured, sorted in each row; values are set to zero.

    The pattern is symmetric, so row i is entered as a column into the rows of its neighbours. Rows are taken
    in rising order: every row receives its columns already sorted.
    """
    group_start, units_of_group = scratch.group_start, scratch.units_of_group
    unit_start, groups_of_unit = scratch.unit_start, scratch.groups_of_unit
    mark, next_place = scratch.mark, scratch.next
    indptr, indices, values = blocks_out.indptr, blocks_out.indices, blocks_out.values
    for i in range(group_count):
        mark[i] = -1
        next_place[i] = indptr[i]
    for i in range(group_count):
        mark[i] = i
        blocks_out.diagonal[i] = next_place[i]
        indices[next_place[i]] = i
        next_place[i] += 1
        for a in range(group_start[i], group_start[i + 1]):
            k = units_of_group[a]
            for b in range(unit_start[k], unit_start[k + 1]):
                j = groups_of_unit[b]
                if mark[j] != i:
                    mark[j] = i
                    indices[next_place[j]] = i
                    next_place[j] += 1
    clear_blocks(indptr[group_count], values)


@njit
def is_all_coupled(group, unit, group_count, count, mark_out):
    """Whether there is but one unit, and every group touches it."""
    for i in range(group_count):
        mark_out[i] = 0
    one, touching = True, 0
    for k in range(count):
        one &= unit[k] == unit[0]
        touching += mark_out[group[k]] == 0
        mark_out[group[k]] = 1
    return one and touching == group_count


@njit
def fill_pattern(group_count, blocks_out):
    """The pattern of groups that are all coupled; values are set to zero."""
    indptr, indices, values = blocks_out.indptr, blocks_out.indices, blocks_out.values
    for i in range(group_count):
        row = indices[i * group_count : (i + 1) * group_count]
        for j in range(row.size):
            row[j] = j
        blocks_out.diagonal[i] = i * group_count + i
        indptr[i + 1] = (i + 1) * group_count
    clear_blocks(group_count * group_count, values)


@njit
def is_known(group, unit, group_count, count, scratch, blocks):
    """Whether these are the incidences that the stored pattern was made of, and nobody stored another since."""
    known = scratch.known
    if known[2] == 0 or known[0] != group_count or known[1] != count:
        return False
    if blocks.indptr[group_count] != known[2]:
        return False
    differing = 0
    for k in range(count):
        differing += scratch.known_group[k] != group[k] or scratch.known_unit[k] != unit[k]
    return differing == 0


@njit
def keep_known(group, unit, group_count, count, blocks, scratch):
    """Remember what the stored pattern is made of."""
    known = scratch.known
    known[0], known[1], known[2] = group_count, count, blocks
    for k in range(count):
        scratch.known_group[k] = group[k]
        scratch.known_unit[k] = unit[k]


@njit
def set_pattern(group, unit, scratch, blocks_out, group_count, unit_count, count):
    """The pattern of `count` incidences, if there is room for its blocks; returns how many there are.

    One that is stored already, as in most steps of what rests, is taken as it is. Values are set to zero.
    """
    if is_known(group, unit, group_count, count, scratch, blocks_out):
        clear_blocks(scratch.known[2], blocks_out.values)
        return scratch.known[2]
    blocks = make_pattern(group, unit, scratch, blocks_out, group_count, unit_count, count)
    fits = blocks <= blocks_out.indices.shape[0]
    keep_known(group, unit, group_count, count, blocks if fits else 0, scratch)
    return blocks


@njit
def make_pattern(group, unit, scratch, blocks_out, group_count, unit_count, count):
    """The same, made anew."""
    if is_all_coupled(group, unit, group_count, count, scratch.mark):  # contacts of one skeleton
        blocks_out.indptr[0] = 0
        if group_count * group_count <= blocks_out.indices.shape[0]:
            fill_pattern(group_count, blocks_out)
        return group_count * group_count
    blocks = measure_pattern(group, unit, group_count, unit_count, count, scratch, blocks_out.indptr)
    if blocks <= blocks_out.indices.shape[0]:
        build_pattern(group_count, scratch, blocks_out)
    return blocks


@njit
def couple_groups(counts, incidences, unit_count, scratch, blocks_out, sizes_out):
    """The pattern of counts[0] groups; returns whether there is no room for its blocks."""
    sizes_out[0] = counts[0]
    sizes_out[1] = set_pattern(
        incidences.group, incidences.unit, scratch, blocks_out, counts[0], unit_count, incidences.counts[0]
    )
    return sizes_out[1] > blocks_out.indices.shape[0]


@njit
def join_incidences(jacobian, first_unit, incidences_out):
    """Append those of one mechanism, whose units are numbered from first_unit on."""
    count = incidences_out.counts[0]
    for k in range(jacobian.counts[0]):
        incidences_out.group[count + k] = jacobian.group[k]
        incidences_out.unit[count + k] = jacobian.unit[k] + first_unit
    incidences_out.counts[0] = count + jacobian.counts[0]


@njit
def multiply(blocks, group_count, x, y_out):
    """y_out = W x, both [group_count, 3]."""
    indptr, indices, values = blocks.indptr, blocks.indices, blocks.values
    for i in range(group_count):
        y0 = 0.0
        y1 = 0.0
        y2 = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            x0 = x[j, 0]
            x1 = x[j, 1]
            x2 = x[j, 2]
            y0 += values[p, 0, 0] * x0 + values[p, 0, 1] * x1 + values[p, 0, 2] * x2
            y1 += values[p, 1, 0] * x0 + values[p, 1, 1] * x1 + values[p, 1, 2] * x2
            y2 += values[p, 2, 0] * x0 + values[p, 2, 1] * x1 + values[p, 2, 2] * x2
        y_out[i, 0] = y0
        y_out[i, 1] = y1
        y_out[i, 2] = y2


@njit
def mark_movable(count, group, unit, movable_out):
    """movable_out[g] > 0 for the groups of the first count[0] blocks; < 0 for rows between a unit and itself."""
    for k in range(count[0]):
        g = group[k]
        if movable_out[g] == 0:
            movable_out[g] = unit[k] + 1
        elif movable_out[g] == unit[k] + 1:
            movable_out[g] = -1


@njit
def clear_immovable_groups(blocks_out, group_count, threshold, movable_out):
    """Set the blocks of groups to zero whose diagonal is but round-off: no impulse moves them.

    Such a group is a row between neighbours that their joint keeps from moving along it. The threshold is
    relative to the largest diagonal; solvers give groups with zero diagonal no impulse. Groups that are known to be
    movable (> 0) stay as they are, however heavy beside the lightest; this mark is used up.
    """
    indptr, indices, diagonal, values = (
        blocks_out.indptr,
        blocks_out.indices,
        blocks_out.diagonal,
        blocks_out.values,
    )
    largest = 0.0
    for i in range(group_count):
        block = diagonal[i]
        largest = max(largest, values[block, 0, 0] + values[block, 1, 1] + values[block, 2, 2])
    for i in range(group_count):
        block = diagonal[i]
        trace = values[block, 0, 0] + values[block, 1, 1] + values[block, 2, 2]
        known = movable_out[i] > 0
        movable_out[i] = 0
        if known or trace > threshold * largest:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            mirror = find_block(indptr, indices, indices[p], i)
            for row in range(3):
                for column in range(3):
                    values[p, row, column] = 0.0
                    values[mirror, row, column] = 0.0


@njit
def clear_immovable(blocks_out, sizes, threshold, movable_out):
    """`clear_immovable_groups` of sizes[0] groups."""
    clear_immovable_groups(blocks_out, sizes[0], threshold, movable_out)
