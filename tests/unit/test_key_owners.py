"""A key that a component does not have says which components do."""

from __future__ import annotations

from pathlib import Path

import pytest

import supple
from supple.errors import UserError

SCENE = """format = 1
[run]
step = 0.01
duration = 1.0
[[entity]]
name = "a"
body = {{}}
sphere = {{ radius = 0.1, {} = 5 }}
"""


@pytest.mark.parametrize(
    ("key", "said"), [("density", "density is a key of"), ("radiu", "Did you mean 'radius'?")]
)
def test_unknown_key_says_where_it_belongs(key: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "scene.toml").write_text(SCENE.format(key))
    with pytest.raises(UserError) as caught:
        supple.load(tmp_path / "scene.toml")
    assert said in str(caught.value)
