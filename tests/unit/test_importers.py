"""Prefabs that are made from a file: it is found beside the scene, counts for the fingerprint, and may be wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from supple.core.component import component, field
from supple.core.entity import Entity
from supple.core.scene_files import SceneFiles
from supple.errors import Problem, SceneError, UserError
from supple.scene.load import Scene, read_scene
from toy_scenes import Mass, make_plugins

SCENE = """
format = 1
[run]
step = 0.01
duration = 1.0
[[entity]]
name = "bag"
sack = { file = "masses.txt" }
"""


@component
class Sack:
    """Masses from a file, one in each line; children m0, m1, ... A line `see FILE` goes on in another file."""

    file: str = field(unit="", doc="The file.")

    def expand(self, entity: Entity, files: SceneFiles) -> list[Entity]:
        at = f"{entity.path}.sack.file"
        words = files.find(self.file, at).read_text(encoding="utf-8").split()
        if words[:1] == ["see"]:
            words = files.find(words[1], at).read_text(encoding="utf-8").split()
        if "nothing" in words:
            raise UserError(Problem(None, at, "the sack is empty", "put something in"))
        return [
            Entity(f"{entity.path}/m{k}", {"mass": Mass(mass=float(word))}) for k, word in enumerate(words)
        ]


def read(folder: Path, text: str = SCENE, **more: bool) -> Scene:
    plugins = make_plugins()
    plugins.registry.add_component(Sack)
    (folder / "scene.toml").write_text(text, encoding="utf-8")
    return read_scene(folder / "scene.toml", plugins, **more)


def refuse(folder: Path, text: str = SCENE) -> str:
    with pytest.raises(SceneError) as caught:
        read(folder, text)
    return str(caught.value)


def test_children_come_from_the_file(tmp_path: Path) -> None:
    (tmp_path / "masses.txt").write_text("1.5 2.5")
    graph = read(tmp_path).blueprint().graph
    assert [entity.path for entity in graph] == ["bag", "bag/m0", "bag/m1"]
    assert graph["bag/m1"].components["mass"].mass == 2.5
    changed = read(tmp_path, SCENE + '[set]\n"bag/m1.mass.mass" = 4.0\n').blueprint()
    assert changed.graph["bag/m1"].components["mass"].mass == 4.0


def test_whatever_was_read_is_part_of_the_fingerprint(tmp_path: Path) -> None:
    """Also a file that the scene does not name, and also what leaves the children as they are."""
    (tmp_path / "masses.txt").write_text("see more.txt")
    (tmp_path / "more.txt").write_text("1.5 2.5")
    first = read(tmp_path).blueprint()
    assert first.imported == {"masses.txt", "more.txt"}
    before = first.fingerprint()
    assert read(tmp_path).blueprint().fingerprint() == before
    (tmp_path / "more.txt").write_text("1.50  2.50")
    again = read(tmp_path).blueprint()
    assert again.as_plain() == first.as_plain()
    assert again.fingerprint() != before


def test_bad_file_is_refused_at_its_line(tmp_path: Path) -> None:
    place = f"{tmp_path / 'scene.toml'}:8: bag"
    assert refuse(tmp_path).startswith(f"{place}.sack.file: there is no file 'masses.txt'")
    (tmp_path / "masses.txt").write_text("1.5 much")
    assert refuse(tmp_path).startswith(f"{place}.sack: could not convert string to float: 'much'")
    (tmp_path / "masses.txt").write_text("nothing")
    assert refuse(tmp_path) == f"{place}.sack.file: the sack is empty; put something in"
    (tmp_path / "masses.txt").write_bytes(b"\xff\xfe1")
    assert refuse(tmp_path).startswith(f"{place}.sack: 'utf-8' codec can't decode")


def test_no_file_outside_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "masses.txt").write_text("1.5")
    folder = tmp_path / "scenes"
    folder.mkdir()
    text = SCENE.replace("masses.txt", "../masses.txt")
    assert "'../masses.txt' is outside the scene's folder" in refuse(folder, text)
    assert "bag/m0" in read(folder, text, allow_outside=True).blueprint().graph


def test_variants_read_their_own_files(tmp_path: Path) -> None:
    (tmp_path / "masses.txt").write_text("1.5")
    (tmp_path / "other.txt").write_text("1.5 2.5 3.5")
    scene = read(tmp_path, SCENE + '[variants.other]\n"bag.sack.file" = "other.txt"\n')
    assert scene.blueprint().imported == {"masses.txt"}
    assert scene.blueprint(variant="other").imported == {"other.txt"}
    assert len(scene.blueprint(variant="other").graph) == 4
