"""From walkers and their gaits to tables, and the memory of what a walk is measured by."""

from __future__ import annotations

import numpy as np

from supple.core.build import Build
from supple.core.entity import Entity
from supple.core.schedule import Bound
from supple.errors import UserError, suggest
from supple.mechanics.owners import list_owners
from supple.scene.lines import KeyPath
from supple_bones.layout import PARENT, ROW_FIRST, V_COUNT, V_FIRST
from supple_phases.member import Machines, find_machines
from supple_simbicon import layout as at
from supple_simbicon.components import MACHINE, Simbicon
from supple_simbicon.gait import AXES, STANCE, SWING, Gains, Target
from supple_simbicon.layout import Body, Drives, Rules
from supple_simbicon.machine import DISTANCE, LEFT_STANCE, LOWER, SPEED, UPPER
from supple_simbicon.read_gait import GaitFile, find_gait, read_gait
from supple_skeleton.mechanism import Skeletons

SIDES = ("left", "right")


class Walker:
    """One walker: the tables of its gait on its bones. Member of the collection `walkers`."""

    reads = ()

    def __init__(self, build: Build, row: int, entity: Entity) -> None:
        self.name, self.row = entity.path, row
        self.told: Simbicon = entity.components["simbicon"]
        files = build.blueprint.files
        self.file = read_gait(find_gait(self.told.gait, f"{self.name}.simbicon.gait", files))
        self.skeleton = next(
            each.path for each in build.graph.below(self.name) if "skeleton" in each.components
        )
        self.bones = _number_bones(build, self.skeleton)
        self.machines: Machines = find_machines(build)
        self.machine = f"{self.name}/{MACHINE}"
        self.flag = self.machines.flag(self.machine, LEFT_STANCE)
        _check_bones(self.file, self.bones)
        joints = list_joints(self.file, self.bones)
        self.drives = _make_drives(build, self, joints)
        self.body = _make_body(build, self, [name for name, _ in joints])
        self.rules = make_rules(self.file, self.told)

    def bind(self, arrays: Bound) -> None:
        """Nothing is read here: systems take the tables."""


def compile_walkers(build: Build) -> None:
    """Declare what walkers remember and show."""
    entities = build.having("simbicon")
    labels = [entity.path for entity in entities]
    for row, entity in enumerate(entities):
        build.add_member("walkers", Walker(build, row, entity))
    if build.settings("simbicon").small_steps > 1:
        from supple_simbicon.small_steps import HELD, SmallSteps

        rates = len(build.arrays["skeleton.dof"])
        doc = "Force of flesh, limits and all else but contacts and drives that bones bear in small steps."
        build.add_step(HELD, (rates,), unit="N m, N", doc=doc)
        build.add_member("bone_steppers", SmallSteps(build))
    memory = np.zeros((len(entities), at.MEMORY_COLUMNS))
    for column in (at.FALL_TIME, at.SETTLED_TIME, at.FIRST_STEP):
        memory[:, column] = -1.0
    build.add_state(
        "simbicon.memory", memory, unit="SI", labels=labels, doc="What a walk is measured by; columns in layout.py."
    )  # fmt: skip
    rates = len(build.arrays["skeleton.dof"])
    for name, shape, unit, doc in (
        ("observed", (len(entities), len(at.METRICS)), "SI", "Values of the metrics of walkers."),
        (
            "balance",
            (len(entities), at.BALANCE_COLUMNS),
            "SI",
            "What balance looks at; columns in layout.py.",
        ),
    ):
        build.add_step(f"simbicon.{name}", shape, unit=unit, doc=doc, labels=labels)
    owners = list_owners(build)
    doc = "Of the contacts on an entity: normal impulses times sliding speeds, and normal impulses."
    build.add_step("simbicon.slips", (len(owners), 2), unit="N m, N s", doc=doc, labels=owners)
    build.add_step("simbicon.push", (rates,), unit="N m", doc="Torques before implicit gains act.")
    build.add_step("simbicon.resisting", (rates,), unit="N m s/rad", doc="Implicit gains of the rates.")
    for row, entity in enumerate(entities):
        places = {name: ("simbicon.observed", (row, column)) for column, name in enumerate(at.METRICS)}
        build.bind_metrics(entity, "simbicon", places)


def _number_bones(build: Build, skeleton: str) -> dict[str, int]:
    """Rows of the bones of a skeleton by their last names."""
    member: Skeletons = next(m for m in build.members("mechanisms") if m.name == Skeletons.name)
    rows: dict[str, int] = {}
    for path, row in member.bones.items():
        if path.startswith(f"{skeleton}/"):
            rows.setdefault(path.rpartition("/")[2], row)
    return rows


def sides_of(joint: str, bones: dict[str, int]) -> list[tuple[str, int]]:
    """The bones of a joint with their sides: left and right, or the one in the middle; none if there are none."""
    if joint in bones:
        return [(joint, at.MIDDLE)]
    both = [(f"{side}_{joint}", place) for place, side in enumerate(SIDES)]
    return both if all(name in bones for name, _ in both) else []


def _check_bones(file: GaitFile, bones: dict[str, int]) -> None:
    """Whatever the gait drives, or counts on, is a bone."""
    problems = []
    known = sorted({name.removeprefix("left_").removeprefix("right_") for name in bones})
    asked: list[tuple[KeyPath, str]] = [(("joints", name), name) for name in file.gait.joints]
    for key in ("root", "hip", "foot"):
        asked.append(((key,), getattr(file.gait, key)))
    for keys, name in asked:
        found = sides_of(name, bones)
        paired = len(found) == 2
        if not found:
            what = f"the walker has no bone '{name}', nor left_{name} and right_{name}"
            problems.append(file.problem(keys, what, suggest(name, known, "it has")))
        elif keys[0] in ("hip", "foot") and not paired:
            what = f"'{name}' is a single bone; a {keys[0]} is on the left and on the right"
            problems.append(file.problem(keys, what, suggest(name, known, "it has")))
        elif keys[0] == "root" and paired:
            what = f"'{name}' is on the left and on the right; the root is in the middle"
            problems.append(file.problem(keys, what, suggest(name, known, "it has")))
    if problems:
        raise UserError(problems)


