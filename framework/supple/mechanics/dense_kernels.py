"""The whole matrix of a small problem, row by row."""

from __future__ import annotations

from supple.core.jit import njit


@njit
def expand_matrix(rows, blocks, start, dense_out):
    """dense_out = W + E over the rows in use; rows of group i begin at start[i]. dense_out must be zero."""
    size, compliance = rows.size, rows.compliance
    indptr, indices, values = blocks.indptr, blocks.indices, blocks.values
    for i in range(rows.counts[0]):
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            for a in range(size[i]):
                for b in range(size[j]):
                    dense_out[start[i] + a, start[j] + b] = values[p, a, b]
        for a in range(size[i]):
            dense_out[start[i] + a, start[i] + a] += compliance[i, a]
