"""The skins of characters in any pose, by kinematics alone, and what is wrong with them there.

Three measures: triangles that face away from where the frames of their corners turn them, the greatest stretch (the
largest singular value of what a triangle went through), and points of the bones' axes that lie outside, by winding
numbers.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import supple
from supple.math.quaternion_kernels import exponentiate_rotation_vector, multiply_quaternions
from supple_bones.kinematics_kernels import place_bones
from supple_bones.layout import (
    AXIS,
    BALL,
    FOCUS,
    FOLLOWS,
    HINGE,
    JOINT,
    Q_FIRST,
    SECOND_AXIS,
    SHARE,
    UNIVERSAL,
)
from supple_bones.limit_kernels import find_limit_gaps
from supple_characters.components import Arm, Figure, Hand, Leg, UpperBody

CHARACTERS = {"hand": Hand, "arm": Arm, "leg": Leg, "upper_body": UpperBody, "figure": Figure}
STRETCH = 2.5
AXIS_POINTS = 12
"""Points that are tried along a bone."""


@dataclass(frozen=True)
class Fault:
    """How bad a skin is in one pose."""

    inverted: int
    stretch: float
    outside: tuple[str, ...]

    def is_clean(self) -> bool:
        """Whether nothing is inverted or outside, and nothing stretched by STRETCH."""
        return not self.inverted and not self.outside and self.stretch < STRETCH


class PosedSkin:
    """A character with its skin; `place` says where the skin is for given joint coordinates."""

    def __init__(self, character: str, covering: str, vertices: int = 800, **settings) -> None:
        fields = {"covering": covering, "vertices": vertices, **settings}
        if character in ("hand", "figure"):
            fields.setdefault("base", "fixed")
        table = "\n".join(f"{key} = {write_value(value)}" for key, value in fields.items())
        run = "format = 1\n[run]\nstep = 0.002\nduration = 0.01\n"
        scene = f'{run}[[entity]]\nname = "c"\n[entity.{character}]\n{table}\n'
        with TemporaryDirectory() as folder:
            file = Path(folder) / "scene.toml"
            file.write_text(scene, encoding="utf-8")
            self.world = supple.load(file)
        self.covering = covering
        self.owner = "ghost" if covering == "skin" else "skeleton"
        arrays = self.world.build.arrays
        self.bone, self.frame = arrays[f"{self.owner}.bone"], arrays[f"{self.owner}.frame"]
        self.limit, self.bound = arrays[f"{self.owner}.limit"], arrays[f"{self.owner}.bound"]
        self.neutral = arrays[f"{self.owner}.q"].copy()
        self.axis = np.zeros_like(arrays[f"{self.owner}.axis"])
        self.count = int((self.bone[:, FOLLOWS] < 0).sum())
        mechanism = next(m for m in self.world.members("mechanisms") if m.name == self.owner)
        self.paths = [path.removeprefix("c/bones/") for path in mechanism.bones]
        self.row = {path: n for n, path in enumerate(self.paths)}
        self._read_skin(arrays)
        self.rest = self.place(self.neutral)
        self.axes = self._find_axes(character, settings)
        corners = self.rest[self.triangles]
        edges = corners[:, 1:] - corners[:, :1]
        across = np.cross(edges[:, 0], edges[:, 1])
        self.normals = across / np.linalg.norm(across, axis=1, keepdims=True)
        first = edges[:, 0] / np.linalg.norm(edges[:, 0], axis=1, keepdims=True)
        basis = np.stack([first, np.cross(self.normals, first)], axis=1)
        self.unflatten = np.linalg.inv(np.einsum("tij,tkj->tki", basis, edges))

    def _read_skin(self, arrays) -> None:
        if self.covering == "skin":
            self.carrier, self.weight = arrays["skin0.bone"], arrays["skin0.weight"]
            self.local, self.triangles = arrays["skin0.local"], arrays["skin0.triangles"]
        else:
            bones = arrays["flesh.patch_bone"][arrays["flesh.patch_of"]]
            self.carrier, self.weight = bones[:, None], np.ones((len(bones), 1))
            self.local, self.triangles = arrays["flesh.rest"][:, None], arrays["flesh.triangles"]

    def _find_axes(self, character: str, settings) -> list[tuple[str, int, np.ndarray]]:
        """(path, row, points in the frame of the bone) along every bone: to the next joints, or to its limb's end."""
        known = {key: value for key, value in settings.items() if key in ("side", "fingers", "base")}
        plan = CHARACTERS[character](**known).plan()
        found = []
        parts = np.linspace(0.05, 0.95, AXIS_POINTS)[:, None]
        for bone in plan.bones:
            origin = np.array(bone.origin)
            ends = [np.array(b.origin) for b in plan.bones if b.path.rpartition("/")[0] == bone.path]
            if bone.path == "trunk":
                found += [(bone.path, self.row[bone.path], line) for line in self._trace_spine(origin, parts)]
                continue
            if not ends:
                own = [limb for limb in plan.limbs if limb.bone == bone.path]
                tips = [np.array(p) for limb in own for p in (limb.start, limb.end)]
                ends = [max(tips, key=lambda p: np.linalg.norm(p - origin))]
            for end in ends:
                if np.linalg.norm(end - origin) > 1e-6:
                    found.append((bone.path, self.row[bone.path], parts * (end - origin)))
        return found

    def _trace_spine(self, origin, parts) -> list[np.ndarray]:
        """Lines of a trunk that is one bone: those of the three that a figure has for it."""
        names = ("pelvis", "pelvis/abdomen", "pelvis/abdomen/chest")
        places = {b.path: np.array(b.origin) for b in Figure().plan().bones}
        shift = origin - places[names[0]]
        pairs = [(names[0], names[1]), (names[1], names[2])]
        pairs += [(names[2], f"{names[2]}/{end}") for end in ("neck", "left_upper_arm", "right_upper_arm")]
        return [places[a] + shift - origin + parts * (places[b] - places[a]) for a, b in pairs]

    def pose_bones(self, q):
        x, rotation = np.zeros((len(self.bone), 3)), np.zeros((len(self.bone), 4))
        place_bones(self.bone, self.frame, q, x, rotation, self.axis)
        return x, matrices(rotation)

    def place(self, q):
        """Vertices [nv, 3] for these coordinates."""
        x, turn = self.pose_bones(q)
        self.now = x, turn
        carrier = np.where(self.carrier < 0, 0, self.carrier)
        points = x[carrier] + np.einsum("vnij,vnj->vni", turn[carrier], self.local)
        return np.einsum("vn,vni->vi", self.weight, points)

    def measure(self, q) -> Fault:
        points = self.place(q)
        x, turn = self.now
        carrier = np.where(self.carrier < 0, 0, self.carrier)
        blended = np.einsum("vn,vnij->vij", self.weight, turn[carrier])
        wanted = np.einsum("tij,tj->ti", blended[self.triangles].sum(axis=1), self.normals)
        corners = points[self.triangles]
        edges = corners[:, 1:] - corners[:, :1]
        across = np.cross(edges[:, 0], edges[:, 1])
        inverted = np.einsum("ti,ti->t", across, wanted) < 0.0
        gradient = np.einsum("tki,tlk->til", edges, self.unflatten)
        values = np.linalg.svd(gradient, compute_uv=False)[:, 0]
        self.values, self.inverted = values, inverted
        outside = []
        for path, row, line in self.axes:
            places = x[row] + line @ turn[row].T
            turns = wind(corners, places)
            if (turns < 0.5).any():
                outside.append(f"{path}:{int((turns < 0.5).sum())}")
        return Fault(int(inverted.sum()), float(values.max()), tuple(outside))

    def set_angles(self, angles: dict[str, tuple[float, ...]]):
        """Coordinates with the joints of these bones at these angles [deg]; of a ball, a rotation vector."""
        q = self.neutral.copy()
        for path, values in angles.items():
            row = self.row[path]
            first, joint = self.bone[row, Q_FIRST], self.bone[row, JOINT]
            radians = np.radians(values)
            if joint == BALL:
                q[first : first + 4] = exponentiate_rotation_vector(*radians)
            else:
                q[first : first + len(radians)] = radians
        return q

    def draw_pose(self, rng: np.random.Generator, ends: float = 0.3):
        """A pose anywhere within the ranges of the joints; a part `ends` of the coordinates is at an end."""
        q = self.neutral.copy()
        for row in range(self.count):
            joint, first = self.bone[row, JOINT], self.bone[row, Q_FIRST]
            mine = self.limit[:, 1] == row

            def draw(low, high) -> float:
                place = rng.choice([0.0, 1.0]) if rng.random() < ends else rng.random()
                return float(low + place * (high - low))

            if joint in (HINGE, UNIVERSAL):
                for local in range(1 if joint == HINGE else 2):
                    q[first + local] = draw(*self.bound[mine & (self.limit[:, 2] == local)])
            elif joint == BALL:
                swing, *twist = self.bound[mine]
                turn = self._draw_turn(rng, row, swing, draw(*(twist or (0.0, 0.0))), ends)
                q[first : first + 4] = turn
        gap = np.zeros(len(self.bound))
        find_limit_gaps(self.bone, self.frame, self.limit, self.bound, q, gap)
        assert gap.min(initial=0.0) > -1e-9
        return q

    def _draw_turn(self, rng, row, swing, twist, ends):
        """A turn of a ball joint: its axis goes anywhere in its range, evenly by area of each side, or to the edge."""
        along = self.frame[row, AXIS:SECOND_AXIS]
        foci = self.frame[row, SECOND_AXIS:SHARE], self.frame[row, FOCUS : FOCUS + 3]
        middle = (foci[0] + foci[1]) / np.linalg.norm(foci[0] + foci[1])
        aside = np.cross(middle, rng.normal(size=3))
        aside /= np.linalg.norm(aside)

        def go(angle):
            return math.cos(angle) * middle + math.sin(angle) * aside

        def is_within(angle) -> bool:
            return sum(math.acos(np.clip(go(angle) @ focus, -1.0, 1.0)) for focus in foci) < 2.0 * swing

        inside, outside = 0.0, math.pi
        while outside - inside > 1e-12:
            tried = 0.5 * (inside + outside)
            inside, outside = (tried, outside) if is_within(tried) else (inside, tried)
        farthest = math.cos(inside)
        way = go(inside if rng.random() < ends else math.acos(rng.uniform(farthest, 1.0)))
        axis = np.cross(along, way)
        axis *= math.atan2(np.linalg.norm(axis), along @ way) / max(np.linalg.norm(axis), 1e-12)
        turn = exponentiate_rotation_vector(*axis)
        return multiply_quaternions(*turn, *exponentiate_rotation_vector(*(twist * along)))


