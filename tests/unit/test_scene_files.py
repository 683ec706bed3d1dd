"""Files that components name lie beside the scene, unless the runner allows more."""

from __future__ import annotations

import pytest

from supple.core.scene_files import SceneFiles
from supple.errors import UserError


@pytest.fixture
def scene(tmp_path):
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "rock.obj").write_text("")
    (tmp_path / "secret.obj").write_text("")
    return tmp_path / "scenes" / "scene.toml"


def test_a_file_beside_the_scene_is_found(scene) -> None:
    assert SceneFiles(str(scene)).find("rock.obj", "stone.mesh.file") == scene.parent / "rock.obj"


def test_a_misspelt_file_lists_what_is_there(scene) -> None:
    with pytest.raises(
        UserError, match=r"stone\.mesh\.file: there is no file 'rokc\.obj'.*Did you mean 'rock\.obj'"
    ):
        SceneFiles(str(scene)).find("rokc.obj", "stone.mesh.file")


@pytest.mark.parametrize(
    "name", ["../secret.obj", "/etc/passwd", "C:\\x.obj", "\\\\host\\x.obj", "a\\..\\..\\x.obj"]
)
def test_no_name_leads_out_of_the_folder(scene, name) -> None:
    with pytest.raises(UserError, match="is outside the scene's folder; move it beside the scene, or pass"):
        SceneFiles(str(scene)).find(name, "stone.mesh.file")


def test_name_of_more_bytes_than_the_system_takes_is_no_file(scene) -> None:
    with pytest.raises(UserError, match="there is no file"):
        SceneFiles(str(scene)).find("\U0001f600" * 100, "stone.mesh.file")


def test_a_link_does_not_lead_out_either(scene) -> None:
    link = scene.parent / "link.obj"
    try:
        link.symlink_to(scene.parent.parent / "secret.obj")
    except OSError:
        pytest.skip("this system makes no symbolic links")
    with pytest.raises(UserError, match="outside"):
        SceneFiles(str(scene)).find("link.obj", "stone.mesh.file")


def test_the_runner_may_allow_it(scene) -> None:
    found = SceneFiles(str(scene), allow_outside=True).find("../secret.obj", "stone.mesh.file")
    assert found.read_text() == ""