def list_joints(file: GaitFile, bones: dict[str, int]) -> list[tuple[str, int]]:
    """The driven bones with their sides, the root first."""
    gait = file.gait
    others = [each for name in sorted(gait.joints) if name != gait.root for each in sides_of(name, bones)]
    return [(gait.root, at.MIDDLE), *others]


def _make_drives(build: Build, walker: Walker, joints: list[tuple[str, int]]) -> Drives:
    bone = build.arrays["skeleton.bone"]
    rows = np.array([walker.bones[name] for name, _ in joints], np.int64)
    gains = [gains_row(walker.file.gait.joints[_joint(name, side)]) for name, side in joints]
    n = len(joints)
    places = {field: np.full((2, n, 3), -1, np.int64) for field in ("angle", DISTANCE, SPEED, LOWER, UPPER)}
    strength, heading = np.full((2, n), -1, np.int64), np.zeros((2, n), np.int64)
    order = np.zeros((2, n, 3), np.int64)
    for stance in (at.LEFT, at.RIGHT):
        for k, (name, side) in enumerate(joints):
            role = (
                name if side == at.MIDDLE else f"{STANCE if side == stance else SWING}_{_joint(name, side)}"
            )
            for a, axis in enumerate(AXES):
                for field, table in places.items():
                    value = f"{role}_{axis}" if field == "angle" else f"{role}_{axis}_{field}"
                    table[stance, k, a] = _find_place(walker, value)
            strength[stance, k] = _find_place(walker, f"{role}_strength")
            target = find_target(walker.file, role)
            heading[stance, k] = int(target.frame == "heading")
            order[stance, k] = [AXES.index(axis) for axis in target.order]
    return Drives(
        bone=rows, parent=bone[rows, PARENT].copy(), first=bone[rows, V_FIRST].copy(),
        rates=bone[rows, V_COUNT].copy(), row=bone[rows, ROW_FIRST].copy(), gains=np.array(gains),
        strength=strength, heading=heading, order=order, **places,
    )  # fmt: skip


def _joint(name: str, side: int) -> str:
    return name if side == at.MIDDLE else name.partition("_")[2]


def gains_row(gains: Gains) -> list[float]:
    """A row of Drives.gains."""
    noise = (gains.strength / 200.0) ** -0.25
    return [gains.stiffness, gains.damping, *gains.scale, gains.limit or 0.0, noise]


def find_target(file: GaitFile, role: str) -> Target:
    """What the gait says about frame and order of a joint: the first phase that speaks of it counts."""
    said = (phase.targets[role] for phase in file.gait.phases if role in phase.targets)
    return next(said, Target())


def _find_place(walker: Walker, value: str) -> int:
    """Where the phases hold a value; -1 if the gait does not speak of it."""
    known = walker.machines.holds(walker.machine, value)
    return int(walker.machines.place(walker.machine, value).start) if known else -1


def _make_body(build: Build, walker: Walker, names: list[str]) -> Body:
    gait, bones = walker.file.gait, walker.bones
    root = bones[gait.root]
    parents = build.arrays["skeleton.bone"][:, PARENT]
    hangs = [k for k, name in enumerate(names) if k > 0 and parents[bones[name]] == root]
    hips = [names.index(f"{side}_{gait.hip}") for side in SIDES]
    for hip in hips:
        if hip not in hangs:
            what = f"'{gait.hip}' does not hang on the root '{gait.root}'"
            raise UserError(walker.file.problem(("hip",), what, "name the bones that do"))
    feet = [bones[f"{side}_{gait.foot}"] for side in SIDES]
    return Body(
        bones=np.array([root, *(row for row in sorted(bones.values()) if row != root)], np.int64),
        hip=np.array(hips, np.int64),
        foot=np.array(feet, np.int64),
        hangs=np.array(hangs, np.int64),
        left=_find_soles(build, walker, "left"),
        right=_find_soles(build, walker, "right"),
        foot_point=np.array(gait.foot_point, float),
    )


def _find_soles(build: Build, walker: Walker, side: str) -> np.ndarray:
    """Rows of `touch` of a foot and of all bones below it that can touch something."""
    owners = list_owners(build)
    foot = f"{side}_{walker.file.gait.foot}"
    member: Skeletons = next(m for m in build.members("mechanisms") if m.name == Skeletons.name)
    path = next(path for path, row in member.bones.items() if row == walker.bones[foot])
    below = [each for each in member.bones if each == path or each.startswith(f"{path}/")]
    rows = [owners.index(each) for each in below if each in owners]
    if not rows:
        what = f"the foot '{foot}' has no shape that could touch the ground"
        raise UserError(walker.file.problem(("foot",), what, "name a bone with a shape or flesh"))
    return np.array(rows, np.int64)


def make_rules(file: GaitFile, told: Simbicon) -> Rules:
    """The choices of a gait and of its walker as numbers."""
    gait = file.gait
    return Rules(
        of_root=int(gait.balance == "root"),
        by_stance=int(gait.upright_by == "stance"),
        own_heading=int(gait.heading == "own"),
        yaw_damping=gait.yaw_damping,
        yaw_cap=gait.yaw_cap,
        fade_low=gait.fade[0],
        fade_high=gait.fade[1],
        fallen=gait.fallen,
        settle=told.settle,
        implicit=int(told.implicit),
    )
