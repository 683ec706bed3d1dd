"""USD: things as meshes over time, bones as skeletons, contacts as points, forces and pressure as primvars.

Stages are y up and in metres; time codes are frames, `timeCodesPerSecond` of them in a simulated second.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.core.drawing import Carried
from supple.errors import Problem, UserError
from supple.run.stage import Thing
from supple_export.armature import Armature, find_armatures
from supple_export.selection import Progress, Selection, require_things

Floats = NDArray[np.float64]
SUFFIXES = (".usd", ".usda", ".usdc")


def require_usd() -> None:
    """Refuse where usd-core is not installed."""
    try:
        import pxr  # noqa: F401
    except ImportError:
        what = "USD is written by usd-core, which is not installed"
        raise UserError(Problem(None, "--to usd", what, "pip install 'supple[usd]'")) from None


def write_usd(selection: Selection, path: Path, progress: Progress) -> list[dict[str, Any]]:
    """Write a stage; returns a row for each thing."""
    from pxr import Usd, UsdGeom

    require_things(selection)
    temporary = path.with_name(f".{path.stem}.part{path.suffix}")
    temporary.unlink(missing_ok=True)
    try:
        stage = Usd.Stage.CreateNew(str(temporary))
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        rows = _Writer(stage, selection).write(progress)
        stage.GetRootLayer().Save()
        del stage
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return rows


class _Writer:
    """Defines the prims of one stage and samples them frame by frame."""

    def __init__(self, stage: Any, selection: Selection) -> None:
        from pxr import UsdGeom

        self.stage, self.selection = stage, selection
        self.rate = selection.rate or 24.0
        times = selection.stage.times[list(selection.frames)]
        self.codes = [float(code) for code in self.rate * (times - times[0])]
        stage.SetTimeCodesPerSecond(self.rate)
        stage.SetFramesPerSecond(self.rate)
        stage.SetStartTimeCode(self.codes[0])
        stage.SetEndTimeCode(self.codes[-1])
        root = UsdGeom.Xform.Define(stage, "/run")
        stage.SetDefaultPrim(root.GetPrim())
        header = selection.recording.header
        for key, value in (("scene", header.scene), ("variant", header.variant), ("seed", int(header.seed))):
            root.GetPrim().SetCustomDataByKey(f"supple:{key}", value)
        self.taken: set[str] = set()

    def write(self, progress: Progress) -> list[dict[str, Any]]:
        """Everything; a row for each thing."""
        things = [thing for thing in self.selection.things if len(thing.triangles)]
        meshes = [self._define(thing) for thing in things]
        for armature in find_armatures(self.selection):
            self._add_skeleton(armature)
        contacts = self._define_contacts()
        for index, frame in enumerate(self.selection.frames):
            for thing, (_, mesh, place) in zip(things, meshes, strict=True):
                self._sample(thing, mesh, place, index, frame)
            self._sample_contacts(contacts, index, frame)
            progress(index + 1)
        return [
            {"name": thing.drawing.name, "path": thing.drawing.path, "as": path}
            for thing, (path, _, _) in zip(things, meshes, strict=True)
        ]

    def _name(self, parent: str, wanted: str) -> str:
        word = re.sub(r"\W", "_", wanted, flags=re.ASCII)
        word = word if word and not word[0].isdigit() else f"_{word}"
        path, count = f"{parent}/{word}", 1
        while path in self.taken:
            count += 1
            path = f"{parent}/{word}_{count}"
        self.taken.add(path)
        return path

    def _define(self, thing: Thing) -> tuple[str, Any, Any]:
        """Path, mesh and, if it moves as a whole, the operation that places it."""
        from pxr import Gf, UsdGeom, Vt

        path = self._name("/run", thing.drawing.name)
        mesh = UsdGeom.Mesh.Define(self.stage, path)
        mesh.CreateFaceVertexCountsAttr(Vt.IntArray([3] * len(thing.triangles)))
        mesh.CreateFaceVertexIndicesAttr(Vt.IntArray(thing.triangles.reshape(-1).tolist()))
        mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        mesh.CreateDoubleSidedAttr(True)
        colour = tuple(part**2.2 for part in thing.colour)
        mesh.CreateDisplayColorAttr(Vt.Vec3fArray([Gf.Vec3f(*colour)]))
        mesh.GetPrim().SetCustomDataByKey("supple:path", thing.drawing.path)
        mesh.GetPrim().SetCustomDataByKey("supple:layer", thing.drawing.layer)
        if not thing.is_rigid:
            return path, mesh, None
        mesh.CreatePointsAttr(_vectors(thing.rest))
        mesh.CreateExtentAttr(_extent(thing.rest))
        return path, mesh, mesh.AddTransformOp()

    def _sample(self, thing: Thing, mesh: Any, place: Any, index: int, frame: int) -> None:
        code = self.codes[index]
        if place is not None:
            if index == 0 or isinstance(thing.drawing.place, Carried):
                place.Set(_matrix(*thing.pose(frame)), code)
            return
        vertices = thing.vertices(frame)
        mesh.GetPointsAttr().Set(_vectors(vertices), code)
        mesh.GetExtentAttr().Set(_extent(vertices), code)
        self._sample_values(thing, mesh, frame, code)

    def _sample_values(self, thing: Thing, mesh: Any, frame: int, code: float) -> None:
        """The channel of a thing, contact forces on its vertices, and what presses on an area."""
        from pxr import Sdf, UsdGeom, Vt

        primvars, kinds = UsdGeom.PrimvarsAPI(mesh), Sdf.ValueTypeNames

        def say(name: str, kind: Any, values: Any) -> None:
            primvars.CreatePrimvar(name, kind, UsdGeom.Tokens.vertex).Set(values, code)

        def numbers(values: Floats | None) -> Any:
            return Vt.FloatArray.FromNumpy(np.asarray(values, np.float32))

        if thing.drawing.channel is not None:
            name = thing.drawing.channel.says.replace(" ", "_")
            say(name, kinds.FloatArray, numbers(thing.values(frame)))
        touched = thing.surface_forces(frame)
        if touched is not None:
            say("contactForce", kinds.Vector3fArray, _vectors(touched.force))
            say("contactPressure", kinds.FloatArray, numbers(touched.pressure))

    def _define_contacts(self) -> Any:
        from pxr import UsdGeom

        if not {"contacts.point", "contacts.force"} <= set(self.selection.recording.names):
            return None
        points = UsdGeom.Points.Define(self.stage, self._name("/run", "contacts"))
        points.CreateWidthsAttr([0.01])
        points.SetWidthsInterpolation(UsdGeom.Tokens.constant)
        return points

    def _sample_contacts(self, points: Any, index: int, frame: int) -> None:
        """Where things touch, and the force on the first of the two; as many as there are at the time."""
        from pxr import Sdf, UsdGeom

        if points is None:
            return
        spots, forces = self.selection.stage.contacts(frame)
        points.GetPointsAttr().Set(_vectors(spots), self.codes[index])
        primvar = UsdGeom.PrimvarsAPI(points).CreatePrimvar(
            "force", Sdf.ValueTypeNames.Vector3fArray, UsdGeom.Tokens.vertex
        )
        primvar.Set(_vectors(forces), self.codes[index])

    def _add_skeleton(self, armature: Armature) -> None:
        """A UsdSkel skeleton with its animation; joints are named by their paths in the tree."""
        from pxr import Gf, UsdSkel, Vt

        root = UsdSkel.Root.Define(self.stage, self._name("/run", f"{armature.owner}_bones"))
        path = str(root.GetPath())
        skeleton = UsdSkel.Skeleton.Define(self.stage, f"{path}/skeleton")
        animation = UsdSkel.Animation.Define(self.stage, f"{path}/animation")
        UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(
            [animation.GetPath()]
        )
        joints = _joint_names(armature)
        for each in (skeleton, animation):
            each.CreateJointsAttr(Vt.TokenArray(joints))
        count = len(joints)
        bind = [_matrix(pose[:3], pose[3:]) for pose in armature.bind]
        rest = [
            _matrix(pose[:3], pose[3:]) for pose in (armature.local(k, armature.bind) for k in range(count))
        ]
        skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray(bind))
        skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray(rest))
        animation.CreateScalesAttr(Vt.Vec3hArray([Gf.Vec3h(1, 1, 1)] * count))
        local = np.stack([armature.local(bone, armature.poses) for bone in range(count)], axis=1)
        for index, code in enumerate(self.codes):
            animation.CreateTranslationsAttr().Set(_vectors(local[index, :, :3]), code)
            turns = [Gf.Quatf(*(float(value) for value in turn)) for turn in local[index, :, 3:]]
            animation.CreateRotationsAttr().Set(Vt.QuatfArray(turns), code)


def _joint_names(armature: Armature) -> list[str]:
    """Paths of the joints below their roots, in letters that USD takes."""
    words = [re.sub(r"\W", "_", name, flags=re.ASCII) for name in armature.names]
    made: list[str] = []
    for word, parent in zip(words, armature.parent, strict=True):
        name = f"{made[parent]}/{word}" if parent >= 0 else word
        while name in made:
            name += "_"
        made.append(name)
    return made


def _vectors(values: Floats) -> Any:
    from pxr import Vt

    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, np.float32).reshape(-1, 3))


def _extent(points: Floats) -> Any:
    return _vectors(np.stack([points.min(axis=0), points.max(axis=0)]))


def _matrix(position: Floats, rotation: Floats) -> Any:
    """USD multiplies rows from the left."""
    from pxr import Gf

    w, x, y, z = (float(value) for value in rotation)
    return Gf.Matrix4d(Gf.Rotation(Gf.Quatd(w, x, y, z)), Gf.Vec3d(*(float(value) for value in position)))
