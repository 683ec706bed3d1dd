"""Files and documents that cannot be read give one line that says where and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli

from supple.errors import SceneError
from supple.scene.lines import locate_keys, parse_toml, read_toml

SCENE = """\
format = 1
[run]
step = 0.004            # s
gravity = [0,
  -9.81,  # ] down
  0]

[[entity]]
name = "walker"
biped = { feet = "soft", flesh = { stiffness = 1e4 } }

[[entity]]
name = "floor"
[entity.plane]
friction = 0.8
[[entity.part]]
[[entity.part]]
size = 1

[sweep]
"shove.at" = [2.0, 2.1,
              2.2]
"""


def test_lines_of_a_scene() -> None:
    lines = locate_keys(SCENE)
    assert lines["run", "step"] == 3
    assert [lines["run", "gravity", index] for index in range(3)] == [4, 5, 6]
    assert lines["entity",] == lines["entity", 0] == 8
    assert lines["entity", 0, "biped", "flesh", "stiffness"] == 10
    assert lines["entity", 1] == 12
    assert lines["entity", 1, "plane", "friction"] == 15
    assert lines["entity", 1, "part", 0] == 16
    assert lines["entity", 1, "part", 1, "size"] == 18
    assert lines["sweep", "shove.at", 2] == 22


def test_a_header_is_a_better_place_than_the_first_mention() -> None:
    assert locate_keys("[run.newton]\n[run]\n")["run",] == 2


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a = 1\nb = soft\n", 2, "strings in quotes"),
        ("a = 1\n\na = [\n2]\n", 3, "'a' is given twice, first on line 1"),
        ("a = 1 b = 2", 1, "one key = value a line"),
        ("a = [1\n2]", 2, "comma"),
        ("\na = [1,\n\n2\n\n", 2, "array is not closed"),
        ("a = '''\n\n\n", 1, "string is not closed"),
        ('a = "x\nb = 1', 1, "closed on its line"),
        ("[a]\n[b]\n[a]\n", 3, "declared twice"),
        ("a = 1\n[a]\n", 2, "already given"),
        ("a = {x = 1, x = 2}", 1, "'x' is given twice"),
        ('a = "\\q"', 1, "escape"),
        ("a = 1\nb = " + "9" * 5000, 2, "digits"),
        ("a = 1\nb = '\0'", 2, "NUL"),
        ("\na = '\ud800'", 2, "Unicode"),
        ("\na = " + "[" * 100_000, 2, "nested deeper"),
        ("\na = " + "{a = " * 100_000, 2, "nested deeper"),
        ("\n" + "a." * 100_000 + "a = 1", 2, "nested deeper"),
        ("\n[" + "a." * 100_000 + "a]", 2, "nested deeper"),
    ],
)
def test_rejected_documents_name_the_line(text: str, line: int, words: str) -> None:
    with pytest.raises(SceneError) as caught:
        parse_toml(text, "scene.toml")
    message = str(caught.value)
    assert message.startswith(f"scene.toml:{line}: ")
    assert words in message
    assert len(message.splitlines()) == 1


def test_locating_keys_needs_no_recursion() -> None:
    deepest_of_tomli = "a = " + "[" * 390 + "]" * 390
    tomli.loads(deepest_of_tomli)
    assert max(len(path) for path in locate_keys(deepest_of_tomli)) == 390


def test_byte_order_mark_is_no_part_of_the_document(tmp_path: Path) -> None:
    path = tmp_path / "scene.toml"
    path.write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\r\n")
    assert read_toml(path) == ({"a": 1, "b": 2}, {("a",): 1, ("b",): 2})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a = 1\nb = '\xff'\n", ":2: byte 0xff is not valid UTF-8"),
        ("a = 1".encode("utf-16"), "UTF-16"),
        (b"a = 1\n#" + b"x" * 16 * 1024 * 1024, "larger than 16 MiB"),
    ],
)
def test_unreadable_contents(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "scene.toml"
    path.write_bytes(content)
    with pytest.raises(SceneError) as caught:
        read_toml(path)
    assert str(caught.value).startswith(str(path))
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "walker.toml").write_text("")
    with pytest.raises(SceneError, match=r"no such file.*walker\.toml.*Did you mean 'walker\.toml'\?"):
        read_toml(tmp_path / "waker.toml")
    with pytest.raises(SceneError, match=r"no such file"):
        read_toml(tmp_path / "no folder" / "walker.toml")
    with pytest.raises(SceneError, match=r"no such file"):
        read_toml(tmp_path / "walker.toml" / "walker.toml")


def test_a_directory_lists_its_scenes(tmp_path: Path) -> None:
    (tmp_path / "walker.toml").write_text("")
    with pytest.raises(SceneError, match=r"is a directory.*walker\.toml"):
        read_toml(tmp_path)


def test_a_path_that_cannot_exist() -> None:
    with pytest.raises(SceneError, match=r"cannot be read|no such file"):
        read_toml(Path("scene\0.toml"))


def test_a_forbidden_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scene.toml"
    path.write_text("a = 1")

    # Permission bits do not stop an administrator, so that the refusal itself is made up.
    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SceneError, match="may not be read"):
        read_toml(path)
