"""The arrays that kernels of collision take, in groups whose members have names.

Kernels that take a group import it: what is compiled knows a member by its place, and must be compiled anew when that
changes. A group costs a kernel as much as its arrays one by one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from supple.core.arrays import FloatArray, IntArray


class Shapes(NamedTuple):
    """The primitives: kind [ns] and size [ns, 3] as in `shape_kinds`, where they are, and how far they may come.

    x [ns, 3] centres [m] and q [ns, 4] unit quaternions in the world; reach [ns] [m]. rotation [ns, 3, 3] are the
    matrices of q, which `fill_rotations` writes.
    """

    kind: IntArray
    size: FloatArray
    x: FloatArray
    q: FloatArray
    reach: FloatArray
    rotation: FloatArray


class Objects(NamedTuple):
    """All objects of collision, primitives before meshes: group, whether they move (0 or 1), and material.

    Pairs i * objects + j with i < j that are in the sorted array `ignored` pass through each other.
    """

    group: IntArray
    movable: IntArray
    ignored: IntArray
    friction: FloatArray
    restitution: FloatArray


class Elements(NamedTuple):
    """How contacts name an object: its surface, its first element, and its first triangle (-1: it is no mesh)."""

    surface: IntArray
    element: IntArray
    first_triangle: IntArray


class Contacts(NamedTuple):
    """The contacts of a step as finders write them; two columns or rows each are the two sides."""

    surface: IntArray
    element: IntArray
    key: IntArray
    point: FloatArray
    normal: FloatArray
    gap: FloatArray
    friction: FloatArray
    restitution: FloatArray
    weights: FloatArray


class Mounts(NamedTuple):
    """What moves shapes or meshes, and where they are in its frame (in the world if nothing moves them)."""

    carrier: IntArray
    frame: IntArray
    local_position: FloatArray
    local_rotation: FloatArray
    extent: FloatArray


class Frames(NamedTuple):
    """The frames of one carrier."""

    position: FloatArray
    rotation: FloatArray
    twist: FloatArray


class Placed(NamedTuple):
    """Where shapes or meshes are in the world, and how far they may come within the step [m]."""

    x: FloatArray
    q: FloatArray
    reach: FloatArray


class Faces(NamedTuple):
    """The triangles of all meshes: see `meshes.triangle_kernels`; and which corners and edges each owns."""

    x: FloatArray
    triangles: IntArray
    neighbour: IntArray
    facet: IntArray
    owns: IntArray
    vertex_first: IntArray
    vertex_triangle: IntArray


class Trees(NamedTuple):
    """The boxes around the triangles of all meshes: see `meshes.tree_kernels`; and the cells of height fields."""

    nodes: IntArray
    order: IntArray
    bounds: FloatArray
    triangle_bounds: FloatArray
    grids: FloatArray


class MeshPool(NamedTuple):
    """All meshes of a scene; table and sizes as in `meshes.columns`."""

    faces: Faces
    trees: Trees
    table: IntArray
    sizes: FloatArray


class Reaches(NamedTuple):
    """How far each mesh may come within the step [m], and what its parts fall short of it by.

    drift [nv, 3] is the way that vertices of surfaces that bend go at their velocities [m].
    """

    reach: FloatArray
    node_short: FloatArray
    triangle_short: FloatArray
    vertex_short: FloatArray
    drift: FloatArray


class Regions(NamedTuple):
    """Which triangles of meshes may touch: see `meshes.regions`; and which meshes touch themselves."""

    region: IntArray
    regions_meet: IntArray
    node_regions: IntArray
    node_meets: IntArray
    meets_itself: IntArray


class MeshPoses(NamedTuple):
    """Where the frames of the meshes are: position [nm, 3] [m], and unit quaternions q [nm, 4]."""

    position: FloatArray
    q: FloatArray


class RestMeshes(NamedTuple):
    """Meshes before they are placed; the nodes of mesh m end before node_last[m]."""

    triangles: IntArray
    rest: FloatArray
    nodes: IntArray
    order: IntArray
    table: IntArray
    node_last: IntArray


class MeshBoxes(NamedTuple):
    """Vertices of all meshes in the world, and the boxes around nodes and triangles, low and high [m]."""

    x: FloatArray
    bounds: FloatArray
    triangle_bounds: FloatArray


class Manifold(NamedTuple):
    """Scratch for the contacts of one pair of primitives; `contacts` and `features` are the result."""

    cosines: FloatArray
    polygon: FloatArray
    lines: IntArray
    contacts: FloatArray
    features: IntArray


class Probe(NamedTuple):
    """Scratch for what one point finds at a mesh; `codes` and `values` are the result."""

    stack: IntArray
    near: IntArray
    box: FloatArray
    codes: IntArray
    values: FloatArray


class Found(NamedTuple):
    """Scratch for what vertices find at triangles: see `gather_vertices`."""

    nearest: FloatArray
    head: IntArray
    link: IntArray
    ids: IntArray
    values: FloatArray


class Search(NamedTuple):
    """Scratch for the search among pairs of meshes: pairs of triangles, candidates, and marks.

    touched [nv] and crossed [nt] are 0 between uses, and pressed [nt] between steps.
    """

    mesh_pairs: IntArray
    triangle_pairs: IntArray
    found: Found
    touched: IntArray
    crossed: IntArray
    pressed: IntArray
    mark: IntArray
    piece: IntArray
    inner: IntArray


class Raw(NamedTuple):
    """Contacts of meshes while they are being found: see `pairs.raw_kernels`."""

    ids: IntArray
    values: FloatArray


class Choice(NamedTuple):
    """Scratch for the choice among the contacts of a pair; `chain` has two places a contact, and one more."""

    rows: IntArray
    state: IntArray
    members: IntArray
    places: IntArray
    chain: IntArray
    flat: FloatArray


class Scratch(NamedTuple):
    """What the search for contacts of meshes works in.

    near and box are for one round shape, and `end` for its ends; `raw` has what was found, `chosen` the rows that are
    kept, and tally how many both are.
    """

    near: IntArray
    box: FloatArray
    end: Probe
    probe: Probe
    search: Search
    choice: Choice
    raw: Raw
    chosen: IntArray
    tally: IntArray


def name_arrays(owner: str, *groups: type[tuple[Any, ...]]) -> tuple[str, ...]:
    """The arrays of an owner that fill these groups."""
    return tuple(f"{owner}.{name}" for group in groups for name in group._fields)  # type: ignore[attr-defined]
