"""From the rig of a file to entities: an anchor `bones` with skin, flesh or capsules, and a bone for every joint."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from supple.core.arrays import FloatArray
from supple.core.entity import PATH, Entity
from supple.core.pose import Pose
from supple.core.rotation_rows import invert_rows, multiply_rows
from supple.core.scene_files import SceneFiles
from supple.errors import Problem, UserError, suggest
from supple.scene.wording import read_checked
from supple_bones.components import Bone
from supple_motion.clips import AnyClip, read_clip
from supple_motion.components import Motion
from supple_motion.gltf_file import SUFFIXES
from supple_rig.components import Rig
from supple_rig.limbs import fit_limbs, give_masses
from supple_rig.rig_file import RigFile, read_rig

GRAVITY = 9.81
#: Name of the massless bone that a driven root hangs on.
CARRIER = "place"
#: How far flesh turns by and by around joints, in radii of the limb.
SEAM = 1.5


def make_figure(options: Rig, path: str, files: SceneFiles) -> list[Entity]:
    """All entities below `path`."""
    where = f"{path}.rig.file"
    if not options.file.lower().endswith(SUFFIXES):
        what = f"'{options.file}' is no glTF file"
        raise UserError(Problem(None, where, what, f"name a file that ends in {' or '.join(SUFFIXES)}"))
    rig = read_rig(files.find(options.file, where), where)
    if options.clip and options.clip not in rig.animations:
        what = f"the file has no animation '{options.clip}'"
        remedy = suggest(options.clip, rig.animations, "it has")
        raise UserError(Problem(None, f"{path}.rig.clip", what, remedy))
    figure = _Figure(options, path, rig)
    if figure.moves:
        figure.read_start(read_clip(files.find(options.file, where), where, options.clip))
    return figure.make()


class _Figure:
    """Names and places of the bones of one figure."""

    def __init__(self, options: Rig, path: str, rig: RigFile) -> None:
        self.options, self.path, self.rig = options, path, rig
        self.anchor = f"{path}/bones"
        self.ghost = options.covering == "skin"
        self.roots = [joint for joint in range(len(rig.names)) if rig.parent[joint] < 0]
        if len(self.roots) > 1 and options.base != "fixed":
            what = f"the skin has {len(self.roots)} roots, {rig.names[self.roots[0]]} and others"
            raise UserError(
                Problem(None, f"{path}.rig.base", what, "put them below one joint, or give base = 'fixed'")
            )
        self.carried = options.base == "driven"
        self.limbs = fit_limbs(rig, options.scale)
        self.bones = self._name_bones()
        self.moves = bool(rig.animations) and not options.still
        self.start: dict[int, FloatArray] = {}
        self.start_place = np.zeros(3)

    def read_start(self, clip: AnyClip) -> None:
        """Coordinates of the animation's first frame, so that nothing jumps there from the bound pose."""
        for joint in clip.joints:
            if joint.name not in self.rig.names:
                continue
            number = self.rig.names.index(joint.name)
            own = self.rig.rotation[number]
            turn = clip.rotations(joint)[0]
            self.start[number] = multiply_rows(multiply_rows(invert_rows(own), turn), own)
            if number in self.roots:
                self.start_place = self.options.scale * (clip.positions(joint)[0] - self.rig.position[number])

    def make(self) -> list[Entity]:
        """The anchor and the bones."""
        worn, kept = self._wear()
        made = [Entity(self.anchor, worn)]
        masses = {} if self.ghost else give_masses(self.limbs, self.options.mass, self.options.density, kept)
        if self.carried:
            root = self.roots[0]
            pose = self._pose(root)
            carrier = Bone(joint="translation", start=tuple(float(value) for value in self.start_place))
            made.append(
                Entity(f"{self.anchor}/{CARRIER}", {"pose": Pose(position=pose.position), "bone": carrier})
            )
        for joint, short in self.bones.items():
            bone: dict[str, Any] = {"joint": self._joint(joint), **masses.get(joint, {})}
            if bone["joint"] == "ball" and joint in self.start:
                bone["start"] = tuple(float(value) for value in self.start[joint])
            if bone["joint"] == "ball" and not self.ghost and not self.moves:
                bone |= {"stiffness": self._torque(joint, masses) * self.options.stiffness}
            pose = self._pose(joint)
            if joint in self.roots and self.carried:
                pose = Pose(axis=pose.axis, angle=pose.angle)
            made.append(Entity(f"{self.anchor}/{short}", {"pose": pose, "bone": Bone(**bone)}))
            if self.options.covering == "capsules" and joint in self.limbs:
                made.append(self.limbs[joint].shape(f"{self.anchor}/{short}/shape", self.options.friction))
        if self.options.covering != "skin" and self.moves:
            made[0] = Entity(self.anchor, {**worn, "pose_tracking": self._drives(masses)})
        return made

    def _joint(self, joint: int) -> Any:
        if joint not in self.roots:
            return "ball"
        if self.options.base == "fixed":
            return "fixed"
        return "ball" if self.carried else "free"

    def _name_bones(self) -> dict[int, str]:
        """Paths below the anchor. Of a skeleton, joints that carry nothing and lead nowhere are no bones."""
        wanted = set(range(len(self.rig.names)))
        if not self.ghost:
            wanted = {joint for joint in wanted if self._carries(joint)}
        paths: dict[int, str] = {}
        taken: set[str] = set()
        for joint, name in enumerate(self.rig.names):
            if joint not in wanted:
                continue
            word = re.sub(r"\W", "_", name.rpartition(":")[2], flags=re.ASCII).strip("_") or f"joint{joint}"
            word = word if PATH.fullmatch(word) else f"_{word}"
            above = int(self.rig.parent[joint])
            stem = f"{paths[above]}/" if above >= 0 else (f"{CARRIER}/" if self.carried else "")
            path, count = f"{stem}{word}", 1
            while path in taken:
                count += 1
                path = f"{stem}{word}_{count}"
            taken.add(path)
            paths[joint] = path
        return paths

    def _carries(self, joint: int) -> bool:
        """Whether a joint, or one below it, carries part of the mesh."""
        return joint in self.limbs or any(
            self._carries(int(child)) for child in np.flatnonzero(self.rig.parent == joint)
        )

    def _pose(self, joint: int) -> Pose:
        position, rotation = self.rig.local(joint)
        w, *xyz = rotation if rotation[0] >= 0 else -rotation
        sine = float(np.linalg.norm(xyz))
        place = tuple(float(value) for value in self.options.scale * position)
        if sine < 1e-12:
            return Pose(position=place)  # type: ignore[arg-type]
        axis = tuple(float(value) / sine for value in xyz)
        angle = math.degrees(2.0 * math.atan2(sine, float(w)))
        return Pose(position=place, axis=axis, angle=angle)  # type: ignore[arg-type]

    def _wear(self) -> tuple[dict[str, Any], float]:
        """Components of the anchor, and the part of the mass that the bones keep."""
        from supple_ghost.components import Ghost
        from supple_skeleton.components import Skeleton

        worn: dict[str, Any] = {"motion": self._motion()} if self.moves else {}
        if self.options.covering == "capsules":
            return {"skeleton": Skeleton(), **worn}, 1.0
        if self.options.covering == "skin":
            from supple_skin.components import Skin

            ghost = self._pass_on("ghost", Ghost, dict(self.options.ghost))
            return {"ghost": ghost, "skin": self._pass_on("skin", Skin, self._skin()), **worn}, 1.0
        from supple_flesh.components import Flesh

        total = sum(limb.volume for limb in self.limbs.values()) * self.options.density
        total = self.options.mass or total
        table = {"mass": self.options.flesh_part * total, **self._hung(), "seam": SEAM, **self.options.flesh}
        flesh = self._pass_on("flesh", Flesh, table)
        return {"skeleton": Skeleton(), "flesh": flesh, **worn}, 1.0 - flesh.mass / total

    def _motion(self) -> Motion:
        carried = {
            self.rig.names[joint]: path for joint, path in self.bones.items() if self._joint(joint) != "fixed"
        }
        told = {name: carried.get(name, "") for name in self.rig.names}
        return Motion(
            file=self.options.file,
            clip=self.options.clip,
            map=told,
            loop=self.options.loop,
            scale=self.options.scale,
        )

    def _mesh(self) -> dict[str, Any]:
        return {
            "vertices": (self.options.scale * self.rig.vertices).tolist(),
            "triangles": self.rig.triangles.tolist(),
            "friction": self.options.friction,
        }

    def _skin(self) -> dict[str, Any]:
        joints = [joint for joint in self.bones if self.rig.weights[:, joint].any()]
        shares = self.rig.weights[:, joints]
        return {
            **self._mesh(), "bones": [self.bones[joint] for joint in joints],
            "weights": shares.tolist(), **self.options.skin,
        }  # fmt: skip

    def _hung(self) -> dict[str, Any]:
        """Every vertex on the joint that carries most of it."""
        greatest = self.rig.weights.argmax(axis=1)
        joints = [joint for joint in self.bones if (greatest == joint).any()]
        number = {joint: place for place, joint in enumerate(joints)}
        return {
            **self._mesh(),
            "bones": [self.bones[joint] for joint in joints],
            "hangs_on": [number[int(joint)] for joint in greatest],
        }

    def _pass_on(self, key: str, cls: type, table: dict[str, Any]) -> Any:
        made, complaints = read_checked(cls, table)
        if complaints:
            raise UserError(
                Problem(None, ".".join([self.path, "rig", key, *map(str, each.keys)]), each.what, each.remedy)
                for each in complaints
            )
        return made

    def _torque(self, joint: int, masses: dict[int, dict[str, Any]]) -> float:
        """Of the weight of all that hangs on a joint, held out level [N m]."""
        origin, torque = self.rig.position[joint], 0.0
        for other, said in masses.items():
            above = other
            while above >= 0 and above != joint:
                above = int(self.rig.parent[above])
            if above == joint:
                arm = self.options.scale * (self.limbs[other].centre - origin)
                torque += said["mass"] * GRAVITY * float(np.linalg.norm(arm))
        return torque

    def _drives(self, masses: dict[int, dict[str, Any]]) -> Any:
        """Drives of all joints, each by what it has to hold; the root by the whole weight."""
        from supple_tracking.pose.components import PoseTracking

        firm, bones = self.options.stiffness, {}
        for joint, path in self.bones.items():
            gain = firm * max(self._torque(joint, masses), 1e-3)
            if joint in self.roots:
                gain *= 10.0
            bones[path] = {"stiffness": gain, "damping": gain * 0.1}
        if self.carried:
            weight = sum(said["mass"] for said in masses.values())
            bones[CARRIER] = {"stiffness": 1e4 * weight, "damping": 200.0 * weight}
        table = {"stiffness": 1.0, "damping": 0.1, "gravity": True, "bones": bones}
        return self._pass_on("stiffness", PoseTracking, table)
