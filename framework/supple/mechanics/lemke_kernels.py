"""Lemke's method on an exchange tableau: n rows, a column for each variable that is not basic, one for constants.

w = M z + c z0 + q with w, z, z0 >= 0 and w_i z_i = 0. A row of the tableau gives a basic variable as a function
of the others,

    x_row = sum_k T[row, k] x_k + T[row, n + 1],

and a pivot exchanges a row with a column. Variables are numbered w: 0 .. n-1, z: n .. 2n-1, z0: 2n.

Ties of the ratio test are broken as if q_i were q_i + eps^(i+1) with infinitely small eps (lexicographic rule), so
that no basis comes twice. The effect of that change on a row is read from the tableau: w_k not basic, in column k',
contributes -T[row, k']; w_k basic contributes 1 to its own row.
"""

from __future__ import annotations

from supple.core.jit import njit

SOLVED = 0
RAY = 1
TOO_LONG = 2

# Differences of ratios below this fraction are ties.
TIE = 1e-12


@njit
def set_tableau(M, q, cover, table_out, basic_out, place_out):
    """All w are basic. place_out[variable] is its row, or -1 - column where it is not basic."""
    n = q.shape[0]
    for i in range(n):
        for j in range(n):
            table_out[i, j] = M[i, j]
        table_out[i, n] = cover[i]
        table_out[i, n + 1] = q[i]
        basic_out[i] = i
        place_out[i] = i
        place_out[n + i] = -1 - i
    place_out[2 * n] = -1 - n


@njit
def add_multiple(factor, x, y_out):
    """y_out += factor x. A loop over two plain vectors is one that the compiler turns into wide instructions."""
    for k in range(x.shape[0]):
        y_out[k] += factor * x[k]


@njit
def exchange(row, column, entering, pivot_row_out, table_out, basic_out, place_out):
    """The entering variable, in `column`, becomes basic in `row`; returns the one that leaves."""
    n = table_out.shape[0]
    inverse = -1.0 / table_out[row, column]
    for k in range(n + 2):
        pivot_row_out[k] = table_out[row, k] * inverse
        table_out[row, k] = 0.0
    pivot_row_out[column] = -inverse
    for i in range(n):
        factor = table_out[i, column]
        if i == row:
            factor = 1.0
        if factor != 0.0:
            table_out[i, column] = 0.0
            add_multiple(factor, pivot_row_out, table_out[i])
    leaving = basic_out[row]
    basic_out[row] = entering
    place_out[entering] = row
    place_out[leaving] = -1 - column
    return leaving


@njit
def perturb_row(table, place, row, k):
    """By how much eps^(k+1) raises the constant of a row."""
    where = place[k]
    if where >= 0:
        return 1.0 if where == row else 0.0
    return -table[row, -1 - where]


@njit
def comes_before(table, place, column, a, b):
    """Whether row a limits the entering variable before row b does."""
    n = table.shape[0]
    da = -1.0 / table[a, column]
    db = -1.0 / table[b, column]
    x = table[a, n + 1] * da
    y = table[b, n + 1] * db
    if abs(x - y) > TIE * (1.0 + abs(x) + abs(y)):
        return x < y
    if place[2 * n] == a or place[2 * n] == b:
        return place[2 * n] == a
    for k in range(n):
        x = perturb_row(table, place, a, k) * da
        y = perturb_row(table, place, b, k) * db
        if abs(x - y) > TIE * (1.0 + abs(x) + abs(y)):
            return x < y
    return a < b


@njit
def find_leaving_row(table, place, column, pivot_floor):
    """The row that first reaches zero when the variable of `column` grows; -1 where it may grow for ever."""
    n = table.shape[0]
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(table[i, column]))
    row = -1
    for i in range(n):
        if table[i, column] < -pivot_floor * largest and (
            row < 0 or comes_before(table, place, column, i, row)
        ):
            row = i
    return row


@njit
def find_first_row(q, cover):
    """The row in which z0 enters: the most negative q_i / cover_i, the last of equal ones; -1 if all q >= 0."""
    row = -1
    least = 0.0
    for i in range(q.shape[0]):
        if q[i] < 0.0 and q[i] <= least * cover[i]:
            least = q[i] / cover[i]
            row = i
    return row


@njit
def run_lemke(M, q, cover, max_pivots, pivot_floor, pivot_row_out, table_out, basic_out, place_out, z_out):
    """Solve w = M z + q; (SOLVED, RAY or TOO_LONG, pivots). z_out [n] is zero unless it is solved.

    pivot_row_out [n + 2], table_out [n, n + 2], basic_out [n] and place_out [2n + 1] are work arrays; afterwards
    basic_out lists the basis.
    """
    n = q.shape[0]
    set_tableau(M, q, cover, table_out, basic_out, place_out)
    for i in range(n):
        z_out[i] = 0.0
    row = find_first_row(q, cover)
    if row < 0:
        return SOLVED, 0
    entering = 2 * n
    pivots = 0
    while pivots < max_pivots:
        leaving = exchange(
            row, -1 - place_out[entering], entering, pivot_row_out, table_out, basic_out, place_out
        )
        pivots += 1
        if leaving == 2 * n:
            for i in range(n):
                if basic_out[i] >= n:
                    z_out[basic_out[i] - n] = max(0.0, table_out[i, n + 1])
            return SOLVED, pivots
        entering = leaving + n if leaving < n else leaving - n
        row = find_leaving_row(table_out, place_out, -1 - place_out[entering], pivot_floor)
        if row < 0:
            return RAY, pivots
    return TOO_LONG, pivots
