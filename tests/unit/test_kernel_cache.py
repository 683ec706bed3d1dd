"""The kernel cache notices a changed helper in another file, and nothing but what matters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from supple.core import stubs
from supple.core.cache_folder import user_cache_folder
from supple.core.cache_owner import is_own, keep_to_own_folder

RUN = "from supple_demo.kernels import twice; print(twice(3.0), end='')"


def run(folder, cache, what: str = RUN) -> str:
    return subprocess.run(
        [sys.executable, "-c", what], cwd=folder, text=True, check=True, capture_output=True,
        # Python tells changed sources by their size and second; bytecode of the same second would hide a change.
        env={
            "SUPPLE_CACHE_DIR": str(cache), "PATH": "", "HOME": str(cache), "SYSTEMROOT": "",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    ).stdout  # fmt: skip


@pytest.fixture
def package(tmp_path):
    folder = tmp_path / "supple_demo"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "kernels.py").write_text(
        textwrap.dedent("""
        from supple.core.jit import njit
        from supple_demo.helper import (
            scale,
        )

        @njit
        def twice(x):
            return scale(x)
        """)
    )
    (folder / "helper.py").write_text(
        "from supple.core.jit import njit\nfrom supple_demo import constants\n\n"
        "@njit\ndef scale(x):\n    return constants.FACTOR * x\n"
    )
    (folder / "constants.py").write_text("FACTOR = 2.0\n")
    (folder / "unrelated.py").write_text("")
    return tmp_path


def test_a_changed_helper_or_constant_is_never_served_stale(package, tmp_path) -> None:
    cache = tmp_path / "cache"
    assert run(package, cache) == "6.0"
    (package / "supple_demo/constants.py").write_text("FACTOR = 5.0\n")
    assert run(package, cache) == "15.0", "a constant two imports away"
    helper = package / "supple_demo/helper.py"
    helper.write_text(helper.read_text().replace("* x", "* x + 1.0"))
    assert run(package, cache) == "16.0", "a helper one import away"


def test_an_unrelated_change_recompiles_nothing(package, tmp_path) -> None:
    cache = tmp_path / "cache"
    run(package, cache)
    kernels = sorted(cache.rglob("*.nbc"))
    assert kernels
    (package / "supple_demo/unrelated.py").write_text("x = 1\n")
    run(package, cache)
    assert sorted(cache.rglob("*.nbc")) == kernels


def test_copies_of_a_project_share_their_kernels(package, tmp_path) -> None:
    cache = tmp_path / "cache"
    run(package, cache)
    kernels = sorted(cache.rglob("*.nbc"))
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copytree(package / "supple_demo", copy / "supple_demo")
    assert run(copy, cache) == "6.0"
    assert sorted(cache.rglob("*.nbc")) == kernels


def test_kernels_of_others_stay_where_they_would_be(package, tmp_path) -> None:
    cache = tmp_path / "cache"
    others = "import numba\n\n@numba.njit(cache=True)\ndef thrice(x):\n    return 3.0 * x\n"
    (package / "others.py").write_text(f"from supple_demo.kernels import twice\n{others}")
    run(package, cache, "from others import thrice; print(thrice(3.0), end='')")
    assert not [file for file in cache.rglob("*.nbc") if "thrice" in file.name]
    assert [file for file in package.rglob("__pycache__/*.nbc") if "thrice" in file.name]


def test_a_kernel_can_be_compiled_against_one_that_was_loaded(package, tmp_path) -> None:
    cache = tmp_path / "cache"
    run(package, cache)
    (package / "supple_demo/more.py").write_text(
        "from supple.core.jit import njit\nfrom supple_demo.kernels import twice\n\n"
        "@njit\ndef four_times(x):\n    return twice(twice(x))\n"
    )
    # The first is loaded, the second compiled, and what it calls is the loaded one's code.
    what = f"{RUN}; from supple_demo.more import four_times; print(four_times(3.0))"
    assert run(package, cache, what) == "6.012.0\n"
    assert run(package, cache, what) == "6.012.0\n"


def test_loading_kernels_imports_nothing_that_only_compiling_needs(package, tmp_path) -> None:
    cache = tmp_path / "cache"
    run(package, cache)
    what = (
        f"{RUN}; import sys; print(*(name in sys.modules for name in ('numba.np.arraymath', 'scipy.linalg')))"
    )
    assert run(package, cache, what) == "6.0False False\n"


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_kernel_whose_files_are_half_written_is_made_anew(package, tmp_path, kind) -> None:
    cache = tmp_path / "cache"
    run(package, cache)
    for file in cache.rglob(f"*.{kind}"):
        file.write_bytes(file.read_bytes()[:40])
    assert run(package, cache) == "6.0"
    assert run(package, cache) == "6.0"


def test_stubs_that_are_half_written_are_made_anew(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(tmp_path))
    for keep in (slice(None), slice(50), slice(0)):
        monkeypatch.setattr(stubs, "_addresses", {})
        assert stubs.find_stubs(["wd"])["wd"]
        (file,) = (tmp_path / "stubs").iterdir()
        file.write_bytes(file.read_bytes()[keep])
    file.write_bytes(bytes(100))
    monkeypatch.setattr(stubs, "_addresses", {})
    assert stubs.find_stubs(["wd"])["wd"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders of users are nobody else's there")
@pytest.mark.parametrize("others", ["owner", "everybody"])
def test_machine_code_is_not_taken_from_a_folder_of_others(tmp_path, monkeypatch, others) -> None:
    shared = tmp_path / "cache"
    shared.mkdir()
    monkeypatch.setenv("SUPPLE_CACHE_DIR", str(shared))
    keep_to_own_folder()
    assert user_cache_folder() == shared
    if others == "everybody":
        shared.chmod(0o777)
        keep_to_own_folder()
        assert user_cache_folder() == shared / f"user-{os.geteuid()}"
        assert user_cache_folder().stat().st_mode & 0o777 == 0o700
        keep_to_own_folder()
        assert user_cache_folder().parent == shared
        return
    if shared.stat().st_uid == 0:  # what the administrator made is fine, so let it be another's
        os.chown(shared, 12345, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    keep_to_own_folder()
    assert not user_cache_folder().is_relative_to(shared) or is_own(user_cache_folder())
    assert user_cache_folder() != shared


def test_the_folder_is_looked_at_before_any_kernel_is_loaded(package, tmp_path) -> None:
    if not hasattr(os, "geteuid"):
        pytest.skip("folders of users are nobody else's there")
    cache = tmp_path / "cache"
    cache.mkdir()
    cache.chmod(0o777)
    assert run(package, cache) == "6.0"
    assert all(file.is_relative_to(cache / f"user-{os.geteuid()}") for file in cache.rglob("*.nb?"))
