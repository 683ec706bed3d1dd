"""Numbers and names that no scene can mean: one line each, at the right place, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from supple import load
from supple.errors import UserError
from supple.run.cli import run_command

RUN = "format = 1\n[run]\nstep = 0.01\nduration = 0.1\n"
BALL = '[[entity]]\nname = "ball"\nsphere = { radius = 0.1 }\nbody = {}\n'
MESH = BALL.replace("sphere = { radius = 0.1 }", 'mesh = { file = "NAME" }')


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (RUN + "capacity = { contacts = 2000000000 }\n" + BALL, 5, "must be at most"),
        (RUN + BALL.replace("0.1", "1e200"), 7, "1e+200 is greater than any quantity"),
        (RUN + BALL.replace("{}", "{ velocity = [0, -1e31, 0] }"), 8, "-1e+31 is greater than any quantity"),
        (RUN.replace("0.01", "1e-300") + BALL, 2, "take longer ones"),
        (RUN + MESH.replace("NAME", r"a\u0000b"), 7, "is no name of a file"),
        (RUN + MESH.replace("NAME", "a" * 5000), 7, "is no name of a file"),
        (RUN + BALL.replace("{}", "{ mass = 1, density = 500 }"), 8, "take one of the two away"),
    ],
)
def test_what_no_scene_can_mean_is_refused(tmp_path: Path, text: str, line: int, message: str) -> None:
    scene = tmp_path / "scene.toml"
    scene.write_text(text)
    with pytest.raises(UserError) as caught:
        load(scene)
    said = str(caught.value)
    assert said.startswith(f"{scene}:{line}: "), said
    assert message in said
    assert len(said) < 1000
    assert "\n" not in said


def test_check_lists_all_files_that_are_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scene = tmp_path / "scene.toml"
    meshes = [f'[[entity]]\nname = "{name}"\nmesh = {{ file = "{name}.obj" }}\n' for name in ("one", "two")]
    scene.write_text(RUN + "".join(meshes))
    assert run_command(["check", str(scene)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert [line.split(": ")[0] for line in said] == [f"{scene}:7", f"{scene}:10"]


def test_what_can_only_be_looked_at_is_not_assigned(tmp_path: Path) -> None:
    scene = tmp_path / "scene.toml"
    scene.write_text(RUN + BALL)
    world = load(scene)
    with pytest.raises(AttributeError, match=r'set the state itself: world.array\("rigid.x"\)'):
        world["ball"].position = (1.0, 2.0, 3.0)
    with pytest.raises(AttributeError, match="has no 'positon' to set"):
        world["ball"].positon = (1.0, 2.0, 3.0)
    world.array("rigid.x")[0] = 1.0, 2.0, 3.0
    assert world["ball"].position.tolist() == [1.0, 2.0, 3.0]
    assert "rigid.x" in list(world.arrays)
