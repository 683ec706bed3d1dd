"""Which groups are eliminated together and in what order: the pattern of a sparse elimination, without any numbers.

Groups with the same neighbours ("twins", such as the four contacts of two boxes) are one vertex of a graph. `place`
says where each vertex stands in the order. The tree of elimination joins each vertex to the first one behind it that
its elimination touches. Vertices that follow each other in the tree and touch (nearly) the same rest share a front: a
small dense matrix over the groups that it eliminates, its pivots, and those that they touch, its border.
"""

from __future__ import annotations

from supple.core.jit import njit
from supple_solve_newton.fronts import Fronts, Graph, Tree

# A front takes in the next vertex if that adds at most so many rows, or this part of its rows, to what it touches.
FEW_ROWS = 4
FEW_PART = 0.12


@njit
def find_twins(group_count, blocks, inside, length_out, twin_out):
    """twin_out[i]: the first group inside with the same neighbours inside as group i, -1 if that is not inside.

    A group is among its own neighbours, so twins are neighbours. length_out counts neighbours.
    """
    indptr, indices = blocks.indptr, blocks.indices
    for i in range(group_count):
        length_out[i] = 0
        twin_out[i] = -1
        if inside[i] == 0:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            length_out[i] += inside[indices[p]] != 0
    for i in range(group_count):
        if inside[i] == 0:
            continue
        twin_out[i] = i
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if j >= i:
                break
            if inside[j] == 0 or twin_out[j] != j or length_out[j] != length_out[i]:
                continue
            a, b, same = indptr[i], indptr[j], True
            while same and a < indptr[i + 1] and b < indptr[j + 1]:
                if inside[indices[a]] == 0:
                    a += 1
                elif inside[indices[b]] == 0:
                    b += 1
                else:
                    same = indices[a] == indices[b]
                    a += 1
                    b += 1
            if same:
                twin_out[i] = j
                break


@njit
def build_graph(group_count, blocks, twin, width, vertex_out, graph_out: Graph):
    """The graph of groups that are their own twins: (vertices, neighbours). vertex_out[i] is the vertex of group i.

    A group has `width` rows at most.
    """
    indptr, indices = blocks.indptr, blocks.indices
    count = 0
    for i in range(group_count):
        vertex_out[i] = -1
        if twin[i] == i:
            vertex_out[i] = count
            graph_out.rows[count] = 0
            count += 1
        elif twin[i] >= 0:
            vertex_out[i] = vertex_out[twin[i]]
        if twin[i] >= 0:
            graph_out.rows[vertex_out[i]] += width
    used = 0
    graph_out.start[0] = 0
    for i in range(group_count):
        if twin[i] != i:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if twin[j] == j:
                graph_out.neighbour[used] = vertex_out[j]
                used += 1
        graph_out.start[vertex_out[i] + 1] = used
    return count, used


@njit
def find_parents(count, graph: Graph, order, place, parent_out, ancestor):
    """The tree of elimination by places; -1 for a root. `order` is the vertex at each place."""
    for j in range(count):
        parent_out[j] = -1
        ancestor[j] = -1
        v = order[j]
        for p in range(graph.start[v], graph.start[v + 1]):
            i = place[graph.neighbour[p]]
            while i < j and i >= 0:
                following = ancestor[i]
                ancestor[i] = j
                if following == -1:
                    parent_out[i] = j
                    break
                i = following


@njit
def list_by_depth(count, parent, child, sibling, stack, order_out):
    """order_out: the old places in an order in which every vertex follows right behind all that is below it."""
    for j in range(count + 1):
        child[j] = -1
    for j in range(count - 1, -1, -1):  # backwards, so that children are listed in rising order
        above = parent[j] if parent[j] >= 0 else count
        sibling[j] = child[above]
        child[above] = j
    done, depth = 0, 0
    root = child[count]
    while root >= 0:
        stack[0] = root
        depth = 1
        while depth > 0:
            j = stack[depth - 1]
            if child[j] >= 0:
                stack[depth] = child[j]
                depth += 1
                child[j] = sibling[child[j]]
            else:
                order_out[done] = j
                done += 1
                depth -= 1
        root = sibling[root]


