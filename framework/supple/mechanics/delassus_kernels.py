"""W += J (A^-1 J^T) column by column, for mechanisms that can only say what A^-1 does to vectors; see `delassus`."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def number_columns(jacobian, group_count, column_out):
    """column_out[g, row]: number of the row among those that this mechanism has, -1 for others. Returns how many."""
    for g in range(group_count):
        for row in range(3):
            column_out[g, row] = -1
    found = 0
    for k in range(jacobian.counts[0]):
        g = jacobian.group[k]
        for row in range(3):
            if column_out[g, row] >= 0:
                continue
            for c in range(jacobian.values.shape[2]):
                if jacobian.values[k, row, c] != 0.0:
                    column_out[g, row] = found
                    found += 1
                    break
    return found


@njit
def spread_columns(jacobian, column, count, columns_out):
    """columns_out[column] = the rows of J, [count, rates]."""
    for k in range(count):
        for c in range(columns_out.shape[1]):
            columns_out[k, c] = 0.0
    for k in range(jacobian.counts[0]):
        first = jacobian.dof[k]
        for row in range(3):
            place = column[jacobian.group[k], row]
            if place >= 0:
                for c in range(jacobian.values.shape[2]):
                    columns_out[place, first + c] += jacobian.values[k, row, c]


@njit
def add_products(jacobian, column, response, blocks_out):
    """W += J response^T, response [count, rates] being A^-1 of the rows of J."""
    indptr, indices, W = blocks_out.indptr, blocks_out.indices, blocks_out.values
    values = jacobian.values
    for k in range(jacobian.counts[0]):
        first = jacobian.dof[k]
        for p in range(indptr[jacobian.group[k]], indptr[jacobian.group[k] + 1]):
            for b in range(3):
                place = column[indices[p], b]
                if place < 0:
                    continue
                for a in range(3):
                    total = 0.0
                    for c in range(values.shape[2]):
                        total += values[k, a, c] * response[place, first + c]
                    W[p, a, b] += total
