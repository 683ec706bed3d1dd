"""A humanoid of 47 degrees of freedom (a free pelvis and 41 hinges), written for supple, MuJoCo and pinocchio.

y is up, x forward. Joints of several axes are chains of hinges with small links between, as robot formats have
them, so that every engine does the same work.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
SMALL_MASS, SMALL_INERTIA = 0.15, (2e-3, 2e-3, 2e-3)
STANDING_HEIGHT = 0.976


@dataclass(frozen=True)
class Link:
    """One link with the hinge that joins it to its parent; the pelvis has none."""

    name: str
    parent: str
    axis: str
    offset: tuple[float, float, float]
    mass: float
    inertia: tuple[float, float, float]
    centre: tuple[float, float, float]
    shapes: tuple[tuple[str, tuple[float, ...], tuple[float, float, float]], ...]


# name, parent, axes, offset, mass, inertia, centre, shapes; on a limb that comes twice, z is that of the right one.
TRUNK = (
    ("lumbar", "pelvis", "xzy", (0, 0.1, 0), 8, (0.08, 0.08, 0.06), (0, 0.08, 0), (("sphere", (0.11,), (0, 0.1, 0)),)),
    ("chest", "lumbar", "xzy", (0, 0.2, 0), 15, (0.2, 0.2, 0.15), (0, 0.12, 0),
     (("box", (0.2, 0.26, 0.32), (0, 0.12, 0)),)),
    ("head", "chest", "xzy", (0, 0.32, 0), 5, (0.03, 0.03, 0.03), (0, 0.12, 0), (("sphere", (0.1,), (0, 0.12, 0)),)),
)  # fmt: skip
LIMBS = (
    ("thigh", "pelvis", "xzy", (0, -0.06, 0.1), 8, (0.12, 0.02, 0.12), (0, -0.2, 0),
     (("sphere", (0.07,), (0, -0.2, 0)), ("sphere", (0.06,), (0, -0.4, 0)))),
    ("shin", "thigh", "z", (0, -0.42, 0), 4, (0.06, 0.01, 0.06), (0, -0.2, 0), (("sphere", (0.05,), (0, -0.2, 0)),)),
    ("foot", "shin", "xz", (0, -0.42, 0), 1.2, (0.004, 0.006, 0.006), (0.04, -0.04, 0),
     (("box", (0.2, 0.05, 0.09), (0.04, -0.05, 0)),)),
    ("toe", "foot", "z", (0.14, -0.05, 0), 0.3, (0.001, 0.001, 0.001), (0.03, 0, 0),
     (("box", (0.07, 0.05, 0.09), (0.04, 0, 0)),)),
    ("clavicle", "chest", "xy", (0, 0.22, 0.05), 1, (0.005, 0.005, 0.005), (0, 0, 0.05), ()),
    ("upper_arm", "clavicle", "xzy", (0, 0, 0.15), 2.2, (0.02, 0.004, 0.02), (0, -0.14, 0),
     (("sphere", (0.05,), (0, -0.15, 0)),)),
    ("forearm", "upper_arm", "zy", (0, -0.29, 0), 1.5, (0.012, 0.003, 0.012), (0, -0.12, 0),
     (("sphere", (0.04,), (0, -0.12, 0)),)),
    ("hand", "forearm", "xz", (0, -0.26, 0), 0.6, (0.002, 0.002, 0.002), (0, -0.07, 0),
     (("sphere", (0.05,), (0, -0.07, 0)),)),
)  # fmt: skip
CENTRAL = {"pelvis", "lumbar", "chest"}


def chain(name, parent, axes, offset, mass, inertia, centre, shapes) -> Iterator[Link]:
    """A segment behind a joint of one to three axes."""
    for place, axis in enumerate(axes):
        last = place == len(axes) - 1
        own = name if last else f"{name}_{axis}"
        body = (mass, inertia, centre, shapes) if last else (SMALL_MASS, SMALL_INERTIA, (0, 0, 0), ())
        yield Link(own, parent, axis, offset if place == 0 else (0, 0, 0), *body)
        parent = own


def links() -> list[Link]:
    """All links, parents before children."""
    pelvis = (("box", (0.18, 0.16, 0.28), (0, 0, 0)),)
    found = [Link("pelvis", "", "", (0, 0, 0), 10, (0.1, 0.1, 0.08), (0, 0, 0), pelvis)]
    for segment in TRUNK:
        found += chain(*segment)
    for side, sign in (("l", -1), ("r", 1)):
        for name, parent, axes, offset, mass, inertia, centre, shapes in LIMBS:
            above = parent if parent in CENTRAL else f"{parent}_{side}"
            place, middle = (*offset[:2], sign * offset[2]), (*centre[:2], sign * centre[2])
            found += chain(f"{name}_{side}", above, axes, place, mass, inertia, middle, shapes)
    return found


def write_supple(height: float, stiffness: float, damping: float, step: float, solver: str) -> str:
    """The humanoid above a plane as a scene; it touches the plane only."""
    lines = [
        "format = 1", "[run]", f"step = {step}", "duration = 3.0", f'solver = "{solver}"',
        "[[entity]]", 'name = "floor"', "plane = { friction = 0.8 }",
        "[[entity]]", 'name = "man"', f"pose = {{ position = [0, {height}, 0] }}", "skeleton = {}",
        'collides = { group = "man", ignores = ["man"] }',
    ]  # fmt: skip
    paths = {}
    for link in links():
        path = f"{paths.get(link.parent, 'man')}/{link.name}"
        paths[link.name] = path
        hinge = f'joint = "hinge", axis = {list(AXES[link.axis])}' if link.parent else 'joint = "free"'
        spring = f", stiffness = {stiffness}, damping = {damping}" if link.parent else ""
        lines += [
            "[[entity]]", f'name = "{path}"', f"pose = {{ position = {list(link.offset)} }}",
            f"bone = {{ {hinge}{spring}, mass = {link.mass}, inertia = {list(link.inertia)}, "
            f"centre = {list(link.centre)} }}",
        ]  # fmt: skip
        for number, (kind, size, place) in enumerate(link.shapes):
            form = f"radius = {size[0]}" if kind == "sphere" else f"size = {list(size)}"
            lines += [
                "[[entity]]", f'name = "{path}/shape{number}"', f"pose = {{ position = {list(place)} }}",
                f"{kind} = {{ {form}, friction = 0.8 }}",
            ]  # fmt: skip
    return "\n".join(lines) + "\n"


def write_mujoco(height: float, stiffness: float, damping: float, step: float, cone: str) -> str:
    """The same in MuJoCo's format."""
    children: dict[str, list[Link]] = {}
    for link in links():
        children.setdefault(link.parent, []).append(link)

    def body(link: Link) -> str:
        place = (0, height, 0) if not link.parent else link.offset
        axis = " ".join(map(str, AXES.get(link.axis, ())))
        joint = (
            f'<joint type="hinge" axis="{axis}" stiffness="{stiffness}" damping="{damping}"/>'
            if link.parent
            else "<freejoint/>"
        )
        shapes = ""
        for kind, size, centre in link.shapes:
            numbers = size if kind == "sphere" else [edge / 2 for edge in size]
            shapes += (
                f'<geom type="{kind}" size="{_words(numbers)}" pos="{_words(centre)}" contype="2" '
                'conaffinity="1" friction="0.8 0 0" condim="3" mass="0"/>'
            )
        inertia = (
            f'<inertial pos="{_words(link.centre)}" mass="{link.mass}" diaginertia="{_words(link.inertia)}"/>'
        )
        below = "".join(body(child) for child in children.get(link.name, []))
        return f'<body name="{link.name}" pos="{_words(place)}">{joint}{inertia}{shapes}{below}</body>'

    return (
        f'<mujoco><option timestep="{step}" gravity="0 -9.81 0" cone="{cone}" integrator="implicitfast"/><worldbody>'
        '<geom type="plane" size="5 5 0.1" zaxis="0 1 0" contype="1" conaffinity="2" friction="0.8 0 0" condim="3"/>'
        f"{body(children[''][0])}</worldbody></mujoco>"
    )


def _words(numbers) -> str:
    return " ".join(f"{number:g}" for number in numbers)