@njit
def find_borders(count, graph: Graph, tree: Tree, mark, border_out):
    """What the elimination of every place touches behind it; returns how many entries that takes, -1 without room."""
    parent, order, place, start = tree.parent, tree.order, tree.place, tree.start
    used = 0
    start[0] = 0
    for j in range(count):
        mark[j] = -1
        tree.child[j] = -1
    for j in range(count):
        mark[j] = j
        v = order[j]
        if used + count - j > border_out.shape[0]:
            return -1
        for p in range(graph.start[v], graph.start[v + 1]):
            i = place[graph.neighbour[p]]
            if i > j and mark[i] != j:
                mark[i] = j
                border_out[used] = i
                used += 1
        below = tree.child[j]
        while below >= 0:
            for p in range(start[below], start[below + 1]):
                i = border_out[p]
                if mark[i] != j:
                    mark[i] = j
                    border_out[used] = i
                    used += 1
            below = tree.sibling[below]
        start[j + 1] = used
        above = parent[j]
        if above >= 0:
            tree.sibling[j] = tree.child[above]
            tree.child[above] = j
    return used


@njit
def join_fronts(count, graph: Graph, tree: Tree, border, last_out, front_out):
    """Fronts of consecutive places: front_out [place] and the last place of each; returns their number."""
    fronts = 0
    rows, front_rows = 0, 0  # of the pivots so far, and of the front
    for j in range(count):
        own = graph.rows[tree.order[j]]
        touched = own
        for p in range(tree.start[j], tree.start[j + 1]):
            touched += graph.rows[tree.order[border[p]]]
        follows = j > 0 and tree.parent[j - 1] == j
        more = rows + touched - front_rows
        if follows and (more <= FEW_ROWS or more <= FEW_PART * front_rows):
            rows, front_rows = rows + own, rows + touched
            last_out[fronts - 1] = j
        else:
            rows, front_rows = own, touched
            last_out[fronts] = j
            fronts += 1
        front_out[j] = fronts - 1
    return fronts


@njit
def list_members(group_count, vertex, count, tree: Tree, first_member, next_member):
    """The groups of each place as a list: first_member [place], next_member [group], -1 at its end."""
    for j in range(count):
        first_member[j] = -1
    for i in range(group_count - 1, -1, -1):
        if vertex[i] >= 0:
            j = tree.place[vertex[i]]
            next_member[i] = first_member[j]
            first_member[j] = i


@njit
def measure_fronts(fronts, tree: Tree, border, last, sizes, start_out):
    """Where the groups of each front begin; `sizes` are the groups of each place. Returns how many there are in all."""
    total, first = 0, 0
    for k in range(fronts):
        start_out[k] = total
        for j in range(first, last[k] + 1):
            total += sizes[j]
        for p in range(tree.start[last[k]], tree.start[last[k] + 1]):
            total += sizes[border[p]]
        first = last[k] + 1
    start_out[fronts] = total
    return total


@njit
def fill_fronts(fronts, tree: Tree, border, last, front, first_member, next_member, out: Fronts):
    """The groups of all fronts, their pivots and children, and in which front each group is eliminated."""
    first = 0
    for k in range(fronts):
        out.children[k] = 0
    for k in range(fronts):
        used = out.start[k]
        for j in range(first, last[k] + 1):
            i = first_member[j]
            while i >= 0:
                out.group[used] = i
                out.eliminated[i] = k
                used += 1
                i = next_member[i]
        out.pivots[k] = used - out.start[k]
        for p in range(tree.start[last[k]], tree.start[last[k] + 1]):
            i = first_member[border[p]]
            while i >= 0:
                out.group[used] = i
                used += 1
                i = next_member[i]
        above = tree.parent[last[k]]
        if above >= 0:
            out.children[front[above]] += 1
        first = last[k] + 1


@njit
def measure_room(fronts: Fronts, width):
    """Numbers to keep, in the greatest front, and waiting at any time, if every group has `width` unknowns."""
    kept, greatest, waiting, most = 0, 0, 0, 0
    depth = 0
    sizes = fronts.waiting
    for k in range(fronts.counts[0]):
        size = width * (fronts.start[k + 1] - fronts.start[k])
        pivots = width * fronts.pivots[k]
        kept += pivots * (2 * size - pivots)
        greatest = max(greatest, size)
        for _ in range(fronts.children[k]):
            depth -= 1
            waiting -= sizes[depth] * sizes[depth]
        if size > pivots:
            sizes[depth] = size - pivots
            waiting += sizes[depth] * sizes[depth]
            depth += 1
        most = max(most, waiting)
    return kept, greatest, most
