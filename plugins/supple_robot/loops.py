"""Closed loops: MuJoCo's equality constraints between bodies as joints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from supple.core.entity import Entity
from supple.core.pose import multiply, rotate
from supple_robot.frames import Place, as_pose
from supple_robot.gears import why_no_gear

if TYPE_CHECKING:
    from supple_robot.robot import ReadRobot

#: Anchors that are further apart than this in the neutral pose are not one point [m]; also 1 - cos of half a turn.
CLOSED = 1e-6


def make_loops(robot: ReadRobot) -> list[Entity]:
    """One joint for every connect and weld, below one of the two; what cannot be one is in `list_left_out`."""
    from supple_joints.components import Joint

    made = []
    for index in range(robot.model.neq):
        if why_no_loop(robot.model, index) or _is_gear(robot.model, index):
            continue
        kind, bodies = _kind(robot.model, index), _bodies(robot.model, index)
        holder = bodies[0] or bodies[1]
        place = _place_in(robot.model, index, holder)
        place = Place(place.position - robot.offset[holder], place.rotation)
        name = robot.model.equality(index).name or f"{kind}{index}"
        own = robot.names.below(robot.link[holder], name, f"{kind}{index}")
        between = tuple(robot.link[body] for body in bodies if body != 0)
        made.append(
            Entity(own, {"pose": as_pose(place), "joint": Joint(kind=kind, between=between, touch=True)})
        )
    return made


def _is_gear(model: Any, index: int) -> bool:
    import mujoco

    return bool(int(model.eq_type[index]) == mujoco.mjtEq.mjEQ_JOINT)


def why_no_loop(model: Any, index: int) -> str:
    """Why an equality is no joint and no gear; empty if it is one."""
    import mujoco

    kinds = mujoco.mjtEq
    name = model.equality(index).name or f"number {index}"
    if not model.eq_active0[index]:
        return f"equality {name} is not active at the start"
    if _is_gear(model, index):
        return why_no_gear(model, index)
    if int(model.eq_type[index]) not in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
        word = kinds(int(model.eq_type[index])).name.removeprefix("mjEQ_").lower()
        return f"equality {name} couples by {word}, which no joint does"
    gap = _gap(model, index)
    if gap > CLOSED:
        return f"equality {name} is open by {gap:.3g} in the neutral pose, and joints tie what lies together"
    return ""


def _kind(model: Any, index: int) -> Literal["ball", "fixed"]:
    import mujoco

    return "ball" if int(model.eq_type[index]) == mujoco.mjtEq.mjEQ_CONNECT else "fixed"


def _bodies(model: Any, index: int) -> tuple[int, int]:
    import mujoco

    one, other = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
    if int(model.eq_objtype[index]) == mujoco.mjtObj.mjOBJ_SITE:
        return int(model.site_bodyid[one]), int(model.site_bodyid[other])
    return one, other


def _ends(model: Any, index: int) -> tuple[Place, Place]:
    """Where the two bodies have the point that they share, in MuJoCo's world, in the neutral pose."""
    import mujoco

    data = _neutral(model)
    if int(model.eq_objtype[index]) == mujoco.mjtObj.mjOBJ_SITE:
        sites = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
        places = []
        for site in sites:
            quaternion = np.zeros(4)
            mujoco.mju_mat2Quat(quaternion, data.site_xmat[site])
            places.append(Place(data.site_xpos[site].copy(), quaternion))
        return places[0], places[1]
    frames = [_frame(data, body) for body in _bodies(model, index)]
    numbers = model.eq_data[index]
    if _kind(model, index) == "ball":
        return tuple(  # type: ignore[return-value]
            Place(frame.position + rotate(frame.rotation, numbers[3 * side : 3 * side + 3]), frame.rotation)
            for side, frame in enumerate(frames)
        )
    # A weld: its anchor in the second body, then the second body's pose in the first.
    anchor, relative = numbers[:3], Place(numbers[3:6].copy(), numbers[6:10].copy())
    expected = frames[0].then(relative)
    turn = expected.rotation if expected.rotation @ frames[1].rotation >= 0 else -expected.rotation
    held = Place(expected.position + rotate(expected.rotation, anchor), turn)
    return held, Place(frames[1].position + rotate(frames[1].rotation, anchor), frames[1].rotation)


def _gap(model: Any, index: int) -> float:
    one, other = _ends(model, index)
    apart = float(np.linalg.norm(one.position - other.position))
    if _kind(model, index) == "ball":
        return apart
    back = multiply(one.rotation * np.array([1.0, -1.0, -1.0, -1.0]), other.rotation)
    return max(apart, 2.0 * float(np.linalg.norm(back[1:])))


def _place_in(model: Any, index: int, body: int) -> Place:
    """The shared point in the frame of one of the two bodies."""
    end = _ends(model, index)[0 if _bodies(model, index)[0] == body else 1]
    frame = _frame(_neutral(model), body)
    back = frame.rotation * np.array([1.0, -1.0, -1.0, -1.0])
    return Place(rotate(back, end.position - frame.position), multiply(back, end.rotation))


def _neutral(model: Any) -> Any:
    import mujoco

    data = mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    mujoco.mj_kinematics(model, data)
    return data


def _frame(data: Any, body: int) -> Place:
    return Place(data.xpos[body].copy(), data.xquat[body].copy())
