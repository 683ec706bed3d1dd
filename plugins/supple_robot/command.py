"""`supple import`: a robot's file as a scene that can be edited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from supple.errors import Problem, UserError, Where
from supple.run.options import FILE, json_option, outside_option

if TYPE_CHECKING:
    from supple_robot.robot import ReadRobot

#: Hulls of more corners are written to files of their own.
_INLINE = 24
#: Characters of a link's name that the name of its file has; more may be too many for a disk.
_LONGEST = 60


@click.command("import")
@click.argument("file", type=FILE)
@click.option(
    "-o", "--output", required=True, type=FILE, metavar="SCENE", help="The scene to write, a .toml file."
)
@click.option(
    "--name", default="", metavar="NAME", help="Name of the robot's entity.  [default: that of the file]"
)
@click.option(
    "--base", type=click.Choice(["as_written", "free", "fixed"]), default="as_written", show_default=True,
    help="How its roots move against the world.",
)  # fmt: skip
@click.option(
    "--up", type=click.Choice(["z", "y"]), default="z", show_default=True, help="What points up in the file."
)
@click.option("--keyframe", default="", metavar="NAME", help="Keyframe of the file to start in.")
@click.option("--motor-stiffness", type=float, default=0.0, help="Stiffness of servos made of mere torques.")
@click.option("--motor-damping", type=float, default=0.0, help="Their damping.")
@click.option("--overwrite", is_flag=True, help="Replace a scene that exists.")
@outside_option
@json_option
def import_robot(
    file: Path, output: Path, name: str, overwrite: bool, allow_outside: bool, as_json: bool, **options: Any
) -> None:
    """Write a robot of an MJCF or URDF file as a scene: links, joints, shapes, servos, closed loops.

    What has no like in supple is listed, here and at the head of the scene. To use the file itself in a scene, write
    robot = { file = "spot.xml" }. Meshes and other parts are read from the file's folder and below.

    Example: supple import spot.xml -o spot.toml --base free
    """
    from supple.core.scene_files import SceneFiles
    from supple.run.json_text import write_json
    from supple_robot.components import Robot
    from supple_robot.names import Names
    from supple_robot.robot import make_robot

    if output.suffix.lower() != ".toml":
        raise UserError(Problem(None, str(output), "is no scene", "name a file that ends in .toml"))
    if output.exists() and not overwrite:
        raise UserError(
            Problem(None, str(output), "exists already", "choose another name, or pass --overwrite")
        )
    if not file.is_file():
        raise UserError(Problem(None, str(file), "no such file", "name an MJCF or URDF file"))
    word = Names().below("", name or file.stem, "robot").lstrip("/")
    files = SceneFiles(str(file.parent / "scene.toml"), allow_outside=allow_outside)
    try:
        robot = make_robot(Robot(file=file.name, **options), word, files)
    except UserError as error:
        where = Where(str(file))
        raise UserError([replace(each, where=each.where or where) for each in error.problems]) from error
    written = _write(robot, word, file, output)
    counts = {
        "links": len(robot.link) - 1, "joints": len(robot.joint), "entities": len(robot.entities) + 1,
        "servos": sum("servo" in entity.components for entity in robot.entities),
        "gears": sum("gear" in entity.components for entity in robot.entities),
        "loops": sum("joint" in entity.components for entity in robot.entities),
    }  # fmt: skip
    if as_json:
        click.echo(
            write_json({"wrote": str(output), "meshes": written, **counts, "left_out": robot.left_out})
        )
        return
    for line in robot.left_out:
        click.echo(f"not as in the file: {line}", err=True)
    said = ", ".join(
        f"{count} {noun if count > 1 else noun.removesuffix('s')}" for noun, count in counts.items() if count
    )
    click.echo(f"wrote {output}: {said}", err=True)


def _write(robot: ReadRobot, root: str, file: Path, output: Path) -> list[str]:
    """The scene, and large hulls beside it; returns the names of the latter."""
    from supple.core.entity import Entity
    from supple.run.atomic import check_folder, replacing
    from supple.scene.toml_scanner import printable
    from supple.scene.write import write_entities, write_value

    check_folder(output)
    written: list[str] = []
    entities = [Entity(root, {})]
    for entity in robot.entities:
        hull = entity.components.get("convex")
        if hull is not None and len(hull.points) > _INLINE:
            word = entity.path.rpartition("/")[2][:_LONGEST]
            name = f"{output.stem}_meshes/{len(written)}_{word}.obj"
            _write_hull(output.parent / name, hull.points)
            written.append(name)
            entity = Entity(entity.path, {**entity.components, "convex": _from_file(hull, name)})
        entities.append(entity)
    said = [
        f"Made of {file.name} by supple import.",
        *(f"Not as in the file: {line}" for line in robot.left_out),
    ]
    head = "".join(f"# {printable(line)}\n" for line in said)  # names in them may hold anything
    about = write_value(f"The robot of {file.name}.")
    head += f"format = 1\nabout = {about}\n\n[run]\nstep = 0.002\nduration = 1.0\n\n"
    with replacing(output) as made:
        made.write((head + write_entities(entities)).encode())
    return written


def _from_file(hull: Any, name: str) -> Any:
    return replace(hull, file=name, points=())


def _write_hull(file: Path, points: Any) -> None:
    import numpy as np

    from supple.run.atomic import refuse_unwritable, replacing
    from supple_collide.mesh_shape import wrap_points

    hull = wrap_points(np.array(points), str(file))
    corners = (f"v {x!r} {y!r} {z!r}" for x, y, z in hull.vertices.tolist())
    faces = (f"f {a + 1} {b + 1} {c + 1}" for a, b, c in hull.triangles.tolist())
    text = "\n".join(["# A convex hull, in metres.", *corners, *faces]) + "\n"
    try:
        file.parent.mkdir(exist_ok=True)
        with replacing(file) as made:
            made.write(text.encode())
    except OSError as error:
        raise refuse_unwritable(file, error) from error