def write_value(value) -> str:
    """A value as TOML has it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {write_value(each)}" for key, each in value.items()) + " }"
    return json.dumps(value)


def matrices(q):
    """Rotation matrices [n, 3, 3] of quaternions [n, 4]."""
    w, x, y, z = q.T
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1),
        ],
        axis=1,
    )


def wind(corners, points):
    """How often the closed surface of the triangles [nt, 3, 3] winds around each point."""
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
    volume = np.einsum("pti,pti->pt", a, np.cross(b, c))
    below = (
        la * lb * lc
        + np.einsum("pti,pti->pt", a, b) * lc
        + np.einsum("pti,pti->pt", b, c) * la
        + np.einsum("pti,pti->pt", c, a) * lb
    )
    return np.arctan2(volume, below).sum(axis=1) / (2 * math.pi)


def _hand(bend, thumb=()):
    """Angles of the long fingers: name to (knuckle, middle, last)."""
    pose = {}
    for name, (first, second, third) in bend.items():
        pose[f"palm/{name}1"] = (first, 0.0)
        pose[f"palm/{name}1/{name}2"] = (second,)
        pose[f"palm/{name}1/{name}2/{name}3"] = (third,)
    if thumb:
        first, second, third = thumb
        pose |= {"palm/thumb1": first, "palm/thumb1/thumb2": second, "palm/thumb1/thumb2/thumb3": (third,)}
    return pose


LONG = ("index", "middle", "ring", "little")
FOLDED = ((30.0, 15.0), (40.0, 0.0), 50.0)
NAMED = {
    "hand": {
        "fist": _hand(dict.fromkeys(LONG, (90.0, 100.0, 70.0)), FOLDED),
        "loose": _hand(dict.fromkeys(LONG, (40.0, 40.0, 20.0))),
        "point": _hand(dict.fromkeys(LONG[1:], (85.0, 100.0, 70.0)), FOLDED),
        **{f"{name} knuckle 90": {f"palm/{name}1": (90.0, 0.0)} for name in LONG},
    },
    "arm": {"folded": {"upper_arm/forearm": (145.0,)}, "twisted": {"upper_arm/forearm/twist": (80.0,)}},
    "leg": {"squat": {"thigh/shank": (140.0,), "thigh/shank/foot": (-25.0, 0.0)}},
    "upper_body": {
        "folded arms": {
            "trunk/left_upper_arm": (-45.0, -20.0, -50.0), "trunk/right_upper_arm": (-45.0, 20.0, 50.0),
            "trunk/left_upper_arm/left_forearm": (95.0,), "trunk/right_upper_arm/right_forearm": (95.0,),
        },
        "arms up": {"trunk/left_upper_arm": (0.0, 0.0, 90.0), "trunk/right_upper_arm": (0.0, 0.0, -90.0)},
        "arms forward": {"trunk/left_upper_arm": (-90.0, 0.0, 0.0), "trunk/right_upper_arm": (-90.0, 0.0, 0.0)},
    },
    "figure": {
        "squat": {
            "pelvis/left_thigh": (-88.0, 0.0, 0.0), "pelvis/right_thigh": (-88.0, 0.0, 0.0),
            "pelvis/left_thigh/left_shank": (130.0,), "pelvis/right_thigh/right_shank": (130.0,),
            "pelvis/left_thigh/left_shank/left_foot": (-25.0, 0.0),
            "pelvis/right_thigh/right_shank/right_foot": (-25.0, 0.0),
        },
        "arms up": {
            "pelvis/abdomen/chest/left_upper_arm": (0.0, 0.0, 90.0),
            "pelvis/abdomen/chest/right_upper_arm": (0.0, 0.0, -90.0),
        },
    },
}  # fmt: skip
"""Poses that everybody knows, by character."""


def tabulate(
    characters=tuple(CHARACTERS), coverings=("skin", "flesh"), random=40, seed=1, vertices=None
) -> None:
    """Print the measures of named poses, and the worst of random ones."""
    for character in characters:
        for covering in coverings:
            skin = PosedSkin(character, covering, vertices or (800 if character == "hand" else 1200))
            rows = [(name, [skin.measure(skin.set_angles(p))]) for name, p in NAMED[character].items()]
            rng = np.random.default_rng(seed)
            rows.append((f"{random} random", [skin.measure(skin.draw_pose(rng)) for _ in range(random)]))
            for name, faults in rows:
                clean = sum(f.is_clean() for f in faults)
                print(
                    f"{character:10} {covering:5} {name:17} inverted {max(f.inverted for f in faults):4d}"
                    f"  stretch {max(f.stretch for f in faults):6.2f}"
                    f"  bones outside {max(len(f.outside) for f in faults):3d}  clean {clean}/{len(faults)}"
                )


if __name__ == "__main__":
    import sys

    tabulate(tuple(sys.argv[1:]) or tuple(CHARACTERS))
